import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { COLUMN_NAMES, eventRow } from '../../anchor/api/event-sheet.ts'
import type { Archive, Event, EventQuery } from '../../mesh/archive/archive.ts'
import { newId } from '../../mesh/real-clock.ts'
import { MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/export')

/** RFC 4180, read by somebody who did not write it. */
function table(text: string): string[][] {
  const rows: string[][] = []
  const row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text)
    assert.ok(found !== null, 'every cell is one')
    row.push(found[1] === undefined ? (found[2] ?? '') : found[1].replaceAll('""', '"'))
    if (found[3] === '\r\n') rows.push(row.splice(0))
  }
  return rows
}

async function fill(rig: Rig): Promise<void> {
  const at = rig.office.wall
  await rig.collect('east/1', [
    ...rig.admits(2),
    { id: newId(), at, type: 'reject', code: 'REJECT_FAULT', reason: '=HYPERLINK("http://x","a, b")', confidence: 10 },
    { id: newId(), at, type: 'reject', code: 'REJECT_FAULT', reason: '-12', confidence: 10 },
    { id: newId(), at, type: 'exit', credited: false, confidence: 400 },
    { id: newId(), at, type: 'send', to: 'west/1', amount: 7, why: 'ask' },
    { id: newId(), at, type: 'forced', count: 3, why: 'tailgate' },
    { id: newId(), at, type: 'mode', epoch: 1, mode: 'FIRE', by: '@ann', reason: 'smoke, "thick"' },
  ])
  rig.office.wall += 1000
  await rig.collect('west/1', rig.admits(250))
}

test('as CSV every event is one row of the same columns, nothing is a formula, and the last row counts them', async () => {
  await inRig(async rig => {
    await fill(rig)
    const token = await rig.login('aud')
    const reply = await rig.get('/events/export?format=csv', token)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8; header=present')
    assert.equal(reply.headers['content-disposition'], `attachment; filename="events-${MALL}.csv"`)
    const [head = [], ...rows] = table(reply.text)
    assert.deepEqual(head, COLUMN_NAMES)
    const end = rows.pop() ?? []
    assert.deepEqual([end[0], end.slice(1).join(''), end.length], ['# end: 258 events', '', head.length])
    assert.equal(rows.length, 258)
    for (const row of rows) assert.equal(row.length, head.length)
    const of = (row: readonly string[] | undefined) => Object.fromEntries(head.map((name, i) => [name, row?.[i]]))
    const { json } = await rig.get('/events?limit=1000', token)
    for (const [i, event] of json.events.entries()) {
      const row = of(rows[i])
      const { seq, id, at, type } = event.entry
      assert.deepEqual([row.order, row.seq, row.id, row.type], [String(event.order), String(seq), id, type])
      assert.deepEqual([row.line, Date.parse(row.at ?? '')], [event.line, at])
      for (const cell of rows[i] ?? []) assert.doesNotMatch(cell, /^([=+@\t\r]|-(?!\d+$))/)
    }
    assert.equal(of(rows[0]).decision, 'ADMIT')
    const formula = of(rows[2])
    assert.deepEqual([formula.decision, formula.reason], ['REJECT_FAULT', `'=HYPERLINK("http://x","a, b")`])
    assert.equal(of(rows[3]).reason, '-12', 'a number stays one')
    assert.deepEqual([of(rows[4]).credited, of(rows[4]).confidence], ['false', '400'])
    assert.deepEqual([of(rows[5]).amount, of(rows[5]).other, of(rows[5]).reason], ['7', 'west/1', 'ask'])
    assert.deepEqual([of(rows[6]).amount, of(rows[6]).reason], ['3', 'tailgate'])
    assert.deepEqual([of(rows[7]).mode, of(rows[7]).by, of(rows[7]).reason], ['FIRE', "'@ann", 'smoke, "thick"'])
  })
})

test('as JSON lines every event is as the API shows it, and the last line counts them', async () => {
  await inRig(async rig => {
    await fill(rig)
    const token = await rig.login('aud')
    const { text, headers } = await rig.get('/events/export?format=jsonl&gate=west', token)
    assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
    const lines = text.split('\n')
    assert.equal(lines.pop(), '')
    assert.deepEqual(JSON.parse(lines.pop() ?? ''), { end: true, count: 250 })
    const { json } = await rig.get('/events?limit=1000&gate=west', token)
    assert.deepEqual(
      lines.map(line => JSON.parse(line)),
      json.events,
    )
    const none = await rig.get('/events/export?format=jsonl&decision=REJECT_EMERGENCY', token)
    assert.equal(none.text, '{"end":true,"count":0}\n')
  })
})

