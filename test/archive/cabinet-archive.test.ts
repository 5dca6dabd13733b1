import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { nameOf } from '../../ledger/account.ts'
import type { Event, EventQuery, Evidence } from '../../mesh/archive/archive.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { Inspector } from '../../mesh/archive/inspector.ts'
import { openLevelCabinet } from '../../mesh/archive/level-cabinet.ts'
import { SCAN_MAX } from '../../mesh/archive/reading-room.ts'
import { START } from '../ledger/paper-mall.ts'
import { gather } from '../store/lines.ts'
import { suite } from '../suite.ts'
import { DAY_MS, places, Rig } from './archive-rig.ts'

const test = suite('archive/cabinet-archive')

test('what was committed is there, in every way of asking, also after a restart', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', 20)
  for (const account of ['east/1', 'west/1', 'anchor/1']) await rig.collect(account)
  for (const round of ['before', 'after a restart']) {
    const { archive, mall } = rig
    assert.deepEqual(archive.accounts(), ['anchor/1', 'east/1', 'west/1'], round)
    for (const account of archive.accounts()) {
      const lines = mall.linesOf(account)
      assert.deepEqual(await gather(archive.range(account, 0, lines.length)), lines)
      assert.deepEqual(await gather(archive.range(account, 1, 2)), lines.slice(1, 2))
      assert.deepEqual(await gather(archive.range(account, 1, 1000)), lines.slice(1))
      const head = archive.head(account)
      assert.deepEqual([head?.size, head?.signed, head?.kept], [lines.length, lines.length, 0])
      assert.deepEqual(head?.counters, mall.rowOf(account).counters)
      assert.match(head?.row ?? '', new RegExp(`^gatemesh/paper/${account}\n`))
    }
    const events = await rig.all()
    assert.equal(archive.newest, events.length)
    assert.deepEqual(
      events.map(({ order }) => order),
      events.map((_, n) => n + 1),
    )
    for (const event of events) assert.deepEqual(await archive.byId(event.entry.id), event)
    assert.equal(await archive.byId('01890a5d-ac96-774b-8cce-ffffffffffff'), undefined)
    assert.deepEqual(await gather(archive.range('north/1', 0, 5)), [])
    await rig.reopen()
  }
})

test('listeners hear of every event once, in order, when it is durable; one that throws harms nobody', async () => {
  const rig = await Rig.open()
  const faults: unknown[] = []
  const archive = await CabinetArchive.open({ cabinet: rig.cabinet, wall: () => 0, onFault: e => faults.push(e) })
  rig.archive = archive
  archive.onEvents(() => {
    throw new Error('a bad listener')
  })
  const heard: Event[] = []
  const stop = archive.onEvents(events => heard.push(...events))
  rig.fill('east/1', 10)
  await Promise.all(['east/1', 'west/1', 'north/1', 'anchor/1'].map(account => rig.collect(account)))
  assert.deepEqual(heard, await rig.all())
  assert.ok(faults.length > 0)
  stop()
  const count = heard.length
  rig.fill('east/1', 1)
  await rig.collect('east/1')
  assert.equal(heard.length, count)
})

test('what is committed at once is one write', async () => {
  const rig = await Rig.open()
  const before = rig.cabinet.writes
  await Promise.all(['east/1', 'west/1', 'north/1', 'anchor/1'].map(account => rig.collect(account)))
  assert.equal(rig.cabinet.writes, before + 1)
})

test('pages by time hold every event that there was once, also while more are added before and after', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', 60)
  rig.fill('west/1', 60)
  for (const account of ['west/1', 'east/1']) await rig.collect(account)
  // older than most of what is there, and not collected before the paging began
  rig.fill('north/1', 3)
  const there = (await rig.all()).toSorted((a, b) => a.entry.at - b.entry.at || a.order - b.order)
  let more = 0
  const seen = await rig.pages({ limit: 7 }, async () => {
    rig.fill('north/1', 2)
    await rig.collect('north/1')
    if (more++ === 3) await rig.collect('anchor/1')
  })
  assert.deepEqual(places(seen), places(there))
  const later = await rig.pages({ limit: 1000 })
  assert.equal(later.length, rig.archive.newest)
})

