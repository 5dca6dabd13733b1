// `gatemesh approve`: the second pair of eyes. Shows what waits in words, and signs it.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Approval, approvalId, type Brought } from '../../anchor/approvals/approval.ts'
import { Fault } from '../../ledger/fault.ts'
import type { SignerKey } from '../../ledger/key.ts'
import { parseMode } from '../../ledger/mode-note.ts'
import { parseNote } from '../../ledger/note.ts'
import { originOf } from '../../ledger/origin.ts'
import { formatPolicy, type PolicyText, parsePolicy } from '../../ledger/policy-note.ts'
import { EXIT, Usage } from '../command.ts'
import { type AnchorClient, printable, SaysNo } from '../operator/anchor-client.ts'
import { answered, perform, standing } from '../operator/deed.ts'
import { postMode } from '../operator/gate-post.ts'
import { shownMoment } from '../operator/moment.ts'
import { bearings, type CommonValues, httpUrl, SIGNING, SIGNING_HELP, signingBearings } from '../operator/options.ts'
import { mallOfKey } from '../operator/person.ts'
import { table } from '../table.ts'

export const summary = 'show what waits for a second signature, and sign it'

export const help = `
gatemesh approve                    list what waits
gatemesh approve ID                 show it in words, and sign nothing
gatemesh approve ID --key FILE      show it in words, ask, sign it and send it
gatemesh approve FILE --key FILE    the same for a text or a half-signed note in a file
gatemesh approve ID --withdraw --key FILE

  ID               as it is listed; its first six digits or more are enough
  FILE             what --out wrote, or policies/1.text of a mall whose operators brought their own keys
  --withdraw       take back what you signed, before somebody else joins
  --gate URL       bring a mode note to this gate, for when the anchor is away
${SIGNING_HELP.replace(/^ {2}--reason.*\n/m, '')}
`

const ID = /^[0-9a-f]{6,64}$/

interface Values extends CommonValues {
  readonly out?: string | undefined
  readonly yes: boolean
  readonly withdraw: boolean
  readonly gate?: string | undefined
}

