import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { parseProof } from '../../anchor/retention/proof.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { signerOf } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { DAY, days, filesIn, HOUR, linesIn, pathOf, quiet, withRig } from './shelf.ts'

const test = suite('retention/retention')

test('a closed day becomes a file of the very lines, with a proof beside it; an open one does not', async () => {
  await withRig(async rig => {
    const { mall, shelf, time, dir } = rig
    days(rig, 2)
    mall.admit('east/1')
    shelf.collect(mall, 'east/1', time.wall)
    assert.deepEqual(await rig.retention.sweep(), { written: 3, pruned: 0, removed: 0, failed: 0 })
    const east = filesIn(pathOf(rig, 'east-1')).map(path => path.split('/').at(-1))
    assert.deepEqual(east, [
      '2025-11-16.jsonl.gz',
      '2025-11-16.proof.json',
      '2025-11-17.jsonl.gz',
      '2025-11-17.proof.json',
    ])
    const bytes = readFileSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz'))
    const proof = parseProof(readFileSync(pathOf(rig, 'east-1/2025-11-17.proof.json'), 'utf8'))
    const lines = mall.linesOf('east/1').slice(proof.from, proof.to)
    assert.deepEqual([proof.from, proof.to], [8, 14])
    assert.equal(gunzipSync(bytes).toString(), lines.map(line => `${line}\n`).join(''))
    assert.equal(proof.gzSha256, hash('sha256', bytes, 'hex'))
    assert.equal(proof.sha256, hash('sha256', gunzipSync(bytes), 'hex'))
    assert.equal(linesIn(dir).length, 14 + mall.sizeOf('anchor/1'))
    assert.deepEqual(await rig.retention.sweep(), { written: 0, pruned: 0, removed: 0, failed: 0 })
  })
})

test('a day is cut at the last size that was signed, and what came after it goes with the next', async () => {
  await withRig(async rig => {
    const { mall, shelf, time } = rig
    const note = mall.row('east/1', { at: time.wall + HOUR })
    mall.admit('east/1')
    shelf.take(mall, 'east/1', note, time.wall + HOUR)
    time.wall += DAY + 30 * 60_000
    assert.equal((await rig.retention.sweep()).written, 0, 'half an hour after midnight rows may still come')
    time.wall += HOUR
    assert.equal((await rig.retention.sweep()).written, 1)
    shelf.collect(mall, 'east/1', time.wall)
    time.wall += DAY
    assert.equal((await rig.retention.sweep()).written, 1)
    const sizes = filesIn(pathOf(rig, 'east-1'), 'proof.json').map(path => parseProof(readFileSync(path, 'utf8')).to)
    assert.deepEqual(sizes, [2, 3])
  })
})

test('a row that came after its day was written makes a second file of that day', async () => {
  await withRig(async rig => {
    const { mall, shelf, time } = rig
    days(rig, 1)
    await rig.retention.sweep()
    mall.admit('east/1')
    shelf.collect(mall, 'east/1', time.wall - 3 * HOUR)
    assert.equal((await rig.retention.sweep()).written, 1)
    const titles = filesIn(pathOf(rig, 'east-1'), '.jsonl.gz').map(path => path.split('/').at(-1))
    assert.deepEqual(titles, ['2025-11-16-2.jsonl.gz', '2025-11-16.jsonl.gz'])
    assert.deepEqual(linesIn(pathOf(rig, 'east-1')).sort(), mall.linesOf('east/1').sort())
  })
})

test('the database forgets a day when it is old enough, and not before', async () => {
  await withRig(async rig => {
    const { shelf } = rig
    days(rig, 3)
    await rig.retention.sweep()
    quiet(rig, 32)
    assert.equal((await rig.retention.sweep()).pruned, 0)
    // the three were written together, when the last of them was closed
    quiet(rig, 3)
    const { pruned } = await rig.retention.sweep()
    assert.equal(shelf.head('east/1')?.kept, 20)
    assert.equal(pruned, 20 + (shelf.head('anchor/1')?.kept ?? 0))
    assert.deepEqual(rig.alarms, [])
  })
})

test('only whole days are forgotten, in order, while newer ones stay', async () => {
  await withRig(async rig => {
    for (let day = 0; day < 40; day++) {
      days(rig, 1, ['east/1', 'west/1'], 1)
      await rig.retention.sweep()
    }
    assert.equal(rig.shelf.head('east/1')?.kept, 2 + 2 * 4)
    assert.equal(rig.shelf.head('west/1')?.kept, 2 + 2 * 4)
    assert.deepEqual(rig.alarms, [])
  })
})

