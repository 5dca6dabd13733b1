// Owner: the key that an auditor trusts, from the command line or a file that was not in the bundle.

import { readFile } from 'node:fs/promises'
import { Fault } from '../../ledger/fault.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { Usage } from '../command.ts'

export async function readOwner(given: string | undefined): Promise<VerifierKey> {
  if (given === undefined) {
    throw new Usage('--charter-key is missing: without the key of the owner, known by other means, nothing is proved')
  }
  // a vkey has pluses, and a file may as well
  const text = /^[^+]+\+[0-9a-f]{8}\+/.test(given) ? given : await read(given)
  return VerifierKey.parse(text.trim())
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Fault('KEY', code === 'ENOENT' ? `there is no file ${path}` : `${path}: ${message}`, { cause })
  }
}
