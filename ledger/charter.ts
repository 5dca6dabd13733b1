// Charter: the mall's birth certificate. The owner signs it once; nothing the anchor says later can exceed it.

export const ROLES = ['viewer', 'operator', 'marshal', 'auditor'] as const
export type Role = (typeof ROLES)[number]

export interface Operator {
  readonly name: string
  readonly role: Role
  readonly key: string
}

export interface GateKey {
  readonly name: string
  /** vkey: name + key id + public key, the same key for libp2p and for signing */
  readonly key: string
}

export interface Charter {
  readonly mall: string
  readonly legalMax: number
  readonly anchor: string
  readonly operators: readonly Operator[]
  readonly gates: readonly GateKey[]
  /** exits a gate can physically let out in a minute, all its lanes together */
  readonly exitsPerMinuteMax: number
  /** a capacity move of more than this many per mille needs two operators */
  readonly aloneMovePerMille: number
}