export async function run(args: string[]): Promise<number> {
  const { reason: _reason, ...signing } = SIGNING
  const options = { ...signing, withdraw: { type: 'boolean', default: false }, gate: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [target, ...rest] = positionals
  if (rest.length > 0) throw new Usage(`one ID or FILE, not ${positionals.join(' ')}`)
  if (target === undefined) return list(values)
  const isFile = existsSync(target)
  if (!isFile && !ID.test(target)) throw new Usage(`${target} is no file, and no ID of at least six hex digits`)
  if (!isFile && values.key === undefined && !values.withdraw) return show(target, values)
  const { client, key } = await signingBearings(values)
  return answered(values.json, async () => {
    if (isFile) return approveFile(target, values, client, key)
    const approval = await find(client, target)
    return values.withdraw ? withdraw(approval, values, client) : approve(approval, values, client, key)
  })
}

async function list(values: Values): Promise<number> {
  const { client, json } = await bearings(values)
  return answered(json, async () => {
    const { approvals } = await client.get<{ approvals: readonly Approval[] }>('approvals?state=pending')
    if (json) console.log(JSON.stringify({ approvals }))
    else console.log(approvals.length === 0 ? 'nothing waits' : table(approvals.map(rowOf)))
    return EXIT.fine
  })
}

async function show(target: string, values: Values): Promise<number> {
  const { client, json } = await bearings(values)
  return answered(json, async () => {
    const approval = await find(client, target)
    const { words, signers, expiresAt } = approval
    const by = signers.join(' and ') || 'nobody'
    if (json) console.log(JSON.stringify(approval))
    else console.log([...words, `signed by ${by}, waits until ${shownMoment(expiresAt)}`].map(printable).join('\n'))
    return EXIT.fine
  })
}

function rowOf({ id, words, signers, expiresAt }: Approval): Record<string, string> {
  const what = words.slice(1).join('; ')
  const short = what.length > 70 ? `${what.slice(0, 69)}…` : what
  return {
    id: id.slice(0, 12),
    'signed by': signers.join(', ') || 'nobody',
    until: shownMoment(expiresAt),
    what: short,
  }
}

async function find(client: AnchorClient, prefix: string): Promise<Approval> {
  if (prefix.length === 64) return client.get<Approval>(`approvals/${prefix}`)
  const { approvals } = await client.get<{ approvals: readonly Approval[] }>('approvals?state=pending&limit=1000')
  const [one, ...more] = approvals.filter(({ id }) => id.startsWith(prefix))
  if (one === undefined) throw new SaysNo(404, 'unknown', `nothing that waits has an id that begins with ${prefix}`)
  if (more.length > 0) throw new SaysNo(409, 'unclear', `${more.length + 1} ids begin with ${prefix}: say more of it`)
  return one
}

async function withdraw({ id }: Approval, values: Values, client: AnchorClient): Promise<number> {
  const withdrawn = await client.delete<Approval>(`approvals/${id}`)
  console.log(values.json ? JSON.stringify(withdrawn) : `${id.slice(0, 12)} is withdrawn`)
  return EXIT.fine
}

async function approve(approval: Approval, values: Values, client: AnchorClient, key: SignerKey): Promise<number> {
  const { id, text } = approval
  if (approvalId(text) !== id) throw new Fault('ANCHOR', 'the anchor showed another text than the one of this id')
  return perform({
    ...values,
    text,
    note: approval.note,
    before: await beforeOf(text, client, key),
    key,
    send: note => client.post<Brought>(`approvals/${id}/signatures`, { note }),
  })
}

async function approveFile(path: string, values: Values, client: AnchorClient, key: SignerKey): Promise<number> {
  const { text, note } = opened(await readFile(path, 'utf8'), path)
  const gate = values.gate === undefined ? undefined : httpUrl('--gate', values.gate)
  const before = values.out === undefined && gate === undefined ? await beforeOf(text, client, key) : undefined
  if (gate === undefined) {
    return perform({
      ...values,
      text,
      note,
      before,
      key,
      send: signed => client.post<Brought>('approvals', { note: signed }),
    })
  }
  if (!isMode(text, key)) throw new Usage('--gate takes mode notes; a policy goes to the anchor')
  return perform({ ...values, text, note, key, send: async signed => atGate(gate, signed, text) })
}

async function atGate(gate: URL, note: string, text: string): Promise<Brought> {
  const { isNews, mode, epoch } = await postMode(gate, note)
  if (!isNews) throw new SaysNo(409, 'changes-nothing', `${mode} of epoch ${epoch} is in force at ${gate.origin}`)
  const signers = parseNote(note).signatures.map(({ name }) => name.split('/').at(-1) as string)
  const needs = { signatures: 2, marshal: true, why: [] } as const
  const id = approvalId(text)
  return { outcome: 'enacted', id, kind: 'mode', version: epoch, needs, signers, missing: '', words: [], expiresAt: 0 }
}

function opened(content: string, path: string): { readonly text: string; readonly note?: string } {
  try {
    return { text: parseNote(content).text, note: content }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    // a text that nobody signed has no blank line in it
    if (/^gatemesh\/[a-z0-9-]+\/(policy|mode)\n/.test(content) && !content.includes('\n\n')) return { text: content }
    throw new Fault('NOTE', `${path} is neither a note nor a text to sign: ${error.message}`)
  }
}

function isMode(text: string, key: SignerKey): boolean {
  return text.startsWith(`${originOf(mallOfKey(key), 'mode')}\n`)
}

/** What the policy stands on, as text; it must be what is in force, or what is shown would not be what changes. */
async function beforeOf(text: string, client: AnchorClient, key: SignerKey): Promise<string | undefined> {
  const mall = mallOfKey(key)
  if (isMode(text, key)) {
    parseMode(text, mall)
    return undefined
  }
  const policy: PolicyText = parsePolicy(text, mall)
  if (policy.version === 1) return undefined
  const { before } = await standing(client)
  if (before !== undefined && before.hash === policy.previous) return formatPolicy(before, mall)
  const inForce = before === undefined ? 'none is in force' : `policy ${before.version} is in force`
  throw new SaysNo(409, 'outdated', `policy ${policy.version} does not stand on what is in force: ${inForce}`)
}
