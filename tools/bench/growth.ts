// Bench of growth: what one gate costs in a mall of 5, 30 and 60 gates, a process each, at rest and with a few people at every
// door. Everyone hears of everyone, so a gate's share grows with the mall; the question is how fast.
//
// Figures are the kernel's, over the same stretch for all: processor time and resident memory of each process, and what its
// connections to other members sent, encrypted and repeated packets included, IP headers and multicast not.
//
// Sixty processes that all connect to all do not settle on two cores; they are measured as a star (growth/site.ts), and so
// are thirty once more, to show how far a star can stand for the whole. It cannot for what is sent: watched gates pass on
// the rows of those who do not hear each other. That figure is a bound from above, and not in the plot.

import { setTimeout as sleep } from 'node:timers/promises'
import { needs } from '../../test/debian.ts'
import { Lab } from '../../test/lab/lab.ts'
import type { Bench } from '../bench.ts'
import { openStar, openWhole, type Site } from './growth/site.ts'
import { cpuSeconds, residentMb } from './kernel/process.ts'
import { curvePlot } from './plot/curve.ts'

const WHOLE = [5, 30]
const STARS = [30, 60]
const WATCHED = 3
const QUICK = [4, 8]
/** Code that is still being compiled and memory that is still being tidied belong to the start. */
const SETTLE_MS = 20_000
const PERSON_EVERY_MS = 2000

interface Cost {
  /** of a core */
  readonly cpuPercent: number
  readonly residentMb: number
  readonly sentBytesPerSecond: number
}

export interface Size {
  readonly gates: number
  readonly connected: 'all to all' | 'star'
  readonly readyS: number
  readonly rest: Cost
  /** and how many people got no answer in 5 s: none, unless the machine is too busy for the figures to mean much */
  readonly crowd: Cost & { readonly unanswered: number }
}

export const bench: Bench = async ({ json, quick = false }) => {
  const title = 'What one gate costs as the mall grows: medians of the gate processes that were watched'
  const skipped = await needs('ss', 'iproute2')
  if (skipped !== undefined) return { name: 'growth', title, rows: [], skipped }
  const noLab = await Lab.isMissing()
  const stars = noLab === undefined ? (quick ? QUICK.slice(1) : STARS) : []
  const notes = [
    `Crowd: at every gate somebody comes or goes every ${PERSON_EVERY_MS / 1000} s.`,
    'Sent: TCP payload to all other members together, as the kernel counts it.',
    `Star: ${WATCHED} watched gates and the anchor are connected to everyone, all others to those alone; what the watched`,
    'ones send is a bound from above (≤), because they pass on rows that the others cannot hear from each other.',
    'In brackets: times the figure of the smallest mall. Where more than a few got no answer, the machine was too small.',
    ...(noLab === undefined ? [] : [`No stars, so no mall of ${STARS.at(-1)} gates: ${noLab}.`]),
  ]
  const sizes: Size[] = []
  const measure = async (gates: number, connected: Size['connected']) => {
    if (!json) console.log(`${gates} gates, ${connected} …`)
    const site = await (connected === 'star' ? openStar(gates, WATCHED) : openWhole(gates)).catch(unsettled)
    if (typeof site === 'string') return notes.push(`${gates} gates, ${connected}: too many for this machine: ${site}.`)
    const size = await sized(site, connected, quick ? 5 : 30, quick ? 3000 : SETTLE_MS)
    if (!json) console.log(JSON.stringify(size))
    return sizes.push(size)
  }
  for (const gates of quick ? QUICK : WHOLE) await measure(gates, 'all to all')
  for (const gates of stars) await measure(gates, 'star')
  return { name: 'growth', title, rows: rowsOf(sizes), notes, plots: { 'growth.svg': plotOf(sizes) } }
}

/** A mall too large for the machine is a finding, and no reason to lose the smaller ones. */
function unsettled(error: Error): string {
  if (error.name !== 'AssertionError') throw error
  return error.message.slice(0, Math.max(0, error.message.indexOf(':\n'))) || error.message
}

async function sized(site: Site, connected: Size['connected'], seconds: number, settleMs: number): Promise<Size> {
  try {
    await sleep(settleMs)
    const rest = await cost(site, seconds)
    const crowd = await crowded(site, () => cost(site, seconds))
    return { gates: site.gates.length, connected, readyS: site.readyS, rest, crowd }
  } finally {
    await site.close()
  }
}

