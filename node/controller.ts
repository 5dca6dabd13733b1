// Controller: a gate as a process. Its door stands in its own window, before there is a store or a network, and goes on
// letting people out whatever becomes of them.

import { openTurnstile } from '../hardware/open.ts'
import { Fault } from '../ledger/fault.ts'
import type { Row } from '../ledger/row.ts'
import { Copies } from '../mesh/archive/copies.ts'
import { openLevelCabinet } from '../mesh/archive/level-cabinet.ts'
import type { Telemetry } from '../mesh/board/telemetry.ts'
import { Host, type Surroundings } from '../mesh/host.ts'
import type { Question } from '../mesh/lan/ledger-window.ts'
import { isLoopback } from '../mesh/lan/place.ts'
import { Ledgers } from '../mesh/ledgers.ts'
import type { Member } from '../mesh/member.ts'
import { OwnLedger } from '../mesh/own-ledger.ts'
import { newId } from '../mesh/real-clock.ts'
import { type LanPort, limitsOf } from '../mesh/station.ts'
import { Vitals } from '../mesh/window/vitals.ts'
import { Attendant } from './attendant.ts'
import { clocksOf } from './clocks.ts'
import type { GateConfig } from './config.ts'
import { Door } from './door.ts'
import { drillRoutes } from './drill.ts'
import { Evidence } from './evidence.ts'
import { Gate } from './gate.ts'
import type { GateEvent } from './gate-event.ts'
import { hardwareRoutes } from './hardware-routes.ts'
import { gateRoutes } from './http.ts'
import { GateMetrics } from './metrics.ts'
import { deskOf } from './optical/desk-of-door.ts'
import { mayLook } from './pass.ts'
import { Queue } from './queue.ts'
import { Rates } from './rates.ts'
import { SimDesk } from './sim-routes.ts'
import { type GateStatus, statusOf } from './status.ts'

const NO_PASS =
  'http.pass: without one, whoever reaches this gate over the network can look, and count people in and out'
const ALONE = 'alone: decides without having heard from others, in a mall of more than one gate'

/** Resolves once the door works; entries are decided as soon as store, network and the others allow. */
export function startGate(config: GateConfig, surroundings: Surroundings): Promise<Host<GateEvent>> {
  const { name } = config
  const { clock, papers, log } = surroundings
  const { charter, charters, signer } = papers
  return Host.start<GateEvent>(config, surroundings, host => {
    const metrics = new GateMetrics(clock)
    const vitals = new Vitals()
    const rates = new Rates()
    const queue = new Queue()
    const alarm = (code: string, detail: string) => host.alarm(code, detail)
    const door = new Door({ name, clock, newId, alarm, metrics })
    const { holdMs } = config.hardware
    const pass = config.http.pass === undefined ? {} : { pass: config.http.pass }
    const desk = config.hardware.driver.driver === 'sim' ? new SimDesk({ door, clock, newId, ...pass }) : undefined
    const turnstile = openTurnstile(config.hardware, {
      clock,
      settled: () => door.kept(),
      isSameLife: () => door.isSameLife(),
      ...(desk && { played: sim => desk.play(sim) }),
    })
    const optical = deskOf({ door, configs: config.hardware.optical, clock, path: `${config.store}.optical`, ...pass })
    const exitConfidence = () => optical.exitConfidence
    const visitors = desk && { visitors: desk }
    const attendant = new Attendant({ door, turnstile, clock, newId, holdMs, exitConfidence, ...visitors })
    const isWatched = config.hardware.optical.length > 0
    const hardwareState = () => ({ ...attendant.state(), ...(isWatched && { optical: optical.state() }) })
    const key = signer.verifier.toString()
    const limits = limitsOf(charter)
    const status = (): GateStatus & { lan?: object; clocks?: object } => {
      const lan = host.station?.lan
      const own = statusOf(door, clock.now())
      if (lan === undefined) return own
      const { places, findsByMulticast } = lan
      return { ...own, lan: { places, peers: lan.peers(), findsByMulticast }, clocks: clocksOf(host.station.me, clock) }
    }
    const copies = copiesOf(config, surroundings, host)
    return {
      make: () => new Gate({ name, charter, charters, limits, key, newId }, { alone: config.alone }),
      witness: door,
      meter: metrics,
      onWrite: (ms, lines) => metrics.fsynced(ms, lines),
      opened: shell => {
        door.shell = shell
        if (config.alone && charter.gates.length > 1) log.warn('doubt', { doubt: ALONE })
        if (config.http.pass === undefined && !isLoopback(config.http)) log.warn('doubt', { doubt: NO_PASS })
      },
      window: {
        at: config.http,
        mayLook: headers => mayLook(headers, config.http.pass),
        routes: gateRoutes({
          door,
          clock,
          mall: charter.mall,
          newId,
          attendant,
          status,
          ...pass,
          showsPlaces: config.public.places,
          report: () => host.report(),
          trend: () => host.trend(),
          blurred: error => log.error('pages', { error: (error as Error).message }),
          metrics: () => metrics.toPrometheus(status(), { ...host.station.lan?.traffic() }, vitals.families()),
          command: note =>
            host.command(note, statement => {
              host.station.step({ kind: 'heard', from: name, message: { kind: 'mode', statement } })
            }),
        })
          .concat(hardwareRoutes({ door, state: hardwareState, ...pass }))
          .concat(optical.routes)
          .concat(desk?.routes ?? [])
          .concat(config.drills ? drillRoutes(() => host.station.lan) : [])
          .concat(evidenceOf(surroundings, host, copies).routes),
      },
      hardware: {
        start: () => {
          attendant.start()
          void optical.start()
        },
        stop: async () => {
          await optical.stop()
          await attendant.stop()
        },
      },
      state: () => statusOf(door, clock.now()),
      telemetry: () => ({
        ...telemetryOf(door, statusOf(door, clock.now())),
        ...(metrics.decisionP99Ms === undefined ? {} : { decisionP99Ms: metrics.decisionP99Ms }),
        ...rates.perMinute(door.tally, clock.now()),
        queue: queueOf(queue, door, clock.now()),
      }),
      copies,
      retire: () => {
        host.station.step({ kind: 'stopping' })
      },
    }
  })
}

