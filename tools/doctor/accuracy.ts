// Accuracy: what the sensors saw beside what truly passed, for one lane over one stretch of time.
//
// Law: errors are not alike. An entry that was missed and an exit that was invented leave more people inside than are
// counted: that side is unsafe, and hardly any of it passes. Errors to the other side cost places and nothing else.

export interface Flow {
  readonly in: number
  readonly out: number
}

export type Way = keyof Flow
export type Side = 'exact' | 'safe' | 'unsafe'

export interface WayAccuracy {
  readonly truth: number
  readonly seen: number
  /** seen less truth, of a thousand who passed, never rounded to nothing; null where nobody passed */
  readonly perMille: number | null
  readonly side: Side
  readonly ok: boolean
}

export interface Accuracy {
  readonly in: WayAccuracy
  readonly out: WayAccuracy
  /** people inside beyond those that were counted inside; above zero is unsafe */
  readonly missing: number
  readonly ok: boolean
}

/** Whoever counts by hand errs too; a walk of fewer than fifty must see everybody. */
export const UNSAFE_PER_MILLE_MAX = 20
export const SAFE_PER_MILLE_MAX = 50

export function accuracyOf(truth: Flow, seen: Flow): Accuracy {
  const ways = { in: wayOf('in', truth.in, seen.in), out: wayOf('out', truth.out, seen.out) }
  const missing = truth.in - truth.out - (seen.in - seen.out)
  return { ...ways, missing, ok: ways.in.ok && ways.out.ok }
}

function wayOf(way: Way, truth: number, seen: number): WayAccuracy {
  const side = sideOf(way, seen - truth)
  const perMille = truth === 0 ? null : awayFromZero(((seen - truth) * 1000) / truth)
  const max = side === 'unsafe' ? UNSAFE_PER_MILLE_MAX : SAFE_PER_MILLE_MAX
  const ok = side === 'exact' || (perMille !== null && Math.abs(perMille) <= max)
  return { truth, seen, perMille, side, ok }
}

function sideOf(way: Way, error: number): Side {
  if (error === 0) return 'exact'
  return error < 0 === (way === 'in') ? 'unsafe' : 'safe'
}

function awayFromZero(x: number): number {
  return Math.sign(x) * Math.ceil(Math.abs(x))
}

const MEANS = {
  in: {
    safe: 'safe side, but places are lost: nobody is behind some of the entries',
    unsafe: 'UNSAFE: people came in whom nothing counted',
  },
  out: {
    safe: 'safe side, but places are lost: people left whom nothing counted',
    unsafe: 'UNSAFE: exits were counted that nobody made',
  },
} as const satisfies Record<Way, Record<Exclude<Side, 'exact'>, string>>

/** As in `in: 8 seen of 10, −200 ‰, UNSAFE: people came in whom nothing counted`. */
export function wayWords(way: Way, { truth, seen, perMille, side, ok }: WayAccuracy): string {
  const counts = `${way}: ${seen} seen of ${truth}`
  if (side === 'exact') return truth === 0 ? `${way}: nobody, and nobody seen` : `${counts}, exact`
  const error = perMille === null ? '' : `, ${perMilleText(perMille)}`
  return `${counts}${error}, ${ok ? 'within what is allowed, ' : ''}${MEANS[way][side]}`
}

export function perMilleText(perMille: number): string {
  return `${perMille < 0 ? '−' : '+'}${Math.abs(perMille)} ‰`
}
