// `gatemesh mode`: raise an emergency, or end one.
//
// Law: a raise goes to whoever can be reached, anchor and gates at once; one of them is enough.

import { parseArgs } from 'node:util'
import type { Brought } from '../../anchor/approvals/approval.ts'
import { draftMode } from '../../anchor/approvals/draft.ts'
import type { ModeWish } from '../../anchor/approvals/wish.ts'
import { MODES, type Mode } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import type { SignerKey } from '../../ledger/key.ts'
import { CALM, type ModeStatement, severity } from '../../ledger/mode.ts'
import { formatMode } from '../../ledger/mode-note.ts'
import { signNote } from '../../ledger/note.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { type AnchorClient, SaysNo } from '../operator/anchor-client.ts'
import { agreedTo, answered, perform } from '../operator/deed.ts'
import { modeAt, raiseAt } from '../operator/gate-post.ts'
import { httpUrl, reasonOf, SIGNING, SIGNING_HELP, signingBearings } from '../operator/options.ts'
import { mallOfKey } from '../operator/person.ts'
import { drafted } from '../operator/policy-deed.ts'

export const summary = 'raise fire, evacuate or lockdown in the whole mall, or re-arm after it'

export const help = `
gatemesh mode raise fire|evacuate|lockdown --reason TEXT --key FILE [--gate URL]…
gatemesh mode clear --reason TEXT --key FILE [--gate URL --out FILE] [--epoch N]

  raise            one operator is enough. It goes to the anchor and to every gate that is named, at the same time
  clear            re-arm: entries are decided again. Two people, one of them a marshal, within an hour
  --gate URL       a gate's own address, for when the anchor is away; any gate tells all others
  --epoch N        with --gate: the epoch to clear, where the gate does not tell it
${SIGNING_HELP}

Without the anchor: \`mode clear --gate URL --out FILE\`, then \`approve FILE --gate URL\` by the second person.
`

type Raised = Exclude<Mode, 'NORMAL'>

interface Said {
  readonly reason: string
  readonly key: SignerKey
  readonly client: AnchorClient
  readonly gates: readonly URL[]
  readonly json: boolean
  readonly yes: boolean
  readonly out: string | undefined
}

export async function run(args: string[]): Promise<number> {
  const options = {
    ...SIGNING,
    gate: { type: 'string', multiple: true, default: [] as string[] },
    epoch: { type: 'string' },
  } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [what = '', word = '', ...rest] = positionals
  const mode = what === 'raise' ? raisedFrom(word) : undefined
  if ((what !== 'raise' && what !== 'clear') || rest.length > 0 || (what === 'clear' && word !== '')) {
    throw new Usage(`what to do is \`mode raise MODE\` or \`mode clear\`, not "${positionals.join(' ')}"`)
  }
  const epoch = values.epoch === undefined ? undefined : wholeNumber('--epoch', values.epoch, 0)
  const gates = values.gate.map(text => httpUrl('--gate', text))
  const reason = reasonOf(values.reason)
  const { client, key, json } = await signingBearings(values)
  const said = { reason, key, client, gates, json, yes: values.yes, out: values.out }
  return answered(json, () => (mode === undefined ? clear(said, epoch) : raise(said, mode)))
}

function raisedFrom(word: string): Raised {
  const mode = MODES.find(m => m.toLowerCase() === word.toLowerCase())
  if (mode !== undefined && mode !== 'NORMAL') return mode
  throw new Usage(`mode raise takes fire, evacuate or lockdown, not ${JSON.stringify(word)}`)
}