/** Somebody at every gate in turn, evenly over the time: in, and next time out. */
async function crowded(site: Site, act: () => Promise<Cost>): Promise<Cost & { readonly unanswered: number }> {
  const { gates } = site
  const served: Promise<boolean>[] = []
  const since = performance.now()
  let over = false
  const people = (async () => {
    for (let i = 0; !over; i++) {
      const gate = gates[i % gates.length] as string
      const isComing = Math.floor(i / gates.length) % 2 === 0
      // on a machine that is too busy somebody waits in vain, and is counted
      served.push((isComing ? site.enter(gate) : site.leave(gate)).then(() => true).catch(() => false))
      await sleep(Math.max(0, ((i + 1) * PERSON_EVERY_MS) / gates.length - (performance.now() - since)))
    }
  })()
  // the first ones teach the code its way
  await sleep(2 * PERSON_EVERY_MS)
  const result = await act().finally(() => {
    over = true
  })
  await people
  const unanswered = (await Promise.all(served)).filter(isServed => !isServed).length
  return { ...result, unanswered }
}

async function cost(site: Site, seconds: number): Promise<Cost> {
  const pids = site.watched
  const look = async () => ({
    at: performance.now(),
    cpu: await Promise.all(pids.map(cpuSeconds)),
    sent: await site.sent(),
  })
  const before = await look()
  await sleep(seconds * 1000)
  const after = await look()
  const spent = (after.at - before.at) / 1000
  const rate = (pid: number) => {
    const bytes = (after.sent.get(pid) ?? 0) - (before.sent.get(pid) ?? 0)
    // what went over a connection that has ended is not counted any more
    return bytes < 0 ? Number.NaN : bytes / spent
  }
  return {
    cpuPercent: middle(pids.map((_, i) => (100 * ((after.cpu[i] as number) - (before.cpu[i] as number))) / spent)),
    residentMb: middle(await Promise.all(pids.map(residentMb))),
    sentBytesPerSecond: middle(pids.map(rate)),
  }
}

function middle(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] as number
}

export function rowsOf(sizes: readonly Size[]): Record<string, string | number>[] {
  const [least] = sizes
  return sizes.flatMap(size =>
    (['rest', 'crowd'] as const).map(when => {
      const base = least?.[when] as Cost
      const { cpuPercent, residentMb: memory, sentBytesPerSecond } = size[when]
      const times = (of: number, to: number) => `(${(of / to).toFixed(2)})`
      const sent = Number.isNaN(sentBytesPerSecond) ? '—' : (sentBytesPerSecond / 1000).toFixed(2)
      return {
        gates: size.gates,
        connected: size.connected,
        people: when === 'rest' ? 'none' : 'crowd',
        unanswered: when === 'rest' ? 0 : size.crowd.unanswered,
        'ready after, s': Math.round(size.readyS),
        'cpu, % of a core': `${cpuPercent.toFixed(2)} ${times(cpuPercent, base.cpuPercent)}`,
        'resident, MB': `${memory.toFixed(0)} ${times(memory, base.residentMb)}`,
        'sent, kB/s':
          size.connected === 'star' ? `≤ ${sent}` : `${sent} ${times(sentBytesPerSecond, base.sentBytesPerSecond)}`,
      }
    }),
  )
}

/** Was the machine up to it? */
function isServed({ gates, crowd }: Size): boolean {
  return crowd.unanswered <= gates / 10
}

/** A curve through the malls that were connected all to all, and on to the larger ones that only a star could show. */
export function plotOf(sizes: readonly Size[]): string {
  const whole = sizes.filter(({ connected }) => connected === 'all to all')
  const beyond = sizes.filter(({ gates }) => whole.every(size => size.gates < gates))
  const shown = [...whole, ...beyond]
  const curves = (of: readonly Size[], figure: (cost: Cost) => number) => [
    { name: 'at rest', points: of.map(size => [size.gates, figure(size.rest)] as const) },
    {
      name: 'somebody at every gate every 2 s',
      points: of.filter(isServed).map(size => [size.gates, figure(size.crowd)] as const),
    },
  ]
  const star = beyond.length === 0 ? '' : `; ${beyond.map(({ gates }) => gates).join(', ')}: as a star`
  return curvePlot({
    title: 'What one gate costs as the mall grows',
    note: `A process per gate, all on one machine, connected to all others${star}`,
    x: 'gates in the mall',
    panels: [
      { title: 'processor, % of a core', curves: curves(shown, cost => cost.cpuPercent) },
      { title: 'resident memory, MB', curves: curves(shown, cost => cost.residentMb) },
      { title: 'sent, kB per second', curves: curves(whole, cost => cost.sentBytesPerSecond / 1000) },
    ],
  })
}
