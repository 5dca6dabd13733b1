// Modbus Io: the boards of a gate on one bus.
//
// Laws: a board that did not answer a few times, or whose port is gone, is down, and so are the lanes and contacts that rest
// on it; whatever passes there meanwhile is unknown. A port that went away is tried again for as long as we run. What a
// board has to be told first (its modes, that its exit is free) it is told each time it comes back.

import type { BoardConfig, LaneConfig, ModbusConfig, Wire } from '../config.ts'
import type { Io, IoEvents, LaneOutputs, Signal } from '../io.ts'
import { type Clock, HardwareFault } from '../turnstile.ts'
import type { Board } from './board.ts'
import { CounterBoard } from './counter-board.ts'
import { LaneDrive } from './lane-drive.ts'
import type { Link } from './link.ts'
import { Master } from './master.ts'
import { linkTo } from './port.ts'
import { Probe } from './probe.ts'
import { RelayBoard } from './relay-board.ts'
import { Rota } from './rota.ts'
import { Trouble } from './trouble.ts'

/** One lost frame is nothing; so many in a row are a board that is not there. */
const DOWN_AFTER = 3
/** Counters keep what they counted: between two looks nothing is lost, and inputs need the bus more. */
const COUNTER_MS_MIN = 100
const REOPEN_MS_MIN = 100
const REOPEN_MS_MAX = 2_000
/** With not one board answering for so long, the port itself may be stuck. */
const STUCK_MS = 5_000

/** A board as this file sees it. */
interface Seat {
  readonly board: Board
  readonly lanes: readonly string[]
  readonly hasContacts: boolean
  isUp: boolean | undefined
  /** it answers, and is being told what it has to be told first */
  isMeeting: boolean
  failures: number
  seenAt: number
  /** when the look that is under way, or the last one, was asked for */
  askedAt: number
}

export interface ModbusIoArguments {
  readonly driver: ModbusConfig
  readonly lanes: readonly LaneConfig[]
  readonly fire?: Wire | undefined
  readonly key?: Wire | undefined
  readonly clock: Clock
  /** instead of the one that the driver's path means */
  readonly link?: Link
}

export class ModbusIo implements Io {
  readonly outputs: ReadonlyMap<string, LaneOutputs>
  readonly #driver: ModbusConfig
  readonly #clock: Clock
  readonly #master: Master
  readonly #drives: ReadonlyMap<string, LaneDrive>
  readonly #seats: ReadonlyMap<string, Seat>
  readonly #probes: readonly Probe[]
  readonly #links = new Map<string | undefined, boolean>()
  readonly #raised = new Set<string>()
  readonly #troubles = { TIME_OUT: new Trouble('answers that did not come'), NOISE: new Trouble('broken answers') }
  readonly #figures = { reopened: 0, longestBlindMs: 0 }
  #events: IoEvents | undefined
  #wake: (() => void) | undefined
  #isRunning = false
  #ran: Promise<void> = Promise.resolve()

