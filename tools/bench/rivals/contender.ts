// Contenders: who counts, started by the bench, and how its gates are told where that is.

import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '../../../test/debian.ts'
import { Child } from './child.ts'
import type { Server } from './gates.ts'
import type { Wish } from './gates-process.ts'
import { recreate, type Statement, startPostgres } from './postgres.ts'
import { clear, type Persistence, startRedis } from './redis.ts'

export interface Plan {
  readonly dir: string
  readonly gates: number
  readonly places: number
  readonly deadlineMs: number | null
}

/** Said beside every figure. */
export const WHAT_IS_REAL = [
  'Ours are real doors, cores, keys and stores on disk, and a real anchor in a process of its own. Not real: function',
  'calls and sockets instead of libp2p, no HTTP, no turnstile, and a row is checked once for all gates of a process.',
  'In a mall every gate has a processor and a disk of its own; here thirty share the cores and the disk of one machine.',
  'Processes of all contenders start with a heap of 1 GB.',
]

/** What a match needs of whoever counts. */
export interface Centre {
  /** where gates find it, before any line in between */
  readonly port: number
  /** one count for all, or a part of it at each gate */
  readonly isWholeEverywhere: boolean
  wish(port: number, gates: readonly number[], others: readonly number[]): Wish
  end(): Promise<void>
}

export interface Contender {
  readonly name: string
  /** version and settings, for the reader */
  readonly about: string
  centre(plan: Plan): Promise<Centre>
  stop(): Promise<void>
}

/** `delayMs`: under way between two gates, for a mall whose gates are as far from each other as from the centre. */
export function gatemesh(name = 'gatemesh', delayMs = 0): Contender {
  return {
    name,
    about: 'entries are synced with their mark before anybody is told, then go into LevelDB with sync',
    centre: async plan => {
      const dir = await mkdtemp(join(plan.dir, 'mall-'))
      const mall = { mall: 'mall-001', gates: plan.gates, capacity: plan.places, dir }
      const anchor = new Child('anchor-process.ts', [JSON.stringify(mall)])
      return {
        port: await anchor.opened(),
        isWholeEverywhere: false,
        wish: (port, gates, others) => ({
          who: 'gatemesh',
          ...common(plan, gates),
          mall,
          dial: [port, ...others],
          delayMs,
        }),
        end: () => anchor.end(),
      }
    },
    stop: async () => undefined,
  }
}

export async function redis(dir: string, persistence: Persistence): Promise<Contender> {
  const server = await startRedis(dir, persistence)
  const name = persistence === 'always' ? 'redis, appendfsync always' : 'redis, not durable'
  return {
    ...served(name, 'Redis', server),
    centre: async plan => {
      await clear(server.port)
      return {
        port: server.port,
        isWholeEverywhere: true,
        wish: (port, gates) => ({ who: 'redis', ...common(plan, gates), port }),
        end: async () => undefined,
      }
    },
  }
}

const SAID: Record<Statement, string> = { update: 'conditional UPDATE', 'for-update': 'SELECT FOR UPDATE' }

/** Both ways to ask are of one server. */
export async function postgres(dir: string, statements: readonly Statement[]): Promise<Contender[]> {
  const server = await startPostgres(dir)
  return statements.map(statement => ({
    ...served(`postgresql, ${SAID[statement]}`, 'PostgreSQL', server),
    centre: async plan => {
      await recreate(server.port)
      return {
        port: server.port,
        isWholeEverywhere: true,
        wish: (port, gates) => ({ who: 'postgres', ...common(plan, gates), port, statement }),
        end: async () => undefined,
      }
    },
  }))
}

/** Everyone who can be had here, ours first, and why others cannot. */
export interface Field {
  readonly contenders: readonly Contender[]
  readonly missing: readonly string[]
  stop(): Promise<void>
}

export interface Rivals {
  readonly redis: readonly Persistence[]
  readonly postgres: readonly Statement[]
}

export async function field(dir: string, rivals: Rivals, ours: readonly Contender[] = [gatemesh()]): Promise<Field> {
  const contenders = [...ours]
  const missing: string[] = []
  const stop = async () => {
    for (const contender of contenders) await contender.stop()
  }
  try {
    const noRedis = rivals.redis.length > 0 ? await needs('redis-server', 'redis-server') : undefined
    if (noRedis !== undefined) missing.push(noRedis)
    else for (const persistence of rivals.redis) contenders.push(await redis(dir, persistence))
    const noPostgres = rivals.postgres.length > 0 ? await needs('/usr/lib/postgresql', 'postgresql') : undefined
    if (noPostgres !== undefined) missing.push(noPostgres)
    else if (rivals.postgres.length > 0) contenders.push(...(await postgres(dir, rivals.postgres)))
    return { contenders, missing, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function served(name: string, product: string, { version, config, stop }: Server) {
  return { name, about: `${product} ${version}: ${config}`, stop }
}

function common({ places, deadlineMs }: Plan, gates: readonly number[]) {
  return { gates, places, deadlineMs }
}