test('a query is the same as looking through everything', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', 25)
  rig.fill('west/1', 14)
  rig.mall.write('west/1', { type: 'optical', in: 4, out: 2 })
  rig.mall.write('east/1', { type: 'fault', code: 'DISK', detail: 'full', count: 0 })
  for (const account of ['anchor/1', 'west/1', 'east/1', 'north/1']) await rig.collect(account)
  const there = (await rig.all()).toSorted((a, b) => a.entry.at - b.entry.at || a.order - b.order)
  const times = fc.option(fc.integer({ min: START, max: START + 30_000 }), { nil: undefined })
  const type = fc.constantFrom(undefined, 'admit', 'exit', 'optical', 'fault', 'open', 'receive', 'mode' as const)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(undefined, 'east', 'west', 'anchor', 'nobody'),
      type,
      times,
      times,
      fc.integer({ min: 1, max: 30 }),
      async (gate, type, from, to, limit) => {
        const wanted = there.filter(({ account, entry }) => {
          if (gate !== undefined && nameOf(account) !== gate) return false
          if (type !== undefined && entry.type !== type) return false
          return (from === undefined || entry.at >= from) && (to === undefined || entry.at < to)
        })
        const query = {
          limit,
          ...(gate === undefined ? {} : { gate }),
          ...(type === undefined ? {} : { type }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        } as EventQuery
        assert.deepEqual(places(await rig.pages(query)), places(wanted))
      },
    ),
    { numRuns: 150 },
  )
})

test('one call looks through so much at most, and the next goes on there', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', SCAN_MAX + 500)
  await rig.collect('east/1')
  rig.fill('west/1', 1)
  await rig.collect('west/1')
  const first = await rig.archive.find({ gate: 'west', type: 'admit', limit: 10 })
  assert.deepEqual(first.events, [])
  assert.ok(first.cursor)
  const second = await rig.archive.find({ gate: 'west', type: 'admit', limit: 10, cursor: first.cursor })
  assert.equal(second.events.length, 1)
  assert.equal(second.cursor, undefined)
})

test('a cursor that was not given out here is refused by name', async () => {
  const rig = await Rig.open()
  for (const cursor of ['', 'x', 'MSAyIDM=', 'MSAyIDMgNA', 'MSAy', '../..', 'LTEgMiAz', 'A'.repeat(10_000)]) {
    await assert.rejects(rig.archive.find({ cursor, limit: 5 }), { code: 'CURSOR' }, cursor)
  }
})

for (const happened of [false, true]) {
  const how = happened ? 'had happened all the same' : 'did not happen'
  test(`a write that failed and ${how} leaves no gap and no duplicate`, async () => {
    for (let at = 0; at < 6; at++) {
      const rig = await Rig.open()
      for (let n = 0; n < 6; n++) {
        rig.fill('east/1', 3)
        if (n === at) {
          rig.cabinet.failNext({ happened })
          await assert.rejects(rig.collect('east/1'), { code: 'CABINET_IO' })
        }
        await rig.collect('east/1')
        await rig.collect('west/1')
      }
      const lines = rig.mall.linesOf('east/1')
      for (const _ of ['now', 'after a restart']) {
        assert.deepEqual(await gather(rig.archive.range('east/1', 0, 100)), lines)
        const events = await rig.all()
        assert.equal(new Set(places(events)).size, lines.length + rig.mall.sizeOf('west/1'))
        assert.deepEqual(places(rig.heard), places(events))
        assert.equal(new Set(events.map(({ order }) => order)).size, events.length)
        assert.equal((await rig.pages({ limit: 9 })).length, events.length)
        const { heard } = rig
        await rig.reopen()
        rig.heard = heard
      }
    }
  })
}