  constructor(a: ModbusIoArguments) {
    this.#driver = a.driver
    this.#clock = a.clock
    this.#master = new Master({
      link: a.link ?? linkTo(a.driver),
      clock: a.clock,
      timeoutMs: a.driver.timeoutMs,
      closed: why => this.#gone(why),
    })
    const relays = new Map<string, RelayBoard>()
    const counters = new Map<string, CounterBoard>()
    for (const config of a.driver.boards) {
      if (config.map.kind === 'relay') relays.set(config.name, this.#relayBoard(config, config.map))
      else counters.set(config.name, this.#counterBoard(config, config.map, a.lanes))
    }
    this.#probes = [...contactsOf(a, () => this.#events), ...signalsOf(a, () => this.#events)]
    this.#drives = new Map(
      a.lanes.map(config => {
        const counter = config.counter === undefined ? undefined : counters.get(config.counter)
        return [config.name, new LaneDrive({ config, relays, counter, clock: a.clock })]
      }),
    )
    this.outputs = this.#drives
    this.#seats = new Map(
      [...relays, ...counters].map(([name, board]) => [
        name,
        {
          board,
          lanes: a.lanes.filter(lane => boardsOf(lane).has(name)).map(lane => lane.name),
          hasContacts: a.fire?.on === name || a.key?.on === name,
          isUp: undefined,
          isMeeting: false,
          failures: 0,
          seenAt: a.clock.now(),
          askedAt: a.clock.now(),
        },
      ]),
    )
  }

  get figures(): Readonly<Record<string, number>> {
    return { ...this.#master.figures, ...this.#figures }
  }

  async start(events: IoEvents): Promise<void> {
    this.#events = events
    await this.#master.open()
    this.#isRunning = true
    const met = Promise.withResolvers<void>()
    this.#ran = this.#run(met.resolve)
    await met.promise
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#wake?.()
    for (const drive of this.#drives.values()) await drive.settled()
    await this.#ran
    await this.#master.close()
    this.#events = undefined
  }

  /** Looks at one board after the other; `met` once every one was looked at. */
  async #run(met: () => void): Promise<void> {
    const { pollMs } = this.#driver
    const turns = [...this.#seats].map(([name, { board, hasContacts }]) => {
      const isCounter = board.config.map.kind === 'counter'
      return { name, isFirst: hasContacts, everyMs: isCounter ? Math.max(pollMs, COUNTER_MS_MIN) : pollMs }
    })
    const rota = new Rota(turns, this.#clock.now())
    const unmet = new Set(this.#seats.keys())
    let reopenMs = REOPEN_MS_MIN
    while (this.#isRunning) {
      const now = this.#clock.now()
      this.#calm(now)
      if (!this.#master.isOpen) {
        if (await this.#reopened(reopenMs)) reopenMs = REOPEN_MS_MIN
        else reopenMs = Math.min(REOPEN_MS_MAX, 2 * reopenMs)
        continue
      }
      const turn = rota.next(now)
      if ('wakeAt' in turn) {
        if (unmet.size === 0) met()
        await this.#sleep(turn.wakeAt - now)
        continue
      }
      const seat = this.#seats.get(turn.name) as Seat
      const isFine = await this.#look(seat)
      if (isFine) rota.answered(turn.name)
      else rota.failed(turn.name, this.#clock.now())
      if (seat.isUp || !isFine) unmet.delete(turn.name)
      if (unmet.size === 0) met()
      if (this.#isStuck()) await this.#giveUpPort()
    }
    met()
  }

  async #look(seat: Seat): Promise<boolean> {
    seat.askedAt = this.#clock.now()
    try {
      await seat.board.look()
      seat.failures = 0
      // beside the looks at other boards: the fire loop on one of them must not wait for this one's registers
      if (!seat.isUp && !seat.isMeeting) void this.#meet(seat)
      return true
    } catch (error) {
      this.#failed(seat, error)
      return false
    }
  }

  /** A board that was not there answers. */
  async #meet(seat: Seat): Promise<void> {
    const { name } = seat.board.config
    seat.isMeeting = true
    try {
      const refused = await seat.board.prepare().then(() => undefined, refusalOf)
      // a board that knows no such register is still good for all else
      this.#tellOutput(`board ${name} setup`, `board ${name} was not set up: ${refused}`, refused === undefined)
      for (const probe of this.#probes) if (probe.wire.on === name) probe.forget()
      for (const lane of seat.lanes) this.#drives.get(lane)?.forget()
      seat.isUp = true
      this.#tellLinks(seat, `board ${name} answers`)
    } catch (error) {
      this.#failed(seat, error)
    } finally {
      seat.isMeeting = false
    }
  }

  #failed(seat: Seat, fault: unknown): void {
    if (!(fault instanceof HardwareFault)) throw fault
    const now = this.#clock.now()
    seat.failures++
    if (fault.code === 'TIME_OUT' || fault.code === 'NOISE') {
      const told = this.#troubles[fault.code].note(fault.message, now)
      if (told) this.#events?.fault(fault.code, told.detail, told.isOver, now)
    }
    if (seat.failures >= DOWN_AFTER && seat.isUp !== false) this.#down(seat, fault.message)
  }

  #down(seat: Seat, why: string): void {
    seat.isUp = false
    this.#tellLinks(seat, why)
  }

  /** The port closed under us. */
  #gone(why: string): void {
    for (const seat of this.#seats.values()) if (seat.isUp !== false) this.#down(seat, why)
    this.#wake?.()
  }

  #seen(name: string): void {
    const seat = this.#seats.get(name)
    if (!seat) return
    const now = this.#clock.now()
    if (seat.isUp && seat.board.config.map.kind === 'relay')
      this.#figures.longestBlindMs = Math.max(this.#figures.longestBlindMs, Math.ceil(now - seat.seenAt))
    seat.seenAt = now
    for (const lane of seat.lanes) this.#drives.get(lane)?.again()
  }

  #tellLinks(seat: Seat, detail: string): void {
    const now = this.#clock.now()
    const seats = [...this.#seats.values()]
    const tell = (lane: string | undefined, rest: readonly Seat[]) => {
      const isUp = rest.every(one => one.isUp === true)
      // before a lane was ever up, one board of it that answers is no news
      if (isUp === this.#links.get(lane) || (!isUp && rest.every(one => one.isUp !== false))) return
      this.#links.set(lane, isUp)
      this.#events?.link(lane, isUp, detail, now)
    }
    for (const lane of seat.lanes)
      tell(
        lane,
        seats.filter(one => one.lanes.includes(lane)),
      )
    if (seat.hasContacts)
      tell(
        undefined,
        seats.filter(one => one.hasContacts),
      )
  }

  #tellOutput(what: string, detail: string, isOver: boolean): void {
    if (isOver !== this.#raised.has(what)) return
    if (isOver) this.#raised.delete(what)
    else this.#raised.add(what)
    this.#events?.fault('OUTPUT', isOver ? `${what}: well again` : detail, isOver, this.#clock.now())
  }

  #calm(now: number): void {
    for (const code of ['TIME_OUT', 'NOISE'] as const) {
      const told = this.#troubles[code].look(now)
      if (told) this.#events?.fault(code, told.detail, told.isOver, now)
    }
  }

  async #reopened(afterMs: number): Promise<boolean> {
    await this.#sleep(afterMs)
    if (!this.#isRunning) return false
    try {
      await this.#master.open()
    } catch (error) {
      if (error instanceof HardwareFault) return false
      throw error
    }
    this.#figures.reopened++
    for (const seat of this.#seats.values()) seat.seenAt = this.#clock.now()
    return true
  }

  #isStuck(): boolean {
    const now = this.#clock.now()
    const seats = [...this.#seats.values()]
    return seats.length > 0 && seats.every(({ isUp, seenAt }) => isUp === false && now - seenAt > STUCK_MS)
  }

  async #giveUpPort(): Promise<void> {
    await this.#master.close()
    this.#gone(`${this.#driver.path}: no board answered for ${STUCK_MS / 1000} s`)
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>(resolve => {
      const cancel = this.#clock.in(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
    this.#wake = undefined
  }

  #relayBoard(config: BoardConfig, map: BoardConfig['map'] & { kind: 'relay' }): RelayBoard {
    const tell = (levels: readonly number[]) => {
      const at = this.#clock.now()
      this.#seen(config.name)
      const seat = this.#seats.get(config.name)
      if (!seat?.isUp) return
      for (const probe of this.#probes) {
        const level = levels[probe.wire.at]
        if (probe.wire.on === config.name && level !== undefined) probe.see(level, { askedAt: seat.askedAt, at })
      }
    }
    return new RelayBoard({ config, map, master: this.#master, tell })
  }

  #counterBoard(
    config: BoardConfig,
    map: BoardConfig['map'] & { kind: 'counter' },
    lanes: readonly LaneConfig[],
  ): CounterBoard {
    const names = lanes.filter(({ counter }) => counter === config.name).map(({ name }) => name)
    return new CounterBoard({
      config,
      map,
      master: this.#master,
      tell: counters => {
        const now = this.#clock.now()
        this.#seen(config.name)
        if (!this.#seats.get(config.name)?.isUp) return
        for (const lane of names) this.#events?.counters(lane, counters, now)
      },
      fault: (what, detail, isOver) =>
        this.#tellOutput(`board ${config.name} ${what}`, `board ${config.name}: ${detail}`, isOver),
    })
  }
}

function contactsOf(a: ModbusIoArguments, events: () => IoEvents | undefined): readonly Probe[] {
  const probes: Probe[] = []
  // a cut wire is an alarm too
  if (a.fire)
    probes.push(new Probe({ ...a.fire, normally: 'closed' }, (active, at) => events()?.contact('fire', active, at)))
  if (a.key) probes.push(new Probe(a.key, (active, at) => events()?.contact('key', active, at)))
  return probes
}

function signalsOf(a: ModbusIoArguments, events: () => IoEvents | undefined): readonly Probe[] {
  return a.lanes.flatMap(({ name, inputs }) =>
    (Object.entries(inputs) as [Signal, Wire][]).map(([signal, wire]) => {
      const tell = (active: boolean, at: number, leadMs?: number) => events()?.input(name, signal, active, at, leadMs)
      return new Probe(wire, tell, signal === 'in')
    }),
  )
}

/** What a board does not know it refuses; any other fault is none of its own. */
function refusalOf(error: unknown): string {
  if (error instanceof HardwareFault && error.code === 'OUTPUT') return error.message
  throw error
}

/** Boards that a lane cannot do without. */
function boardsOf(lane: LaneConfig): ReadonlySet<string> {
  const names = [
    ...Object.values(lane.inputs).map(({ on }) => on),
    lane.grant?.coil.on,
    lane.hold?.coil.on,
    lane.counter,
  ]
  return new Set(names.filter(name => name !== undefined))
}
