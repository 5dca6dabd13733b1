// Meter: counts what crosses the wire and the disk, for those who watch. It decides nothing.

import type { Message } from './message.ts'

export interface Meter {
  told(to: string, message: Message, bytes: number): void
  heard(from: string, message: Message, bytes: number): void
  /** notes in a message whose signatures or texts are not what they should be */
  refused(from: string, notes: number): void
  /** a whole message that could not be read */
  garbage(from: string): void
}

export const NO_METER: Meter = {
  told: () => undefined,
  heard: () => undefined,
  refused: () => undefined,
  garbage: () => undefined,
}
