import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { Roster } from '../../anchor/retention/roster.ts'
import { checkSegment } from '../../anchor/retention/segment-file.ts'
import { Charters } from '../../ledger/charters.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'
import { days, filesIn, linesIn, pathOf, quiet, type Rig, withRig } from './shelf.ts'

const test = suite('retention/losses')

const GZ = 'east-1/2025-11-17.jsonl.gz'
const PROOF = 'east-1/2025-11-17.proof.json'

const BLOWS: Record<string, (rig: Rig) => void> = {
  'cut short': rig => truncateSync(pathOf(rig, GZ), 100),
  'with something behind its end': rig => appendFileSync(pathOf(rig, GZ), 'x'),
  empty: rig => truncateSync(pathOf(rig, GZ), 0),
  deleted: rig => rmSync(pathOf(rig, GZ)),
  'without its proof': rig => rmSync(pathOf(rig, PROOF)),
  'with an empty proof': rig => truncateSync(pathOf(rig, PROOF), 0),
  'replaced by another day': rig => {
    for (const ending of ['jsonl.gz', 'proof.json']) {
      renameSync(pathOf(rig, `east-1/2025-11-18.${ending}`), pathOf(rig, `east-1/2025-11-17.${ending}`))
    }
  },
}

for (const [what, blow] of Object.entries(BLOWS)) {
  test(`a file that is ${what} is written again before anything of it is forgotten`, async () => {
    await withRig(async rig => {
      days(rig, 3)
      await rig.retention.sweep()
      blow(rig)
      quiet(rig, 50)
      // the shelf itself refuses to forget what no file holds
      await rig.retention.sweep()
      assert.ok((rig.shelf.head('east/1')?.kept ?? 0) <= 8)
      assert.match(rig.alarms[0] ?? '', /^SEGMENT .*; kept as .*damaged-1 and written again$/)
      for (let i = 0; i < 3; i++) await rig.retention.sweep()
      assert.equal(rig.shelf.head('east/1')?.kept, 20)
      assert.deepEqual(new Set(linesIn(pathOf(rig, 'east-1'))), new Set(rig.mall.linesOf('east/1')))
    })
  })
}

test('one bit of a file that has flipped is found; one of its proof is found or changes nothing about the lines', async () => {
  await withRig(async rig => {
    days(rig, 2, ['east/1'], 1)
    await rig.retention.sweep()
    const roster = new Roster(Charters.unrevised(rig.mall.charter), rig.mall.policies)
    const check = () => checkSegment(pathOf(rig, 'east-1/2025-11-17'), { open: note => roster.open(note) })
    const random = new Random('flips')
    for (const name of [GZ, PROOF]) {
      const whole = readFileSync(pathOf(rig, name))
      for (let i = 0; i < 200; i++) {
        const flipped = Buffer.from(whole)
        const at = random.int(flipped.length)
        flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << random.int(8)), at)
        writeFileSync(pathOf(rig, name), flipped)
        const found = await check().then(
          ({ proof }) => proof,
          (error: Error) => error.message,
        )
        if (typeof found === 'string') assert.match(found, /2025-11-17/)
        else {
          assert.equal(name, PROOF, `byte ${at} of the lines`)
          const { account, from, to } = found
          assert.deepEqual({ account, from, to }, { account: 'east/1', from: 4, to: 6 }, `byte ${at}`)
        }
      }
      writeFileSync(pathOf(rig, name), whole)
      await check()
    }
  })
})

test('a lost index is found again in the files, and what follows goes on from there', async () => {
  await withRig(async rig => {
    days(rig, 3, ['east/1', 'west/1'])
    await rig.retention.sweep()
    const before = filesIn(rig.dir).length
    rig.cabinet = new MemoryCabinet()
    await rig.reopen()
    assert.deepEqual(await rig.retention.sweep(), { written: 0, pruned: 0, removed: 0, failed: 0 })
    days(rig, 1, ['east/1', 'west/1'])
    await rig.retention.sweep()
    assert.equal(filesIn(rig.dir).length, before + 4)
    assert.deepEqual(linesIn(pathOf(rig, 'east-1')), rig.mall.linesOf('east/1'))
    quiet(rig, 50)
    await rig.retention.sweep()
    assert.equal(rig.shelf.head('east/1')?.kept, 26)
  })
})

test('a damaged file that a lost index is to be found in is put beside, and its days are written anew', async () => {
  await withRig(async rig => {
    days(rig, 3)
    await rig.retention.sweep()
    truncateSync(pathOf(rig, GZ), 60)
    rig.cabinet = new MemoryCabinet()
    await rig.reopen()
    await rig.retention.sweep()
    assert.match(rig.alarms[0] ?? '', /^SEGMENT .*2025-11-17.*kept as .*damaged-1$/)
    assert.ok(existsSync(`${pathOf(rig, GZ)}.damaged-1`))
    assert.deepEqual(new Set(linesIn(pathOf(rig, 'east-1'))), new Set(rig.mall.linesOf('east/1')))
    quiet(rig, 50)
    await rig.retention.sweep()
    assert.equal(rig.shelf.head('east/1')?.kept, 20)
  })
})

