// quiet
// Pins through the gpiod tools, played by processes that speak the dialect of version 1 or of version 2 and refuse the flags
// of the other.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from '../../suite.ts'
import { CLAIMS } from './claims.ts'
import { StandIn } from './stand-in/stand-in.ts'

const test = suite('hardware/gpio/chardev')
const root = mkdtempSync(join(tmpdir(), 'pins-'))

for (const dialect of [1, 2] as const) {
  for (const [k, { name, only, run }] of CLAIMS.entries()) {
    if (only === 'sysfs') continue
    test(`version ${dialect}: ${name}`, async () => {
      // a chip that keeps levels is the harder one for what is let go, the other for what is held
      const figures = await run(
        new StandIn(join(root, `${dialect}-${k}`), { dialect, persists: k % 2 === dialect % 2 }),
      )
      if (figures !== undefined) console.log(figures)
    })
  }
}

test.run()
