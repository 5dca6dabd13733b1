// Mode note: a mode statement as a text signed by a gate, the anchor, or operators.
//
//   gatemesh/<mall>/mode
//   at 1763251200123
//   clears 3 FIRE
//   epoch 4
//   mode NORMAL
//   reason <text>
//
// Law: every signature on it verifies; `by` is who made them. Whether they may say so is for the reader's rules.

import { parseCount } from './decimal.ts'
import { MODES, type Mode } from './entry.ts'
import { Fault } from './fault.ts'
import type { SignerKey, VerifierKey } from './key.ts'
import { isText } from './line.ts'
import type { ModeStatement } from './mode.ts'
import { openNote, parseNote, signNote } from './note.ts'
import { originOf, within } from './origin.ts'
import { WordReader, WordWriter } from './words.ts'

export type ModeText = Omit<ModeStatement, 'by' | 'note'>

export function formatMode(statement: ModeText, mall: string): string {
  const { epoch, mode, at, reason, clears } = statement
  const words = new WordWriter()
  words.number('at', at)
  if (clears !== undefined) words.add('clears', `${clears.epoch} ${clears.mode}`)
  words.number('epoch', epoch)
  words.add('mode', mode)
  words.text('reason', reason)
  return `${[originOf(mall, 'mode'), ...words.lines()].join('\n')}\n`
}

export function parseMode(text: string, mall: string): ModeText {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
  if (head !== originOf(mall, 'mode')) throw new Fault('MODE', `not a mode statement of ${mall}`)
  const words = new WordReader('MODE', lines)
  const clears = parseClears(words)
  const statement = {
    epoch: words.count('epoch'),
    mode: modeOf(words, words.text('mode')),
    at: words.count('at'),
    reason: words.text('reason'),
    ...(clears === undefined ? {} : { clears }),
  }
  words.end()
  if (!isText(statement.reason)) throw words.fault('reason: too long, or with control characters')
  if (formatMode(statement, mall) !== text) throw words.fault('not in its one spelling')
  return statement
}

export function signMode(statement: ModeText, mall: string, signers: readonly SignerKey[]): string {
  const text = formatMode(statement, mall)
  parseMode(text, mall)
  return signNote(text, signers)
}

/** `keyOf` knows everyone who may sign anything: gates, `anchor`, operators. */
export function openMode(
  note: string,
  mall: string,
  keyOf: (name: string, id: string) => VerifierKey | undefined,
  options: { readonly twice?: boolean } = {},
): ModeStatement {
  const { signatures } = parseNote(note)
  const keys: VerifierKey[] = []
  const by: string[] = []
  for (const { name: signer, id } of signatures) {
    const name = within(mall, signer)
    const key = name === undefined ? undefined : keyOf(name, id)
    if (name === undefined || key === undefined || key.name !== signer || key.id !== id) {
      throw new Fault('MODE', `signed by a stranger: ${signer}`)
    }
    keys.push(key)
    by.push(name)
  }
  const { text } = openNote(note, keys, options)
  return { ...parseMode(text, mall), by: by.sort(), note }
}

function parseClears(words: WordReader): ModeStatement['clears'] {
  const said = words.one('clears')
  if (said === undefined) return undefined
  const [epochText = '', modeText = '', ...rest] = said.split(' ')
  const epoch = parseCount(epochText)
  if (epoch === undefined || rest.length > 0) throw words.fault('clears: not an epoch and a mode')
  return { epoch, mode: modeOf(words, modeText) }
}

function modeOf(words: WordReader, text: string): Mode {
  const mode = MODES.find(m => m === text)
  if (mode === undefined) throw words.fault(`no mode: ${JSON.stringify(text.slice(0, 40))}`)
  return mode
}
