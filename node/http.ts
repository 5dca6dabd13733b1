// HTTP: what a gate answers on its own port: the live page, status, metrics, modes by hand, and the soft turnstile, which
// is also the guard's clicker.
//
// Law: an exit is counted whatever was sent with it, and is never refused; an error only says what was wrong with the
// words. It waits for them for a moment only, and for nothing else.

import { isUuid7 } from '../ledger/line.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import { occupancyOf } from '../mesh/occupancy.ts'
import type { Commanded } from '../mesh/window/command.ts'
import type { MallReport } from '../mesh/window/mall-report.ts'
import { PROMETHEUS_TYPE } from '../mesh/window/prometheus.ts'
import { type Asked, json, Refusal, type Reply, type Route } from '../mesh/window/route.ts'
import { viewRoutes } from '../mesh/window/views.ts'
import type { Door } from './door.ts'
import type { GateStatus } from './status.ts'

export interface GateRoutes {
  readonly door: Door
  readonly clock: Clock
  readonly status: () => GateStatus
  readonly report: () => MallReport
  /** in Prometheus' text format */
  readonly metrics: () => string
  /** Takes a signed mode note; throws a Refusal that says what is wrong with it. */
  readonly command: (note: string) => Commanded
}

/** The words of an exit come with it or not at all; a person is standing there. */
const EXIT_WORDS_MS_MAX = 150
/** A mode note carries few signatures. */
const MODE_BYTES_MAX = 16 * 1024

const CONTACTS: readonly Contact[] = ['fire', 'key']

export function gateRoutes(a: GateRoutes): readonly Route[] {
  return [
    ...viewRoutes(a.report),
    { method: 'GET', path: '/status', answer: () => json(200, a.status()) },
    { method: 'GET', path: '/healthz', answer: () => health(a.status()) },
    { method: 'GET', path: '/metrics', answer: () => ({ status: 200, type: PROMETHEUS_TYPE, text: a.metrics() }) },
    { method: 'POST', path: '/turnstile/entry', answer: asked => entry(a, asked) },
    { method: 'POST', path: '/turnstile/exit', isOpen: true, answer: asked => exit(a.door, asked) },
    { method: 'POST', path: '/turnstile/contact', answer: asked => contact(a, asked) },
    {
      method: 'POST',
      path: '/modes',
      bodyBytesMax: MODE_BYTES_MAX,
      isOpen: true, // who may say so is in its signatures, not in who brings it
      answer: async asked => commanded(a.command(await asked.body())),
    },
  ]
}

async function entry({ door, clock }: GateRoutes, asked: Asked): Promise<Reply> {
  const { id, confidence } = passage(await asked.body())
  const { id: own, decision, reason, source, latencyUs } = await door.enter(id, confidence)
  const me = door.gate?.me
  return json(200, {
    id: own,
    decision,
    reason,
    source: source ?? null,
    latencyUs,
    balance: me?.books?.balance ?? 0,
    occupancy: me ? occupancyOf(me, clock.now()) : null,
  })
}

/** However this goes, it ends with `door.leave`. */
async function exit(door: Door, asked: Asked): Promise<Reply> {
  let words: Passage
  try {
    words = passage(await asked.body(EXIT_WORDS_MS_MAX))
  } catch (error) {
    const left = door.leave(undefined, 0)
    const { status, message } = error instanceof Refusal ? error : { status: 400, message: String(error) }
    const said = `let out and counted all the same, without credit: ${message}`
    return json(status, { error: said, letOut: true, ...left })
  }
  return json(200, door.leave(words.id, words.confidence))
}

async function contact({ door, status }: GateRoutes, asked: Asked): Promise<Reply> {
  const said = fields(await asked.body())
  const which = CONTACTS.find(name => name === said.contact)
  if (which === undefined) throw new Refusal(400, `contact: one of ${CONTACTS.join(', ')}`)
  if (typeof said.closed !== 'boolean') throw new Refusal(400, 'closed: true or false')
  door.contact(which, said.closed)
  const { mode, state } = status()
  return json(200, { contact: which, closed: said.closed, mode, state })
}

function commanded({ isNews, mode, epoch }: Commanded): Reply {
  if (isNews) return json(200, { mode, epoch })
  return json(409, { error: `it changes nothing: ${mode} is in force, epoch ${epoch}`, mode, epoch })
}

/** For monitors: can people be let in here, were there tokens? A supervisor must not act on it; killing mends no disk. */
function health({ state, fault }: GateStatus): Reply {
  const isWell = state !== 'FAULT'
  return json(isWell ? 200 : 503, { ok: isWell, state, ...(fault === undefined ? {} : { fault }) })
}

interface Passage {
  readonly id: string | undefined
  readonly confidence: unknown
}

function passage(body: string): Passage {
  const { id, confidence } = fields(body)
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
