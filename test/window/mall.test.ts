// quiet
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ALARMS } from '../../anchor/alerts/alarm-table.ts'
import { alarmSeverity } from '../../mesh/window/alarm-severity.ts'
import type { Flow, MallReport, Trend } from '../../mesh/window/mall-report.ts'
import { memberFilePath } from '../../tools/member-file.ts'
import { inFolder, opened, Running } from '../process/members.ts'
import { suite } from '../suite.ts'

const test = suite('window/mall')

const reportOf = async (member: Running): Promise<MallReport> => (await member.ask('GET', '/mall')).json
const trendOf = async (member: Running): Promise<Trend> => (await member.ask('GET', '/trend')).json

/** A member's report, once that of a gate in it holds. */
async function reported(
  what: string,
  member: Running,
  holds: (gate: MallReport['gates'][number], report: MallReport) => boolean,
): Promise<MallReport> {
  for (const end = performance.now() + 20_000; ; await sleep(100)) {
    const report = await reportOf(member)
    const [gate] = report.gates
    if (gate !== undefined && holds(gate, report)) return report
    assert.ok(performance.now() < end, `${member.name} never reports that ${what}: ${JSON.stringify(report)}`)
  }
}

test('any member tells what happens at each gate, what moved, and the day so far, also after a restart', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 30)
    const [anchor, g1, g2] = ['anchor', 'g1', 'g2'].map(name => mall.get(name) as Running) as [
      Running,
      Running,
      Running,
    ]
    const flows = new Map<number, Flow>()
    const see = (report: MallReport) => {
      for (const flow of report.flows) flows.set(flow.seq, flow)
    }
    const isWhole = ({ today }: MallReport['gates'][number]) => today?.isPart === false
    for (const member of [anchor, g1, g2]) see(await reported('it saw the day begin', member, isWhole))
    // more than it has: tokens come from the others
    await g1.admit(30)
    await g1.leave()
    await g1.admit(1)
    let turnedAway = 0
    for (let k = 0; k < 4; k++) if ((await g1.enter()).json.decision === 'REJECT_AT_CAPACITY') turnedAway++
    assert.ok(turnedAway > 0)
    for (const member of [anchor, g1, g2]) {
      const report = await reported('people came and were turned away', member, ({ rates, today, queue }) => {
        return today?.in === 31 && (rates?.atCapacity ?? 0) > 0 && (queue ?? 0) >= turnedAway
      })
      see(report)
      const [first, second] = report.gates
      assert.deepEqual(
        [first?.today, second?.today],
        [
          { in: 31, out: 1, isPart: false },
          { in: 0, out: 0, isPart: false },
        ],
      )
      assert.deepEqual([first?.health, typeof first?.unnecessaryRejects], ['ok', 'number'])
      assert.deepEqual(report.rates, first?.rates, 'nobody went in elsewhere')
      assert.ok((first?.rates?.local ?? 0) > 0 && (first?.rates?.exits ?? 0) > 0, JSON.stringify(first?.rates))
      assert.deepEqual([report.occupancy.count, report.left], [30, 0])
      assert.ok(report.feed.some(({ kind, text }) => kind === 'full' && /30 of 30 inside/.test(text)))
    }
    const got = [...flows.values()].filter(({ to }) => to === 'g1').reduce((sum, { amount }) => sum + amount, 0)
    assert.ok(got > 0, 'tokens were seen on their way to it')
    for (const member of [anchor, g1, g2]) {
      const { at, count, capacity, stepMs } = await trendOf(member)
      assert.deepEqual([count.at(-1), capacity.at(-1), stepMs, (at.at(-1) ?? 1) % 60_000], [30, 30, 60_000, 0])
    }

    await g2.signal('SIGKILL')
    await g1.signal('SIGTERM')
    const { store } = JSON.parse(readFileSync(memberFilePath(dir, 'g1'), 'utf8'))
    assert.match(
      readFileSync(`${join(memberFilePath(dir, 'g1'), '..', store)}.trend`, 'utf8'),
      /^gatemesh trend 1\n(\[.*\]\n)+$/,
    )
    const again = new Running(dir, 'g1')
    const report = await reported('it goes on with its day', again, ({ today }) => today !== undefined && today.in > 0)
    assert.deepEqual(report.gates[0]?.today, { in: 31, out: 1, isPart: false })
    assert.equal((await trendOf(again)).count[0], 30)
    const isTold = (_: unknown, { feed }: MallReport) => feed.some(({ subject }) => subject === 'g2')
    const { feed } = await reported('g2 is silent', anchor, isTold)
    const news = feed.find(({ subject }) => subject === 'g2')
    assert.deepEqual([news?.kind, news?.severity], ['gate', 'warning'])
    assert.match(news?.text ?? '', /^g2 silent, holds \d+ places?, its counts are unknown$/)
  })
})

test('a gate weighs alarms as the anchor does', () => {
  for (const [code, rule] of Object.entries(ALARMS)) {
    if (rule !== 'seen') assert.equal(alarmSeverity(code), rule.severity, code)
  }
})

test.run()
