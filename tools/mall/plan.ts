// Plan: which member listens where, written as the config file that each of them is started with.
//
// A member keeps its port on the LAN from the first start on, and its page's too while nobody else takes it, so that
// whoever knew it yesterday finds it today.

import { readFile } from 'node:fs/promises'
import { ANCHOR } from '../../ledger/account.ts'
import { memberFilePath, writeMemberFile } from '../member-file.ts'
import type { Home } from './home.ts'
import { HOST, Ports } from './ports.ts'

/** By multicast on this machine's loopback, or told where everyone is. */
export type Discovery = 'multicast' | 'static'

export interface Berth {
  readonly name: string
  readonly lan: number
  readonly http: number
}

export interface Plan {
  /** the port of the address that people are given; it is ours, not the anchor's */
  readonly front: number
  readonly berths: readonly Berth[]
  readonly discovery: Discovery
}

export async function makePlan(home: Home, a: { port: number; mayMove: boolean; discovery: Discovery }): Promise<Plan> {
  const ports = new Ports()
  const front = await ports.from(a.port, a.mayMove)
  const berths: Berth[] = []
  for (const name of [ANCHOR, ...home.charter.gates.map(gate => gate.name)]) {
    const before = await readBerth(home, name)
    berths.push({ name, lan: await ports.keep(before?.lan), http: await ports.keep(before?.http) })
  }
  return { front, berths, discovery: a.discovery }
}

export function frontUrl({ front }: Plan): string {
  return `http://${HOST}:${front}`
}

export async function writeConfigs(home: Home, { berths, discovery }: Plan): Promise<void> {
  for (const [nth, { name, lan, http }] of berths.entries()) {
    const others = berths.filter(berth => berth.name !== name)
    const peers = Object.fromEntries(others.map(other => [other.name, [`${HOST}:${other.lan}`]]))
    await writeMemberFile(home.dir, name, {
      listen: `${HOST}:${lan}`,
      // everyone who reaches this machine's loopback may look at the mall on it
      http: { host: HOST, port: http, ...(name === ANCHOR ? { access: 'open' } : {}) },
      drills: true,
      turnstile: turnstileOf(nth),
      public: { places: true, ...(name === ANCHOR ? { counts: 'coarse' } : {}) },
      ...(discovery === 'static' ? { peers, mdns: false } : { mdns: { interface: HOST } }),
    })
  }
}

/** Played arms: enough of them, and people quick enough, that what takes a mall an hour is seen in a minute. */
const LANES = 12
const WALK_MS = 240
const RULES = { doubleMs: 150, perMinuteMax: 300, passageMs: 3000, guardMs: 1000, tailgateMs: 1500 }

function turnstileOf(seed: number): object {
  const names = Array.from({ length: LANES }, (_, i) => `lane-${String(i + 1).padStart(2, '0')}`)
  const lanes = Object.fromEntries(names.map(name => [name, { rules: RULES }]))
  return { driver: 'sim', seed, walkMs: WALK_MS, lanes }
}

/** Where it was at the last start; a config that cannot be read is written anew, as all of them are. */
async function readBerth(home: Home, name: string): Promise<Berth | undefined> {
  try {
    const { listen, http } = JSON.parse(await readFile(memberFilePath(home.dir, name), 'utf8'))
    const berth = { name, lan: Number(String(listen[0]).split(':')[1]), http: Number(http.port) }
    return isPort(berth.lan) && isPort(berth.http) ? berth : undefined
  } catch {
    return undefined
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536
}
