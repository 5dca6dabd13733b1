import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALARMS } from '../../anchor/alerts/alarm-table.ts'
import type { Alert, Notice } from '../../anchor/alerts/alert.ts'
import { AlertBook } from '../../anchor/alerts/alert-book.ts'
import { PER_MINUTE } from '../../anchor/alerts/allowance.ts'
import type { Observation } from '../../anchor/alerts/observation.ts'
import { Tray } from '../../anchor/alerts/tray.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { suite } from '../suite.ts'
import { newId } from './collected-mall.ts'
import { HandClock } from './hand-clock.ts'
import { gate, inside, seen, WELL } from './seen.ts'

const test = suite('alerts/alert-book')
const MINUTE = 60_000

class Desk {
  readonly clock = new HandClock()
  readonly notices: Notice[] = []
  cabinet = new MemoryCabinet()
  tray!: Tray
  book!: AlertBook

  static async open(): Promise<Desk> {
    const desk = new Desk()
    await desk.restart()
    desk.clock.pass(MINUTE)
    return desk
  }

  async restart(): Promise<void> {
    this.cabinet = this.cabinet.reopened()
    this.tray = new Tray(this.cabinet)
    this.book = new AlertBook({
      mall: 'test',
      tray: this.tray,
      clock: this.clock,
      log: NO_LOG,
      newId: () => newId(this.clock.wall()),
      tell: notice => this.notices.push(notice),
      levels: { warn: 90, high: 97 },
      repeatMs: 30 * MINUTE,
    })
    await this.book.start()
  }

  /** The mall is so for a while, looked at once a second. */
  async is(o: Observation, seconds = 1): Promise<void> {
    for (let k = 0; k < seconds; k++) {
      this.book.observe({ ...o, wall: this.clock.wall() }, this.clock.now(), this.clock.wall())
      this.clock.pass(1000)
    }
    await this.tray.flush()
  }

  /** What was told since the last time, in short. */
  told(): string[] {
    return this.notices.splice(0).map(({ kind, alert }) => `${kind} ${alert.code} ${alert.subject}`.trim())
  }
}

const FIRE = seen({ mode: 'FIRE', modeBy: 'east', modeReason: 'contact closed' })
const silent = (name: string) =>
  seen({ gates: WELL.gates.map(other => (other.name === name ? gate(name, { silentMs: 9000 }) : other)) })

test('an alert is raised when its condition has held, and not for a moment of it', async () => {
  const desk = await Desk.open()
  await desk.is(inside(92), 4)
  await desk.is(inside(80))
  await desk.is(inside(92), 5)
  assert.deepEqual(desk.told(), [])
  await desk.is(inside(92))
  assert.deepEqual(desk.told(), ['raised OCCUPANCY_WARN'])
  assert.equal(desk.book.list()[0]?.detail, '92 people inside, 92 % of 100')
})

test('a figure that trembles around its limit for an hour is one alert', async () => {
  const desk = await Desk.open()
  for (let k = 0; k < 600; k++) {
    await desk.is(inside(90), 7)
    await desk.is(inside(k % 2 === 0 ? 88 : 80), 3)
  }
  assert.deepEqual(new Set(desk.told()), new Set(['raised OCCUPANCY_WARN', 'repeated OCCUPANCY_WARN']))
  assert.equal(desk.book.list().length, 1)
})

test('it is cleared once its condition has been gone for a while, and told so', async () => {
  const desk = await Desk.open()
  await desk.is(silent('east'), 2)
  await desk.is(WELL, 3)
  assert.deepEqual(desk.told(), ['raised GATE_SILENT east'])
  await desk.is(WELL)
  assert.deepEqual(desk.told(), ['cleared GATE_SILENT east'])
  assert.deepEqual(
    [desk.book.list({ state: 'raised' }).length, desk.book.list({ state: 'cleared' })[0]?.isOpen],
    [0, false],
  )
})

test('one that comes and goes is one alert that came back, told at most once a minute', async () => {
  const desk = await Desk.open()
  for (let k = 0; k < 30; k++) {
    await desk.is(silent('east'), 2)
    await desk.is(WELL, 8)
  }
  const all = desk.told()
  const told = all.filter(text => text.startsWith('raised')).length
  assert.equal(all.length, 2 * told, 'and every time that it was over')
  assert.ok(told >= 4 && told <= 6, `${told} in five minutes`)
  const [alert, ...others] = desk.book.list()
  assert.deepEqual([alert?.times, others.length], [30, 0])
})

test('what lasts is told again, until somebody acknowledges it', async () => {
  const desk = await Desk.open()
  await desk.is(FIRE, 3 * 3600)
  const told = desk.told()
  assert.deepEqual(told, ['raised MODE FIRE', ...Array(5).fill('repeated MODE FIRE')])
  const [alert] = desk.book.list({ code: 'MODE' })
  const acknowledged = await desk.book.acknowledge(alert?.id ?? '', 'ann', 'on my way')
  assert.deepEqual(acknowledged?.acknowledged, { by: 'ann', at: desk.clock.wall(), note: 'on my way' })
  assert.deepEqual(desk.told(), ['acknowledged MODE FIRE'])
  await desk.is(FIRE, 3600)
  assert.deepEqual(desk.told(), [])
  await desk.is(WELL, 2)
  assert.deepEqual(desk.told(), ['cleared MODE FIRE'])
})

