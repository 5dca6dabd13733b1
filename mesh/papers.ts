// Papers: what a member must have in hand before it may call itself one: the charter, the owner's word for it, and a key
// that the charter names.
//
// Law: a key that others can read is nobody's key. The charter is believed because of the owner's signature on it, never
// because of where it lay.

import { readFile, stat } from 'node:fs/promises'
import { ANCHOR } from '../ledger/account.ts'
import type { Charter } from '../ledger/charter.ts'
import { openCharter } from '../ledger/charter-note.ts'
import { Fault } from '../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../ledger/key.ts'
import { originOf } from '../ledger/origin.ts'
import type { MemberConfig } from './config.ts'
import type { Form } from './form.ts'

export interface Papers {
  readonly charter: Charter
  /** base64; the `prev` of the first entry of every ledger */
  readonly charterHash: string
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
  const { charter, hash } = opened
  const wanted = originOf(charter.mall, config.name)
  if (signer.name !== wanted) {
    form.complain('key', `is the key of ${signer.name}; this member is ${wanted} by name and charter`)
    return undefined
  }
  const doubt = doubtOf(form, config.name, charter, signer)
  const strange = [...config.peers.keys()].filter(name => keyOf(charter, name) === undefined)
  const unknown = strange.map(name => `peers.${name} is not in the charter; a policy may have added it`)
  return { charter, charterHash: hash, signer, doubts: [...(doubt === undefined ? [] : [doubt]), ...unknown] }
}

/** The roster may have changed since the charter; the anchor's key cannot. */
function doubtOf(form: Form, name: string, charter: Charter, signer: SignerKey): string | undefined {
  const named = keyOf(charter, name)
  if (named === signer.verifier.toString()) return undefined
  if (name === ANCHOR) form.complain('key', `is not the anchor's key in the charter of ${charter.mall}`)
  if (named === undefined) return `${name} is not in the charter; only a policy that adds it lets it in`
  return `${name} has another key in the charter; only a policy that names this one lets it in`
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
