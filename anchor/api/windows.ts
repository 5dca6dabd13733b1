// Windows: the dashboard of each mall and what is behind it, at the addresses that gates have them too.
//
// One mall has them at the root. With several, the dashboard at the root lists them and each has its own below
// /malls/<mall>/.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scheduled } from '../../ledger/policy.ts'
import type { MallReport, Trend } from '../../mesh/window/mall-report.ts'
import type { PageFile } from '../../mesh/window/page-files.ts'
import { PROMETHEUS_TYPE } from '../../mesh/window/prometheus.ts'
import { NOTE_BYTES_MAX } from '../../mesh/window/route.ts'
import { Watchers } from '../../mesh/window/watchers.ts'
import type { Operation } from '../access/operations.ts'
import { refuseOthers, type Surroundings, say, seated, starting } from './binding.ts'
import type { Answer } from './endpoint.ts'
import { anchorPages, pageAnswer } from './pages.ts'
import type { Desk, MallView } from './ports.ts'
import { ApiRefusal } from './refusal.ts'
import { brought } from './routes/bringing.ts'

export interface WindowsOptions extends Surroundings {
  readonly metrics: (mall: string | undefined) => string
  readonly health: () => { readonly ok: boolean; readonly malls: object }
}

const TELL_EVERY_MS = 500

export function addWindows(app: FastifyInstance, s: WindowsOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: NOTE_BYTES_MAX }, (_request, body, done) => {
    done(null, body)
  })
  const watchers = new Map<string, Watchers>()
  const get = (
    url: string,
    operation: Operation,
    answer: (request: FastifyRequest, reply: FastifyReply) => unknown,
  ) => {
    app.get(url, { ...guarded(s, operation), exposeHeadRoute: !url.endsWith('/events') }, async (request, reply) =>
      answer(request, reply),
    )
    refuseOthers(app, url, url === '/policy' || url === '/modes' ? ['GET', 'POST'] : ['GET'])
  }
  for (const at of ['', '/malls/:mall']) {
    // the page holds no data: what it shows it asks for, as whoever is logged in
    app.get(`${at}/`, { schema: { hide: true } }, async (request, reply) => page(request, reply, s))
    refuseOthers(app, `${at}/`, ['GET'])
    get(`${at}/mall`, 'getOccupancy', request => reportOf(viewAt(request, s)))
    get(`${at}/trend`, 'getOccupancy', request => trendOf(viewAt(request, s)))
    get(`${at}/status`, 'getOccupancy', request => viewAt(request, s).status())
    get(`${at}/events`, 'getOccupancy', (request, reply) => {
      const { mall } = viewAt(request, s)
      seated(watchersOf(watchers, mall, s), request, reply, s)
    })
    post(app, `${at}/policy`, s, 'policy')
    post(app, `${at}/modes`, s, 'mode')
  }
  // a token is for one mall, and shows no other
  get('/metrics', 'getMetrics', (request, reply) => {
    return reply.type(PROMETHEUS_TYPE).send(s.metrics(request.known?.caller?.mall))
  })
  app.get('/healthz', { schema: { hide: true } }, async (_request, reply) => {
    const health = s.health()
    return reply.code(health.ok ? 200 : 503).send(health)
  })
  refuseOthers(app, '/healthz', ['GET'])
}

/** Where nobody may read without a token, a page says how to get one. */
function guarded(s: Surroundings, operation: Operation) {
  return {
    schema: { hide: true },
    config: { operation },
    preParsing: async (request: FastifyRequest) => {
      const mall = mallAt(request, s)
      request.known = s.guard.check({ operation, method: 'GET', mall, headers: request.headers })
    },
  }
}

function post(app: FastifyInstance, url: string, s: Surroundings, kind: 'policy' | 'mode'): void {
  const operation = kind === 'policy' ? 'bringPolicy' : 'bringMode'
  const rateLimit = { max: s.limits.notes, timeWindow: '1 minute' }
  const options = { schema: { hide: true }, config: { operation, rateLimit }, bodyLimit: NOTE_BYTES_MAX } as const
  app.post(url, options, async (request, reply) => {
    const desk = deskAt(request, s)
    const answer = await brought(desk, typeof request.body === 'string' ? request.body : '', kind)
    return say(reply, kind === 'policy' ? policyAnswer(desk, answer, s) : modeAnswer(desk, answer))
  })
  refuseOthers(app, url, ['POST'])
}

function policyAnswer(desk: Desk, answer: Answer, s: Surroundings): Answer {
  const policy = desk.policies().at(-1)
  if (answer.status !== 200 || policy === undefined) return answer
  const { version, hash } = policy
  return { ...answer, body: { ...(answer.body as object), version, hash, capacity: scheduled(policy, s.clock.wall()) } }
}

function modeAnswer(desk: Desk, answer: Answer): Answer {
  const modes = desk.me()?.modes
  if (answer.status !== 200 || modes === undefined) return answer
  return { ...answer, body: { ...(answer.body as object), mode: modes.effective, epoch: modes.statement.epoch } }
}

function page(request: FastifyRequest, reply: FastifyReply, s: Surroundings) {
  if (namedMall(request) !== undefined) viewAt(request, s)
  return say(reply, pageAnswer(anchorPages().get('dashboard.html') as PageFile, request))
}

function watchersOf(all: Map<string, Watchers>, mall: string, s: Surroundings): Watchers {
  let watchers = all.get(mall)
  if (watchers === undefined) {
    const tell = () => reportOf(s.service.malls().get(mall) as MallView)
    watchers = new Watchers({ method: 'GET', path: '/events', everyMs: TELL_EVERY_MS, tell }, s.onFault)
    all.set(mall, watchers)
  }
  return watchers
}

function namedMall(request: FastifyRequest): string | undefined {
  return (request.params as { mall?: string } | undefined)?.mall
}

/** The mall in the address, or the only one there is; undefined at the root of several. */
function mallAt(request: FastifyRequest, s: Surroundings): string | undefined {
  const named = namedMall(request)
  if (named !== undefined) return named
  const [only, ...more] = s.service.malls().keys()
  return more.length === 0 ? only : undefined
}

function viewAt(request: FastifyRequest, s: Surroundings): MallView {
  const mall = mallAt(request, s)
  const view = mall === undefined ? undefined : s.service.malls().get(mall)
  if (view !== undefined) return view
  if (namedMall(request) !== undefined) throw new ApiRefusal(404, 'no-mall', 'there is no such mall here')
  throw new ApiRefusal(404, 'which-mall', 'there are several malls here, or none yet: name one, as in /malls/north/')
}

function reportOf(view: MallView): MallReport {
  const report = view.report()
  if (report === undefined) throw starting(view.mall)
  return report
}

function trendOf(view: MallView): Trend {
  const trend = view.trend()
  if (trend === undefined) throw starting(view.mall)
  return trend
}

function deskAt(request: FastifyRequest, s: Surroundings): Desk {
  const { mall } = viewAt(request, s)
  const desk = s.service.desks().get(mall)
  if (desk === undefined) throw starting(mall)
  return desk
}
