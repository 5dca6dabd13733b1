// `gatemesh audit verify DIR`: is a bundle what it says it is? Needs no network.

import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { VerifierKey } from '../../../ledger/key.ts'
import { EXIT, Usage } from '../../command.ts'
import { verifyBundle } from '../verify-bundle.ts'

export const summary = 'check a bundle offline, trusting only the key that is given'

export const help = `
gatemesh audit verify DIR --charter-key VKEY [--json]

  --charter-key VKEY   the key of the mall's owner, or a file that holds it; known by other means than the bundle
  --json               print what was found as JSON

Exit code 0 only where nothing was found; 1 with findings.
`

export async function run(args: string[]): Promise<number> {
  const options = { 'charter-key': { type: 'string' }, json: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [dir, ...more] = positionals
  const vkey = values['charter-key']
  if (dir === undefined || more.length > 0) throw new Usage('takes one bundle')
  if (vkey === undefined) throw new Usage('--charter-key is missing: without the key of the owner nothing is proved')
  const text = vkey.includes('+') ? vkey : await readFile(vkey, 'utf8')
  const { bundle, ...report } = await verifyBundle(dir, VerifierKey.parse(text.trim()))
  console.log(JSON.stringify({ ...report, profile: `gatemesh/bundle/${bundle.profile}` }, undefined, 1))
  return report.ok ? EXIT.fine : EXIT.no
}
