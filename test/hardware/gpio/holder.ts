// A process that holds an entry the way a gate does, for tests that kill it. Arguments: config, folder of the tools or ''.
// Prints "held" once it holds.

import type { HardwareConfig } from '../../../hardware/config.ts'
import { gpioIo } from '../../../hardware/gpio/open-gpio.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { HOLD_MS, LANE } from './bench.ts'

const [config, tools] = process.argv.slice(2) as [string, string]
const io = gpioIo({
  config: JSON.parse(config) as HardwareConfig,
  clock: REAL_CLOCK,
  ...(tools === '' ? {} : { tools }),
})
const nobody = () => undefined
await io.start({ input: nobody, contact: nobody, counters: nobody, link: nobody, fault: nobody })
const [, mode] = process.argv.slice(3)
if (mode === 'grant') {
  if (await io.outputs.get(LANE)?.open()) console.log('held')
} else {
  for (;;) {
    if (await io.outputs.get(LANE)?.hold(HOLD_MS)) console.log('held')
    await new Promise(resolve => setTimeout(resolve, HOLD_MS / 4))
  }
}
setInterval(nobody, 1000)
