import assert from 'node:assert/strict'
import { REJECTS } from '../../ledger/entry.ts'
import { OPEN_MAX } from '../../mesh/archive/reading-room.ts'
import { newId } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/search')

const rejected = (rig: Rig, code: (typeof REJECTS)[number], reason = 'r') =>
  ({ id: newId(), at: rig.office.wall, type: 'reject', code, reason, confidence: 900 }) as const

test('events are found by decision, alone and together with gate, type and time', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    await rig.collect('east/1', [...rig.admits(3), ...REJECTS.map(code => rejected(rig, code))])
    rig.office.wall += 60_000
    await rig.collect('west/1', [rejected(rig, 'REJECT_FAULT'), ...rig.admits(2)])
    const found = async (query: string) => {
      const { status, json, text } = await rig.get(`/events?${query}`, token)
      assert.equal(status, 200, text)
      return json.events.map((event: { account: string; entry: { code?: string; type: string } }) => {
        return `${event.account} ${event.entry.code ?? event.entry.type}`
      })
    }
    assert.equal((await found('decision=ADMIT')).length, 5)
    for (const code of REJECTS.slice(0, 3)) assert.deepEqual(await found(`decision=${code}`), [`east/1 ${code}`])
    assert.deepEqual(await found('decision=REJECT_FAULT'), ['east/1 REJECT_FAULT', 'west/1 REJECT_FAULT'])
    assert.deepEqual(await found('decision=REJECT_FAULT&gate=west'), ['west/1 REJECT_FAULT'])
    assert.deepEqual(await found(`decision=REJECT_FAULT&to=${rig.office.wall}`), ['east/1 REJECT_FAULT'])
    assert.equal((await found(`decision=ADMIT&from=${rig.office.wall}`)).length, 2)
    assert.equal((await found('decision=ADMIT&type=admit')).length, 5)
    assert.deepEqual(await found('decision=ADMIT&type=reject'), [], 'no entry is both')
    assert.deepEqual(await found('decision=ADMIT&type=mode'), [])
    const wrong = await rig.get('/events?decision=MAYBE', token)
    assert.deepEqual([wrong.status, wrong.json.error.where], [400, 'query/decision'])
    assert.match(wrong.json.error.message, /ADMIT, REJECT_AT_CAPACITY/)
  })
})

test('a decision that is rare among many is found over short pages, none of which looks through too much', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    const many = Array.from({ length: OPEN_MAX + 300 }, () => rejected(rig, 'REJECT_AT_CAPACITY'))
    await rig.collect('east/1', [...many, rejected(rig, 'REJECT_EMERGENCY')])
    const first = (await rig.get('/events?decision=REJECT_EMERGENCY', token)).json
    assert.deepEqual([first.events.length, typeof first.cursor], [0, 'string'])
    const second = (await rig.get(`/events?decision=REJECT_EMERGENCY&cursor=${first.cursor}`, token)).json
    assert.deepEqual([second.events.length, second.cursor], [1, undefined])
  })
})

test('a search that reaches back into what lies in archive files says so, with its first page', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    await rig.collect('east/1', rig.admits(3))
    const until = rig.office.wall - 1000
    const asked: (string | undefined)[] = []
    const archivedUntil = async (gate?: string) => {
      asked.push(gate)
      return until
    }
    rig.desk = { ...rig.desk, retention: Object.assign(Object.create(rig.retention), { archivedUntil }) }
    const page = (await rig.get('/events?limit=1&gate=east', token)).json
    assert.deepEqual([page.archivedUntil, asked], [until, ['east']])
    const next = (await rig.get(`/events?limit=1&cursor=${page.cursor}`, token)).json
    assert.equal(next.archivedUntil, undefined)
    assert.equal((await rig.get(`/events?from=${until + 1}`, token)).json.archivedUntil, undefined)
  })
})

test.run()
