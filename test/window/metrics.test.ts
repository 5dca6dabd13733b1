import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLevelStore } from '../../ledger/level-store.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Message } from '../../mesh/message.ts'
import { Histogram } from '../../mesh/window/histogram.ts'
import { prometheusText, single } from '../../mesh/window/prometheus.ts'
import { WireMetrics } from '../../mesh/window/wire-metrics.ts'
import { Alarms } from '../../node/alarms.ts'
import { GateMetrics } from '../../node/metrics.ts'
import { suite } from '../suite.ts'
import { Exposition } from './exposition.ts'
import { inFront, inRig, type Rig } from './rig.ts'

const test = suite('window/metrics')

const read = async (rig: Rig) => {
  const { text, headers } = await rig.ask('GET', '/metrics')
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  return new Exposition(text)
}

test('the metrics of a gate on a real disk say what was done at it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'window-'))
  try {
    await inRig(
      async rig => {
        for (let i = 0; i < 7; i++) await rig.ask('POST', '/turnstile/entry')
        for (let i = 0; i < 3; i++) await rig.ask('POST', '/turnstile/exit')
        await rig.ask('POST', '/turnstile/exit', 'garbage')
        for (let i = 0; i < 2; i++) await rig.ask('POST', '/turnstile/entry', '{"id":"no"}')
        rig.hear('gate-02', 'no message')
        rig.hear('gate-02', JSON.stringify({ kind: 'rows', rows: ['no note', 'nor this'] }))
        const m = await read(rig)
        assert.equal(m.value('gatemesh_decisions_total{decision="ADMIT"}'), 4)
        const noHeadroom = m.value('gatemesh_decisions_total{decision="REJECT_NO_HEADROOM"}')
        assert.equal(noHeadroom, 3, 'four tokens, seven people; bad requests are no decisions')
        assert.equal(m.value('gatemesh_decision_seconds_count{source="local"}'), 4)
        assert.equal(m.value('gatemesh_decision_seconds_count{source="stolen"}'), 0)
        assert.equal(m.value('gatemesh_decision_seconds_count{source="none"}'), 3)
        assert.ok(m.value('gatemesh_decision_seconds_sum{source="local"}') > 0)
        assert.equal(m.value('gatemesh_exits_total'), 4)
        assert.equal(m.value('gatemesh_exits_credited_total'), 3)
        assert.equal(m.value('gatemesh_exits_refused_total'), 0)
        assert.equal(m.value('gatemesh_balance'), 3)
        assert.equal(m.value('gatemesh_occupancy_count'), 1)
        assert.equal(m.value('gatemesh_capacity'), 50)
        assert.equal(m.value('gatemesh_counter{counter="admitted"}'), 4)
        assert.equal(m.value('gatemesh_signature_failures_total'), 2)
        assert.equal(m.value('gatemesh_garbage_total'), 1)
        assert.equal(m.value('gatemesh_lan_total{what="bytesIn"}'), 5)
        assert.ok(m.value('gatemesh_messages_told_total{kind="rows"}') > 0)
        assert.ok(m.value('gatemesh_message_bytes_heard_total{kind="policies"}') > 100)
        assert.equal(m.value('gatemesh_rows_heard_total'), 1, 'the anchor’s')
        await rig.store.sync()
        const after = await read(rig)
        assert.equal(after.value('gatemesh_ledger_lines_written_total'), rig.store.durable.size)
        assert.equal(after.value('gatemesh_ledger_size'), rig.store.durable.size)
        assert.ok(after.value('gatemesh_fsync_seconds_count') > 0)
        assert.ok(after.value('gatemesh_fsync_seconds_sum') > 0)
        assert.ok(after.value('process_resident_memory_bytes') > 1e7)
        assert.ok(after.value('process_cpu_seconds_total') > 0)
        for (const quantile of ['0.5', '0.99', '1']) {
          const delay = after.value(`gatemesh_event_loop_delay_seconds{quantile="${quantile}"}`)
          assert.ok(delay >= 0 && delay < 60, String(delay))
        }
      },
      { tokens: 4, openStore: options => openLevelStore({ ...options, dir }) },
    )
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

test('the latency that one decision in a hundred is above is of the newest ones', () => {
  const metrics = new GateMetrics({ now: () => 0, wall: () => 0, in: () => () => undefined })
  assert.equal(metrics.decisionP99Ms, undefined)
  for (let ms = 1; ms <= 1000; ms++) metrics.decided({ decision: 'ADMIT', source: 'local', reason: '' }, ms * 1000)
  assert.equal(metrics.decisionP99Ms, 998)
})

test('a gate that is not there yet has metrics all the same', async () => {
  await inFront(async rig => {
    await rig.ask('POST', '/turnstile/exit')
    await rig.ask('POST', '/turnstile/entry')
    const m = await read(rig)
    assert.equal(m.value('gatemesh_exits_total'), 1)
    assert.equal(m.value('gatemesh_exits_waiting'), 1)
    assert.equal(m.value('gatemesh_decisions_total{decision="REJECT_FAULT"}'), 1)
    assert.equal(m.value('gatemesh_state{state="FAULT"}'), 1)
  })
})

function wireAt(time: { now: number }): WireMetrics {
  const clock: Clock = { now: () => time.now, wall: () => 0, in: () => () => undefined }
  return new WireMetrics(clock)
}
const ask = (re: number): Message => ({ kind: 'ask', ask: { re, account: 'a/1', want: 1, waiting: 1, forMs: 80 } })
const textOf = (wire: WireMetrics) => new Exposition(prometheusText(wire.families()))

test('a steal takes from its ask to the first answer of whoever was asked', () => {
  const time = { now: 0 }
  const wire = wireAt(time)
  wire.told('west', ask(1), 50)
  wire.told('north', ask(2), 50)
  time.now = 4
  wire.heard('north', { kind: 'rows', rows: [], re: 1 }, 9)
  wire.heard('west', { kind: 'rows', rows: [] }, 9)
  wire.heard('west', { kind: 'rows', rows: [], re: 1 }, 9)
  time.now = 20
  wire.heard('west', { kind: 'rows', rows: [], re: 1 }, 9)
  wire.heard('north', { kind: 'none', re: 2 }, 9)
  const m = textOf(wire)
  const name = 'gatemesh_steal_round_trip_seconds'
  assert.equal(m.value(`${name}_count{answer="tokens"}`), 1)
  assert.equal(m.value(`${name}_sum{answer="tokens"}`), 0.004)
  assert.equal(m.value(`${name}_bucket{answer="tokens",le="0.0025"}`), 0)
  assert.equal(m.value(`${name}_bucket{answer="tokens",le="0.005"}`), 1)
  assert.equal(m.value(`${name}_sum{answer="none"}`), 0.02)
  assert.equal(m.value('gatemesh_steals_unanswered_total'), 0)
})

test('asks that nobody answers are given up, and never fill the memory', () => {
  const time = { now: 0 }
  const wire = wireAt(time)
  for (let re = 0; re < 10_000; re++) wire.told('west', ask(re), 50)
  assert.equal(textOf(wire).value('gatemesh_steals_unanswered_total'), 9501)
  time.now = 1001
  assert.equal(textOf(wire).value('gatemesh_steals_unanswered_total'), 10_000)
  wire.heard('west', { kind: 'none', re: 9999 }, 9)
  assert.equal(textOf(wire).value('gatemesh_steal_round_trip_seconds_count{answer="none"}'), 0)
})

test('a value on a bound is in its bucket, and one beyond all of them is in none but the last', () => {
  const histogram = new Histogram([1, 2])
  for (const value of [1, 1.5, 2, 3]) histogram.observe(value)
  assert.deepEqual(
    histogram.samples().map(sample => sample.value),
    [1, 3, 4, 7.5, 4],
  )
})

test('odd texts and numbers stay on their line', () => {
  const text = prometheusText([
    { name: 'a', help: 'two\nlines \\ and', type: 'gauge', samples: [{ value: 1, labels: { who: 'a"b\\c\nd' } }] },
    single('gauge', 'b', 'none', Number.POSITIVE_INFINITY),
    { name: 'empty', help: 'is left out', type: 'gauge', samples: [] },
  ])
  const m = new Exposition(text)
  assert.equal(m.value('a{who="a\\"b\\\\c\\nd"}'), 1)
  assert.equal(m.value('b'), Number.POSITIVE_INFINITY)
  assert.deepEqual([...m.types.keys()], ['a', 'b'])
})

test('a loud fault does not push the others off the list of alarms', () => {
  const alarms = new Alarms()
  alarms.add('DISK', 'full', 1)
  for (let i = 0; i < 1000; i++) alarms.add('GARBAGE', `from ${i}`, 2 + i)
  alarms.add('DISK', 'full', 5000)
  alarms.add('FORK', 'west', 5001)
  const list = alarms.newestFirst
  assert.equal(list.length, 20)
  assert.deepEqual(
    list.slice(0, 3).map(({ code, times, at }) => [code, times, at]),
    [
      ['FORK', 1, 5001],
      ['DISK', 2, 5000],
      ['GARBAGE', 1, 1001],
    ],
  )
})

test.run()
