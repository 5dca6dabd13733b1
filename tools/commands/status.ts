// `gatemesh status`: how full the mall is, and how its gates are.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { VerifierKey } from '../../ledger/key.ts'
import { EXIT } from '../command.ts'
import { ask, errorOf, SaysNo } from '../operator/anchor-client.ts'
import { answered } from '../operator/deed.ts'
import { bearings, COMMON, COMMON_HELP, type CommonValues, httpUrl } from '../operator/options.ts'
import { table } from '../table.ts'

export const summary = 'show how many are inside, and the state of every gate'

const EVERY_MS = 1000

export const help = `
gatemesh status [--watch] [--gate URL]

  --watch          again every second, until it is stopped
  --gate URL       as this gate sees the mall, without the anchor; where the gate has a pass, --token is that
${COMMON_HELP}
`

interface Inside {
  readonly mall: string
  readonly mode: string
  readonly count: number
  readonly atMost: number
  readonly capacity: number
  readonly left: number
  readonly ageMs: number
}

interface GateTold {
  readonly name: string
  readonly balance: number
  readonly counters: {
    readonly admitted: number
    readonly forced: number
    readonly exited: number
    readonly lapsed: number
  }
  readonly ageMs: number | null
  readonly isReachable: boolean
  readonly isBanned: boolean
  readonly isRostered: boolean
  readonly state?: string
  readonly key?: string
}

interface Told extends Inside {
  readonly gates: readonly GateTold[]
}

export async function run(args: string[]): Promise<number> {
  const options = { ...COMMON, watch: { type: 'boolean', default: false }, gate: { type: 'string' } } as const
  const { values } = parseArgs({ args, options })
  const look = await looker(values)
  return answered(values.json, async () => {
    for (;;) {
      const told = await look()
      console.log(values.json ? JSON.stringify(told) : shown(told))
      if (!values.watch) return EXIT.fine
      await sleep(EVERY_MS)
      if (!values.json) console.log('')
    }
  })
}

async function looker(values: CommonValues & { readonly gate?: string | undefined }): Promise<() => Promise<Told>> {
  if (values.gate !== undefined) {
    const url = new URL('/mall', httpUrl('--gate', values.gate)).href
    const { token = process.env.GATEMESH_TOKEN } = values
    return () => ofGate(url, token)
  }
  const { client } = await bearings(values)
  return async () => {
    const [inside, { gates }] = await Promise.all([
      client.get<Inside>('occupancy'),
      client.get<{ gates: readonly GateTold[] }>('gates'),
    ])
    return { ...inside, gates }
  }
}

async function ofGate(url: string, token: string | undefined): Promise<Told> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { status, text } = await ask({ url, method: 'GET', headers, text: undefined })
  if (status !== 200) throw new SaysNo(status, 'refused', errorOf(text).message)
  const { mall, mode, occupancy, left, gates } = JSON.parse(text)
  return { mall, mode, ...occupancy, left, gates }
}

function shown({ mall, mode, count, atMost, capacity, left, ageMs, gates }: Told): string {
  const range = atMost > count ? ` (at most ${atMost}: not every gate is heard)` : ''
  const age = ageMs > 3000 ? `, the oldest word is ${Math.round(ageMs / 1000)} s old` : ''
  const head = `${mall}: ${count} inside${range} of ${capacity}, ${left} left; ${mode}${age}`
  return gates.length === 0 ? head : `${head}\n${table(gates.map(rowOf))}`
}

function rowOf(gate: GateTold): Record<string, string | number> {
  const { name, balance, counters, ageMs, key } = gate
  const { admitted, forced, exited, lapsed } = counters
  const heard = ageMs === null ? 'never' : ageMs < 3000 ? 'now' : `${Math.round(ageMs / 1000)} s ago`
  const fingerprint = key === undefined ? {} : { fingerprint: VerifierKey.parse(key).fingerprint }
  const flow = { in: admitted + forced - lapsed, out: exited }
  return { gate: name, state: stateOf(gate), tokens: balance, ...flow, heard, ...fingerprint }
}

function stateOf({ isBanned, isRostered, isReachable, state }: GateTold): string {
  if (isBanned) return 'BANNED'
  if (!isRostered) return 'off the roster'
  return isReachable ? (state ?? 'heard') : 'silent'
}
