// Turnstile: the soft one, which programs push by HTTP, and guards by the clicker: in, out, and a mistake taken back.
//
// Law: an exit is counted whatever was sent with it, and is never refused; an error only says what was wrong with the
// words, or that no pass came with them. It waits for them for a moment only, and for nothing else.

import { isUuid7 } from '../ledger/line.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import { occupancyOf } from '../mesh/occupancy.ts'
import { type Asked, json, Refusal, type Reply, type Route } from '../mesh/window/route.ts'
import type { Attendant } from './attendant.ts'
import type { Door } from './door.ts'
import { cookieOf, shows } from './pass.ts'
import type { GateStatus } from './status.ts'
import { TAKE_BACK_MS_MAX, Takebacks, type Taken } from './takebacks.ts'

export interface Turnstile {
  readonly door: Door
  readonly clock: Clock
  readonly mall: string
  readonly newId: () => string
  readonly status: () => GateStatus
  /** who moves the arms of this door; none where there are no arms */
  readonly attendant?: Pick<Attendant, 'expect' | 'answered' | 'laneNames'>
  /** whoever counts people here has to show it; undefined: nobody has to */
  readonly pass?: string
}

/** The words of an exit come with it or not at all; a person is standing there. */
const EXIT_WORDS_MS_MAX = 150
/** Whoever took something back is told so by then, though the disk may still be at it. */
const KEPT_MS_MAX = 1000

const CONTACTS: readonly Contact[] = ['fire', 'key']
const NO_PASS = 'this gate has a pass: send it as "Authorization: Bearer PASS"'
const TOO_LATE = `it is later than ${TAKE_BACK_MS_MAX / 1000} s after it`
const NOT_UNDONE = {
  unknown: 'nobody was let in or out by this id since this gate started',
  late: `${TOO_LATE}: count the person again by hand`,
  undone: 'this was taken back before',
} as const satisfies Record<(Taken & { kind: 'no' })['why'], string>

export function turnstileRoutes(a: Turnstile): readonly Route[] {
  const takebacks = new Takebacks(a.door)
  return [
    { method: 'GET', path: '/turnstile', answer: asked => who(a, asked) },
    { method: 'POST', path: '/turnstile/entry', answer: asked => entry(a, takebacks, asked) },
    { method: 'POST', path: '/turnstile/exit', isOpen: true, answer: asked => exit(a, takebacks, asked) },
    { method: 'POST', path: '/turnstile/undo', answer: asked => undo(a, takebacks, asked) },
    { method: 'POST', path: '/turnstile/contact', answer: asked => contact(a, asked) },
  ]
}

/** Where somebody is about to count, and whether they may. Whoever may count may look as well. */
function who({ door, mall, pass }: Turnstile, { authorization }: Asked): Reply {
  const mayCount = shows(authorization, pass)
  const reply = json(200, { mall, gate: door.name, mayCount })
  return pass === undefined || !mayCount ? reply : { ...reply, headers: { 'set-cookie': cookieOf(pass) } }
}

async function entry(a: Turnstile, takebacks: Takebacks, asked: Asked): Promise<Reply> {
  const { door, clock } = a
  if (!shows(asked.authorization, a.pass)) return stranger()
  const said = fields(await asked.body())
  const { id = a.newId(), confidence } = passage(said)
  expect(a, id, said.arm)
  const { id: own, decision, reason, source, latencyUs } = await door.enter(id, confidence)
  a.attendant?.answered(own, decision === 'ADMIT')
  if (decision === 'ADMIT') takebacks.saw('entry', own, clock.now())
  return json(200, { id: own, decision, reason, source: source ?? null, latencyUs, ...standing(a) })
}