test('a disk that fails for a while, reading too, is asked again before anything more is written', async () => {
  const rig = await Rig.open()
  await rig.collect('east/1')
  const { cabinet } = rig
  const read = cabinet.read.bind(cabinet)
  cabinet.failNext({ happened: true })
  cabinet.read = () => {
    throw new Error('the disk is away')
  }
  rig.fill('east/1', 4)
  await assert.rejects(rig.collect('east/1'), { code: 'CABINET_IO' })
  await assert.rejects(rig.collect('west/1'), /the disk is away/)
  cabinet.read = read
  await rig.collect('west/1')
  assert.equal(rig.archive.head('east/1')?.size, rig.mall.sizeOf('east/1'))
  assert.deepEqual(places(rig.heard), places(await rig.all()))
})

test('what does not follow what is here is refused, and nothing of it is kept', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', 6)
  await rig.collect('east/1', 4)
  const head = rig.archive.head('east/1')
  assert.ok(head)
  await assert.rejects(rig.archive.commit({ ...head, size: head.size + 3 }, []), { code: 'ARCHIVE_MOVED' })
  const inspector = new Inspector('east/1', rig.mall.charterHash)
  const arrivals = rig.mall.linesOf('east/1').map(line => {
    const { entry } = inspector.take(line) as { entry: Event['entry'] }
    return { entry, line, arrivedAt: 0, flags: [] }
  })
  await assert.rejects(rig.archive.commit(inspector.head(), arrivals), { code: 'ARCHIVE_MOVED' })
  await assert.rejects(
    rig.archive.commit({ ...inspector.head(), size: 6 }, [...arrivals.slice(5, 6), ...arrivals.slice(5, 6)]),
    { code: 'ARCHIVE_MOVED' },
  )
  assert.equal((await rig.all()).length, 4)
})

test('pruned entries are gone from every index, the rest stays, and it goes on', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', 1200)
  rig.mall.write('east/1', { type: 'optical', in: 4, out: 2 })
  rig.fill('east/1', 100)
  for (const account of ['east/1', 'west/1']) await rig.collect(account)
  const size = rig.mall.sizeOf('east/1')
  await assert.rejects(rig.archive.prune('east/1', size + 1), { code: 'ARCHIVE', message: /rows vouch up to/ })
  await assert.rejects(rig.archive.prune('nobody/1', 1), { code: 'ARCHIVE' })
  const gone = await rig.archive.since(0, 1)
  rig.cabinet.failNext({ happened: true })
  await assert.rejects(rig.archive.prune('east/1', size - 50), { code: 'CABINET_IO' })
  await rig.archive.prune('east/1', size - 50)
  await rig.archive.prune('east/1', size - 50)
  for (const _ of ['now', 'after a restart']) {
    const { archive } = rig
    assert.deepEqual([archive.head('east/1')?.kept, archive.head('east/1')?.size], [size - 50, size])
    const lines = rig.mall.linesOf('east/1')
    assert.deepEqual(await gather(archive.range('east/1', 0, size)), lines.slice(-50))
    const left = await rig.pages({ limit: 1000 })
    assert.equal(left.length, 50 + rig.mall.sizeOf('west/1'))
    assert.deepEqual(await archive.find({ type: 'optical', limit: 5 }), { events: [] })
    assert.equal((await archive.since(0, 1000)).length, left.length)
    assert.equal(await archive.byId(gone[0]?.entry.id ?? ''), undefined)
    await rig.reopen()
  }
  // nothing of them is left lying about
  assert.ok(rig.cabinet.size < 70 * 6, `${rig.cabinet.size} keys`)
  rig.fill('east/1', 5)
  await rig.collect('east/1')
  assert.equal(rig.archive.head('east/1')?.kept, size - 50)
  assert.deepEqual(
    await gather(rig.archive.range('east/1', size - 50, size + 5)),
    rig.mall.linesOf('east/1').slice(-55),
  )
})

