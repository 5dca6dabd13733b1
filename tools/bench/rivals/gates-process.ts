// Gates process: some of a contender's gates, with the people who come to them. Every contender's gates live in processes
// like this one, as many for each; only who counts differs.

import { Exchange } from '../house/exchange.ts'
import { House } from '../house/house.ts'
import { shareVerdicts } from '../house/verdicts.ts'
import { type Crowd, type CrowdReport, playCrowd } from './crowd.ts'
import type { Gates, Standing } from './gates.ts'
import { type Load, play, type Report } from './load.ts'
import { postgresGates, type Statement } from './postgres.ts'
import { redisGates } from './redis.ts'

/** per mille */
const CERTAIN = 1000

interface Common {
  readonly gates: readonly number[]
  readonly places: number
  /** what a person at a door waits at most; null for ever */
  readonly deadlineMs: number | null
}

export interface GatemeshWish extends Common {
  readonly who: 'gatemesh'
  readonly mall: { readonly mall: string; readonly gates: number; readonly capacity: number; readonly dir: string }
  /** exchanges to call: the centre's, and those of gates in other processes */
  readonly dial: readonly number[]
  /** under way between two gates */
  readonly delayMs: number
}

export interface RedisWish extends Common {
  readonly who: 'redis'
  readonly port: number
}

export interface PostgresWish extends Common {
  readonly who: 'postgres'
  readonly port: number
  readonly statement: Statement
}

export type Wish = GatemeshWish | RedisWish | PostgresWish
export type Order =
  | { readonly do: 'open'; readonly wish: Wish }
  | { readonly do: 'close' }
  | { readonly do: 'play'; readonly load: Load }
  | { readonly do: 'crowd'; readonly crowd: Crowd }
  | { readonly do: 'stand' }
  | { readonly do: 'ready' }
export type Word =
  | { readonly did: 'open'; readonly port: number }
  | { readonly did: 'close' }
  | { readonly did: 'play'; readonly report: Report }
  | { readonly did: 'crowd'; readonly report: CrowdReport }
  | { readonly did: 'stand'; readonly standing: Standing }
  | { readonly did: 'ready'; readonly isReady: boolean; readonly tokens: number }

interface Opened {
  readonly gates: Gates
  readonly port: number
  ready(): { readonly isReady: boolean; readonly tokens: number }
}

export async function openGatemesh({ mall, gates: which, dial, delayMs }: GatemeshWish): Promise<Opened> {
  shareVerdicts()
  const exchange = new Exchange(delayMs)
  const port = await exchange.listen()
  for (const other of dial) void exchange.dial(other)
  const house = await House.open(mall, exchange, which)
  const doors = new Map(which.map((gate, i) => [gate, house.doors[i]]))
  const gates: Gates = {
    enter: async gate => {
      const answer = await doors.get(gate)?.enter(undefined, CERTAIN)
      if (answer?.decision === 'ADMIT') return 'in'
      return answer === undefined || answer.decision === 'REJECT_FAULT' ? 'none' : 'full'
    },
    leave: gate => {
      doors.get(gate)?.leave(undefined, CERTAIN)
    },
    standing: async () => ({ inside: house.inside, audited: house.entries, alarms: house.alarms }),
    close: async () => {
      await house.close()
      exchange.close()
    },
  }
  return { gates, port, ready: () => ({ isReady: house.isReady, tokens: house.balance }) }
}

async function openGates(wish: Wish): Promise<Opened> {
  if (wish.who === 'gatemesh') return openGatemesh(wish)
  const plan = { ...wish, deadlineMs: wish.deadlineMs ?? Number.POSITIVE_INFINITY }
  const gates = plan.who === 'redis' ? await redisGates(plan) : await postgresGates(plan)
  return { gates, port: 0, ready: () => ({ isReady: true, tokens: wish.places }) }
}

/** Gates of one match after the other. */
function run(): void {
  let opened: Opened | undefined
  const close = async () => {
    await opened?.gates.close()
    opened = undefined
  }
  const obey = async (order: Order): Promise<Word> => {
    if (order.do === 'close') {
      await close()
      return { did: 'close' }
    }
    if (order.do === 'open') {
      opened = await openGates(order.wish)
      return { did: 'open', port: opened.port }
    }
    if (opened === undefined) throw new Error(`${order.do}: there are no gates`)
    const { gates, ready } = opened
    if (order.do === 'play') return { did: 'play', report: await play(gates, order.load) }
    if (order.do === 'crowd') return { did: 'crowd', report: await playCrowd(gates, order.crowd) }
    if (order.do === 'stand') return { did: 'stand', standing: await gates.standing() }
    return { did: 'ready', ...ready() }
  }
  process.on('message', (order: Order) => void obey(order).then(word => process.send?.(word)))
  process.on('disconnect', () => void close().finally(() => process.exit(0)))
}

if (import.meta.main) run()
