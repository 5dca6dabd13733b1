// Papers: what a member must have in hand before it may call itself one: the charter, the owner's word for it, and a key
// that the charter names. Revisions of the charter lie beside it: charter.2.note, charter.3.note, …
//
// Laws: a key that others can read is nobody's key. The charter is believed because of the owner's signature on it, never
// because of where it lay. Where a revision cannot be used nobody is let in and everyone out: it may be the one that takes
// a stolen key out of use, and under the charter before it the thief would still be believed.

import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { ANCHOR } from '../ledger/account.ts'
import type { Charter } from '../ledger/charter.ts'
import { openCharter } from '../ledger/charter-note.ts'
import { Charters } from '../ledger/charters.ts'
import { Fault } from '../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../ledger/key.ts'
import { originOf } from '../ledger/origin.ts'
import type { MemberConfig } from './config.ts'
import type { Form } from './form.ts'

export interface Papers {
  /** in force now: the newest */
  readonly charter: Charter
  readonly charters: Charters
  /** base64; the `prev` of the first entry of every ledger */
  readonly charterHash: string
  /** the charter as the owner signed it, and revisions of it, for whoever takes evidence away */
  readonly charterNotes: readonly string[]
  /** why this member lets nobody in, and does not join, until it is mended and started anew */
  readonly flaw?: string
  readonly signer: SignerKey
  /** what is odd and may still be right, for the log */
  readonly doubts: readonly string[]
}

/** Complains to the form; undefined if anything was wrong. */
export async function readPapers(form: Form, config: MemberConfig): Promise<Papers | undefined> {
  const owner = await read(form, 'owner', config.owner, text => VerifierKey.parse(text.trim()))
  const note = await read(form, 'charter', config.charter, text => text)
  const signer = (await isPrivate(form, config.key))
    ? await read(form, 'key', config.key, text => SignerKey.parse(text.trim()))
    : undefined
  if (owner === undefined || note === undefined) return undefined
  const opened = attempt(form, 'charter', () => openCharter(note, owner))
  if (opened === undefined || signer === undefined || config.name === '') return undefined
  const charters = new Charters(opened)
  const { notes, flaw } = await readRevisions(config.charter, charters, owner)
  const charter = charters.newest
  const wanted = originOf(charter.mall, config.name)
  if (signer.name !== wanted) {
    form.complain('key', `is the key of ${signer.name}; this member is ${wanted} by name and charter`)
    return undefined
  }
  const doubt = flaw === undefined ? doubtOf(form, config.name, charter, signer) : undefined
  const strange = [...config.peers.keys()].filter(name => keyOf(charter, name) === undefined)
  const unknown = strange.map(name => `peers.${name} is not in the charter; a policy may have added it`)
  const doubts = [...(doubt === undefined ? [] : [doubt]), ...unknown]
  const charterNotes = [note, ...notes]
  const flawed = flaw === undefined ? {} : { flaw }
  return { charter, charters, charterHash: charters.hash, charterNotes, signer, doubts, ...flawed }
}

/** Of revision n of the charter that lies at `path`: beside it, with its number before the extension. */
export function revisionPath(path: string, n: number): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}.${n}${ext}`)
}

/** Adds those that lie beside the first charter. What is wrong with the first that cannot be used is told as its flaw. */
export async function readRevisions(
  path: string,
  charters: Charters,
  owner: VerifierKey,
): Promise<{ readonly notes: readonly string[]; readonly flaw?: string }> {
  const notes: string[] = []
  let file = ''
  try {
    const last = await lastRevision(path)
    for (let n = 2; n <= last; n++) {
      file = revisionPath(path, n)
      const note = await readFile(file, 'utf8')
      charters.add(openCharter(note, owner))
      notes.push(note)
    }
    return { notes }
  } catch (error) {
    const why = error instanceof Fault ? `${file}: ${error.message}` : unreadable(file || dirname(path), error)
    return { notes, flaw: `${why}. Nobody is let in until it is mended and this member started anew` }
  }
}

/** The highest number there is, so that one that is missing is missed; 1 where there is none. */
async function lastRevision(path: string): Promise<number> {
  const { name, ext } = parse(path)
  const numbers = (await readdir(dirname(path))).map(file => {
    if (!file.startsWith(`${name}.`) || !file.endsWith(ext)) return 0
    const number = file.slice(name.length + 1, file.length - ext.length)
    return /^[1-9][0-9]{0,5}$/.test(number) ? Number(number) : 0
  })
  return Math.max(1, ...numbers)
}

/** The roster may have changed since the charter; the anchor's key changes with a revision only. */
function doubtOf(form: Form, name: string, charter: Charter, signer: SignerKey): string | undefined {
  const named = keyOf(charter, name)
  if (named === signer.verifier.toString()) return undefined
  if (name === ANCHOR)
    form.complain('key', `is not the anchor's key in the charter of ${charter.mall}${revised(charter)}`)
  if (named === undefined) return `${name} is not in the charter; only a policy that adds it lets it in`
  return `${name} has another key in the charter; only a policy that names this one lets it in`
}

function revised({ revision }: Charter): string {
  return revision === undefined ? '' : `, revision ${revision.number}`
}

function keyOf(charter: Charter, name: string): string | undefined {
  return name === ANCHOR ? charter.anchor : charter.gates.find(gate => gate.name === name)?.key
}

async function isPrivate(form: Form, path: string): Promise<boolean> {
  if (path === '') return false
  try {
    const { mode } = await stat(path)
    if ((mode & 0o077) === 0) return true
    form.complain('key', `others can read ${path} (mode ${(mode & 0o777).toString(8)}): chmod 600 ${path}`)
  } catch (error) {
    form.complain('key', unreadable(path, error))
  }
  return false
}

async function read<T>(form: Form, field: string, path: string, parse: (text: string) => T): Promise<T | undefined> {
  if (path === '') return undefined
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    form.complain(field, unreadable(path, error))
    return undefined
  }
  return attempt(form, field, () => parse(text), path)
}

function attempt<T>(form: Form, field: string, act: () => T, path?: string): T | undefined {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    form.complain(field, path === undefined ? error.message : `${path}: ${error.message}`)
    return undefined
  }
}

function unreadable(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${message}`
}
