// What runs under the other kernel: every claim on every way to its lines, printed. Argument: folder of the gpiod tools of
// the second version, or nothing.

import { readFileSync } from 'node:fs'
import { printClaims } from '../printed.ts'
import { KernelLines, makeChip } from './kernel-lines.ts'
import { WAYS } from './ways.ts'

const LABEL = 'gate-pins'
const [second] = process.argv.slice(2)

process.stdout.write(`KERNEL ${readFileSync('/proc/version', 'utf8')}`)
// a chip before ours, so that numbers and names are not those that anybody would guess
makeChip('other', 'other-pins')
const folder = makeChip('ours', LABEL)
for (const { way, backend, isSecond } of WAYS) {
  if (isSecond && second === undefined) continue
  const tools = isSecond ? second : undefined
  await printClaims(way, backend, () => new KernelLines({ label: LABEL, folder, backend, tools }))
}
console.log('DONE')
process.exit(0)
