// Seen: observations for rules, from a mall where all is well.

import type { GateSeen, Observation } from '../../anchor/alerts/observation.ts'
import { START } from './hand-clock.ts'

export const WELL: Observation = {
  mall: 'test',
  wall: START,
  upMs: 3_600_000,
  state: 'NORMAL',
  mode: 'NORMAL',
  modeBy: '',
  modeReason: '',
  occupancy: { count: 50, atMost: 50, capacity: 100, ageMs: 900 },
  legalMax: 120,
  aloneMovePerMille: 200,
  gates: ['east', 'north', 'west'].map(name => gate(name)),
  banned: [],
  compliance: { turnstile: 50, optical: 49, figure: 50, capacity: 100, legalMax: 120, overAdmissions: 0, missing: [] },
  leases: { drift: 0, sent: 10, received: 9, inFlight: 1, wrong: [] },
  rejects: { usualPerMinute: 2, perMinute: 1, isSpike: false },
  exitsRefused: { total: 0 },
  drifts: [],
  changes: [{ at: START - 7_200_000, capacity: 100, before: 100, correction: 0, policy: 1 }],
  evidence: [],
  approvals: [],
  collection: { entries: 1000, behind: 0, lagMs: 0, gaps: [] },
}

export function gate(name: string, over: Partial<GateSeen> = {}): GateSeen {
  return { name, silentMs: 800, isBanned: false, skewMs: 12, said: { state: 'NORMAL' }, ...over }
}

export function seen(over: Partial<Observation> = {}): Observation {
  return { ...WELL, ...over }
}

export function inside(count: number, capacity = 100): Observation {
  return seen({ occupancy: { count, atMost: count, capacity, ageMs: 500 } })
}