function copiesOf(config: GateConfig, { clock, papers, log }: Surroundings, host: Host<GateEvent>): Copies {
  return new Copies({
    charterHash: papers.charterHash,
    clock,
    log,
    rows: () => rowsInView(host.station.me),
    banned: () => host.station.me?.banned ?? new Map(),
    peers: () => (host.station.lan?.peers() ?? []).filter(({ isUp }) => isUp).map(peer => peer.name),
    range: (peer, question) => rangeOf(host.station.lan, peer, question),
    alarm: (code, detail) => host.alarm(code, detail),
    openCabinet: () =>
      openLevelCabinet({
        dir: `${config.store}.copies`,
        onFault: ({ code, message }) => log.warn('copies', { code, error: message }),
      }),
  })
}

/** The station is there by the time that anybody can ask. */
function evidenceOf({ clock, papers }: Surroundings, host: Host<GateEvent>, copies: Copies): Evidence {
  const { charter, signer, charterNotes } = papers
  const key = signer.verifier
  let own: OwnLedger<GateEvent> | undefined
  let read: { readonly ledgers: Ledgers; readonly shell: object } | undefined
  return new Evidence({
    mall: charter.mall,
    name: key.name.slice(key.name.lastIndexOf('/') + 1),
    key: key.toString(),
    clock,
    me: () => host.station.me,
    ledgers: () => {
      const { shell } = host.station
      if (shell === undefined) return undefined
      if (read?.shell !== shell) read = { shell, ledgers: new Ledgers(() => shell.store, copies) }
      return read.ledgers
    },
    own: () => {
      own ??= new OwnLedger(host.station, { mall: charter.mall, signer, clock })
      return own
    },
    copies: () => copies.archive,
    charters: async () => charterNotes,
  })
}

function* rowsInView(me: Member | undefined): Generator<Row> {
  for (const { row } of me?.view.others() ?? []) yield row
}

function rangeOf(lan: LanPort | undefined, peer: string, question: Question): AsyncIterable<string> {
  if (lan === undefined) throw new Fault('LAN', 'there is no network yet')
  return lan.range(peer, question)
}

function queueOf(queue: Queue, { gate, tally }: Door, now: number): number {
  return queue.estimate({ turnedAway: tally.atCapacity + tally.noHeadroom, waiting: gate?.waiting ?? 0, now })
}

function telemetryOf({ gate, sensors }: Door, status: GateStatus): Telemetry {
  const { state, mode, fault, balance, peers, anchorAgeMs, unnecessaryRejects, exits } = status
  const health = sensors.health(gate?.me.policy?.confidenceMin ?? 0)
  return {
    state,
    mode,
    ...(fault === undefined ? {} : { fault }),
    ...(health === undefined ? {} : { health }),
    balance,
    peers,
    anchorAgeMs,
    unnecessaryRejects,
    exitsUncounted: exits.uncounted,
    waiting: gate?.waiting ?? 0,
  }
}
