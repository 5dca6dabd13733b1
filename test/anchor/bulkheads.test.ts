// alone
// Several malls in one process: what goes wrong in one of them is that mall's.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { policyPath } from '../../tools/founding.ts'
import { needs } from '../debian.ts'
import { change, founded, inFolder, Running } from '../process/members.ts'
import { LoopDisk, whyNoMounts } from '../store/mount.ts'
import { suite } from '../suite.ts'
import { eventually, Operators } from './desk.ts'
import { Impostor } from './impostor.ts'

const test = suite('anchor/bulkheads')

/** One process for malls of one gate each, and their gates. */
class Fleet {
  readonly dir: string
  readonly names: readonly string[]
  readonly gates = new Map<string, Running>()
  #anchor: Running | undefined

  constructor(dir: string, names: readonly string[]) {
    this.dir = dir
    this.names = names
  }

  get anchor(): Running {
    return this.#anchor as Running
  }

  async found(): Promise<void> {
    for (const mall of this.names) {
      mkdirSync(join(this.dir, mall), { recursive: true })
      await founded(join(this.dir, mall), ['g1', 'g2'], 30, mall)
    }
    const malls = Object.fromEntries(this.names.map(mall => [mall, `${mall}/anchor.json`]))
    const http = { host: '127.0.0.1', port: 0, access: 'open' }
    writeFileSync(join(this.dir, 'anchor.json'), JSON.stringify({ http, store: 'service', malls }))
  }

  async start(args: readonly string[] = []): Promise<void> {
    this.#anchor = new Running(this.dir, 'anchor', args, { UV_THREADPOOL_SIZE: '32' })
    await this.anchor.heard('listening')
  }

  async open(mall: string): Promise<void> {
    const dir = join(this.dir, mall)
    for (const name of ['g1', 'g2']) this.gates.set(`${mall} ${name}`, new Running(dir, name))
    await eventually(`${mall} has joined`, 20_000, async () => (await this.health(mall)).state === 'NORMAL')
    const note = readFileSync(policyPath(dir, 1), 'utf8')
    const { status, json } = await this.bring(mall, note)
    assert.equal(status, 200, JSON.stringify(json))
    await this.gate(mall).until('it has tokens', s => s.state === 'NORMAL' && s.balance > 0)
  }

  gate(mall: string, name = 'g1'): Running {
    return this.gates.get(`${mall} ${name}`) as Running
  }

  bring(mall: string, note: string) {
    return this.anchor.ask('POST', `/api/v1/malls/${mall}/policy`, JSON.stringify({ note }), 'application/json')
  }

  async health(mall: string): Promise<{ ok: boolean; state: string; isOpen: boolean }> {
    return (await this.anchor.ask('GET', '/healthz')).json.malls[mall]
  }

  /** People come and go, the anchor has it within five seconds, operators cut, and the gate obeys. */
  async lives(mall: string): Promise<void> {
    const gate = this.gate(mall)
    const events = async () => (await this.anchor.ask('GET', `/api/v1/malls/${mall}/events?type=admit&limit=500`)).json
    const before = (await events()).events.length
    await gate.admit(2)
    await eventually(
      `${mall}: what was admitted is collected`,
      5000,
      async () => (await events()).events.length >= before + 2,
    )
    const operators = new Operators(join(this.dir, mall))
    const { json } = await this.anchor.ask('GET', `/api/v1/malls/${mall}/policy`)
    operators.follow(json.inForce.note)
    const capacity = json.inForce.version % 2 === 0 ? 30 : 25
    const { status, json: said } = await this.bring(mall, operators.signed({ capacity }, 'ann', 'bob'))
    assert.equal(status, 200, JSON.stringify(said))
    await gate.until('it follows', s => s.occupancy.capacity === capacity)
  }
}

test(
  'a store in ruins: its mall says so, and all others open and live',
  () =>
    inFolder(async dir => {
      const fleet = new Fleet(dir, ['north', 'south'])
      await fleet.found()
      await fleet.start(['--birth'])
      for (const mall of fleet.names) await fleet.open(mall)
      await fleet.anchor.signal('SIGKILL')
      for (const folder of ['anchor/1', 'anchor.office']) {
        for (const file of readdirSync(join(dir, 'south', folder))) {
          writeFileSync(join(dir, 'south', folder, file), 'this is no database\n'.repeat(50))
        }
      }
      await fleet.start()
      await eventually('north has joined', 20_000, async () => (await fleet.health('north')).state === 'NORMAL')
      await fleet.lives('north')
      await eventually('south says what is wrong', 20_000, async () => {
        return fleet.anchor.said('alarm').some(line => line.mall === 'south') || fleet.anchor.said('doubt').length > 0
      })
    }),
  { timeoutMs: 120_000 },
)

const CALM = 'a member that floods its mall, or a disk that hangs: the others do not notice'
const probe = mkdtempSync(join(tmpdir(), 'probe-'))
const why = (await whyNoMounts('ext4', probe)) ?? (await needs('fsfreeze', 'util-linux'))
rmSync(probe, { recursive: true, force: true })
if (why !== undefined) test.skip(CALM, why)
else
  test(
    CALM,
    () =>
      inFolder(async dir => {
        const fleet = new Fleet(dir, ['calm', 'flooded', 'frozen'])
        await fleet.found()
        const disk = await LoopDisk.make(join(dir, 'disk'))
        try {
          change(join(dir, 'frozen'), 'anchor', { store: join(disk.at, 'anchor') })
          await fleet.start(['--birth'])
          for (const mall of fleet.names) await fleet.open(mall)
          await fleet.lives('calm')
          await fleet.gate('flooded', 'g2').signal('SIGKILL')
          const flooder = await Impostor.start(join(dir, 'flooded'), 'g2', ['anchor'])
          const flood = setInterval(() => {
            for (let i = 0; i < 200; i++) flooder.send('anchor', { kind: 'want', accounts: ['anchor/1', 'g1/1'] })
          }, 10)
          try {
            await fleet.lives('calm')
          } finally {
            clearInterval(flood)
            await flooder.stop()
          }
          execFileSync('fsfreeze', ['-f', disk.at])
          try {
            // what its gate admits meanwhile has to wait for the disk in there, and in there only
            await fleet.gate('frozen').admit(3)
            await sleep(1500)
            for (let i = 0; i < 3; i++) await fleet.lives('calm')
            await fleet.lives('flooded')
          } finally {
            execFileSync('fsfreeze', ['-u', disk.at])
          }
          await fleet.lives('frozen')
        } finally {
          await fleet.anchor.signal('SIGKILL')
          await disk.remove()
        }
      }),
    { timeoutMs: 180_000 },
  )

test.run()
