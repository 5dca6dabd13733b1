// Profile: the mall and the trouble that one seed draws. Swarm style: every seed leaves most kinds of fault out and has
// the rest in plenty, because faults hide each other.

import { LIMITS, type Limits } from '../../mesh/limits.ts'
import { Random } from './random.ts'

/** Faults that happen at moments: the nemesis puts them on its script. */
export const STRIKES = [
  'crash',
  'crash-point',
  'anchor-crash',
  'anchor-loss',
  'blackout',
  'partition',
  'one-way',
  'flap',
  'slow-peer',
  'disk-full',
  'io-error',
  'slow-fsync',
  'rollback',
  'restore',
  'damage',
  'wipe',
  'clock-jump',
  'cut',
  'scheduled-cut',
  'raise',
  'recount',
  'mode',
  'contact',
  'rearm',
  'lone-rearm',
  'stop',
  'lie-fork',
  'lie-counterfeit',
  'lie-receipt',
  'lie-exits',
  'lie-replay',
  'lie-garbage',
  'lie-forgery',
] as const
export type Strike = (typeof STRIKES)[number]

/** Faults that are always about, at some rate. */
export const NUISANCES = [
  'loss',
  'duplicate',
  'reorder',
  'torn',
  'tailgate',
  'bounce',
  'repeat',
  'no-show',
  'doubt',
] as const
export type Nuisance = (typeof NUISANCES)[number]

export interface Blow {
  readonly at: number
  readonly strike: Strike
  /** 0 … 1: whom it hits, how hard, how long; what it means is up to the strike */
  readonly who: number
  readonly much: number
  readonly long: number
}

export interface Profile {
  readonly seed: number
  readonly gates: number
  readonly capacity: number
  readonly legalMax: number
  readonly arrivalsPerSecond: number
  readonly dwellMs: number
  readonly skew: number
  readonly exitGates: number
  readonly stormMs: number
  readonly delayMs: number
  readonly jitterMs: number
  readonly fsyncMs: number
  readonly skewMs: number
  readonly rates: Readonly<Record<Nuisance, number>>
  readonly limits: Limits
  readonly liar: boolean
  /** real hashes, lines and signatures instead of cheap ones */
  readonly real: boolean
  readonly script: readonly Blow[]
}

const LIES: readonly Strike[] = STRIKES.filter(strike => strike.startsWith('lie-'))

export function draw(seed: number): Profile {
  const r = new Random(`profile ${seed}`)
  const kind = r.next()
  const gates = kind < 0.05 ? 20 + r.int(11) : kind < 0.7 ? 3 + r.int(4) : 5 + r.int(8)
  const real = seed % 40 === 7
  // a third of the malls are busy beyond reason, because most of what goes wrong goes wrong between two messages
  const busy = gates < 10 && r.chance(0.35) && !real
  const capacity = busy ? 200 + r.int(3000) : r.chance(0.3) ? 4 + r.int(20) : 20 + r.int(300)
  const stormMs = 6000 + r.int(14_000)
  const liar = r.chance(0.2) && gates > 3 && !real
  const rate = (often: number, most: number) => (r.chance(often) ? r.next() * most : 0)
  const rates: Record<Nuisance, number> = {
    loss: rate(0.3, 0.15),
    duplicate: rate(0.3, 0.2),
    reorder: rate(0.3, 0.2),
    torn: 0,
    tailgate: rate(0.3, 0.02),
    bounce: rate(0.3, 0.2),
    repeat: rate(0.4, 0.2),
    'no-show': rate(0.3, 0.1),
    doubt: rate(0.3, 0.05),
  }
  const usual = STRIKES.filter(strike => (LIES.includes(strike) ? liar : true))
  const chosen = usual.filter(strike => r.chance(LIES.includes(strike) ? 0.5 : 0.22))
  const script: Blow[] = []
  for (const strike of chosen) {
    for (let at = r.wait(stormMs / 4); at < stormMs; at += 50 + r.wait(stormMs / (1 + r.int(6)))) {
      script.push({ at: Math.round(at), strike, who: r.next(), much: r.next(), long: r.next() })
    }
  }
  script.sort((a, b) => a.at - b.at)
  const rowEveryMs = r.pick([50, 100, 100, 200])
  const arrivalsPerSecond = gates * (busy ? r.between(100, 500) : r.between(4, kind < 0.05 ? 15 : 60))
  // all may leave by one door, and a blackout makes them leave at once
  const exitsPerMinuteMax = Math.ceil(Math.max(1000, arrivalsPerSecond * 4)) * 60
  return {
    seed,
    gates,
    capacity,
    legalMax: capacity * 2,
    arrivalsPerSecond,
    dwellMs: r.between(500, busy ? 2000 : 8000),
    skew: r.between(0, 1.5),
    exitGates: 1 + r.int(gates),
    stormMs,
    delayMs: r.pick([0.3, 1, 3]),
    jitterMs: r.pick([0.2, 2, 10]),
    fsyncMs: r.chance(0.15) ? r.between(30, 300) : r.between(0.3, 4),
    skewMs: r.chance(0.3) ? 10 ** r.between(2, 7) : 20,
    rates,
    limits: { ...LIMITS, rowEveryMs, exitsPerMinuteMax, exitBurst: 100, demandPerSecondMax: 500 },
    liar,
    real,
    script,
  }
}
