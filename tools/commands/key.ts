// `gatemesh key`: a key for a gate that is added, or for a person; and what of it others may see.

import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SignerKey } from '../../ledger/key.ts'
import { isName } from '../../ledger/origin.ts'
import { EXIT, Usage } from '../command.ts'
import { fingerprintOf, writeKey } from '../founding.ts'
import { readKey } from '../operator/person.ts'

export const summary = 'make a secret key, or show the public one of it'

export const help = `
gatemesh key new --name gatemesh/MALL/NAME --out FILE [--json]
gatemesh key show --key FILE [--json]

  --name NAME      whose key: gatemesh/, the mall's name, then the gate's or the person's
  --out FILE       where the secret key goes, for this user's eyes only (mode 600); a file that is there is left alone
  --key FILE       a secret key that is there
  --json           print { "name", "vkey", "fingerprint", "file" }

The vkey that is printed is what a charter or a policy names. Compare the fingerprint by another way, say by phone.
`

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      out: { type: 'string' },
      key: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const what = positionals.join(' ')
  if (what === 'show') {
    if (values.key === undefined) throw new Usage('--key takes the file of a secret key')
    return told(await readKey(values.key), values.key, values.json)
  }
  if (what !== 'new') throw new Usage(`what to do with keys is \`new\` or \`show\`, not "${what}"`)
  const { name = '', out = '' } = values
  const [head, mall = '', own = '', ...rest] = name.split('/')
  if (head !== 'gatemesh' || !isName(mall) || !isName(own) || rest.length > 0) {
    throw new Usage(`--name takes gatemesh/MALL/NAME in small letters, digits and dashes, not ${JSON.stringify(name)}`)
  }
  if (out === '') throw new Usage('--out takes the file for the secret key')
  if (existsSync(out)) throw new Usage(`--out: ${out} is there already, and a key that is written over is lost`)
  const key = SignerKey.generate(name)
  await writeKey(out, key)
  return told(key, out, values.json)
}

function told(key: SignerKey, file: string, json: boolean): number {
  const { name } = key
  const vkey = key.verifier.toString()
  const fingerprint = fingerprintOf(key)
  if (json) console.log(JSON.stringify({ name, vkey, fingerprint, file }))
  else console.log(`vkey         ${vkey}\nfingerprint  ${fingerprint}\nsecret key   ${file}`)
  return EXIT.fine
}
