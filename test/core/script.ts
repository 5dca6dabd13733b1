// Script: a scenario as a page of text that a shopkeeper can read.
//
//     # a comment
//     > Ida asks at east & Jon asks at west        what happens, `&` at the same moment
//       east admits Ida                            what the mall does about it within half a second
//       = anchor/1 0, east/1 0, west/1 0           what everyone holds then
//
// `play` keeps comments and events, and writes the rest anew. A line it cannot read is an error.

import { CALM } from '../../ledger/mode.ts'
import { Stage } from './stage.ts'

const SETTLE_MS = 500

type Sentence = readonly [RegExp, (stage: Stage, words: readonly string[]) => void]

const SENTENCES: readonly Sentence[] = [
  [/^(\w+) asks at (\w+)$/, (on, [id = '', gate = '']) => on.host(gate).step({ kind: 'asked', id, confidence: 990 })],
  [/^(\w+) leaves at (\w+)$/, (on, [id = '', gate = '']) => on.host(gate).step({ kind: 'left', id, confidence: 990 })],
  [
    /^(\d+) push past (\w+)$/,
    (on, [count, gate = '']) =>
      on.host(gate).step({ kind: 'intruded', id: `${gate}-${count}`, count: Number(count), why: 'tailgate' }),
  ],
  [/^the line to (\w+) is cut$/, (on, [name = '']) => on.cut(name)],
  [/^the lines are mended$/, on => on.mend()],
  [/^the next answer of (\w+) gets lost$/, (on, [name = '']) => on.loseNextFrom(name)],
  [/^(\w+) loses its power$/, (on, [name = '']) => on.host(name).crash('pulled')],
  [/^the disk of (\w+) is replaced by an empty one$/, (on, [name = '']) => on.host(name).disk.wipe()],
  [/^(\w+) is switched on$/, (on, [name = '']) => on.host(name).boot()],
  [
    /^(\w+) and (\w+) set the capacity to (\d+)$/,
    (on, [a = '', b = '', n]) => on.decree({ signers: [a, b], capacities: [{ from: 0, capacity: Number(n) }] }),
  ],
  [
    /^the (fire contact|key switch) at (\w+) (closes|opens)$/,
    (on, [what, gate = '', way]) => {
      const contact = what === 'key switch' ? 'key' : 'fire'
      on.host(gate).step({ kind: 'contact', contact, closed: way === 'closes' })
    },
  ],
  [/^(\w+)(?: and (\w+))? clear the emergency$/, (on, names) => clear(on, names)],
  [/^(\d+) s pass$/, (on, [seconds]) => on.agenda.runUntil(on.agenda.now + Number(seconds) * 1000)],
]

function clear(stage: Stage, names: readonly (string | undefined)[]): void {
  const anchor = stage.host('anchor')
  const { epoch, mode } = anchor.core?.me.modes.statement ?? CALM
  const by = names.filter(name => name !== undefined)
  const statement = { epoch: epoch + 1, mode: 'NORMAL', by, at: anchor.wall, reason: 'checked' } as const
  anchor.step({ kind: 'commanded', statement: { ...statement, clears: { epoch, mode } } })
}

export function play(text: string): string {
  const lines: string[] = []
  let stage: Stage | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('  ')) continue
    lines.push(line)
    if (!line.startsWith('> ')) {
      if (line !== '' && !line.startsWith('#')) throw new Error(`not a line of a scenario: ${line}`)
      continue
    }
    const opening = /^> a mall for (\d+) with (.+)$/.exec(line)
    if (opening) stage = new Stage(Number(opening[1]), (opening[2] ?? '').split(', '))
    else if (stage === undefined) throw new Error('a scenario begins with its mall')
    else {
      for (const sentence of line.slice(2).split(' & ')) happen(stage, sentence)
      stage.agenda.runUntil(stage.agenda.now + SETTLE_MS)
    }
    const told = opening ? [] : stage.told
    lines.push(...told.map(what => `  ${what}`), `  = ${stage.state}`)
    stage.told = []
  }
  return lines.join('\n')
}

function happen(stage: Stage, sentence: string): void {
  for (const [shape, act] of SENTENCES) {
    const match = shape.exec(sentence)
    if (match) return act(stage, match.slice(1))
  }
  throw new Error(`nobody knows how to: ${sentence}`)
}
