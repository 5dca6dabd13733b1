// Gates: what a contender is to those who come: some doors, whoever counts behind them.

/** What a person at a door was told. `none`: no answer could be had from whoever counts. */
export type Told = 'in' | 'full' | 'none'

export interface Standing {
  /** people let in less those who left, by the contender's own books */
  readonly inside: number
  /** lines of its audit trail; a gate's ledger has some that are of no person */
  readonly audited: number
  /** what it complained of; empty when all is well */
  readonly alarms: readonly string[]
}

export interface Gates {
  /** Resolves once whoever counts has decided, and the decision is as durable as the contender makes it. */
  enter(gate: number): Promise<Told>
  /** Somebody left. Nobody waits for it: exits are free. */
  leave(gate: number): void
  standing(): Promise<Standing>
  close(): Promise<void>
}

/** Where a contender counts, and with what: shown beside its figures. */
export interface Server {
  readonly port: number
  readonly version: string
  readonly config: string
  stop(): Promise<void>
}