test('of every day the newest row that vouches is kept; no day goes back, and none is in the future', async () => {
  const rig = await Rig.open()
  const { mall } = rig
  const days: [string, number][] = []
  const day = async (at: number, wall = at) => {
    rig.wall = wall
    mall.admit('east/1')
    const inspector = new Inspector('east/1', mall.charterHash, rig.archive.head('east/1'))
    const arrivals = mall
      .linesOf('east/1')
      .slice(inspector.size)
      .map(line => {
        const { entry } = inspector.take(line) as { entry: Event['entry'] }
        return { entry, line, arrivedAt: wall, flags: [] }
      })
    const note = mall.row('east/1', { at })
    assert.equal(inspector.meet({ ...mall.rowOf('east/1'), note }), undefined)
    await rig.archive.commit(inspector.head(), arrivals)
    days.push([(await rig.archive.dayRows('east/1')).at(-1)?.day as string, inspector.size])
  }
  const noon = Date.UTC(2026, 10, 16, 12)
  await day(noon)
  await day(noon + 1000)
  await day(noon + DAY_MS)
  await day(noon + DAY_MS / 10)
  await day(noon + 400 * DAY_MS, noon + 2 * DAY_MS)
  await day(noon + 3 * DAY_MS)
  assert.deepEqual(
    days.map(([name]) => name),
    ['2026-11-16', '2026-11-16', '2026-11-17', '2026-11-17', '2026-11-18', '2026-11-19'],
  )
  const sizes = days.map(([, size]) => size)
  const rows = await rig.archive.dayRows('east/1')
  assert.deepEqual(
    rows.map(({ size }) => size),
    [sizes[1], sizes[3], sizes[4], sizes[5]],
  )
  for (const { size, note } of rows) assert.equal(note.split('\n')[1], String(size))
  await rig.reopen()
  assert.equal(rig.archive.head('east/1')?.row, rows.at(-1)?.note)
  await rig.archive.prune('east/1', sizes[3] as number)
  assert.deepEqual(
    (await rig.archive.dayRows('east/1')).map(({ day }) => day),
    ['2026-11-17', '2026-11-18', '2026-11-19'],
  )
})

test('evidence is kept once, oldest first, and survives', async () => {
  const rig = await Rig.open()
  const evidence = (id: string, at: number): Evidence => {
    return { id, account: 'east/1', at, what: 'root', detail: 'x', rows: ['a'], lines: ['b'] }
  }
  await rig.archive.keep(evidence('b', 1))
  await rig.archive.keep(evidence('a', 2))
  await rig.archive.keep(evidence('a', 2))
  await rig.reopen()
  assert.deepEqual(await rig.archive.evidence(), [evidence('b', 1), evidence('a', 2)])
})

test('an archive that has a hole says which entry, instead of passing over it', async () => {
  const rig = await Rig.open()
  rig.fill('east/1', 10)
  await rig.collect('east/1')
  await rig.cabinet.write([[`a/line/east/1/${'4'.padStart(16, '0')}`, undefined]])
  await assert.rejects(gather(rig.archive.range('east/1', 0, 10)), {
    code: 'ARCHIVE_DAMAGED',
    message: 'entry 4 of east/1 is missing in the archive',
  })
})

test('on a disk it is the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatemesh-archive-'))
  try {
    const dir = join(folder, 'archive')
    const rig = new Rig()
    let cabinet = await openLevelCabinet({ dir })
    await rig.reopen(cabinet)
    rig.fill('east/1', 3000)
    await rig.collect('east/1', 1500)
    await rig.collect('east/1')
    await rig.collect('anchor/1')
    await rig.archive.prune('east/1', 2000)
    await cabinet.close()
    cabinet = await openLevelCabinet({ dir })
    await rig.reopen(cabinet)
    const size = rig.mall.sizeOf('east/1')
    assert.deepEqual(await gather(rig.archive.range('east/1', 0, size)), rig.mall.linesOf('east/1').slice(2000))
    assert.equal((await rig.pages({ limit: 300 })).length, size - 2000 + rig.mall.sizeOf('anchor/1'))
    await cabinet.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test.run()
