// One line of sysfs, opened through onoff.
//
// Law: onoff keeps silent about a line that somebody exported before it and that it could not set up. So its word is checked:
// a line is an input with both edges, or an output, in plain levels, or it is refused.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gpio } from 'onoff'
import { HardwareFault } from '../turnstile.ts'
import { type Pin, wordsOf } from './pins.ts'

export const SYSFS_ROOT = '/sys/class/gpio'

export interface NumberedPin {
  readonly pin: Pin
  /** as the kernel numbers it today */
  readonly number: number
}

type Make = typeof Gpio

export function openInput(Make: Make, numbered: NumberedPin): Gpio {
  const { number } = numbered
  return open(
    numbered,
    () => new Make(number, 'in', 'both', { activeLow: false, reconfigureDirection: false }),
    gpio => {
      if (gpio.direction() !== 'in') throw new Error('it is an output that cannot be changed')
      if (gpio.edge() !== 'both') throw new Error('it does not tell of changes (no interrupt)')
    },
  )
}

/** Off it is, whatever it was before. */
export function openOutput(Make: Make, numbered: NumberedPin, off: 0 | 1): Gpio {
  // 'out' would drive low at once, which switches an inverted output on
  const direction = off === 0 ? 'low' : 'high'
  const make = () => new Make(numbered.number, direction, 'none', { activeLow: false, reconfigureDirection: false })
  return open(numbered, make, gpio => {
    if (gpio.direction() !== 'out') throw new Error('it is an input that cannot be changed')
    gpio.writeSync(off)
  })
}

function open({ pin, number }: NumberedPin, make: () => Gpio, check: (gpio: Gpio) => void): Gpio {
  const file = join(SYSFS_ROOT, `gpio${number}`)
  const wasThere = existsSync(file)
  try {
    const gpio = make()
    check(gpio)
    if (gpio.activeLow()) throw new Error('its levels are inverted (active_low), and that cannot be changed')
    return gpio
  } catch (cause) {
    // a line that stays exported is refused to the gpiod tools; one that somebody else exported is theirs
    const left = !wasThere && existsSync(file) ? unexported(number) : ''
    throw new HardwareFault('LINK', `${wordsOf(pin)} (gpio${number}): ${explained(cause)}${left}`, { cause })
  }
}

/** What to add where even that fails: why the line was refused is the news, and must not be lost over it. */
function unexported(number: number): string {
  try {
    writeFileSync(join(SYSFS_ROOT, 'unexport'), String(number))
    return ''
  } catch (error) {
    return `; it stays exported: ${(error as Error).message}`
  }
}

function explained(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EACCES') return `${message} (let this user in: usermod -aG gpio USER, then log in again)`
  if (code === 'EBUSY') return 'somebody else has it (cat /sys/kernel/debug/gpio shows who)'
  if (code === 'ENOENT') return `${message} (it does not tell of changes, or is gone)`
  return message
}