test('an export takes every filter of a search, and its name says what was searched for', async () => {
  await inRig(async rig => {
    await fill(rig)
    const token = await rig.login('aud')
    const from = rig.office.wall - 1000
    const query = `gate=east&type=reject&decision=REJECT_FAULT&from=${from}&to=${from + 1}`
    const { text, headers } = await rig.get(`/events/export?${query}`, token)
    assert.equal(table(text).length, 1 + 2 + 1)
    const name = `events-${MALL}-east-reject-reject-fault-2026-10-20T08-00-00-000Z-to-2026-10-20T08-00-00-001Z.csv`
    assert.equal(headers['content-disposition'], `attachment; filename="${name}"`)
    const wrong = await rig.get('/events/export?format=xml', token)
    assert.deepEqual([wrong.status, wrong.json.error.where], [400, 'query/format'])
  })
})

test('a time that no calendar knows is told as it stands', () => {
  const entry = { seq: 0, prev: '', id: newId(), at: 2 ** 53 - 1, type: 'optical', in: 1, out: 1 } as const
  const row = eventRow({ order: 1, account: 'east/1', entry, line: '{}', arrivedAt: 0, flags: ['late', 'skew'] })
  assert.match(row, /,9007199254740991,optical,/)
  assert.match(row, /,late skew,1970-01-01T00:00:00.000Z,\{\}\r\n$/)
})

/** An archive that never ends, or breaks where the test says. */
function endless(rig: Rig, breaksAt = Number.POSITIVE_INFINITY): { calls: number } {
  const seen = { calls: 0 }
  const entry = { seq: 0, prev: '', id: newId(), at: 0, type: 'optical', in: 1, out: 1 } as const
  const event: Event = { order: 1, account: 'east/1', entry, line: 'x'.repeat(2000), arrivedAt: 0, flags: [] }
  const find = async (query: EventQuery) => {
    seen.calls++
    if (seen.calls >= breaksAt) throw new Error('the disk is gone')
    return { events: new Array(query.limit).fill(event), cursor: 'next' }
  }
  rig.desk = { ...rig.desk, archive: Object.assign(Object.create(rig.archive) as Archive, { find }) }
  return seen
}

const began = (rig: Rig, token: string, format: string): Promise<IncomingMessage> =>
  rig.begin('GET', rig.at(`/events/export?format=${format}`), { authorization: `Bearer ${token}` }, asked => {
    asked.on('error', () => undefined)
    asked.end()
  })

test('whoever reads slowly costs a portion of memory, and whoever does not read at all is let go', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    rig.speed = 200
    const seen = endless(rig)
    const response = await began(rig, token, 'csv')
    response.on('error', () => undefined)
    response.pause()
    const isOver = new Promise(resolve => response.on('close', resolve))
    const guests = () => new Promise(resolve => rig.app.server.getConnections((_error, count) => resolve(count)))
    for (let i = 0; i < 500 && (await guests()) !== 0; i++) await sleep(10)
    // what the network holds on the way is all that was asked for
    assert.ok(seen.calls < 100, `${seen.calls} portions of 200 kB were read for somebody who reads none`)
    response.resume()
    await isOver
    assert.equal(response.complete, false)
    assert.deepEqual(rig.faults, [])
  })
})

test('an export that breaks off in the middle ends without its last line, and with a broken connection', async () => {
  for (const format of ['csv', 'jsonl']) {
    await inRig(async rig => {
      const token = await rig.login('aud')
      endless(rig, 3)
      const response = await began(rig, token, format)
      let text = ''
      response.on('data', part => {
        text += part
      })
      response.on('error', () => undefined)
      await new Promise(resolve => response.on('close', resolve))
      assert.equal(response.complete, false, 'a browser says that the download failed')
      assert.doesNotMatch(text, /# end|"end":true/)
      assert.equal(rig.faults.length, 1, 'and the log says why')
      endless(rig, 1)
      const refused = await rig.get(`/events/export?format=${format}`, token)
      assert.deepEqual([refused.status, refused.json.error.code], [500, 'fault'], 'before the first word it is told')
    })
  }
})

test('a few exports are under way at once, and one more is asked to wait', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    endless(rig)
    const others = []
    for (let i = 0; i < 4; i++) {
      const response = await began(rig, token, 'jsonl')
      response.on('error', () => undefined)
      response.pause()
      others.push(response)
    }
    const one = await rig.get('/events/export', token)
    assert.deepEqual([one.status, one.json.error.code], [503, 'full'])
    for (const response of others) response.destroy()
    let status = 0
    for (let i = 0; i < 200 && status !== 200; i++) {
      const again = await began(rig, token, 'jsonl')
      again.on('error', () => undefined)
      status = again.statusCode ?? 0
      again.destroy()
      if (status !== 200) await sleep(10)
    }
    assert.equal(status, 200, 'once they are gone there is room again')
  })
})

test.run()
