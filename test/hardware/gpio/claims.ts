// Claims about pins that hold on every way to them: played tools of both dialects, and a real kernel's lines in a machine
// of its own (vm/). A bench's chip is fresh for each claim, with every contact closed.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { gpioIo } from '../../../hardware/gpio/open-gpio.ts'
import type { Io, LaneOutputs } from '../../../hardware/io.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { type Bench, configOf, GRANT_MS, Hearer, HOLD_MS, LANE, LINES, untilLine } from './bench.ts'

interface Rig {
  readonly io: Io
  readonly hearer: Hearer
  readonly outputs: LaneOutputs
  readonly bench: Bench
}

export interface Claim {
  readonly name: string
  /** where it is about edges with the kernel's time, or about holding by a level */
  readonly only?: Bench['backend']
  run(bench: Bench): Promise<string | undefined>
}

export async function withIo<T>(bench: Bench, run: (rig: Rig) => Promise<T>): Promise<T> {
  const { tools } = bench
  const io = gpioIo({ config: configOf(bench), clock: REAL_CLOCK, ...(tools === undefined ? {} : { tools }) })
  const hearer = new Hearer()
  await io.start(hearer)
  try {
    return await run({ io, hearer, bench, outputs: io.outputs.get(LANE) as LaneOutputs })
  } finally {
    await io.stop()
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const PULSES = 40
const LIMIT_MS = 20_000
const FIRES = 20

export const CLAIMS: readonly Claim[] = [
  {
    name: 'at the start every input is told by what it means, after the link',
    async run(bench) {
      bench.set(LINES.in, true)
      bench.set(LINES.ask, true)
      await withIo(bench, async ({ hearer }) => {
        assert.deepEqual(
          hearer.heard.map(({ name, isActive }) => `${name} ${isActive}`),
          [`${LANE} true`, 'interlock true', 'fire false', 'key true', 'in true', 'out false', 'ask false'],
        )
      })
      return undefined
    },
  },
  {
    name: 'every edge of a row of pulses is told, in order, with its own time',
    async run(bench) {
      return withIo(bench, async ({ hearer }) => {
        const since = hearer.heard.length
        for (let k = 0; k < PULSES; k++) {
          bench.set(LINES.in, true)
          await pause(10)
          bench.set(LINES.in, false)
          await pause(10)
        }
        await hearer.until('the last edge', () => hearer.of('in', since).length >= 2 * PULSES)
        const edges = hearer.of('in', since)
        assert.deepEqual(
          edges.map(({ isActive }) => isActive),
          edges.map((_, k) => k % 2 === 0),
        )
        // sysfs may tell of a change when it was read already: that shows as a flicker of no width, and nothing else may
        const flickers = edges.filter(({ at }, k) => bench.backend === 'sysfs' && edges[k - 1]?.at === at).length
        assert.ok(edges.length - 2 * PULSES <= 2 * flickers, `${edges.length} edges, ${flickers} of them flickers`)
        edges.reduce((before, edge) => {
          assert.ok(edge.at >= before.at, 'time went back')
          return edge
        })
        return undefined
      })
    },
  },
  {
    name: 'a pulse has its true width however busy this process was',
    only: 'chardev',
    async run(bench) {
      return withIo(bench, async ({ hearer }) => {
        const since = hearer.heard.length
        bench.pulseWhileStalled([LINES.in], { aroundMs: 300, forMs: 150 })
        await hearer.until('both edges', () => hearer.of('in', since).length >= 2)
        const [opened, closed] = hearer.of('in', since)
        const widthMs = (closed?.at ?? 0) - (opened?.at ?? 0)
        assert.ok(widthMs > 100 && widthMs < 800, `${widthMs} ms wide`)
        return `150 ms pulse during a stall of 750 ms: measured ${widthMs.toFixed(1)} ms`
      })
    },
  },
  {
    name: 'a pulse that nobody could measure is a pulse on the way in, and a flicker on the way out',
    only: 'sysfs',
    async run(bench) {
      return withIo(bench, async ({ hearer }) => {
        const since = hearer.heard.length
        bench.pulseWhileStalled([LINES.in, LINES.out], { aroundMs: 300, forMs: 150 })
        await hearer.until('both', () => hearer.of('in', since).length >= 2 && hearer.of('out', since).length >= 2)
        const width = (name: string) => {
          const [opened, closed] = hearer.of(name, since)
          assert.ok(opened?.isActive && closed?.isActive === false, `${name} opens and closes`)
          return closed.at - opened.at
        }
        assert.ok(width('in') >= 750, `in: ${width('in')} ms`)
        assert.equal(width('out'), 0)
        assert.ok(hearer.of('NOISE', since).length > 0, 'nobody was told')
        return undefined
      })
    },
  },
  {
    name: 'a grant is a pulse that ends by itself, and is never shorter than asked',
    async run(bench) {
      return withIo(bench, async ({ outputs }) => {
        const began = performance.now()
        const answer = outputs.open()
        // the last moment at which it was surely not on yet: however late this process looks, that makes no pulse too short
        let lowAt = began
        while (!bench.isHigh(LINES.grant)) {
          if (performance.now() > began + LIMIT_MS) throw new Error('the grant never came')
          await pause(1)
          if (!bench.isHigh(LINES.grant)) lowAt = performance.now()
        }
        const onMs = performance.now() - began
        assert.equal(await answer, true)
        await untilLine(bench, LINES.grant, false)
        const widthMs = performance.now() - lowAt
        assert.ok(widthMs >= GRANT_MS, `${widthMs} ms`)
        return `grant to line high: ${onMs.toFixed(1)} ms; pulse of ${GRANT_MS} ms: ${widthMs.toFixed(1)} ms`
      })
    },
  },
  {
    name: 'an entry stays held while that is renewed, and goes free when it is not',
    only: 'chardev',
    async run(bench) {
      return withIo(bench, async ({ outputs }) => {
        assert.equal(await outputs.hold(HOLD_MS), true)
        assert.equal(bench.isHigh(LINES.hold), true)
        for (let k = 0; k < 8; k++) {
          await pause(HOLD_MS / 4)
          assert.equal(await outputs.hold(HOLD_MS), true)
          assert.equal(bench.isHigh(LINES.hold), true)
        }
        const took = await untilLine(bench, LINES.hold, false)
        return `free ${took.toFixed(0)} ms after the last renewal of a lease of ${HOLD_MS} ms`
      })
    },
  },
  {
    name: 'an entry held by a beat toggles while that is renewed, and stands still when it is not',
    only: 'sysfs',
    async run(bench) {
      return withIo(bench, async ({ outputs }) => {
        assert.equal(await outputs.hold(HOLD_MS), true)
        for (let k = 0; k < 4; k++) {
          await untilLine(bench, LINES.hold, true)
          await untilLine(bench, LINES.hold, false)
          await outputs.hold(HOLD_MS)
        }
        await pause(2 * HOLD_MS)
        for (let k = 0; k < 50; k++) {
          assert.equal(bench.isHigh(LINES.hold), false)
          await pause(5)
        }
        return undefined
      })
    },
  },
  {
    name: 'free is free at once, and no hold that was on its way comes after it',
    async run(bench) {
      return withIo(bench, async ({ outputs }) => {
        await held(outputs)
        await untilLine(bench, LINES.hold, true)
        const late = outputs.hold(HOLD_MS)
        const began = performance.now()
        assert.equal(await outputs.free(), true)
        await untilLine(bench, LINES.hold, false)
        const tookMs = performance.now() - began
        await late
        for (let k = 0; k < 20; k++) {
          assert.equal(bench.isHigh(LINES.hold), false)
          await pause(10)
        }
        await held(outputs)
        const racing = [outputs.free(), outputs.hold(HOLD_MS), outputs.free()]
        await Promise.all(racing)
        await pause(100)
        assert.equal(bench.isHigh(LINES.hold), false)
        return `free to line low, confirmed: ${tookMs.toFixed(1)} ms`
      })
    },
  },
  {
    name: 'a fire loop that opens is told at once, and the entry is free then',
    async run(bench) {
      return withIo(bench, async ({ hearer, outputs }) => {
        const toldMs: number[] = []
        const freeMs: number[] = []
        for (let k = 0; k < FIRES; k++) {
          await held(outputs)
          await untilLine(bench, LINES.hold, true)
          const since = hearer.heard.length
          const began = performance.now()
          bench.set(LINES.fire, true)
          await hearer.until('fire', () => hearer.of('fire', since).some(({ isActive }) => isActive))
          toldMs.push(performance.now() - began)
          assert.equal(await outputs.free(), true)
          assert.equal(bench.isHigh(LINES.hold), false)
          freeMs.push(performance.now() - began)
          bench.set(LINES.fire, false)
          await hearer.until('fire over', () => hearer.of('fire', since).at(-1)?.isActive === false)
        }
        return `fire loop open to told: ${spread(toldMs)}; to the entry's line low: ${spread(freeMs)}`
      })
    },
  },
  {
    name: 'a gate that is killed while it holds lets go, and its next life gets the lines',
    only: 'chardev',
    run: bench => ended(bench, 'SIGKILL', 'hold', LINES.hold),
  },
  {
    name: 'a gate that hangs while it holds lets go',
    only: 'chardev',
    run: bench => ended(bench, 'SIGSTOP', 'hold', LINES.hold),
  },
  {
    name: 'a gate that is killed during a grant does not leave it on',
    run: bench => ended(bench, 'SIGKILL', 'grant', LINES.grant),
  },
  {
    name: 'a gate that hangs during a grant does not leave it on',
    run: bench => ended(bench, 'SIGSTOP', 'grant', LINES.grant),
  },
  {
    name: 'an output whose tool is killed is free, told as such, and can be held again',
    only: 'chardev',
    async run(bench) {
      return withIo(bench, async ({ outputs }) => {
        await held(outputs)
        bench.killUser(LINES.hold)
        await untilLine(bench, LINES.hold, false)
        await held(outputs)
        assert.equal(bench.isHigh(LINES.hold), true)
        return undefined
      })
    },
  },
  {
    name: 'a monitor that is killed is a lost link, and what changed meanwhile is told when it is back',
    only: 'chardev',
    async run(bench) {
      return withIo(bench, async ({ io, hearer }) => {
        const since = hearer.heard.length
        bench.killUser(LINES.in)
        await hearer.until('link down', () => hearer.of('interlock', since).some(({ isActive }) => !isActive))
        bench.set(LINES.fire, true)
        await hearer.until('link up', () => hearer.of('interlock', since).some(({ isActive }) => isActive))
        await hearer.until('fire', () => hearer.of('fire', since).at(-1)?.isActive === true)
        assert.deepEqual(
          hearer.of(LANE, since).map(({ isActive }) => isActive),
          [false, true],
        )
        assert.equal(io.figures.restarts, 1)
        bench.set(LINES.fire, false)
        await hearer.until('fire over', () => hearer.of('fire', since).at(-1)?.isActive === false)
        return undefined
      })
    },
  },
]

/** As a gate does it: asked again until it is so, because a tool may start too slowly once on a busy machine. */
async function held(outputs: LaneOutputs): Promise<void> {
  const until = performance.now() + LIMIT_MS
  while (!(await outputs.hold(HOLD_MS))) assert.ok(performance.now() < until, 'it is never held')
}

function spread(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]?.toFixed(1)
  return `p50 ${at(0.5)} ms, max ${at(1)} ms of ${sorted.length}`
}

/** A process of its own holds or grants, is ended or stopped, and the line goes low all the same. */
async function ended(
  bench: Bench,
  signal: 'SIGKILL' | 'SIGSTOP',
  mode: 'hold' | 'grant',
  line: number,
): Promise<string> {
  const config = configOf(bench)
  // long enough to be surely ended in the middle of it
  const lanes = config.lanes.map(lane => (lane.grant ? { ...lane, grant: { ...lane.grant, pulseMs: 1500 } } : lane))
  const words = [join(import.meta.dirname, 'holder.ts'), JSON.stringify({ ...config, lanes }), bench.tools ?? '', mode]
  const holder = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await said(holder, 'held')
    assert.equal(bench.isHigh(line), true)
    holder.kill(signal)
    const tookMs = await untilLine(bench, line, false)
    if (signal === 'SIGKILL') await withIo(bench, async () => undefined)
    return `${signal} during ${mode} to line low: ${tookMs.toFixed(0)} ms`
  } finally {
    holder.kill('SIGKILL')
  }
}

async function said(child: ChildProcess, word: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => data.toString().includes(word) && resolve())
    child.once('exit', () => reject(new Error(`ended before it said "${word}"`)))
  })
}