test('a hold keeps both; once it has ended, things take their course', async () => {
  await withRig(async rig => {
    const { retention, shelf, time } = rig
    const begin = time.wall
    days(rig, 3)
    await retention.sweep()
    const wish = { from: begin + DAY + 10 * HOUR, to: begin + DAY + 11 * HOUR, reason: 'case 17', by: 'bruno' }
    const hold = await retention.hold(wish)
    quiet(rig, 50)
    await retention.sweep()
    assert.equal(shelf.head('east/1')?.kept, 8, 'the day before it is not held, the day after it is no prefix')
    await rig.reopen()
    assert.deepEqual(rig.retention.holds(), [hold])
    assert.equal((await rig.retention.sweep()).pruned, 0)
    const ended = await rig.retention.endHold(hold.id, { by: 'bruno', reason: 'settled' })
    assert.deepEqual(ended?.ended, { at: time.wall, by: 'bruno', reason: 'settled' })
    await rig.retention.sweep()
    assert.equal(shelf.head('east/1')?.kept, 20)
  })
})

test('files go after their time, leaving proof and tombstone; those under a hold stay', async () => {
  await withRig(async rig => {
    const { time } = rig
    await rig.reopen({ keepDays: 400 })
    const begin = time.wall
    days(rig, 2)
    await rig.retention.sweep()
    quiet(rig, 40)
    await rig.retention.sweep()
    await rig.retention.hold({ from: begin, to: begin + DAY, reason: 'inquest', by: 'vera' })
    quiet(rig, 361)
    const bytes = readFileSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz'))
    assert.equal((await rig.retention.sweep()).removed, 1)
    assert.ok(existsSync(pathOf(rig, 'east-1/2025-11-16.jsonl.gz')))
    assert.ok(!existsSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz')))
    assert.ok(existsSync(pathOf(rig, 'east-1/2025-11-17.proof.json')))
    const tombstone = JSON.parse(readFileSync(pathOf(rig, 'east-1/2025-11-17.removed.json'), 'utf8'))
    assert.equal(tombstone.gzSha256, hash('sha256', bytes, 'hex'))
    assert.equal(tombstone.why, 'closed for more than 400 days')
    const gone: object[] = []
    for await (const { account, from, to, removedAt } of rig.retention.removed())
      gone.push({ account, from, to, removedAt })
    assert.deepEqual(gone, [{ account: 'east/1', from: 8, to: 14, removedAt: time.wall }])
    assert.equal((await rig.retention.sweep()).removed, 0)
  })
})

test('no config makes files go before a year is over', async () => {
  await withRig(async rig => {
    await rig.reopen({ hotDays: 1, keepDays: 1, minDays: 1 })
    days(rig, 1)
    await rig.retention.sweep()
    quiet(rig, 363)
    await rig.retention.sweep()
    assert.equal(rig.shelf.head('east/1')?.kept, 8)
    assert.ok(existsSync(pathOf(rig, 'east-1/2025-11-16.jsonl.gz')))
    quiet(rig, 3)
    assert.equal((await rig.retention.sweep()).removed, 2)
  })
})

test('a clock of ours that is ten years ahead forgets nothing', async () => {
  await withRig(async rig => {
    days(rig, 2)
    await rig.retention.sweep()
    rig.time.wall += 3650 * DAY
    assert.deepEqual(await rig.retention.sweep(), { written: 0, pruned: 0, removed: 0, failed: 0 })
  })
})

test("a gate's clock that stands in 1970 does not make its days old", async () => {
  await withRig(async rig => {
    const { mall, shelf } = rig
    mall.write('west/1', { type: 'admit', source: 'local', confidence: 1000, at: 1000 })
    shelf.collect(mall, 'west/1', 2000)
    days(rig, 1)
    assert.equal((await rig.retention.sweep()).written, 3)
    quiet(rig, 34)
    await rig.retention.sweep()
    assert.equal(shelf.head('west/1')?.kept, 0)
    quiet(rig, 2)
    await rig.retention.sweep()
    assert.equal(shelf.head('west/1')?.kept, 3)
    quiet(rig, 400)
    assert.equal((await rig.retention.sweep()).removed, 0)
  })
})

test('lines that are not what was signed make no file, and hold up nobody else', async () => {
  await withRig(async rig => {
    const { mall, shelf } = rig
    days(rig, 2, ['east/1', 'west/1'])
    const line = mall.linesOf('east/1')[5] as string
    shelf.lies.set('east/1 5', line.replace('"confidence":950', '"confidence":951'))
    assert.deepEqual(await rig.retention.sweep(), { written: 3, pruned: 0, removed: 0, failed: 1 })
    assert.deepEqual(filesIn(pathOf(rig, 'east-1')), [])
    assert.match(rig.alarms[0] ?? '', /^RETENTION east\/1: .*entry 6: is not written after the entry before it/)
    quiet(rig, 50)
    await rig.retention.sweep()
    assert.equal(shelf.head('east/1')?.kept, 0)
    assert.equal(shelf.head('west/1')?.kept, 14)
    shelf.lies.clear()
    assert.equal((await rig.retention.sweep()).failed, 0)
    assert.equal(linesIn(pathOf(rig, 'east-1')).length, 14)
  })
})

test('a row whose counters the entries do not add up to makes no file', async () => {
  await withRig(async rig => {
    const { mall, shelf, time } = rig
    const { counters } = mall.rowOf('east/1')
    shelf.collect(mall, 'east/1', time.wall, { counters: { ...counters, admitted: counters.admitted + 1 } })
    time.wall += 2 * DAY
    assert.equal((await rig.retention.sweep()).failed, 1)
    assert.match(rig.alarms[0] ?? '', /counters signed at size 2 are not what the entries add up to/)
  })
})

test('a gate that has got another key since is still believed with its old one', async () => {
  await withRig(async rig => {
    const { mall } = rig
    days(rig, 1)
    const another = { name: 'east', key: signerOf('east', ' again').verifier.toString() }
    mall.policy({ gates: [another, ...mall.charter.gates.filter(gate => gate.name === 'north')] })
    assert.deepEqual(await rig.retention.sweep(), { written: 2, pruned: 0, removed: 0, failed: 0 })
  })
})

test('a gate that only a policy to come names is left alone until it comes', async () => {
  await withRig(async rig => {
    const { mall, shelf, time } = rig
    const south = { name: 'south', key: signerOf('south').verifier.toString() }
    mall.policy({ gates: [...mall.charter.gates, south] })
    mall.open('south/1')
    shelf.collect(mall, 'south/1', time.wall)
    days(rig, 1)
    assert.equal((await rig.retention.sweep()).written, 3)
    // an anchor that starts from nothing but its charter, and finds the files
    const policies = mall.policies.splice(0)
    rig.cabinet = new MemoryCabinet()
    await rig.reopen()
    assert.equal((await rig.retention.sweep()).failed, 1)
    assert.match(rig.alarms[0] ?? '', /south\/1 is not on the roster/)
    mall.policies.push(...policies)
    assert.deepEqual(await rig.retention.sweep(), { written: 0, pruned: 0, removed: 0, failed: 0 })
    assert.equal(filesIn(pathOf(rig, 'south-1')).length, 2)
  })
})

test('without a folder nothing is written and nothing forgotten, and holds are kept', async () => {
  await withRig(async rig => {
    const { shelf, mall, time } = rig
    const config = { hotDays: 1, keepDays: 365, minDays: 365 }
    const unfiled = { ...shelf, accounts: () => assert.fail('nothing is to be looked after') }
    await rig.reopen({}, { config, archive: unfiled as never })
    time.wall += 100 * DAY
    shelf.collect(mall, 'east/1', time.wall)
    assert.deepEqual(await rig.retention.sweep(), { written: 0, pruned: 0, removed: 0, failed: 0 })
    await rig.retention.hold({ from: 0, to: 1, reason: 'why', by: 'alma' })
    await rig.reopen({}, { config })
    assert.equal(rig.retention.holds().length, 1)
  })
})

test('rounds come by themselves once an hour, one at a time, until it is stopped', async () => {
  await withRig(async rig => {
    const { time } = rig
    const timers: { ms: number; act: () => void }[] = []
    const planned = (ms: number, act: () => void) => {
      timers.push({ ms, act })
      return () => timers.splice(0)
    }
    await rig.reopen({}, { clock: { now: () => time.wall, wall: () => time.wall, in: planned } })
    const { retention } = rig
    days(rig, 1)
    retention.start()
    assert.equal(timers.length, 1)
    assert.ok((timers[0]?.ms ?? 0) >= 60_000 && (timers[0]?.ms ?? 0) < HOUR)
    timers.shift()?.act()
    assert.equal(retention.sweep(), retention.sweep())
    assert.equal((await retention.sweep()).written, 2)
    assert.deepEqual(
      timers.map(({ ms }) => ms),
      [HOUR],
    )
    const shown = retention.families().find(({ name }) => name === 'gatemesh_retention_segments_written_total')
    assert.equal(shown?.samples[0]?.value, 2)
    await retention.stop()
    await retention.stop()
    assert.equal(timers.length, 0)
  })
})

test('a file where a folder should be is said, and no other ledger suffers from it', async () => {
  await withRig(async rig => {
    days(rig, 1, ['east/1', 'west/1'])
    await rig.retention.hold({ from: 0, to: 1, reason: 'makes the folder', by: 'alma' })
    await writeFile(pathOf(rig, 'east-1'), 'in the way')
    assert.deepEqual(await rig.retention.sweep(), { written: 2, pruned: 0, removed: 0, failed: 1 })
    assert.match(rig.alarms[0] ?? '', /^RETENTION east\/1: /)
  })
})

test.run()
