// Scripted mall: the live view's server without a mall behind it: it says whatever report the test has put there.

import type { GateReport, MallReport, Rates, Trend } from '../../mesh/window/mall-report.ts'
import { json, type Route } from '../../mesh/window/route.ts'
import { Server } from '../../mesh/window/server.ts'
import { viewRoutes } from '../../mesh/window/views.ts'

export const NO_RATES: Rates = { local: 0, stolen: 0, exits: 0, atCapacity: 0, noHeadroom: 0, emergency: 0, fault: 0 }
export const MINUTE_MS = 60_000

export function gateReport(n: number, over: Partial<GateReport> = {}): GateReport {
  const name = `gate-${String(n).padStart(2, '0')}`
  return {
    name,
    account: `${name}/1`,
    balance: n,
    counters: { admitted: 10, forced: 0, exited: 4, lapsed: 0 },
    inFlight: 0,
    ageMs: 200,
    isReachable: true,
    isBanned: false,
    isRostered: true,
    state: 'NORMAL',
    rates: { ...NO_RATES, local: 6, exits: 2 },
    today: { in: 100 + n, out: 40 + n, isPart: false },
    ...over,
  }
}

export function mallReport(gates: number, over: Partial<MallReport> = {}): MallReport {
  return {
    mall: 'scripted',
    at: Date.now(),
    me: 'gate-01',
    mode: 'NORMAL',
    occupancy: { count: 240, atMost: 240, capacity: 300, ageMs: 300 },
    left: 60,
    anchor: { name: 'anchor', account: 'anchor/1', balance: 7, policyVersion: 2, ageMs: 100, isFresh: true },
    gates: Array.from({ length: gates }, (_, k) => gateReport(k + 1)),
    rates: { ...NO_RATES, local: 30, stolen: 5, exits: 20, atCapacity: 3, noHeadroom: 2 },
    flows: [],
    alerts: { open: [], more: 0 },
    feed: [],
    notes: [],
    ...over,
  }
}

/** Three hours up to now, with half an hour that nobody watched. */
export function trendOf(now: number): Trend {
  const first = Math.floor(now / MINUTE_MS) * MINUTE_MS - 180 * MINUTE_MS
  const minutes = Array.from({ length: 180 }, (_, k) => k).filter(k => k < 60 || k >= 90)
  return {
    now,
    stepMs: MINUTE_MS,
    at: minutes.map(k => first + k * MINUTE_MS),
    count: minutes.map(k => (k === 100 ? 310 : 200 + (k % 30))),
    atMost: minutes.map(k => (k === 100 ? 312 : 205 + (k % 30))),
    capacity: minutes.map(() => 300),
    mode: minutes.map(k => (k >= 120 && k < 125 ? 'FIRE' : 'NORMAL')),
    entries: minutes.map(() => 30),
    exits: minutes.map(() => 20),
    rejects: minutes.map(k => (k === 100 ? 9 : 0)),
  }
}

/** A page that gives the view hands, and keeps what they were told to do. */
const HANDS_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Hands</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/mesh/pages/theme.css"><link rel="stylesheet" href="/mesh/pages/uplot.css">
<link rel="stylesheet" href="/mesh/pages/view.css">
<script type="module" src="/hands.js"></script><main id="view"></main></html>`
const HANDS_SCRIPT = `
import { mountView } from '/mesh/pages/view.js'
window.done = []
window.refusal = undefined
const hand = kind => async (...told) => {
  if (window.refusal) throw new Error(window.refusal)
  window.done.push([kind, ...told])
}
window.view = mountView(document.getElementById('view'))
window.hands = { place: hand('place'), label: hand('label'), acknowledge: hand('acknowledge') }
`
const handRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/hands',
    answer: () => ({
      status: 200,
      type: 'text/html; charset=utf-8',
      text: HANDS_PAGE,
      headers: { 'content-security-policy': '' },
    }),
  },
  { method: 'GET', path: '/hands.js', answer: () => ({ status: 200, type: 'text/javascript', text: HANDS_SCRIPT }) },
]

export class ScriptedMall {
  report: MallReport
  readonly #server: Server

  constructor(report: MallReport, more: readonly Route[] = []) {
    this.report = report
    const told = () => ({ ...this.report, at: Date.now() })
    // five times as often as a mall would: tests wait for it
    const events: Route = { method: 'GET', path: '/events', everyMs: 100, tell: told }
    const instead = [...more, events].filter(({ path }, i, all) => all.findIndex(one => one.path === path) === i)
    const own = viewRoutes(told, () => trendOf(Date.now()))
    const others = own.filter(({ path }) => instead.every(route => route.path !== path))
    const routes = [...others, ...handRoutes, ...instead]
    this.#server = new Server({
      routes,
      onFault: error => {
        throw error
      },
    })
  }

  static async open(report: MallReport, port = 0, more: readonly Route[] = []): Promise<ScriptedMall> {
    const mall = new ScriptedMall(report, more)
    await mall.#server.listen({ host: '127.0.0.1', port }, false)
    return mall
  }

  get url(): string {
    return this.#server.url
  }

  get port(): number {
    return this.#server.port
  }

  set(over: Partial<MallReport>): void {
    this.report = { ...this.report, ...over }
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** Where nobody may listen any more: a browser that is told so gives up by itself. */
export const FULL_HOUSE: Route = {
  method: 'GET',
  path: '/events',
  answer: () => json(429, { error: 'as many are watching as may' }),
}

export async function inScriptedMall(report: MallReport, act: (mall: ScriptedMall) => Promise<void>): Promise<void> {
  const mall = await ScriptedMall.open(report)
  try {
    await act(mall)
  } finally {
    await mall.close()
  }
}
