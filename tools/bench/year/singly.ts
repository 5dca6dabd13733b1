// Singly: what an audit would cost if every entry carried a signature of its own. Real lines, real signatures, the strict
// check and OpenSSL's; nothing else is done with a line, although a verifier would have to read, parse and chain it too.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { SecretKey } from '../../../ledger/ed25519.ts'
import { must } from '../../../ledger/fault.ts'

export interface Singly {
  readonly signatures: number
  /** of one core */
  readonly perSecond: number
}

/** Takes `count` lines from the given files, in turn the first ones of each. */
export async function verifySingly(paths: readonly string[], count: number): Promise<Singly> {
  const key = SecretKey.fromSeed(Buffer.alloc(32, 7))
  const signed: { readonly line: Buffer; readonly signature: Buffer }[] = []
  for (const path of paths) {
    let left = Math.ceil(count / paths.length)
    for await (const text of createInterface({ input: createReadStream(path) })) {
      if (left-- === 0) break
      const line = Buffer.from(text)
      signed.push({ line, signature: key.sign(line) })
    }
  }
  const before = process.cpuUsage()
  let good = 0
  for (const { line, signature } of signed) if (key.publicKey.verify(line, signature)) good++
  const { user, system } = process.cpuUsage(before)
  must(good === signed.length, 'every signature just made is good')
  return { signatures: signed.length, perSecond: (good * 1e6) / (user + system) }
}
