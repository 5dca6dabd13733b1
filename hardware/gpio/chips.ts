// Chips: which of the kernel's chips a label means.
//
// Law: one label, one chip, and the offset is on it; anything else is refused. A wire guessed wrong would lock a door that
// it should free, or take a lamp for the fire loop.

import { HardwareFault } from '../turnstile.ts'
import { type Pin, wordsOf } from './pins.ts'

export interface Chip {
  /** what the kernel calls it now, such as gpiochip0 */
  readonly name: string
  readonly label: string
  readonly lines: number
  /** number of its first line, where the kernel numbers all lines */
  readonly base: number
}

/** `look` is the command that shows people what is there. */
export function chipOf(chips: readonly Chip[], pin: Pin, look: string): Chip {
  const [chip, ...others] = chips.filter(({ label }) => label === pin.on)
  if (chip === undefined) {
    throw new HardwareFault('LINK', `no GPIO chip has the label "${pin.on}": there ${labels(chips)} (${look})`)
  }
  if (others.length > 0) {
    const names = [chip, ...others].map(({ name }) => name).join(' and ')
    throw new HardwareFault(
      'LINK',
      `the label "${pin.on}" is on ${names}: nobody can tell which of them is wired (${look})`,
    )
  }
  if (pin.at >= chip.lines) {
    throw new HardwareFault(
      'LINK',
      `${wordsOf(pin)}: there are lines 0 to ${chip.lines - 1} on it (${chip.name}; ${look})`,
    )
  }
  return chip
}

function labels(chips: readonly Chip[]): string {
  if (chips.length === 0) return 'is none at all that this user may see'
  const named = chips.map(({ name, label, lines }) => `${name} [${label}] with ${lines} lines`)
  return `${chips.length > 1 ? 'are' : 'is'} ${named.join(', ')}`
}
