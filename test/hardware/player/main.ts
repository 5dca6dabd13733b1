// The process that plays boards on the far end of a pseudo-terminal. Started by player.ts, told what to do by messages;
// ends with whoever started it.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Chance } from './chance.ts'
import { PlayedBus } from './played-bus.ts'
import { PlayedCounter } from './played-counter.ts'
import { PlayedRelay } from './played-relay.ts'
import { PlayedWorld } from './played-world.ts'
import { type BoardTime, type Command, type Line, now, type PlayerArguments } from './script.ts'

const a = JSON.parse(process.argv[2] as string) as PlayerArguments
const tell = (line: Line): void => {
  if (process.connected) process.send?.(line)
}
const time: BoardTime = {
  now,
  in(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
const boards = new Map(
  a.boards.map(({ kind, unit }) => [
    unit,
    kind === 'relay' ? new PlayedRelay(unit, tell, time) : new PlayedCounter(unit, tell, time),
  ]),
)
// what a counter counted waits to be read: nobody has to stand still for that
const blindMsOf = (kind: 'relay' | 'counter') => (kind === 'relay' ? a.blindMs : Number.POSITIVE_INFINITY)
const worlds = new Map(a.boards.map(({ kind, unit }) => [unit, new PlayedWorld(blindMsOf(kind))]))
const bus = new PlayedBus(a, boards, unit => worlds.get(unit)?.seen())
const chance = new Chance(a.seed + 1)
let socat: ChildProcess | undefined

function plug(): void {
  const child = spawn('socat', ['-', `pty,raw,echo=0,link=${a.path}`], { stdio: ['pipe', 'pipe', 'inherit'] })
  socat = child
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (chunk: Buffer) => bus.hear(chunk))
  bus.plug(bytes => child.stdin.write(bytes))
  const seen = setInterval(() => {
    if (!existsSync(a.path)) return
    clearInterval(seen)
    tell({ what: 'ready', at: now() })
  }, 5)
  child.once('exit', () => {
    clearInterval(seen)
    if (socat !== child) return
    socat = undefined
    bus.unplug()
    tell({ what: 'unplugged', at: now() })
  })
}

/** A quarter more or less: people are no clockwork. */
const about = (ms: number) => ms * (0.75 + chance.next() / 2)

async function pass(command: Command & { do: 'pass' }): Promise<void> {
  const { unit, inputs, count, widthMs, gapMs } = command
  const board = boards.get(unit)
  const world = worlds.get(unit)
  if (!(board instanceof PlayedRelay) || !world) throw new Error(`unit ${unit} has no inputs`)
  await world.after(about(gapMs))
  for (let k = 0; k < count; k++) {
    const input = inputs[chance.below(inputs.length)] as number
    board.inputs[input] = 0
    await world.after(about(widthMs))
    board.inputs[input] = 1
    tell({ what: 'passed', at: now(), unit, input })
    await world.after(about(gapMs))
  }
  tell({ what: 'done', at: now(), unit, inputs })
}

async function walk({ unit, way, count, gapMs, isForced }: Command & { do: 'walk' }): Promise<void> {
  const board = boards.get(unit)
  const world = worlds.get(unit)
  if (!(board instanceof PlayedCounter) || !world) throw new Error(`unit ${unit} counts nobody`)
  for (let k = 0; k < count; k++) {
    await world.after(about(gapMs))
    if (board.walk(way, isForced)) tell({ what: 'passed', at: now(), unit, way })
    else if (way === 'in') tell({ what: 'stopped', at: now(), unit, way })
  }
  tell({ what: 'done', at: now(), unit, way })
}

function obey(command: Command): void {
  switch (command.do) {
    case 'input': {
      const board = boards.get(command.unit)
      if (!(board instanceof PlayedRelay)) throw new Error(`unit ${command.unit} has no inputs`)
      board.inputs[command.input] = command.level
      return tell({ what: 'input', at: now(), unit: command.unit, input: command.input, level: command.level })
    }
    case 'pass':
      return void pass(command)
    case 'walk':
      return void walk(command)
    case 'faults':
      bus.faults = command.faults
      return
    case 'register':
      return boards.get(command.unit)?.register(command.at, command.value)
    case 'power':
      bus.power(command.unit, command.isOn)
      return boards.get(command.unit)?.power(command.isOn, command.isReset ?? false)
    case 'unplug':
      socat?.kill('SIGKILL')
      return
    case 'replug':
      return plug()
    default: {
      const stoodStillMs = Math.round([...worlds.values()].reduce((sum, world) => sum + world.stoodStillMs, 0))
      return tell({ what: 'figures', at: now(), figures: { ...bus.figures, stoodStillMs } })
    }
  }
}

process.on('message', message => obey(message as Command))
process.on('disconnect', () => {
  socat?.kill('SIGKILL')
  process.exit(0)
})
plug()
