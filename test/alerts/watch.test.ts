import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AlertsConfig, QUIET_ALERTS } from '../../anchor/alerts/config.ts'
import { Watch, type WatchOptions } from '../../anchor/alerts/watch.ts'
import type { Sight } from '../../anchor/desk.ts'
import type { AnchorStatus } from '../../anchor/status.ts'
import type { Telemetry } from '../../mesh/board/telemetry.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { Member } from '../../mesh/member.ts'
import { occupancyOf } from '../../mesh/occupancy.ts'
import { prometheusText } from '../../mesh/window/prometheus.ts'
import { reportOf } from '../../mesh/window/report.ts'
import { CHARTER, policy, row } from '../core/papers.ts'
import { suite } from '../suite.ts'
import { Exposition } from '../window/exposition.ts'
import { CollectedMall, newId } from './collected-mall.ts'
import { settle } from './hand-clock.ts'
import { Inbox, SECRET } from './inbox.ts'

const test = suite('alerts/watch')
const GATES = ['east', 'west', 'north']

let dir = ''
let secretFile = ''
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'watch-'))
  secretFile = join(dir, 'secret')
  await writeFile(secretFile, SECRET)
})
test.after(() => rm(dir, { recursive: true, force: true }))

/** A mall with a member's real view of it, and somebody who watches. */
class Watched {
  readonly mall: CollectedMall
  readonly me: Member
  readonly said = new Map<string, Telemetry>()
  readonly speaking = new Set(GATES)
  mode: AnchorStatus['mode'] = 'NORMAL'
  watch!: Watch

  static async open(config: AlertsConfig = QUIET_ALERTS, over: Partial<WatchOptions> = {}): Promise<Watched> {
    const watched = new Watched(await CollectedMall.open(CHARTER.legalMax))
    watched.watch = watched.#watch(config, over)
    await watched.watch.start()
    return watched
  }

  private constructor(mall: CollectedMall) {
    this.mall = mall
    this.me = new Member({ name: 'anchor', charter: CHARTER, limits: LIMITS, key: 'anchor', newId })
    this.me.policies.recall(policy())
    for (const gate of GATES) this.said.set(gate, { state: 'NORMAL', mode: 'NORMAL', decisionP99Ms: 12 })
  }

  /** What is in the cabinet is all that is left. */
  async restart(config: AlertsConfig): Promise<void> {
    await this.watch.stop()
    await this.mall.restart()
    this.watch = this.#watch(config, {})
    await this.watch.start()
  }

  #watch(config: AlertsConfig, over: Partial<WatchOptions>): Watch {
    const { mall, me } = this
    const { clock, archive, cabinet } = mall
    const sight: Sight = {
      mall: 'test',
      charter: CHARTER,
      archive,
      counted: () => me.view.counted,
      status: () => ({
        name: 'anchor',
        state: this.mode,
        mode: this.mode,
        account: 'anchor/1',
        balance: 0,
        peers: 3,
        policyVersion: 1,
        isJoined: true,
        occupancy: occupancyOf(me, clock.now()),
        ledger: { size: 1, root: '' },
      }),
      report: () => reportOf(me, { name: 'anchor', charter: CHARTER, now: clock.now(), wall: clock.wall() }),
      me: () => me,
      policies: () => [policy()],
      checkpoint: () => undefined,
      peers: () => [],
    }
    const telemetry = () => this.said
    return new Watch({ sight, cabinet, clock, log: NO_LOG, config, newId, chance: () => 0.5, telemetry, ...over })
  }

  /** Seconds pass, in which gates speak and the watch looks. */
  async pass(seconds: number): Promise<void> {
    for (let k = 0; k < seconds; k++) {
      const { clock } = this.mall
      for (const gate of this.speaking) {
        const { size = 0, counters = {} } = this.mall.row(`${gate}/1`) ?? {}
        // as one that hides whom it let in would say it
        const said = row(`${gate}/1`, size, { ...counters, admitted: 0 }, { at: clock.wall() })
        this.me.view.put(said, clock.now())
      }
      clock.pass(1000)
      await settle()
    }
  }

  get open(): string[] {
    return this.watch.alerts.list({ state: 'raised' }).map(({ code, subject }) => `${code} ${subject}`.trim())
  }

  metrics(): Exposition {
    return new Exposition(prometheusText(this.watch.families()))
  }
}

test('a mall where all is well is quiet', async () => {
  const watched = await Watched.open()
  await watched.pass(120)
  assert.deepEqual(watched.open, [])
  await watched.watch.stop()
  assert.equal(watched.mall.clock.timers, 0, 'no timer is left')
})

test('a gate that falls silent is told of within ten seconds, and a mall that does as one', async () => {
  const watched = await Watched.open()
  await watched.pass(30)
  watched.speaking.delete('east')
  await watched.pass(9)
  assert.deepEqual(watched.open, ['GATE_SILENT east'])
  const detected = watched.metrics().value('gatemesh_silence_detection_seconds_sum{mall="test"}')
  assert.ok(detected > 5 && detected < 10, `${detected} s`)
  watched.speaking.clear()
  await watched.pass(9)
  assert.deepEqual(watched.open.sort(), ['GATE_SILENT east', 'MALL_SILENT'])
  for (const gate of GATES) watched.speaking.add(gate)
  await watched.pass(6)
  assert.deepEqual(watched.open, [])
  await watched.watch.stop()
})

