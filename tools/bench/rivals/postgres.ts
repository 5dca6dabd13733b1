// PostgreSQL as the centre: one row that counts, and a table of audit rows, in one transaction.
//
// Its best setup for this: `update` is one prepared statement, so that the row is locked for no longer than the server
// itself takes, and the counter's page has room for new versions of the row. `for-update` is what people write who read
// before they decide: two round trips, the row locked in between. No checkpoint falls into the run.

import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Gates, Server, Standing, Told } from './gates.ts'
import { orNone } from './redis.ts'
import { freePort, greeted, stopped, versionOf } from './server.ts'

const run = promisify(execFile)

export type Statement = 'update' | 'for-update'

const USER = 'postgres'
/** as it says so itself */
const STARTING_UP = '57P03'
const SETTINGS = [
  'fsync=on',
  'synchronous_commit=on',
  'shared_buffers=256MB',
  'max_wal_size=8GB',
  'checkpoint_timeout=1h',
]

const SCHEMA = `
DROP TABLE IF EXISTS counter, audit;
CREATE TABLE counter (id int PRIMARY KEY, inside int NOT NULL) WITH (fillfactor = 10);
CREATE TABLE audit (seq bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), gate int NOT NULL,
  what text NOT NULL);
INSERT INTO counter VALUES (1, 0);`

const UPDATE = `
WITH granted AS (UPDATE counter SET inside = inside + 1 WHERE id = 1 AND inside < $1 RETURNING 1)
INSERT INTO audit (gate, what) SELECT $2, CASE WHEN EXISTS (SELECT FROM granted) THEN 'admit' ELSE 'reject' END
RETURNING what`

const LEAVE = `
WITH left_ AS (UPDATE counter SET inside = inside - 1 WHERE id = 1 RETURNING 1)
INSERT INTO audit (gate, what) SELECT $1, 'exit' FROM left_`

export async function startPostgres(dir: string): Promise<Server> {
  const port = await freePort()
  const data = join(dir, 'postgres')
  await mkdir(data, { recursive: true })
  const as = await servant(data)
  const bin = await folder()
  await run(...as(join(bin, 'initdb'), ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C']), {
    cwd: '/',
  })
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`, ...SETTINGS]
  const args = ['-D', data, ...settings.flatMap(setting => ['-c', setting])]
  const child = spawn(...as(join(bin, 'postgres'), args), { stdio: 'ignore', cwd: '/' })
  const stop = () => stopped(child, 'SIGINT')
  try {
    await greeted(port, child)
    await awake(port)
    await recreate(port)
    const version = await versionOf(join(bin, 'postgres'), ['--version'], /\) (\S+)/)
    return { port, version, config: SETTINGS.join(', '), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** It takes calls some time before it takes work. */
async function awake(port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await (await connected(port)).end()
    } catch (error) {
      if ((error as { code?: string }).code !== STARTING_UP || attempt > 100) throw error
      await sleep(100)
    }
  }
}

/** Empty tables, for the next round. */
export async function recreate(port: number): Promise<void> {
  const client = await connected(port)
  await client.query(SCHEMA)
  await client.end()
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
async function servant(data: string): Promise<(command: string, args: readonly string[]) => [string, string[]]> {
  if (process.getuid?.() !== 0) return (command, args) => [command, [...args]]
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async flag => Number((await run('id', [flag, USER])).stdout)))
  await chown(data, uid as number, gid as number)
  // temporary folders are for their maker's eyes; the server has to walk through, not to look around
  for (let above = dirname(data); above !== dirname(above); above = dirname(above)) {
    const { mode } = await stat(above)
    if ((mode & 0o001) === 0) await chmod(above, (mode & 0o777) | 0o001)
  }
  const prefix = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return (command, args) => ['setpriv', [...prefix, command, ...args]]
}

/** Debian keeps each version's programs in a folder of their own. */
async function folder(): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1'])
  return stdout.trim()
}

export interface PostgresPlan {
  readonly port: number
  readonly gates: readonly number[]
  readonly places: number
  readonly deadlineMs: number
  readonly statement: Statement
}

export async function postgresGates({ port, gates, places, deadlineMs, statement }: PostgresPlan): Promise<Gates> {
  const clients = new Map<number, pg.Client>()
  for (const gate of gates) clients.set(gate, await connected(port))
  const enter = statement === 'update' ? byUpdate : byForUpdate
  // a connection carries one transaction at a time: who comes meanwhile waits for it
  const turns = new Map<number, Promise<unknown>>()
  const inTurn = <T>(gate: number, act: (client: pg.Client) => Promise<T>): Promise<T> => {
    const done = (turns.get(gate) ?? Promise.resolve()).then(() => act(clients.get(gate) as pg.Client))
    const over = done.catch(() => undefined)
    turns.set(gate, over)
    return done
  }
  return {
    enter: gate => {
      const told = inTurn(gate, client => enter(client, gate, places)).catch((): Told => 'none')
      return orNone(told, deadlineMs)
    },
    leave: gate => {
      inTurn(gate, client => client.query({ name: 'leave', text: LEAVE, values: [gate] })).catch(() => undefined)
    },
    standing: async (): Promise<Standing> => {
      const client = clients.values().next().value as pg.Client
      const { rows } = await client.query('SELECT inside, (SELECT count(*) FROM audit)::int AS lines FROM counter')
      return { inside: rows[0].inside, audited: rows[0].lines, alarms: [] }
    },
    close: async () => {
      for (const client of clients.values()) client.connection.stream.destroy()
    },
  }
}

async function byUpdate(client: pg.Client, gate: number, places: number): Promise<Told> {
  const { rows } = await client.query({ name: 'enter', text: UPDATE, values: [places, gate] })
  return rows[0].what === 'admit' ? 'in' : 'full'
}

async function byForUpdate(client: pg.Client, gate: number, places: number): Promise<Told> {
  const found = await client.query('BEGIN; SELECT inside FROM counter WHERE id = 1 FOR UPDATE')
  const [, { rows }] = found as unknown as [unknown, pg.QueryResult]
  const isIn = rows[0].inside < places
  const counted = isIn ? 'UPDATE counter SET inside = inside + 1 WHERE id = 1;' : ''
  const what = isIn ? 'admit' : 'reject'
  await client.query(`${counted} INSERT INTO audit (gate, what) VALUES (${gate}, '${what}'); COMMIT`)
  return isIn ? 'in' : 'full'
}

async function connected(port: number): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: USER, database: USER })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
