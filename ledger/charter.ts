// Charter: the mall's birth certificate. The owner signs it; nothing the anchor says later can exceed it. A revision is a
// whole new one that follows it, for keys that must change (`charters.ts`).

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

/** How a charter follows the one before it. */
export interface Revision {
  /** 2, 3, … */
  readonly number: number
  /** hash of the text of the one before, base64 */
  readonly previous: string
  /** policies of this version and later are judged by it */
  readonly since: number
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
  /** absent in the first */
  readonly revision?: Revision
}

/** The first charter and its revisions, oldest first. */
export interface CharterLine {
  readonly all: readonly Charter[]
  /** the one that a policy of this version is judged by */
  of(version: number): Charter
}

export function charterLine(all: readonly Charter[]): CharterLine {
  const of = (version: number) => all.findLast(({ revision }) => (revision?.since ?? 0) <= version) as Charter
  return { all, of }
}
