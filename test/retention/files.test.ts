import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { DAY, days, HOUR, quiet, withRig } from './shelf.ts'

const test = suite('retention/files')

test('up to when entries lie in files is known of all and of one gate, once they are gone from the database', async () => {
  await withRig(async rig => {
    const { retention, shelf, mall } = rig
    days(rig, 3, ['east/1'])
    await retention.sweep()
    assert.equal(await retention.archivedUntil(), undefined, 'they are in both')
    quiet(rig, 40)
    assert.ok((await retention.sweep()).pruned > 0)
    const kept = shelf.head('east/1')?.kept ?? 0
    const gone = mall.linesOf('east/1').slice(0, kept)
    const newest = Math.max(...gone.map(line => JSON.parse(line).at))
    assert.equal(await retention.archivedUntil('east'), newest)
    assert.equal(await retention.archivedUntil('west'), undefined)
    assert.ok(((await retention.archivedUntil()) ?? 0) >= newest)
  })
})

test('the files of a time are found by it, and one that was removed is said to be', async () => {
  await withRig(async rig => {
    const begin = rig.time.wall - (rig.time.wall % DAY)
    days(rig, 2, ['east/1', 'west/1'])
    await rig.retention.sweep()
    const noon = { from: begin + DAY + 10 * HOUR, to: begin + DAY + 11 * HOUR }
    const names = async () =>
      (await rig.retention.filesAt(noon, 20)).map(({ name, isRemoved }) => `${name} ${isRemoved}`)
    const files = ['east-1/2025-11-17.jsonl.gz', 'west-1/2025-11-17.jsonl.gz']
    assert.deepEqual(await names(), [`${files[0]} false`, `${files[1]} false`])
    assert.equal((await rig.retention.filesAt(noon, 1)).length, 1, 'so many at most')
    assert.deepEqual(await rig.retention.filesAt({ from: 0, to: 1 }, 20), [])
    quiet(rig, 2700)
    assert.ok((await rig.retention.sweep()).removed > 0)
    assert.deepEqual(await names(), [`${files[0]} true`, `${files[1]} true`])
    assert.ok(((await rig.retention.archivedUntil('east')) ?? 0) > 0)
  })
})

test.run()