/** However this goes, it ends with `door.leave`. */
async function exit({ door, clock, pass }: Turnstile, takebacks: Takebacks, asked: Asked): Promise<Reply> {
  let words: Passage
  try {
    if (!shows(asked.authorization, pass)) throw new Refusal(401, NO_PASS)
    words = passage(fields(await asked.body(EXIT_WORDS_MS_MAX)))
  } catch (error) {
    const left = door.leave(undefined, 0)
    const { status, message } = error instanceof Refusal ? error : { status: 400, message: String(error) }
    const said = `let out and counted all the same, without credit: ${message}`
    return json(status, { error: said, letOut: true, ...left })
  }
  const left = door.leave(words.id, words.confidence)
  takebacks.saw('exit', left.id, clock.now())
  return json(200, left)
}

async function undo(a: Turnstile, takebacks: Takebacks, asked: Asked): Promise<Reply> {
  const { door, clock } = a
  if (!shows(asked.authorization, a.pass)) return stranger()
  const { id } = passage(fields(await asked.body()))
  if (id === undefined) throw new Refusal(400, 'id: that of the entry or exit to take back')
  const taken = takebacks.takeBack(id, clock.now())
  if (taken.kind === 'no') return json(409, { error: `not undone: ${NOT_UNDONE[taken.why]}`, why: taken.why })
  return json(200, { id, undone: taken.kind, isKept: await isKept(door, clock), ...standing(a) })
}

/** False where the disk has not taken it yet. */
function isKept(door: Door, clock: Clock): Promise<boolean> {
  return new Promise(resolve => {
    const forget = clock.in(KEPT_MS_MAX, () => resolve(false))
    const end = (kept: boolean) => {
      forget()
      resolve(kept)
    }
    door.kept().then(
      () => end(true),
      () => end(false),
    )
  })
}

async function contact({ door, status, pass }: Turnstile, asked: Asked): Promise<Reply> {
  if (!shows(asked.authorization, pass)) return stranger()
  const said = fields(await asked.body())
  const which = CONTACTS.find(name => name === said.contact)
  if (which === undefined) throw new Refusal(400, `contact: one of ${CONTACTS.join(', ')}`)
  if (typeof said.closed !== 'boolean') throw new Refusal(400, 'closed: true or false')
  door.contact(which, said.closed)
  const { mode, state } = status()
  return json(200, { contact: which, closed: said.closed, mode, state })
}

function stranger(): Reply {
  return { ...json(401, { error: NO_PASS }), headers: { 'www-authenticate': 'Bearer realm="gatemesh gate"' } }
}

export function standing({ door, clock }: Pick<Turnstile, 'door' | 'clock'>) {
  const me = door.gate?.me
  return { balance: me?.books?.balance ?? 0, occupancy: me ? occupancyOf(me, clock.now()) : null }
}

interface Passage {
  readonly id: string | undefined
  readonly confidence: unknown
}

/** A reader asks for somebody before an arm. Without that word a guard counts somebody by hand, and no arm moves. */
function expect({ attendant }: Turnstile, id: string, arm: unknown): void {
  if (arm === undefined) return
  if (typeof arm === 'string' && attendant?.expect(id, arm)) return
  const lanes = attendant?.laneNames ?? []
  const there = lanes.length === 0 ? 'this gate has no arm' : `one of ${lanes.join(', ')}`
  throw new Refusal(400, `arm: ${there}; without it the person is counted by hand`)
}

function passage({ id, confidence }: Record<string, unknown>): Passage {
  if (id !== undefined && !(typeof id === 'string' && isUuid7(id))) {
    throw new Refusal(400, 'id: a UUIDv7 in lower case, or none')
  }
  if (confidence !== undefined && !Number.isFinite(confidence)) {
    throw new Refusal(400, 'confidence: a number from 0 to 1000, or none')
  }
  return { id: id as string | undefined, confidence }
}

/** Nothing said is nothing wrong. */
function fields(body: string): Record<string, unknown> {
  let said: unknown
  try {
    said = body === '' ? {} : JSON.parse(body)
  } catch (error) {
    throw new Refusal(400, 'the body is not JSON', { cause: error })
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) {
    throw new Refusal(400, 'the body is no JSON object')
  }
  return said as Record<string, unknown>
}
