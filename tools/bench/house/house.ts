// House: gates of a mall in one process, each with its own door, shell, core, key and store on disk, as the gate's own
// process has them. Left out are the HTTP window, turnstile, board and copies of others' ledgers; libp2p is an exchange.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Anchor, type AnchorEvent } from '../../../anchor/anchor.ts'
import { ANCHOR } from '../../../ledger/account.ts'
import { inside, noCounters } from '../../../ledger/counters.ts'
import type { SignerKey } from '../../../ledger/key.ts'
import { NO_LOG } from '../../../mesh/log.ts'
import { newId, REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { Restoration } from '../../../mesh/restoration.ts'
import type { Core, Witness } from '../../../mesh/shell.ts'
import { limitsOf, Station, type StationOptions } from '../../../mesh/station.ts'
import { Door } from '../../../node/door.ts'
import { Gate } from '../../../node/gate.ts'
import type { GateEvent } from '../../../node/gate-event.ts'
import { type SimPapers, type SimPlan, simKey, simPapers, simPolicy } from '../fleet/sim-papers.ts'
import type { Exchange } from './exchange.ts'

export interface HousePlan extends SimPlan {
  readonly dir: string
}

const NO_BOARD: StationOptions<GateEvent>['board'] = {
  meet: () => undefined,
  hear: () => undefined,
  part: () => undefined,
}

/** Until whoever hands out has looked again who is there. */
const PICTURE_MS = 100

export class House {
  readonly doors: readonly Door[]
  readonly alarms: string[]
  readonly #stations: readonly Station<GateEvent>[]

  /** `which` gates of the mall live here. Resolves once their cores run; `isReady` says when they decide. */
  static async open(plan: HousePlan, exchange: Exchange, which: readonly number[]): Promise<House> {
    const papers = simPapers(plan)
    const alarms: string[] = []
    const opened = await Promise.all(which.map(i => openGate(plan, papers, exchange, i, alarms)))
    return new House(opened, alarms)
  }

  private constructor(gates: readonly { door: Door; station: Station<GateEvent> }[], alarms: string[]) {
    this.doors = gates.map(({ door }) => door)
    this.#stations = gates.map(({ station }) => station)
    this.alarms = alarms
  }

  /** Tokens in the hands of these gates. */
  get balance(): number {
    return this.#sum(station => station.me?.books?.balance ?? 0)
  }

  /** People let in here less those who left here, by these gates' ledgers. */
  get inside(): number {
    return this.#sum(({ me }) => inside(me?.books?.counters ?? noCounters()))
  }

  /** Entries in these gates' ledgers, whatever they are of. */
  get entries(): number {
    return this.#sum(({ me }) => me?.books?.size ?? 0)
  }

  /** Every gate decides. */
  get isReady(): boolean {
    return this.doors.every(({ gate }) => gate !== undefined && gate.fault === undefined)
  }

  async close(): Promise<void> {
    for (const door of this.doors) door.dismiss()
    await Promise.all(this.#stations.map(station => station.stop()))
  }

  #sum(of: (station: Station<GateEvent>) => number): number {
    return this.#stations.reduce((sum, station) => sum + of(station), 0)
  }
}

async function openGate(plan: HousePlan, papers: SimPapers, exchange: Exchange, i: number, alarms: string[]) {
  const { name = '' } = papers.charter.gates[i] ?? {}
  const alarm = (code: string, detail: string) => alarms.push(`${name}: ${code} ${detail}`)
  const door = new Door({ name, clock: REAL_CLOCK, newId, alarm })
  const { charter, charters } = papers.anchor
  const station = await openStation<GateEvent>(plan, papers, exchange, {
    name,
    signer: simKey(plan.mall, name),
    witness: door,
    make: key => new Gate({ name, charter, charters, limits: limitsOf(charter), key, newId }),
    opened: shell => {
      door.shell = shell
    },
  })
  return { door, station }
}

/** The mall's real anchor core on its own disk, with the first policy: it mints and hands out. */
export async function openAnchor(plan: HousePlan, exchange: Exchange): Promise<Station<AnchorEvent>> {
  const papers = simPapers(plan)
  const { charter, charters, signer } = papers.anchor
  const witness: Witness = {
    wrote: () => undefined,
    opened: () => undefined,
    answered: () => undefined,
    letOut: () => undefined,
    mode: () => undefined,
    alarm: () => undefined,
    restarted: () => undefined,
  }
  const limits = limitsOf(charter)
  const station = await openStation<AnchorEvent>(plan, papers, exchange, {
    name: ANCHOR,
    signer,
    witness,
    make: key => new Anchor({ name: ANCHOR, charter, charters, limits, key, newId }, { birth: true }),
  })
  const policy = station.ring.policy(simPolicy(papers, plan))
  // only then: handed out to those who are there, it would lie with the first few
  while (station.me === undefined || [...station.me.view.others()].length < plan.gates) await sleep(20)
  await sleep(PICTURE_MS)
  station.step({ kind: 'decreed', policy })
  return station
}

interface Post<Event> {
  readonly name: string
  readonly signer: SignerKey
  readonly witness: Witness
  readonly make: (key: string) => Core<Event>
  readonly opened?: StationOptions<Event>['opened']
}

async function openStation<Event extends { readonly kind: string }>(
  { dir }: HousePlan,
  papers: SimPapers,
  exchange: Exchange,
  { name, signer, witness, make, opened }: Post<Event>,
): Promise<Station<Event>> {
  const store = join(dir, name)
  const key = signer.verifier.toString()
  const station = new Station<Event>({
    config: { name, store, listen: [], peers: new Map(), mdns: false },
    papers: { ...papers.anchor, signer },
    limits: limitsOf(papers.charter),
    restoration: await Restoration.open(store, false),
    clock: REAL_CLOCK,
    log: NO_LOG,
    witness,
    board: NO_BOARD,
    make: () => make(key),
    ...(opened && { opened }),
    startLan: exchange.startLan,
  })
  await station.start()
  return station
}