for (const happened of [false, true]) {
  test(`when the index cannot be written, ${happened ? 'but was' : 'and was not'}, no day is left out or doubled`, async () => {
    await withRig(async rig => {
      for (let day = 0; day < 4; day++) {
        days(rig, 1)
        if (day > 0) rig.cabinet.failNext({ happened })
        await rig.retention.sweep()
        if (day === 2) await rig.reopen()
      }
      await rig.reopen()
      await rig.retention.sweep()
      assert.deepEqual(new Set(linesIn(pathOf(rig, 'east-1'))), new Set(rig.mall.linesOf('east/1')))
      quiet(rig, 50)
      await rig.retention.sweep()
      assert.equal(rig.shelf.head('east/1')?.kept, 26)
    })
  })

  test(`a hold that could not be written, ${happened ? 'but was' : 'and was not'}, is as the disk says`, async () => {
    await withRig(async rig => {
      const wish = { from: 0, to: 10, reason: 'case 4', by: 'alma' }
      rig.cabinet.failNext({ happened })
      await assert.rejects(rig.retention.hold(wish), /cannot be written/)
      assert.equal(rig.retention.holds().length, happened ? 1 : 0)
      const { id } = await rig.retention.hold(wish)
      rig.cabinet.failNext({ happened })
      await assert.rejects(rig.retention.endHold(id, { by: 'bruno', reason: 'over' }), /cannot be written/)
      assert.equal(rig.retention.holds().find(hold => hold.id === id)?.ended !== undefined, happened)
    })
  })
}

test('a hold outlives the database it was written in', async () => {
  await withRig(async rig => {
    const hold = await rig.retention.hold({ from: 0, to: 10, reason: 'case 4', by: 'alma' })
    rig.cabinet = new MemoryCabinet()
    await rig.reopen()
    assert.deepEqual(rig.retention.holds(), [hold])
    await rig.retention.endHold(hold.id, { by: 'bruno', reason: 'over' })
    rig.cabinet = new MemoryCabinet()
    await rig.reopen()
    assert.equal(rig.retention.holds()[0]?.ended?.by, 'bruno')
  })
})

test('while the copy of all holds cannot be read nothing is forgotten, and nothing of it overwritten', async () => {
  await withRig(async rig => {
    days(rig, 1)
    await rig.retention.sweep()
    const hold = await rig.retention.hold({ from: 0, to: 10, reason: 'case 4', by: 'alma' })
    const path = pathOf(rig, 'holds.json')
    const whole = readFileSync(path, 'utf8')
    quiet(rig, 50)
    for (const damaged of ['', whole.slice(0, 40), '{}', '[{"id":1}]']) {
      writeFileSync(path, damaged)
      rig.cabinet = new MemoryCabinet()
      await rig.reopen()
      assert.deepEqual(await rig.retention.sweep(), { written: 0, pruned: 0, removed: 0, failed: 1 })
      await rig.retention.hold({ from: 20, to: 30, reason: 'case 5', by: 'alma' })
      assert.equal(readFileSync(path, 'utf8'), damaged)
      assert.match(rig.alarms.at(-1) ?? '', /^RETENTION holds.json: .*nothing is forgotten until that is mended/)
    }
    writeFileSync(path, whole)
    assert.equal((await rig.retention.sweep()).failed, 0)
    assert.deepEqual(
      rig.retention.holds().map(({ reason }) => reason),
      ['case 4', 'case 5'],
    )
    assert.deepEqual(rig.retention.holds()[0], hold)
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).length, 2)
  })
})

test('lines that stop coming in the middle leave no file behind', async () => {
  await withRig(async rig => {
    days(rig, 1)
    const { shelf } = rig
    const broken = new Proxy(shelf, {
      get: (target, name) => {
        if (name !== 'range') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)
        return async function* (account: string, from: number, to: number) {
          let n = 0
          for await (const line of shelf.range(account, from, to)) {
            if (++n === 3) throw new Error('the disk went away')
            yield line
          }
        }
      },
    })
    await rig.reopen({}, { archive: broken })
    assert.equal((await rig.retention.sweep()).failed, 2)
    assert.deepEqual(filesIn(rig.dir), [])
    await rig.reopen()
    assert.equal((await rig.retention.sweep()).written, 2)
  })
})

test('a sweep that is stopped ends soon, and the next one goes on', async () => {
  await withRig(async rig => {
    days(rig, 10, ['east/1', 'north/1', 'west/1'])
    const sweep = rig.retention.sweep()
    await rig.retention.stop()
    assert.ok((await sweep).written < 10)
    await rig.reopen()
    await rig.retention.sweep()
    assert.equal(linesIn(rig.dir).length, 3 * 62 + rig.mall.sizeOf('anchor/1'))
  })
})

test.run()
