// Which way to the pins this machine has, and nothing loaded that is not used.
//
// The character device goes first where both are there: its edges carry the kernel's time, and what is held through it lets
// go when the gate dies.

import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { GpioConfig, HardwareConfig } from '../config.ts'
import type { Io } from '../io.ts'
import { type Clock, HardwareFault } from '../turnstile.ts'
import { GpioIo } from './gpio-io.ts'
import { type Pins, wordsOf } from './pins.ts'

const SYSFS_EXPORT = '/sys/class/gpio/export'

export interface OpenGpioOptions {
  readonly config: HardwareConfig
  readonly clock: Clock
  /** folder of the gpiod tools, where they are not on the PATH */
  readonly tools?: string
}

export function gpioIo(a: OpenGpioOptions): Io {
  const { driver } = a.config
  if (driver.driver !== 'gpio')
    throw new HardwareFault('LINK', `the driver of this config is ${driver.driver}, not gpio`)
  return new GpioIo({ config: a.config, driver, pins: () => pinsOf(driver, a) })
}

async function pinsOf(driver: GpioConfig, { config, clock, tools }: OpenGpioOptions): Promise<Pins> {
  const on = driver.energised === 'high' ? 1 : 0
  if (backendOf(driver, tools) === 'chardev') {
    const [{ ChardevPins }, { Tools }] = await Promise.all([import('./chardev.ts'), import('./tools.ts')])
    const away = driver.closed === 'low' ? 'pull-up' : 'pull-down'
    return new ChardevPins({ tools: new Tools(tools), clock, pull: driver.pull === 'chip' ? away : undefined, on })
  }
  const counting = config.lanes.flatMap(({ inputs }) => (inputs.in === undefined ? [] : [wordsOf(inputs.in)]))
  const { SysfsPins } = await import('./sysfs.ts')
  return new SysfsPins({ clock, on, leansToPulse: pin => counting.includes(wordsOf(pin)) })
}

function backendOf({ backend, pull }: GpioConfig, tools: string | undefined): 'chardev' | 'sysfs' {
  const hasTools = tools !== undefined || isOnPath('gpiomon')
  if (backend === 'chardev' || (backend === 'auto' && hasTools && (tools !== undefined || hasChips()))) return 'chardev'
  if (!existsSync(SYSFS_EXPORT)) {
    throw new HardwareFault(
      'LINK',
      `there is no ${SYSFS_EXPORT} on this kernel${backend === 'sysfs' ? ': set "backend": "chardev"' : ''}, and ` +
        (hasTools ? 'no /dev/gpiochip0 either' : 'the gpiod tools are missing: apt install gpiod'),
    )
  }
  if (pull === 'chip') {
    throw new HardwareFault(
      'LINK',
      'through sysfs nobody can switch the pull resistors of a chip on, and a broken wire must not look like a closed ' +
        'contact: install the gpiod tools (apt install gpiod) and set "backend": "chardev", or wire resistors and set ' +
        '"pull": "outside"',
    )
  }
  return 'sysfs'
}

function hasChips(): boolean {
  return readdirSync('/dev').some(name => /^gpiochip\d+$/.test(name))
}

function isOnPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
