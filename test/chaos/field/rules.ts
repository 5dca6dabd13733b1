// Rules: what the network does while these faults last. Cuts add up: who is cut off by any of them is not heard. Of two
// losses, delays and the like the worse one holds.

import type { Fault } from '../fault.ts'

export interface Rules {
  readonly lostPercent: number
  readonly doubledPercent: number
  readonly heldPercent: number
  readonly delayMs: number
  readonly jitterMs: number
  /** does `to` hear `from`? */
  readonly hears: (from: string, to: string) => boolean
}

const NETWORK = [
  'halves',
  'ring',
  'one-way',
  'bridge',
  'flapping',
  'loss',
  'delay',
  'duplication',
  'reordering',
] as const
export type NetworkFault = Extract<Fault, { readonly kind: (typeof NETWORK)[number] }>

export function isOfNetwork(fault: Fault): fault is NetworkFault {
  return (NETWORK as readonly string[]).includes(fault.kind)
}

export function rulesOf(faults: Iterable<NetworkFault>): Rules {
  const all = [...faults]
  const worst = (kind: 'loss' | 'duplication' | 'reordering') =>
    Math.max(0, ...all.map(fault => (fault.kind === kind ? fault.percent : 0)))
  const late = all.filter(fault => fault.kind === 'delay')
  return {
    lostPercent: worst('loss'),
    doubledPercent: worst('duplication'),
    heldPercent: worst('reordering'),
    delayMs: Math.max(0, ...late.map(({ ms }) => ms)),
    jitterMs: Math.max(0, ...late.map(({ jitterMs }) => jitterMs)),
    hears: (from, to) => all.every(fault => isHeard(fault, from, to)),
  }
}

function isHeard(fault: NetworkFault, from: string, to: string): boolean {
  switch (fault.kind) {
    case 'halves':
    case 'flapping':
      return fault.left.includes(from) === fault.left.includes(to)
    case 'bridge':
      return [from, to].includes(fault.between) || fault.left.includes(from) === fault.left.includes(to)
    case 'one-way':
      return !fault.whose.includes(fault.deaf ? to : from)
    case 'ring':
      return areNeighbours(fault.order, from, to)
    default:
      return true
  }
}

/** Who is in no ring is no part of this fault. */
function areNeighbours(order: readonly string[], a: string, b: string): boolean {
  const [i, k] = [order.indexOf(a), order.indexOf(b)]
  if (i < 0 || k < 0) return true
  const apart = Math.abs(i - k)
  return apart <= 1 || apart === order.length - 1
}
