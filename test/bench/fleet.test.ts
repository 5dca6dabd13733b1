import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Anchor, type AnchorEvent } from '../../anchor/anchor.ts'
import { ANCHOR } from '../../ledger/account.ts'
import { verifyMall } from '../../ledger/audit/verify.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { Collector } from '../../mesh/archive/collector.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { Restoration } from '../../mesh/restoration.ts'
import { limitsOf, Station } from '../../mesh/station.ts'
import { Fleet } from '../../tools/bench/fleet/fleet.ts'
import { AnchorEnd, GateEnd } from '../../tools/bench/fleet/link.ts'
import type { SimLan } from '../../tools/bench/fleet/sim-lan.ts'
import type { SimMall } from '../../tools/bench/fleet/sim-mall.ts'
import { simPapers } from '../../tools/bench/fleet/sim-papers.ts'
import { suite } from '../suite.ts'

const test = suite('bench/fleet')

type StartLan = Fleet['startLan']

async function anchorOf(
  mall: SimMall,
  startLan: StartLan,
  dir: string,
  alarms: string[],
): Promise<Station<AnchorEvent>> {
  const { charter, anchor: papers } = mall.papers
  const store = join(dir, mall.mall)
  const limits = limitsOf(charter)
  const key = papers.signer.verifier.toString()
  const station = new Station<AnchorEvent>({
    config: { name: ANCHOR, store, listen: [], peers: new Map(), mdns: false },
    papers,
    limits,
    restoration: await Restoration.open(store, false),
    clock: REAL_CLOCK,
    log: NO_LOG,
    witness: {
      wrote: () => undefined,
      opened: () => undefined,
      answered: () => undefined,
      letOut: () => undefined,
      mode: () => undefined,
      alarm: (code, detail) => alarms.push(`${code} ${detail}`),
      restarted: why => alarms.push(why),
    },
    board: { meet: () => undefined, hear: () => undefined, part: () => undefined },
    make: () => new Anchor({ name: ANCHOR, charter, limits, key, newId }, { birth: true }),
    startLan,
  })
  await station.start()
  return station
}

interface Way {
  readonly startLan: StartLan
  close(): void
}

const WAYS: Record<string, (fleet: Fleet) => Promise<Way>> = {
  'in this process': async fleet => ({ startLan: fleet.startLan, close: () => undefined }),
  'over a socket': async fleet => {
    const gates = new GateEnd(fleet)
    const anchor = await AnchorEnd.connect(await gates.listen())
    const close = () => {
      anchor.close()
      gates.close()
    }
    return { startLan: anchor.startLan, close }
  },
}

for (const [where, open] of Object.entries(WAYS)) {
  const claim = `an anchor takes simulated malls ${where} for real ones, collects all, and an auditor finds nothing`
  test(
    claim,
    async () => {
      const dir = await mkdtemp(join(tmpdir(), 'fleet-'))
      const fleet = new Fleet({ malls: 3, gates: 8, capacity: 400, peoplePerSecond: 200 })
      const alarms: string[] = []
      const way = await open(fleet)
      const all: Followed[] = []
      try {
        for (const mall of fleet.malls.values()) all.push(await follow(mall, way.startLan, dir, alarms))
        fleet.start()
        await until(() => all.every(({ mall }) => mall.inside > 50 && mall.entries > 400))
        fleet.stop()
        await until(() => all.every(isCollected))
        for (const followed of all) await check(followed)
        assert.deepEqual(alarms, [])
      } finally {
        fleet.stop()
        for (const { collector } of all) await collector.stop()
        for (const { station } of all) await station.stop()
        way.close()
        await rm(dir, { recursive: true, force: true })
      }
    },
    { timeoutMs: 40_000 },
  )
}

/** As long as a busy machine takes; what is missing then is said by the checks that follow. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 150 && !holds(); i++) await sleep(100)
}

interface Followed {
  readonly mall: SimMall
  readonly station: Station<AnchorEvent>
  readonly archive: CabinetArchive
  readonly collector: Collector
}

async function follow(mall: SimMall, startLan: StartLan, dir: string, alarms: string[]): Promise<Followed> {
  const station = await anchorOf(mall, startLan, dir, alarms)
  const archive = await CabinetArchive.open({ cabinet: new MemoryCabinet(), wall: () => Date.now() })
  const collector = new Collector({
    archive,
    charterHash: mall.papers.charterHash,
    clock: REAL_CLOCK,
    log: NO_LOG,
    wants: () => true,
    rows: () => [...(station.me?.view.others() ?? [])].map(({ row }) => row),
    banned: () => new Map(),
    peers: () => (station.lan?.peers() ?? []).map(({ name }) => name),
    range: (peer, question) => (station.lan as SimLan).range(peer, question),
    alarm: (code, detail) => alarms.push(`${code} ${detail}`),
    everyMs: 100,
  })
  await collector.start()
  return { mall, station, archive, collector }
}

function isCollected({ mall, archive }: Followed): boolean {
  return mall.gates.every(gate => archive.head(gate.account)?.signed === gate.told)
}

async function check({ mall, station, archive }: Followed): Promise<void> {
  assert.equal(station.me?.books?.budget?.capacity, 400)
  assert.ok(mall.inside > 50, `${mall.inside} inside`)
  assert.ok(mall.entries > 400, `${mall.entries} entries`)
  for (const gate of mall.gates) {
    assert.equal(station.me?.view.get(gate.account)?.row.size, gate.told, gate.account)
    assert.equal(archive.head(gate.account)?.signed, gate.told, gate.account)
  }
  const { verdicts } = station.lan as SimLan
  assert.equal(verdicts.reject, 0)
  assert.ok(verdicts.accept > 100)
  await audit(mall, station)
}

async function audit(mall: SimMall, station: Station<AnchorEvent>): Promise<void> {
  const { shell, me } = station
  const own = me?.books
  assert.ok(shell !== undefined && own !== undefined)
  const anchorLines: string[] = []
  for await (const line of shell.store.range(0, own.durable)) anchorLines.push(line)
  const { found } = shell.store
  const ledgers = new Map(mall.gates.map(gate => [gate.account, gate.lines]))
  const report = await verifyMall({
    charter: mall.papers.charterNote,
    owner: mall.papers.owner,
    policies: mall.policies,
    ledgers: new Map([...ledgers, [own.account, anchorLines]]),
    rows: [...mall.gates.map(gate => gate.note), ...mall.anchorNotes],
  })
  assert.equal(found.kind, 'intact')
  assert.deepEqual(report.findings, [])
  assert.ok(report.maxOccupancy <= 400)
}

test('the same malls have the same papers every time, and every mall its own', () => {
  const papers = (mall: string) => simPapers({ mall, gates: 3, capacity: 50 })
  assert.equal(papers('mall-001').charterNote, papers('mall-001').charterNote)
  assert.notEqual(papers('mall-001').charter.anchor, papers('mall-002').charter.anchor)
})

test.run()