test('too many people by single events are found though every row says that all is well', async () => {
  const watched = await Watched.open()
  const { mall } = watched
  mall.budget(10)
  mall.transfer('anchor/1', 'east/1', 10)
  mall.admit('east/1', 10)
  await mall.collectAll()
  await watched.pass(3)
  mall.clock.pass(10_000)
  mall.admit('east/1', 1)
  await mall.collectAll()
  await watched.pass(30)
  assert.deepEqual(watched.open, ['OVER_ADMISSION capacity'])
  assert.equal(watched.metrics().value('gatemesh_over_admissions_total{mall="test"}'), 1)
  await watched.watch.stop()
})

test('evidence, skewed clocks, gaps, approvals, and what sirens sound, all come through', async () => {
  const watched = await Watched.open(QUIET_ALERTS, {
    skews: () => new Map([['west', -5000]]),
    collection: () => ({
      entries: 9,
      behind: 3,
      lagMs: 90_000,
      gaps: [{ account: 'north/1', from: 4, to: 7, why: 'nobody has them' }],
    }),
    approvals: () => [{ id: 'abc', words: ['capacity 10 → 5'], expiresAt: Number.MAX_SAFE_INTEGER }],
  })
  await watched.mall.archive.keep({
    id: 'e1',
    account: 'east/1',
    at: 1,
    what: 'root',
    detail: 'not what was signed',
    rows: [],
    lines: [],
  })
  watched.watch.alerts.alarmed('ROW_FLAWED', 'east/1', 'east/1: breaks exits at size 5')
  await watched.pass(45)
  assert.deepEqual(watched.open.sort(), [
    'APPROVAL_WAITING abc',
    'CLOCK_SKEW west',
    'COLLECTION_BEHIND',
    'COLLECTION_BEHIND north/1',
    'EVIDENCE east/1 e1',
    'ROW_FLAWED east/1',
  ])
  assert.match(watched.watch.alerts.list({ code: 'CLOCK_SKEW' })[0]?.detail ?? '', /5\.0 s ahead of ours/)
  const metrics = watched.metrics()
  assert.equal(metrics.value('gatemesh_audit_lag_seconds{mall="test"}'), 90)
  assert.equal(metrics.value('gatemesh_gate_clock_skew_seconds{mall="test",gate="west"}'), 5)
  await watched.watch.stop()
})

test('a fire drill is timed from the raise to the all-clear, and to the last gate that is back', async () => {
  const watched = await Watched.open()
  await watched.pass(3)
  watched.mode = 'FIRE'
  for (const gate of GATES) watched.said.set(gate, { state: 'FIRE', mode: 'FIRE' })
  await watched.pass(90)
  assert.deepEqual(watched.open, ['MODE FIRE'])
  watched.mode = 'NORMAL'
  watched.said.set('east', { state: 'NORMAL', mode: 'NORMAL' })
  watched.said.set('west', { state: 'NORMAL', mode: 'NORMAL' })
  await watched.pass(5)
  watched.said.set('north', { state: 'NORMAL', mode: 'NORMAL' })
  await watched.pass(2)
  const metrics = watched.metrics()
  assert.equal(metrics.value('gatemesh_emergency_seconds_sum{mall="test"}'), 90)
  assert.equal(metrics.value('gatemesh_restore_seconds_count{mall="test"}'), 1)
  assert.equal(metrics.value('gatemesh_restore_last_seconds{mall="test"}'), 5)
  await watched.watch.stop()
})

test('there is a figure for every promise of the requirements', async () => {
  const collection = () => ({ entries: 9, behind: 0, lagMs: 0, gaps: [] })
  const watched = await Watched.open(QUIET_ALERTS, { collection })
  await watched.pass(2)
  const metrics = watched.metrics()
  assert.equal(metrics.value('gatemesh_gate_decision_p99_seconds{mall="test",gate="east"}'), 0.012)
  for (const name of [
    'gatemesh_over_admissions_total',
    'gatemesh_over_people',
    'gatemesh_exits_refused_seen_total',
    'gatemesh_audit_behind_entries',
    'gatemesh_audit_lag_seconds',
    'gatemesh_lease_drift_tokens',
    'gatemesh_silence_detection_seconds_count',
    'gatemesh_restore_seconds_count',
    'gatemesh_emergency_seconds_count',
    'gatemesh_alerts_unacknowledged',
  ]) {
    assert.equal(metrics.value(`${name}{mall="test"}`), 0, name)
  }
  await watched.watch.stop()
})

test('an alert goes from a closed contact to a pager, and survives a restart on the way', async () => {
  const inbox = await new Inbox().open()
  const config = { ...QUIET_ALERTS, webhooks: [{ url: inbox.url, secretFile }] }
  inbox.answer = () => ({ status: 500 })
  const watched = await Watched.open(config)
  watched.mode = 'FIRE'
  await watched.pass(2)
  while (inbox.attempts === 0) await sleep(5)
  await watched.restart(config)
  inbox.answer = () => ({ status: 200 })
  for (let k = 0; k < 200 && inbox.letters.length === 0; k++) {
    await watched.pass(1)
    await sleep(5)
  }
  const [letter, ...more] = inbox.letters
  assert.deepEqual([letter?.json.alert.code, letter?.json.kind, letter?.isSigned, more], ['MODE', 'raised', true, []])
  await watched.watch.stop()
  await inbox.close()
})

test('a disk that takes nothing more keeps nobody from being told, of that too', async () => {
  const inbox = await new Inbox().open()
  const watched = await Watched.open({ ...QUIET_ALERTS, webhooks: [{ url: inbox.url, secretFile }] })
  for (let k = 0; k < 2000; k++) watched.mall.cabinet.failNext()
  watched.mode = 'EVACUATE'
  for (let k = 0; k < 500 && inbox.letters.length < 2; k++) {
    await watched.pass(1)
    await sleep(10)
  }
  assert.deepEqual(inbox.codes, ['MODE', 'DISK'])
  await watched.watch.stop()
  await inbox.close()
})

test.run()
