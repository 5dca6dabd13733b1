// Person: an operator's secret key, from the file that only they can read.
//
// Law: a key that others can read is nobody's key, and no message repeats any of it.

import { readFile, stat } from 'node:fs/promises'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey } from '../../ledger/key.ts'
import { isName } from '../../ledger/origin.ts'

export async function readKey(path: string): Promise<SignerKey> {
  let text: string
  try {
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) {
      throw new Fault('KEY', `others can read ${path} (mode ${(mode & 0o777).toString(8)}): chmod 600 ${path}`)
    }
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Fault) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new Fault('KEY', code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${message}`)
  }
  const key = SignerKey.parse(text.trim())
  partsOf(key)
  return key
}

export function mallOfKey(key: SignerKey): string {
  return partsOf(key)[0]
}

export function nameOfPerson(key: SignerKey): string {
  return partsOf(key)[1]
}

function partsOf({ name }: SignerKey): readonly [mall: string, name: string] {
  const [head, mall = '', own = '', ...rest] = name.split('/')
  if (head === 'gatemesh' && isName(mall) && isName(own) && rest.length === 0) return [mall, own]
  throw new Fault('KEY', `the key is called ${name}, and an operator's is called gatemesh/MALL/NAME`)
}
