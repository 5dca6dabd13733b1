// Visitors: what anyone may see without a token: the sign at a door, and how full the mall is, as far as it says so.
//
// Law: what is told here is a small object of its own and holds nothing else of the mall. Whoever watches signs takes no
// seat from those who run the mall.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DISPLAY_EVERY_MS, displayPage } from '../../mesh/window/display.ts'
import { type DisplayState, displayOf } from '../../mesh/window/display-state.ts'
import type { MallReport } from '../../mesh/window/mall-report.ts'
import { PAGE_POLICY, type PageFile } from '../../mesh/window/page-files.ts'
import { Watchers } from '../../mesh/window/watchers.ts'
import type { PublicAnswer } from '../public/answer.ts'
import { refuseOthers, type Surroundings, say, starting } from './binding.ts'
import { anchorPages, pageAnswer } from './pages.ts'
import type { MallView } from './ports.ts'
import { ApiRefusal } from './refusal.ts'

/** All signs of a mall look at one report of it. */
const REPORT_MS = 250
/** A figure is told again until the next one comes; but that a mall is closed shall be known soon. */
const CACHE_S_MAX = 60
/** May be shown within a page from elsewhere: there is nothing on it to press. */
const EMBEDDED_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", 'frame-ancestors *')

export function addVisitors(app: FastifyInstance, s: Surroundings): void {
  const signs = new Signs(s)
  const get = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => unknown) => {
    const exposeHeadRoute = !url.endsWith('/events')
    app.get(url, { schema: { hide: true }, exposeHeadRoute }, async (request, reply) => answer(request, reply))
    refuseOthers(app, url, ['GET'])
  }
  const sign = '/display/:mall/:gate'
  get(sign, (request, reply) => {
    signs.find(request)
    return say(reply, pageAnswer(displayPage(), request))
  })
  get(`${sign}/state`, request => signs.state(signs.find(request)))
  get(`${sign}/events`, (request, reply) => signs.watch(signs.find(request), reply))
  get('/public/:mall', (request, reply) => tellCount(countOf(request, s), reply, s))
  get('/public/:mall/page', (request, reply) => {
    countOf(request, s)
    const { status, body, headers } = pageAnswer(anchorPages().get('public.html') as PageFile, request)
    reply.removeHeader('x-frame-options')
    return say(reply, { status, body, headers: { ...headers, 'content-security-policy': EMBEDDED_POLICY } })
  })
}

/** The one answer that pages from elsewhere may read: there is nothing in it that not everybody may know. */
function tellCount(answer: PublicAnswer, reply: FastifyReply, s: Surroundings) {
  const seconds = Math.ceil((answer.nextAt - s.clock.wall()) / 1000)
  const isTold = answer.count !== null
  return say(reply, {
    status: 200,
    body: answer,
    headers: {
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': isTold ? `public, max-age=${Math.max(1, Math.min(CACHE_S_MAX, seconds))}` : 'no-store',
    },
  })
}

function countOf(request: FastifyRequest, s: Surroundings): PublicAnswer {
  const view = viewOf(request, s)
  const desk = s.service.desks().get(view.mall)
  if (desk === undefined) throw starting(view.mall)
  const answer = desk.public.answer()
  if (answer === undefined) throw new ApiRefusal(404, 'not-public', 'this mall tells the public nothing of its counts')
  return answer
}

function viewOf(request: FastifyRequest, s: Surroundings): MallView {
  const { mall } = request.params as { mall: string }
  const view = s.service.malls().get(mall)
  if (view === undefined) throw new ApiRefusal(404, 'no-mall', 'there is no such mall here')
  return view
}

interface Sign {
  readonly mall: string
  readonly gate: string
}

class Signs {
  readonly #s: Surroundings
  readonly #reports = new Map<string, { readonly at: number; readonly report: MallReport | undefined }>()
  readonly #watchers = new Map<string, Watchers>()

  constructor(s: Surroundings) {
    this.#s = s
  }

  /** Refuses what is no gate of a mall that there is. */
  find(request: FastifyRequest): Sign {
    const { mall, charter } = viewOf(request, this.#s)
    const { gate } = request.params as { gate: string }
    const report = this.#report(mall)
    const isGate = report?.gates.some(({ name }) => name === gate) ?? charter.gates.some(({ name }) => name === gate)
    if (!isGate) throw new ApiRefusal(404, 'no-gate', 'there is no such gate in this mall')
    return { mall, gate }
  }

  state({ mall, gate }: Sign): DisplayState {
    const places = this.#s.service.desks().get(mall)?.public.places ?? false
    return displayOf(this.#report(mall), this.#s.clock.wall(), { gate, places })
  }

  /** From here on the answer is a stream, and no longer Fastify's. */
  watch(sign: Sign, reply: FastifyReply): void {
    const { streams, onFault } = this.#s
    const key = `${sign.mall}/${sign.gate}`
    let watchers = this.#watchers.get(key)
    if (watchers === undefined) {
      const tell = () => this.state(sign)
      watchers = new Watchers({ method: 'GET', path: '/events', everyMs: DISPLAY_EVERY_MS, tell }, onFault)
      this.#watchers.set(key, watchers)
    }
    // an address that breaks off while it is told something is nobody's fault
    reply.raw.on('error', () => undefined)
    streams.seat(reply.raw, { mall: `signs of ${sign.mall}`, isAllowed: () => true })
    if (!watchers.add(reply.raw)) throw new ApiRefusal(503, 'full', 'as many are listening as may: try again later')
    reply.hijack()
  }

  #report(mall: string): MallReport | undefined {
    const now = this.#s.clock.now()
    const known = this.#reports.get(mall)
    if (known !== undefined && now - known.at < REPORT_MS) return known.report
    const report = this.#s.service.malls().get(mall)?.report()
    this.#reports.set(mall, { at: now, report })
    return report
  }
}
