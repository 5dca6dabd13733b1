// Fault list: what is wrong with a lane now.
//
// Law: a fault is told once when it begins and once when its last cause is gone, however many causes it has.

import type { FaultCode } from '../turnstile.ts'
import type { LaneOutput } from './lane-step.ts'

export class FaultList {
  readonly #causes = new Map<FaultCode, Set<string>>()

  /** Tells what is new in it. */
  set(code: FaultCode, cause: string, isWrong: boolean, detail: string): readonly LaneOutput[] {
    const causes = this.#causes.get(code) ?? new Set<string>()
    const was = causes.size > 0
    if (isWrong) causes.add(cause)
    else causes.delete(cause)
    if (causes.size > 0) this.#causes.set(code, causes)
    else this.#causes.delete(code)
    if (was === causes.size > 0) return []
    return [{ kind: 'fault', code, detail, isOver: was }]
  }

  get codes(): readonly FaultCode[] {
    return [...this.#causes.keys()]
  }

  /** Something is wrong, and it is not this alone. */
  hasBeside(cause: string): boolean {
    return [...this.#causes.values()].some(causes => [...causes].some(one => one !== cause))
  }

  has(code: FaultCode): boolean {
    return this.#causes.has(code)
  }
}
