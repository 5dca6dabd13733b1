// `gatemesh key new`: a key for a gate that is added, or for a person.

import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SignerKey } from '../../ledger/key.ts'
import { isName } from '../../ledger/origin.ts'
import { EXIT, Usage } from '../command.ts'
import { fingerprintOf, writeKey } from '../founding.ts'

export const summary = 'make a secret key and print the public one'

export const help = `
gatemesh key new --name gatemesh/MALL/NAME --out FILE [--json]

  --name NAME      whose key: gatemesh/, the mall's name, then the gate's or the person's
  --out FILE       where the secret key goes, for this user's eyes only (mode 600); a file that is there is left alone
  --json           print { "name", "vkey", "fingerprint", "file" }

The vkey that is printed is what a charter or a policy names. Compare the fingerprint by another way, say by phone.
`

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { name: { type: 'string' }, out: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  if (positionals.join(' ') !== 'new')
    throw new Usage(`what to do with keys is \`new\`, not "${positionals.join(' ')}"`)
  const { name = '', out = '' } = values
  const [head, mall = '', own = '', ...rest] = name.split('/')
  if (head !== 'gatemesh' || !isName(mall) || !isName(own) || rest.length > 0) {
    throw new Usage(`--name takes gatemesh/MALL/NAME in small letters, digits and dashes, not ${JSON.stringify(name)}`)
  }
  if (out === '') throw new Usage('--out takes the file for the secret key')
  if (existsSync(out)) throw new Usage(`--out: ${out} is there already, and a key that is written over is lost`)
  const key = SignerKey.generate(name)
  await writeKey(out, key)
  const vkey = key.verifier.toString()
  const fingerprint = fingerprintOf(key)
  if (values.json) console.log(JSON.stringify({ name, vkey, fingerprint, file: out }))
  else console.log(`vkey         ${vkey}\nfingerprint  ${fingerprint}\nsecret key   ${out}`)
  return EXIT.fine
}
