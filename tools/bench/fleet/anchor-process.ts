// Anchor process: one anchor service of many simulated malls, whose gates live in the process that started it. All of
// it is the real thing but the network, which is one socket to those gates.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readMall } from '../../../anchor/config.ts'
import { Service, type Tenant } from '../../../anchor/service.ts'
import { ANCHOR } from '../../../ledger/account.ts'
import { Form } from '../../../mesh/form.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { NO_NOTIFY } from '../../../mesh/sd-notify.ts'
import { AnchorEnd } from './link.ts'
import { simNames, simPapers } from './sim-papers.ts'

export interface AnchorWish {
  readonly port: number
  readonly dir: string
  readonly malls: number
  readonly gates: number
  readonly capacity: number
}

/** How it stands, told whenever it is asked. */
export interface AnchorWord {
  /** where its pages are */
  readonly url: string
  /** malls that have minted their budget and serve people */
  readonly open: number
  /** entries of gates in the archives */
  readonly entries: number
  /** entries that rows show and that are not in an archive */
  readonly behind: number
  /** age of the oldest row that was not reached, ms */
  readonly lagMs: number
  /** frames that came from gates */
  readonly frames: number
  readonly rejected: number
  /** delay of the event loop since it was asked before, ms */
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  /** from an entry's own time until it was in the archive, ms; since it was asked before */
  readonly arrivalP50Ms: number
  readonly arrivalP99Ms: number
  readonly warnings: number
  readonly lastWarning: string
}

async function tenantOf({ dir, gates, capacity }: AnchorWish, mall: string): Promise<Tenant> {
  const home = join(dir, mall)
  const { charterNote, owner, anchor: papers } = simPapers({ mall, gates, capacity })
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'charter.note'), charterNote)
  await writeFile(join(home, 'owner.vkey'), `${owner}\n`)
  const form = Form.read(
    JSON.stringify({
      name: ANCHOR,
      charter: 'charter.note',
      owner: 'owner.vkey',
      key: 'anchor.key',
      store: 'ledger',
      listen: ['127.0.0.1:0'],
      mdns: false,
      retention: { archive: join(dir, 'archive') },
    }),
    { file: `${mall}.json`, dir: home },
  )
  const config = readMall(form)
  form.check()
  return { config, papers }
}

async function run(wish: AnchorWish): Promise<void> {
  const link = await AnchorEnd.connect(wish.port)
  const tenants = await Promise.all(simNames(wish.malls).map(mall => tenantOf(wish, mall)))
  const said = { warnings: 0, lastWarning: '' }
  const warn = (event: string, fields?: object) => {
    if (event === 'doubt') return
    said.warnings++
    said.lastWarning = `${event} ${JSON.stringify(fields)}`.slice(0, 300)
  }
  const log = { info: () => undefined, warn, error: warn, flush: async () => undefined }
  const service = new Service(
    { http: { host: '127.0.0.1', port: 0, access: 'open' }, store: join(wish.dir, 'service'), log: 'warn' },
    {
      tenants,
      clock: REAL_CLOCK,
      log,
      notify: NO_NOTIFY,
      isBirth: true,
      isRestored: false,
      startLan: link.startLan,
    },
  )
  const loop = monitorEventLoopDelay({ resolution: 10 })
  loop.enable()
  const arrivals = new Arrivals()
  process.on('message', () => {
    arrivals.attend(service)
    process.send?.({
      url: service.url,
      ...wordOf(service, link),
      ...loopOf(loop),
      ...arrivals.take(),
      ...said,
    } satisfies AnchorWord)
    loop.reset()
  })
  process.on('disconnect', () => process.exit(0))
  await service.start()
  process.send?.('started')
}

type Counted = 'open' | 'entries' | 'behind' | 'lagMs' | 'frames' | 'rejected'

function wordOf(service: Service, link: AnchorEnd): Pick<AnchorWord, Counted> {
  let [open, entries, behind, lag] = [0, 0, 0, 0]
  for (const mall of service.malls.values()) {
    const { archive } = mall.office ?? {}
    if (archive === undefined) continue
    if ((mall.office?.me()?.books?.budget?.capacity ?? 0) > 0) open++
    for (const account of archive.accounts()) {
      if (!account.startsWith(`${ANCHOR}/`)) entries += archive.head(account)?.size ?? 0
    }
    const families = mall.office?.families() ?? []
    const shown = (name: string) => families.find(family => family.name === name)?.samples[0]?.value ?? 0
    behind += shown('gatemesh_collected_behind_entries')
    lag = Math.max(lag, shown('gatemesh_collected_lag_seconds'))
  }
  const lans = [...link.lans.values()]
  return {
    open,
    entries,
    behind,
    lagMs: Math.round(lag * 1000),
    frames: lans.reduce((sum, lan) => sum + lan.traffic().framesIn, 0),
    rejected: lans.reduce((sum, { verdicts }) => sum + verdicts.reject, 0),
  }
}

function loopOf(loop: ReturnType<typeof monitorEventLoopDelay>): Pick<AnchorWord, 'loopP99Ms' | 'loopMaxMs'> {
  return { loopP99Ms: Math.round(loop.percentile(99) / 1e6), loopMaxMs: Math.round(loop.max / 1e6) }
}

/** How long entries take from their gates into the archives; gates have the same clock as we. */
class Arrivals {
  readonly #attended = new Set<string>()
  #ms: number[] = []

  attend(service: Service): void {
    for (const { mall, office } of service.malls.values()) {
      if (office === undefined || this.#attended.has(mall)) continue
      this.#attended.add(mall)
      office.archive.onEvents(events => {
        const now = Date.now()
        for (const { account, entry } of events) if (!account.startsWith(`${ANCHOR}/`)) this.#ms.push(now - entry.at)
      })
    }
  }

  take(): Pick<AnchorWord, 'arrivalP50Ms' | 'arrivalP99Ms'> {
    const sorted = this.#ms.sort((a, b) => a - b)
    this.#ms = []
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
    return { arrivalP50Ms: at(0.5), arrivalP99Ms: at(0.99) }
  }
}

const [wish] = process.argv.slice(2)
if (wish !== undefined) await run(JSON.parse(wish) as AnchorWish)
