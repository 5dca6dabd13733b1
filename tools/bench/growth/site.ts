// Site: a mall of real processes in which some gates are watched.
//
// `Whole`: everyone is connected to everyone, all are watched. Two cores carry thirty gates so; sixty keep each other from
// ever getting through their 1,830 handshakes. `Star`: a few watched gates and the anchor are connected to everyone, and the
// others to those alone: as many connections and rows for a watched gate, and rows to pass on besides. Each host is a
// network namespace.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../../mesh/real-clock.ts'
import { LabMall } from '../../../test/lab/lab-mall.ts'
import { RunningMall } from '../../../test/mall/running.ts'
import { Client } from '../../mall/client.ts'
import { sentBytes } from '../kernel/process.ts'

const SETTLED_MS_MAX = 240_000
const CAPACITY_EACH = 50

export interface Site {
  /** how long it took to get there */
  readonly readyS: number
  readonly gates: readonly string[]
  /** processes of the gates that are watched */
  readonly watched: readonly number[]
  /** bytes that each of them has sent to other members */
  sent(): Promise<ReadonlyMap<number, number>>
  enter(gate: string): Promise<unknown>
  leave(gate: string): Promise<unknown>
  close(): Promise<void>
}

export async function openWhole(gates: number): Promise<Site> {
  const since = performance.now()
  const dir = await mkdtemp(join(tmpdir(), 'growth-'))
  const capacity = String(gates * CAPACITY_EACH)
  const mall = new RunningMall(dir, ['--crowd', 'off', '--gates', String(gates), '--capacity', capacity])
  const close = async () => {
    await mall.kill()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    await mall.says(/^mall ready: /m, SETTLED_MS_MAX)
    const { place } = mall
    const names = place.gates.map(gate => gate.name)
    for (const name of names) {
      const leftMs = Math.max(1000, SETTLED_MS_MAX - (performance.now() - since))
      await mall.until(name, ({ peers }) => peers === gates, 'is connected to everyone', leftMs)
    }
    const pages = [place.url, place.anchor.url, ...place.gates.map(gate => gate.url)]
    const ports = new Set(pages.map(page => Number(new URL(page).port)))
    return {
      readyS: (performance.now() - since) / 1000,
      gates: names,
      watched: place.gates.map(({ pid }) => pid),
      sent: () => sentBytes(ports),
      enter: gate => mall.enter(gate),
      leave: gate => mall.leave(gate),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export async function openStar(gates: number, watched: number): Promise<Site> {
  const since = performance.now()
  const mall = await LabMall.open(gates, gates * CAPACITY_EACH, watched)
  const client = new Client()
  const hubs = mall.gates.slice(0, watched)
  const at = (gate: string) => `http://${mall.lab.host(mall.names.indexOf(gate)).ip}:${HTTP}`
  const pages = new Set([HTTP])
  return {
    readyS: (performance.now() - since) / 1000,
    gates: mall.names.slice(1),
    watched: hubs.map(({ child }) => child.pid as number),
    sent: async () => {
      const each = hubs.map(({ name }) => sentBytes(pages, mall.lab.through(mall.names.indexOf(name))))
      return new Map((await Promise.all(each)).flatMap(map => [...map]))
    },
    enter: gate => client.post(`${at(gate)}/turnstile/entry`, { id: newId() }),
    leave: gate => client.post(`${at(gate)}/turnstile/exit`, { id: newId() }),
    close: async () => {
      client.close()
      await mall.close()
    },
  }
}

/** Where members of a lab have their pages. */
const HTTP = 8080
