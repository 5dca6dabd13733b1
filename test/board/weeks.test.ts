import assert from 'node:assert/strict'
import * as Y from 'yjs'
import type { Board } from '../../mesh/board/board.ts'
import { BOARD_LIMITS } from '../../mesh/board/limits.ts'
import { suite } from '../suite.ts'
import { DAY_MS, Hall, NOON } from './hall.ts'

const test = suite('board/weeks')

const GATES = Array.from({ length: 30 }, (_, k) => `gate-${String(k + 1).padStart(2, '0')}`)
/** Boards that run at once. Each stands for several gates and restarts as often as all of them: the size depends on how
    many ids write what, the time on how many boards hear it. `BOARDS=30` is the real thing, in five times the time. */
const BOARDS = GATES.slice(0, Number(process.env.BOARDS ?? 6))
const WEEKS = 8
const ALERTS = 200
const HOUR = 3600_000

function boardOf(hall: Hall, k: number): Board {
  return hall.board(BOARDS[k % BOARDS.length] as string)
}

/** A tree: every change crosses every line once, which is all that the size depends on. */
function wire(hall: Hall): void {
  BOARDS.forEach((name, k) => {
    if (k > 0) hall.connect(name, BOARDS[(k - 1) >> 1] as string)
  })
}

test(
  'eight weeks of what thirty gates write: the document of a day stays small, and the last week is like the second',
  async () => {
    // thirty boards on one core: saving after every change would be most of the work
    const limits = { ...BOARD_LIMITS, saveEveryMs: HOUR }
    const hall = new Hall(NOON - 12 * HOUR)
    for (const name of BOARDS) hall.seat(name, { limits })
    wire(hall)
    for (const name of GATES) {
      hall.board('gate-01').label(name, `Door ${name}`)
      hall.board('gate-01').place(name, 1, 1)
    }
    const weeks: number[] = []
    let frames = 0
    hall.tap = () => frames++
    const started = performance.now()
    for (let day = 0; day < 7 * WEEKS; day++) {
      for (let k = 0; k < ALERTS; k++) {
        const at = boardOf(hall, k * 7 + day)
        const guard = boardOf(hall, k * 11)
        const gate = GATES[(k * 7 + day) % 30] as string
        const id = at.raise({ gate, code: `code-${k}`, text: `lane ${k % 4} was held open for ${k} seconds` })
        hall.run(60_000)
        if (k % 50 !== 0) guard.acknowledge(id, `guard ${k % 9}`)
        else if (day % 7 === 6) for (const alert of guard.alerts()) guard.acknowledge(alert.id, 'supervisor')
        if (k % 20 === 0) guard.note(`guard ${k % 9}`, 'changed the paper, everything is fine again')
        if (k % 10 === 0) guard.place(gate, day + k, k)
        if (k % 40 === 0) guard.label(gate, `Door ${gate} ${day % 3}`)
        hall.run(30_000)
      }
      // every gate restarts once a day; every third time it crashes
      GATES.forEach((_, k) => {
        const name = BOARDS[k % BOARDS.length] as string
        const shelf = (k + day) % 3 === 0 ? hall.crash(name) : hall.stop(name)
        hall.seat(name, { shelf, limits })
        wire(hall)
        hall.run(60_000)
      })
      const bytes = hall.board('gate-03').bytes().length
      weeks[Math.floor(day / 7)] = Math.max(weeks[Math.floor(day / 7)] ?? 0, bytes)
      hall.run(DAY_MS - (hall.agenda.now % DAY_MS) + 60_000)
    }
    const ms = performance.now() - started
    console.log(`\nlargest document of each week, bytes: ${weeks.join(' ')}`)
    console.log(`${frames} frames, ${Math.round(ms)} ms, ${((ms * 1000) / frames).toFixed(0)} µs each`)
    const [, second = 0] = weeks
    const last = weeks.at(-1) ?? 0
    assert.ok(Math.max(...weeks) < 80_000, `${Math.max(...weeks)} bytes`)
    assert.ok(Math.abs(last - second) < 0.05 * second, `week 2 ${second}, week ${WEEKS} ${last}`)
    for (const name of BOARDS) {
      assert.deepEqual(hall.board(name).labels(), hall.board('gate-01').labels())
      assert.equal(hall.board(name).labels().size, 30)
      assert.deepEqual(hall.get(name).alarms, [])
      const clients = [...Y.parseUpdateMeta(hall.board(name).bytes()).from.keys()].length
      assert.ok(clients <= 2, `${clients} clients wrote the carry-over`)
    }
    await hall.close()
  },
  { timeoutMs: 400_000 },
)

test('telemetry of thirty gates leaves no byte in the document, and costs little', async () => {
  const hall = new Hall()
  for (const name of GATES) hall.seat(name)
  hall.connectAll()
  hall.run(1000)
  const before = hall.board('gate-01').bytes()
  const minute = (busy: boolean) => {
    let frames = 0
    let bytes = 0
    hall.tap = (_from, _to, frame) => {
      frames++
      bytes += frame.length
    }
    const cpu = process.cpuUsage()
    for (let s = 0; s < 60; s++) {
      for (const name of GATES) {
        hall.board(name).tell({
          state: 'NORMAL',
          mode: 'NORMAL',
          health: 'ok',
          balance: busy ? s : 40,
          localPerMinute: busy ? s * 2 : 12,
          stolenPerMinute: 0,
          exitsPerMinute: 11,
          atCapacityPerMinute: 0,
          noHeadroomPerMinute: 0,
          emergencyPerMinute: 0,
          faultPerMinute: 0,
          queue: 0,
          demandPerSecond: 0.2,
          peers: 29,
          anchorAgeMs: s * 13,
          decisionP99Ms: 3.1,
          fsyncMs: 2.2,
          loopLagMs: 1,
          rssMb: 90,
          uptimeS: s,
        })
      }
      hall.run(1000)
    }
    const { user, system } = process.cpuUsage(cpu)
    const percent = ((user + system) / 1e6 / 60 / 30) * 100
    const perGate = { frames: frames / 30 / 60, bytes: bytes / 30 / 60, percent }
    console.log(
      `\n${busy ? 'all change every second' : 'idle'}: per gate ${perGate.frames.toFixed(1)} frames/s, ` +
        `${perGate.bytes.toFixed(0)} bytes/s, ${percent.toFixed(2)} % of a core without the network`,
    )
    return perGate
  }
  const idle = minute(false)
  const busy = minute(true)
  assert.ok(idle.frames <= 3, `${idle.frames} frames a second`)
  assert.ok(busy.frames <= 30)
  assert.ok(busy.bytes < 12_000, `${busy.bytes} bytes a second`)
  assert.deepEqual(hall.board('gate-01').bytes(), before)
  assert.equal(hall.board('gate-01').telemetry().size, 30)
  await hall.close()
})

test.run()