test('an acknowledgement is on disk when it is answered, stands when said twice, and knows what it is about', async () => {
  const desk = await Desk.open()
  await desk.is(FIRE)
  const { id } = desk.book.list()[0] as Alert
  await desk.book.acknowledge(id, 'ann')
  assert.equal((await desk.book.acknowledge(id, 'bob'))?.acknowledged?.by, 'ann')
  await desk.restart()
  assert.equal(desk.book.list()[0]?.acknowledged?.by, 'ann')
  assert.equal(await desk.book.acknowledge('nothing', 'ann'), undefined)
  await desk.is(silent('west'))
  const other = desk.book.list({ code: 'GATE_SILENT' })[0] as Alert
  desk.cabinet.failNext()
  await assert.rejects(desk.book.acknowledge(other.id, 'bob'), { code: 'CABINET_IO' })
})

test('a hundred at once are told bit by bit, the worst first, and none is lost', async () => {
  const desk = await Desk.open()
  const gates = Array.from({ length: 100 }, (_, i) => gate(`g${i}`, { silentMs: i === 99 ? 500 : 9000 }))
  const banned = ['x', 'y', 'z']
  await desk.is(seen({ gates, banned }), 1)
  const first = desk.told()
  assert.ok(first.length <= PER_MINUTE, `${first.length} at once`)
  assert.deepEqual(first.slice(0, 3), ['raised FORK x', 'raised FORK y', 'raised FORK z'])
  // a fire finds its way past all that waits
  await desk.is(seen({ gates, banned, mode: 'FIRE' }), 1)
  assert.equal(desk.told()[0], 'raised MODE FIRE')
  await desk.is(seen({ gates, banned, mode: 'FIRE' }), 360)
  const rest = desk.told()
  assert.equal(new Set([...first, ...rest].filter(text => text.includes('GATE_SILENT'))).size, 99)
  assert.ok(rest.length <= 6.1 * PER_MINUTE)
})

test('a restart forgets no open alert, raises none twice, and tells what was still owed', async () => {
  const desk = await Desk.open()
  await desk.is(seen({ mode: 'FIRE', gates: silent('east').gates }), 2)
  assert.equal(desk.told().length, 2)
  await desk.restart()
  assert.equal(desk.book.list({ state: 'raised' }).length, 2)
  await desk.is(FIRE, 20)
  assert.deepEqual(desk.told(), [], 'nothing is cleared before the world had time to be seen')
  await desk.is(FIRE, 20)
  assert.deepEqual(desk.told(), ['cleared GATE_SILENT east'])
  // raised and on disk, but the process ended before anybody was told
  desk.book.observe({ ...silent('west'), mode: 'FIRE' }, desk.clock.now(), desk.clock.wall())
  const west = desk.book.list({ code: 'GATE_SILENT', state: 'raised' })[0] as Alert
  const { toldAt, ...untold } = west
  desk.tray.put(`alert/all/${west.id}`, JSON.stringify(untold))
  await desk.tray.flush()
  desk.told()
  await desk.restart()
  await desk.is({ ...silent('west'), mode: 'FIRE' })
  assert.deepEqual(desk.told(), ['raised GATE_SILENT west'])
})

test('that the disk fails keeps nobody from being told', async () => {
  const desk = await Desk.open()
  desk.cabinet.failNext()
  await assert.rejects(desk.is(FIRE), { code: 'CABINET_IO' })
  assert.deepEqual(desk.told(), ['raised MODE FIRE'])
  await desk.is(FIRE)
  await desk.restart()
  assert.equal(desk.book.list().length, 1)
})

test("a member's alarm is an alert until it is quiet; what breaks a law stays until somebody saw it", async () => {
  const desk = await Desk.open()
  desk.book.alarmed('DISK', 'anchor', 'anchor: a write failed')
  desk.book.alarmed('BROKEN_LAW', 'ticked', 'ticked: an account sends only what it holds')
  desk.book.alarmed('FORK', 'east/1', 'a rule sees it in the list of the banned')
  desk.book.alarmed('NEVER_SEEN', 'x', 'x: y')
  await desk.is(WELL)
  assert.deepEqual(desk.told(), ['raised DISK anchor', 'raised LAW_BROKEN ticked', 'raised NEVER_SEEN x'])
  await desk.is(WELL, 330)
  assert.deepEqual(desk.told(), ['cleared NEVER_SEEN x', 'cleared DISK anchor'])
  await desk.restart()
  await desk.is(WELL, 120)
  const [law] = desk.book.list({ state: 'raised' })
  assert.equal(law?.code, 'LAW_BROKEN')
  await desk.book.acknowledge(law?.id ?? '', 'ann')
  await desk.is(WELL, 2)
  assert.deepEqual(desk.told(), ['acknowledged LAW_BROKEN ticked', 'cleared LAW_BROKEN ticked'])
})

test('every alarm that a member can sound is in the table', () => {
  const sounded = new Set<string>()
  for (const folder of ['mesh', 'anchor', 'node']) {
    const root = join(import.meta.dirname, '../..', folder)
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue
      const text = readFileSync(join(root, file), 'utf8')
      for (const [, code = ''] of text.matchAll(/alarm\(\s*'([A-Z_]+)'/g)) sounded.add(code)
    }
  }
  assert.ok(sounded.size > 15, 'they are found')
  assert.deepEqual(
    [...sounded].filter(code => !Object.hasOwn(ALARMS, code)),
    [],
  )
})

test('all alerts can be read back, newest first, in pages', async () => {
  const desk = await Desk.open()
  for (let k = 0; k < 7; k++) {
    await desk.is(silent('east'), 1)
    await desk.is(WELL, 700)
  }
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await desk.book.history({ limit: 3, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...page.alerts.map(({ id }) => id))
    cursor = page.cursor
  } while (cursor !== undefined)
  assert.equal(ids.length, 7)
  assert.deepEqual(ids, [...new Set(ids)].sort().reverse())
})

test.run()
