// The desk of a door: its optical counters, held against what is in its ledger.

import type { OpticalConfig } from '../../hardware/optical/config.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Door } from '../door.ts'
import { Desk, type Passed } from './desk.ts'
import { MemoryFile } from './memory-file.ts'

export interface DeskPlace {
  readonly door: Door
  readonly configs: readonly OpticalConfig[]
  readonly clock: Clock
  /** where it is remembered over a restart */
  readonly path: string
  readonly pass?: string
}

export function deskOf({ door, path, ...rest }: DeskPlace): Desk {
  return new Desk({
    ...rest,
    gate: door.name,
    memory: new MemoryFile(path),
    passed: () => passedAt(door),
    intruded: count => door.intruded(count, 'tailgate'),
    tell: note => door.note(note),
    alarm: (code, detail) => door.alarm(code, detail),
  })
}

function passedAt({ gate, passages }: Door): Passed | undefined {
  const books = gate?.me.books
  if (books === undefined) return undefined
  const { admitted, forced, lapsed } = books.counters
  return { account: books.account, in: admitted + forced - lapsed, out: passages.out }
}
