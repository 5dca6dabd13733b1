// quiet
// The anchor killed again and again while people come and go and operators change the capacity.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseLine } from '../../ledger/line.ts'
import { auditFolder } from '../mall/auditor.ts'
import { inFolder, opened, Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { collected, Operators } from './desk.ts'

const test = suite('anchor/kill')
const GATES = ['g1', 'g2']
const CAPACITY = 60
const KILLS = 100

/** People at the doors, counted from outside. */
class Street {
  inside = 0
  most = 0
  asked = 0
  #isOver = false
  readonly #done: Promise<unknown>

  constructor(gates: readonly Running[]) {
    this.#done = Promise.all([...gates, ...gates].map((gate, i) => this.#walk(gate, i)))
  }

  stop(): Promise<unknown> {
    this.#isOver = true
    return this.#done
  }

  async #walk(gate: Running, i: number): Promise<void> {
    for (let n = i; !this.#isOver; n++) {
      this.asked++
      if (n % 5 < 2 && this.inside > 0) {
        // out of the door before anyone was told
        this.inside--
        await gate.leave()
      } else if ((await gate.enter()).json.decision === 'ADMIT') this.inside++
      this.most = Math.max(this.most, this.inside)
      assert.ok(this.inside <= CAPACITY, `${this.inside} inside`)
      await sleep(60)
    }
  }
}

/** Two operators who sign a new capacity whenever the anchor is there to take it. */
class Office {
  readonly #operators: Operators
  taken = 0

  constructor(dir: string) {
    this.#operators = new Operators(dir)
  }

  async change(anchor: Running): Promise<void> {
    // whether the last one was taken in, when the anchor died over it, only it can tell
    const { json } = await anchor.ask('GET', '/api/v1/malls/m/policy')
    this.#operators.follow(json.inForce.note)
    const { version } = this.#operators.before
    const capacity = version % 2 === 0 ? CAPACITY : CAPACITY - 6
    const note = this.#operators.signed({ capacity, reason: `after ${version}` }, 'ann', 'bob')
    if ((await anchor.post('/policy', note)).status === 200) this.taken++
  }
}

test(
  `killed ${KILLS} times under load: nothing is minted twice, and no entry is lost or doubled`,
  () =>
    inFolder(async dir => {
      const members = await opened(dir, GATES, CAPACITY, 'in reach')
      const gates = GATES.map(name => members.get(name) as Running)
      let anchor = members.get('anchor') as Running
      const street = new Street(gates)
      const office = new Office(dir)
      for (let kill = 0; kill < KILLS; kill++) {
        // most die anywhere from their first line of code on; some while operators bring them something
        if (kill % 5 > 0) await sleep(100 + ((kill * 137) % 700))
        else {
          await anchor.until('it has joined', status => status.isJoined)
          const change = office.change(anchor).catch(() => undefined)
          // some changes are taken in, however slow the machine; over the others it dies at any point
          if (kill % 20 === 0) await change
          else await Promise.race([change, sleep(5 + ((kill * 31) % 90))])
        }
        await anchor.signal('SIGKILL')
        anchor = new Running(dir, 'anchor')
      }
      await anchor.until('it has joined', status => status.isJoined)
      await street.stop()
      assert.ok(office.taken > 3, `${office.taken} policies were taken in`)
      assert.ok(street.most > CAPACITY / 2 && street.asked > 1000, `${street.asked} asked, ${street.most} at most`)
      const sizes = new Map<string, number>()
      for (const gate of gates) {
        const { account, ledger } = (await gate.ask('GET', '/status')).json
        sizes.set(account, ledger.size)
      }
      let lines = new Map<string, string[]>()
      // it had hardly any time to collect in until now: what counts is that it gets on, and to the end
      for (let [before, until] = [0, 0]; ; await sleep(1000)) {
        lines = await collected(anchor)
        if ([...sizes].every(([account, size]) => (lines.get(account)?.length ?? 0) >= size)) break
        const count = [...lines.values()].reduce((sum, own) => sum + own.length, 0)
        if (count > before) until = performance.now() + 30_000
        before = count
        assert.ok(
          performance.now() < until,
          `collected ${[...lines].map(([a, l]) => `${a} ${l.length}`)} of ${[...sizes]}`,
        )
      }
      for (const [account, own] of lines) {
        const seqs = own.map(line => parseLine(line).seq).sort((a, b) => a - b)
        assert.deepEqual(
          seqs,
          seqs.map((_, i) => i),
          `${account}: every entry once`,
        )
      }
      assert.deepEqual(
        [...lines.keys()].filter(account => account.startsWith('anchor/')),
        ['anchor/1'],
        'one history',
      )
      for (const one of [anchor, ...gates]) await one.signal('SIGTERM')
      const { report } = await auditFolder(dir)
      assert.deepEqual(report.findings, [])
      assert.ok(report.ok)
    }),
  { timeoutMs: 400_000 },
)

test.run()
