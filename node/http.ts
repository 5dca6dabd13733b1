// HTTP: what a gate answers on its own port: the live page, the door display, status, metrics, modes by hand, and the soft
// turnstile with the guard's clicker.

import { join } from 'node:path'
import type { Commanded } from '../mesh/window/command.ts'
import { displayRoutes } from '../mesh/window/display.ts'
import type { MallReport, Trend } from '../mesh/window/mall-report.ts'
import { type PageFile, type PageFiles, pageReply, pageRoutes, readPageFiles } from '../mesh/window/page-files.ts'
import { PROMETHEUS_TYPE } from '../mesh/window/prometheus.ts'
import { json, type Reply, type Route } from '../mesh/window/route.ts'
import { viewRoutes } from '../mesh/window/views.ts'
import type { GateStatus } from './status.ts'
import { type Turnstile, turnstileRoutes } from './turnstile.ts'

export interface GateRoutes extends Turnstile {
  readonly report: () => MallReport
  readonly trend?: () => Trend
  /** is told of pages that cannot be read; the door is there all the same */
  readonly blurred?: (error: unknown) => void
  /** its door display may say about how many places are left */
  readonly showsPlaces?: boolean
  /** in Prometheus' text format */
  readonly metrics: () => string
  /** Takes a signed mode note; throws a Refusal that says what is wrong with it. */
  readonly command: (note: string) => Commanded
}

/** A mode note carries few signatures. */
const MODE_BYTES_MAX = 16 * 1024

export function gateRoutes(a: GateRoutes): readonly Route[] {
  const { mall, door, report, status } = a
  return [
    ...viewRoutes(report, a.trend, a.blurred),
    ...displayRoutes({
      mall,
      gate: door.name,
      report,
      state: () => status().state,
      showsPlaces: a.showsPlaces ?? false,
    }),
    ...pageRoutes('/pages', gatePages, a.blurred),
    { method: 'GET', path: '/clicker', answer: () => pageReply(gatePages().get('clicker.html') as PageFile) },
    { method: 'GET', path: '/status', isPrivate: true, answer: () => json(200, status()) },
    { method: 'GET', path: '/healthz', answer: () => health(status()) },
    {
      method: 'GET',
      path: '/metrics',
      isPrivate: true,
      answer: () => ({ status: 200, type: PROMETHEUS_TYPE, text: a.metrics() }),
    },
    ...turnstileRoutes(a),
    { method: 'GET', path: '/modes', answer: () => modes(status()) },
    {
      method: 'POST',
      path: '/modes',
      bodyBytesMax: MODE_BYTES_MAX,
      isOpen: true, // who may say so is in its signatures, not in who brings it
      answer: async asked => commanded(a.command(await asked.body())),
    },
  ]
}

let pages: PageFiles | undefined

/** A gate's own, below /pages/. */
export function gatePages(): PageFiles {
  pages ??= readPageFiles(join(import.meta.dirname, 'pages'))
  return pages
}

/** What the sign at the door shows to everybody, and what a note must name: whoever brings one needs no pass. */
function modes({ mode, modeEpoch }: GateStatus): Reply {
  return json(200, { mode, modeEpoch })
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
