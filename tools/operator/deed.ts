// Deed: what an operator does with their key: a text is shown in words, agreed to, signed, and sent or written to a file.
//
// Law: nobody signs what they were not shown, and what is shown is read from the very text that is signed, never from
// what the anchor says about it.

import { createInterface } from 'node:readline/promises'
import type { Brought } from '../../anchor/approvals/approval.ts'
import { wordsOf } from '../../anchor/pages/wording.js'
import type { Charter } from '../../ledger/charter.ts'
import { type OpenedCharter, parseCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { Fault } from '../../ledger/fault.ts'
import { type SignerKey, VerifierKey } from '../../ledger/key.ts'
import { cosign, parseNote, signNote } from '../../ledger/note.ts'
import type { Policy } from '../../ledger/policy.ts'
import { textHash } from '../../ledger/text-hash.ts'
import { writeWhole } from '../../mesh/whole-file.ts'
import { EXIT, Usage } from '../command.ts'
import { type AnchorClient, printable, SaysNo } from './anchor-client.ts'
import { shownMoment } from './moment.ts'

export interface Standing {
  readonly charter: Charter
  /** in force; undefined before the first */
  readonly before: Policy | undefined
  /** the newest that two people signed, as far back as the anchor showed */
  readonly agreed: Policy | undefined
}

interface Shown {
  readonly note?: string
  readonly signers: readonly string[]
}

/** The charter and the policy in force, as the anchor shows them. A false one makes a text that no gate takes: it says
 *  by hash what it stands on. */
export async function standing(client: AnchorClient): Promise<Standing> {
  const charters = await chartersOf(client)
  const charter = charters.newest
  if (charter.mall !== (await client.mall())) throw new Fault('ANCHOR', `showed the charter of ${charter.mall}`)
  try {
    const { inForce, history } = await client.get<{ inForce: Shown; history: readonly Shown[] }>('policy')
    const agreed = history.find(({ signers }) => signers.length >= 2)
    const opened = ({ note = '' }: Shown) => charters.openPolicy(note)
    return { charter, before: opened(inForce), agreed: agreed === undefined ? undefined : opened(agreed) }
  } catch (error) {
    if (error instanceof SaysNo && error.code === 'no-policy') return { charter, before: undefined, agreed: undefined }
    throw error
  }
}

/** The newest and those before it: policies were signed under one or the other. */
async function chartersOf(client: AnchorClient): Promise<Charters> {
  const read = (note: string): OpenedCharter => {
    const { text } = parseNote(note)
    return { charter: parseCharter(text), hash: textHash(text) }
  }
  const newest = read(await client.text('charter'))
  const number = newest.charter.revision?.number ?? 1
  if (number === 1) return new Charters(newest)
  const charters = new Charters(read(await client.text('charter?revision=1')))
  for (let n = 2; n < number; n++) charters.add(read(await client.text(`charter?revision=${n}`)))
  charters.add(newest)
  return charters
}

export interface Deed {
  readonly text: string
  /** signatures that are there already */
  readonly note?: string | undefined
  /** text of the policy it stands on */
  readonly before?: string | undefined
  readonly key: SignerKey
  readonly yes: boolean
  readonly json: boolean
  readonly out?: string | undefined
  readonly send: (note: string) => Promise<Brought>
}

/** Shows, asks, signs, and sends or writes. An exit code. */
export async function perform(deed: Deed): Promise<number> {
  const { text, key, json, out } = deed
  // signatures may come from elsewhere; were they on another text, that one would be signed unseen
  if (deed.note !== undefined && parseNote(deed.note).text !== text) {
    throw new Fault('NOTE', 'the signatures that came with it are on another text: nothing was signed')
  }
  if (!(await agreedTo(text, deed))) return EXIT.no
  const note = deed.note === undefined ? signNote(text, [key]) : cosign(deed.note, key)
  if (out !== undefined) {
    await writeWhole(out, note, 0o644)
    if (json) console.log(JSON.stringify({ outcome: 'written', file: out, note }))
    else console.log(`signed and written to ${out}; nothing was sent`)
    return EXIT.fine
  }
  return told(await deed.send(note), json)
}

/** Shows the text in words and asks, unless that was answered before. */
export async function agreedTo(
  text: string,
  a: Pick<Deed, 'note' | 'before' | 'key' | 'yes' | 'json'>,
): Promise<boolean> {
  // what is for people goes beside the JSON, not into it
  console[a.json ? 'error' : 'log'](shown(text, a))
  if (a.yes || (await agreed(a.key))) return true
  console.error('nothing was signed')
  return false
}

export function told(brought: Brought, json: boolean): number {
  if (brought.outcome === 'refused') throw new SaysNo(409, brought.code, brought.why)
  if (json) console.log(JSON.stringify(brought))
  else console.log(outcomeText(brought).split('\n').map(printable).join('\n'))
  return EXIT.fine
}

function outcomeText(brought: Exclude<Brought, { outcome: 'refused' }>): string {
  const { id, kind, version, signers } = brought
  const what = kind === 'policy' ? `policy ${version}` : `the mode of epoch ${version}`
  if (brought.outcome === 'enacted') return `${what} is in force, signed by ${signers.join(' and ')}`
  const why = brought.needs.why.map(line => `  because ${line}`)
  return [
    `${what} waits for ${brought.missing}, until ${shownMoment(brought.expiresAt)}; signed by ${signers.join(' and ')}`,
    ...why,
    `  gatemesh approve ${id.slice(0, 12)} --key FILE`,
  ].join('\n')
}

function shown(text: string, { before, note }: Pick<Deed, 'before' | 'note'>): string {
  const words = wordsOf(text, before, {
    now: Date.now(),
    time: shownMoment,
    print: vkey => VerifierKey.parse(vkey).fingerprint,
  })
  const signers = note === undefined ? [] : parseNote(note).signatures.map(({ name }) => name.split('/').at(-1))
  // who can say whether these are good is whoever takes it in
  const by = signers.length > 0 ? [`  signed so far in the name of ${signers.join(', ')}`] : []
  return ['you sign:', ...words.map(line => `  ${line}`), ...by].join('\n')
}

async function agreed(key: SignerKey): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Usage('no terminal to ask at: --yes signs without asking')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`sign as ${key.name.split('/').at(-1)}? [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/** Runs a command; what the anchor refuses is an answer, and the answer is no. */
export async function answered(json: boolean, act: () => Promise<number>): Promise<number> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof SaysNo)) throw error
    if (json) console.log(JSON.stringify({ outcome: 'refused', code: error.code, why: error.message }))
    else console.error(`refused: ${error.message}`)
    return EXIT.no
  }
}
