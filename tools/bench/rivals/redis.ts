// Redis as the centre: one counter, asked by a script that counts and writes the audit line in one step.
//
// Its best setup for this: the script is loaded once and called by its hash; the audit trail is a list, the cheapest
// there is to append to; each gate has a connection on which commands of one turn leave together; Redis itself flushes
// once for all commands that it read in one round. The append-only file is not rewritten meanwhile.

import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import type { Gates, Server, Standing, Told } from './gates.ts'
import { freePort, greeted, stopped, versionOf } from './server.ts'

export type Persistence = 'always' | 'none'

const COUNT = 'inside'
const AUDIT = 'audit'

const ENTER = `
local inside = tonumber(redis.call('GET', KEYS[1]) or '0')
local isIn = inside < tonumber(ARGV[1])
if isIn then redis.call('INCR', KEYS[1]) end
redis.call('RPUSH', KEYS[2], ARGV[2] .. (isIn and ' admit' or ' reject'))
return isIn and 1 or 0`

const LEAVE = `
redis.call('DECR', KEYS[1])
redis.call('RPUSH', KEYS[2], ARGV[1] .. ' exit')
return 1`

export async function startRedis(dir: string, persistence: Persistence): Promise<Server> {
  const port = await freePort()
  const data = join(dir, `redis-${persistence}`)
  await mkdir(data, { recursive: true })
  const durable = persistence === 'always' ? ['appendonly yes', 'appendfsync always'] : ['appendonly no']
  const shown = [...durable, 'auto-aof-rewrite-percentage 0', 'save ""']
  const file = join(data, 'redis.conf')
  await writeFile(file, [`bind 127.0.0.1`, `port ${port}`, `dir ${data}`, ...shown, ''].join('\n'))
  const child = spawn('redis-server', [file], { stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = () => stopped(child, 'SIGTERM')
  try {
    await greeted(port, child)
    const version = await versionOf('redis-server', ['--version'], /v=(\S+)/)
    return { port, version, config: shown.join(', '), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Nobody inside, nothing written, for the next round. */
export async function clear(port: number): Promise<void> {
  const client = await connected(port)
  await client.flushAll()
  client.destroy()
}

export interface RedisPlan {
  readonly port: number
  readonly gates: readonly number[]
  readonly places: number
  /** without an answer by then the person is told that nobody knows */
  readonly deadlineMs: number
}

export async function redisGates({ port, gates, places, deadlineMs }: RedisPlan): Promise<Gates> {
  const clients = new Map<number, Client>()
  for (const gate of gates) clients.set(gate, await connected(port))
  const first = clients.values().next().value as Client
  const enter = await first.scriptLoad(ENTER)
  const leave = await first.scriptLoad(LEAVE)
  let id = 0
  const line = (gate: number) => `${Date.now()} gate-${gate} ${process.pid}-${++id}`
  const of = (gate: number) => clients.get(gate) as Client
  return {
    enter: async gate => {
      const asked = of(gate).evalSha(enter, { keys: [COUNT, AUDIT], arguments: [String(places), line(gate)] })
      const told: Promise<Told> = asked.then(
        isIn => (isIn === 1 ? 'in' : 'full'),
        () => 'none',
      )
      return orNone(told, deadlineMs)
    },
    leave: gate => {
      of(gate)
        .evalSha(leave, { keys: [COUNT, AUDIT], arguments: [line(gate)] })
        .catch(() => undefined)
    },
    standing: async (): Promise<Standing> => {
      return { inside: Number((await first.get(COUNT)) ?? 0), audited: await first.lLen(AUDIT), alarms: [] }
    },
    close: async () => {
      for (const client of clients.values()) client.destroy()
    },
  }
}

type Client = ReturnType<typeof clientOf>

function clientOf(port: number) {
  const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: 500 } })
  client.on('error', () => undefined)
  return client
}

async function connected(port: number): Promise<Client> {
  const client = clientOf(port)
  await client.connect()
  return client
}

/** The answer, or `none` once it is too late for the one at the door. */
export function orNone(told: Promise<Told>, deadlineMs: number): Promise<Told> {
  if (deadlineMs === Number.POSITIVE_INFINITY) return told
  return new Promise(resolve => {
    const late = setTimeout(() => resolve('none'), deadlineMs)
    void told.then(answer => {
      clearTimeout(late)
      resolve(answer)
    })
  })
}