async function raise(said: Said, mode: Raised): Promise<number> {
  const { client, gates, key, reason, json } = said
  const at = Date.now()
  const textIn = (epoch: number) => formatMode({ epoch, mode, at, reason }, mallOfKey(key))
  if (said.out !== undefined || gates.length === 0) {
    return perform({ ...said, text: await draftFrom(said, { kind: 'raise', mode }), send: sendTo(client) })
  }
  // asked once, before anyone is told: the epoch is found out by telling
  if (!(await agreedTo(textIn(0), said))) return EXIT.no
  const sign = (epoch: number) => signNote(textIn(epoch), [key])
  const atAnchor = raiseAtAnchor(said, mode)
  const atGates = gates.map(gate => raiseAt(gate, mode, sign))
  const [anchor, ...others] = await Promise.allSettled([atAnchor, ...atGates])
  const places = ['the anchor', ...gates.map(({ origin }) => origin)]
  const outcomes = [anchor, ...others].map((result, i) => ({ place: places[i] as string, result }))
  const reached = outcomes.filter(({ result }) => result?.status === 'fulfilled')
  if (json)
    console.log(
      JSON.stringify({ outcome: reached.length > 0 ? 'enacted' : 'refused', mode, places: outcomes.map(told) }),
    )
  else for (const outcome of outcomes) console.log(toldText(outcome))
  return reached.length > 0 ? EXIT.fine : EXIT.fault
}

/** A gate may have told it meanwhile: then it has it all the same. */
async function raiseAtAnchor(said: Said, mode: Raised): Promise<object> {
  const { client, key, reason } = said
  const { statement } = await client.get<{ statement: ModeStatement }>('modes')
  if (severity(statement.mode) >= severity(mode)) return statement
  const text = formatMode({ epoch: statement.epoch, mode, at: Date.now(), reason }, mallOfKey(key))
  try {
    return await sendTo(client)(signNote(text, [key]))
  } catch (error) {
    if (error instanceof SaysNo && error.code === 'changes-nothing') return { outcome: 'enacted', why: error.message }
    throw error
  }
}

interface Outcome {
  readonly place: string
  readonly result: PromiseSettledResult<unknown> | undefined
}

function told({ place, result }: Outcome): object {
  if (result?.status === 'fulfilled') return { place, answer: result.value }
  return { place, why: reasonText(result) }
}

function toldText({ place, result }: Outcome): string {
  return result?.status === 'fulfilled' ? `${place} has it` : `${place} has it not from here: ${reasonText(result)}`
}

function reasonText(result: PromiseSettledResult<unknown> | undefined): string {
  return result?.status === 'rejected' ? String((result.reason as Error).message) : ''
}

async function clear(said: Said, epoch: number | undefined): Promise<number> {
  const [gate, ...more] = said.gates
  if (gate === undefined) {
    return perform({ ...said, text: await draftFrom(said, { kind: 'clear' }), send: sendTo(said.client) })
  }
  if (more.length > 0 || said.out === undefined) {
    throw new Usage('mode clear at a gate takes one --gate and --out FILE: the second person signs the file')
  }
  const there = await modeAt(gate)
  const current = { ...CALM, mode: there.mode, epoch: epoch ?? there.epoch ?? Number.NaN }
  if (Number.isNaN(current.epoch)) throw new Usage(`${gate.origin} does not tell its epoch: --epoch N`)
  const text = textOf(said, { kind: 'clear' }, current)
  return perform({ ...said, text, send: () => Promise.reject(new Fault('MODE', 'nothing is sent')) })
}

/** The text, standing on what the anchor has in force. */
async function draftFrom(said: Said, wish: ModeWish): Promise<string> {
  const { statement } = await said.client.get<{ statement: ModeStatement }>('modes')
  if (!Number.isSafeInteger(statement?.epoch) || !MODES.includes(statement.mode)) {
    throw new SaysNo(503, 'away', 'the anchor tells no mode')
  }
  return textOf(said, wish, statement)
}

function textOf({ reason, key }: Said, wish: ModeWish, current: ModeStatement): string {
  return formatMode(
    drafted(() => draftMode({ wish, current, at: Date.now(), reason })),
    mallOfKey(key),
  )
}

function sendTo(client: AnchorClient): (note: string) => Promise<Brought> {
  return note => client.post<Brought>('modes', { note })
}
