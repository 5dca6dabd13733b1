// `gatemesh audit verify DIR`: is a bundle what it says it is? Needs no network.

import { parseArgs } from 'node:util'
import { EXIT, Usage, wholeNumber } from '../../command.ts'
import { readOwner } from '../owner.ts'
import { ProgressBar } from '../progress-bar.ts'
import { thriftily } from '../thrift.ts'
import { verdictJson, verdictText } from '../verdict.ts'
import { THREADS, verifyBundle } from '../verify-bundle.ts'

export const summary = 'check a bundle offline, trusting only the key that is given'

export const help = `
gatemesh audit verify DIR --charter-key VKEY [--json] [--threads N]

  --charter-key VKEY   the key of the mall's owner, or a file that holds it; known by other means than the bundle
  --threads N          how many read and check; ${THREADS} here, 0 for the main one alone
  --json               print what was proved and found as JSON

Exit code 0 only where nothing was found, 1 with findings, 3 where the folder cannot be read.
`

export async function run(args: string[]): Promise<number> {
  const options = {
    'charter-key': { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [dir, ...more] = positionals
  if (dir === undefined || more.length > 0) throw new Usage('takes one bundle')
  const owner = await readOwner(values['charter-key'])
  const threads = values.threads === undefined ? THREADS : wholeNumber('--threads', values.threads, 0, 64)
  const code = threads === 0 ? undefined : await thriftily(['audit', 'verify', ...args])
  if (code !== undefined) return code
  const bar = new ProgressBar('verifying')
  const verification = await verifyBundle(dir, owner, { threads, onProgress: (done, all) => bar.show(done, all) })
  bar.end()
  if (values.json) console.log(JSON.stringify(verdictJson(verification, owner)))
  else console.log(verdictText(verification, dir, owner))
  return verification.ok ? EXIT.fine : EXIT.no
}
