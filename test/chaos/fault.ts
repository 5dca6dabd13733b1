// Faults: what the nemesis can do to a mall, as plain data: a schedule of them can be written to a file and played again.

export const FAULTS = [
  'halves', // two groups that do not hear each other
  'ring', // each hears only its two neighbours
  'one-way', // some can be heard and hear nobody, or the other way round
  'bridge', // two groups, and one member that hears both
  'flapping', // a cut that comes and goes
  'loss', // of a hundred packets, so many are gone
  'delay', // packets are late
  'duplication', // packets come twice
  'reordering', // packets overtake each other
  'kill', // -9, and started again
  'stop', // SIGSTOP, and SIGCONT
  'restart-storm', // several ended and started again and again
  'power', // the whole mall loses power at once: what was not synced is gone
  'disk-full', // a member's file system has no room
  'io-error', // its writes and flushes fail
  'wipe', // a member's store and mark are gone, and it is started again
  'clock', // a member's wall clock jumps
  'anchor-gone', // no anchor for as long as it lasts
  'capacity', // operators change the capacity
  'mode', // a mode is raised, and cleared by two
] as const
export type FaultKind = (typeof FAULTS)[number]

export type Fault =
  | { readonly kind: 'halves' | 'flapping'; readonly left: readonly string[]; readonly everyMs?: number }
  | { readonly kind: 'ring'; readonly order: readonly string[] }
  | { readonly kind: 'one-way'; readonly whose: readonly string[]; readonly deaf: boolean }
  | { readonly kind: 'bridge'; readonly left: readonly string[]; readonly between: string }
  | { readonly kind: 'loss' | 'duplication' | 'reordering'; readonly percent: number }
  | { readonly kind: 'delay'; readonly ms: number; readonly jitterMs: number }
  | { readonly kind: 'kill' | 'stop' | 'disk-full' | 'io-error' | 'wipe'; readonly member: string }
  | { readonly kind: 'restart-storm'; readonly members: readonly string[]; readonly everyMs: number }
  | { readonly kind: 'power' | 'anchor-gone' }
  | { readonly kind: 'clock'; readonly member: string; readonly byMs: number }
  | { readonly kind: 'capacity'; readonly to: number }
  | { readonly kind: 'mode'; readonly mode: 'LOCKDOWN' | 'EVACUATE' | 'FIRE'; readonly at: string }

/** From `at` ms after the start, for `forMs`. */
export interface Deed {
  readonly at: number
  readonly forMs: number
  readonly fault: Fault
}

/** The mall as the nemesis and the people meet it. */
export interface Field {
  /** the anchor first, then the gates */
  readonly members: readonly string[]
  /** where people reach a gate's turnstile and status page, whatever is cut between members */
  urlOf(member: string): string
  /** what is mounted as its own disk: its store and all that lies beside it; its log: DIR/logs/NAME.log, config: DIR/NAME.json */
  folderOf(member: string): string
  /** its ledgers, for `openLevelStore` while nobody runs */
  storeOf(member: string): string
  /** founded as a `Home`: charter.note, owner.vkey, keys, policies, logs */
  readonly dir: string
  /** stores that a `wipe` took away, oldest first: nobody of the mall has them any more */
  readonly lost: readonly Lost[]
  /** who ended without having been made to, oldest first; each was started again, and each is a finding */
  readonly deaths: readonly Death[]
  /** Resolves once every gate decides. */
  start(): Promise<void>
  /**
   * Begins a fault; what it resolves to ends it, and is safe to repeat. Who is killed, wiped or without power is down until
   * the end. `capacity` and `mode` are operators' deeds: where they cannot be done, `say` is told.
   */
  begin(fault: Fault): Promise<() => Promise<void>>
  /** Every fault is over, every member runs; resolves once the mall is whole again. */
  heal(): Promise<void>
  /** Ends members with SIGTERM (all that is on disk stays), leaves folders in place. */
  stop(): Promise<void>
  /** Removes namespaces, mounts, processes. Keeps `dir` where asked. Safe to repeat. */
  close(keep?: boolean): Promise<void>
}

export interface Lost {
  readonly member: string
  readonly store: string
}

export interface Death {
  readonly member: string
  /** wall clock */
  readonly at: number
  readonly how: string
  readonly lastWords: string
}

export interface FieldOptions {
  readonly gates: number
  readonly capacity: number
  readonly legalMax: number
  readonly seed: number
  /** root of the tree whose code the members run: this one, or a deliberately broken copy of it */
  readonly build: string
  /** empty or not there yet; removed by `close()` unless kept */
  readonly dir: string
  /** what people should know: a deed that had to wait, a member that was started again */
  readonly say?: (line: string) => void
}
