// Waiting: for something that a person does at the turnstile, or types, whichever comes first; never for ever.

import { Fault } from '../../ledger/fault.ts'
import { type Desk, Stopped } from './desk.ts'

export const LOOK_EVERY_MS = 200

export type Came<T> =
  | { readonly kind: 'seen'; readonly found: T }
  | { readonly kind: 'typed'; readonly line: string }
  | { readonly kind: 'late' }

export interface Wait<T> {
  readonly limitMs: number
  /** only a word ends it well: there is nothing to wait for where nobody can say one */
  readonly needsWord?: boolean
  readonly look: () => Promise<T>
  readonly isIt: (found: T) => boolean
  /** said while it lasts */
  readonly words: (found: T, leftS: number) => string
}

/** A gate that does not answer for a moment is asked again; what it says no to is thrown. */
export async function waitFor<T>(desk: Desk, a: Wait<T>): Promise<Came<T>> {
  const until = desk.now() + a.limitMs
  for (;;) {
    const found = await looked(a.look)
    const leftMs = until - desk.now()
    if (found !== undefined && a.isIt(found.value)) return { kind: 'seen', found: found.value }
    const leftS = Math.max(0, Math.ceil(leftMs / 1000))
    desk.progress(found === undefined ? `no answer from the gate, ${leftS} s left` : a.words(found.value, leftS))
    const line = await desk.typed(Math.min(LOOK_EVERY_MS, Math.max(1, leftMs)))
    if (line !== undefined) return { kind: 'typed', line }
    if (a.needsWord === true) refuseEnd(desk)
    if (desk.now() >= until) return { kind: 'late' }
  }
}

async function looked<T>(look: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await look() }
  } catch (error) {
    if (error instanceof Fault && error.code === 'UNREACHED') return undefined
    throw error
  }
}

/** A question that is answered by typing; undefined where the time is over. */
export async function answerTo(desk: Desk, question: string, limitMs: number): Promise<string | undefined> {
  desk.flush()
  desk.say(question)
  const until = desk.now() + limitMs
  while (desk.now() < until) {
    const line = await desk.typed(LOOK_EVERY_MS)
    if (line !== undefined) return line
    refuseEnd(desk)
  }
  return undefined
}

/** Not even a person who is in a hurry shortens this: what is typed meanwhile waits. */
export async function settle(desk: Desk, ms: number): Promise<void> {
  const until = desk.now() + ms
  desk.progress('  a moment: what comes late belongs to it too')
  while (desk.now() < until) await desk.pause(until - desk.now())
}

function refuseEnd(desk: Desk): void {
  if (desk.isOver) throw new Stopped('standard input ended, and nobody is there to answer')
}
