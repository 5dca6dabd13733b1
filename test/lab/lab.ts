// Lab: hosts on a network of our own making: a network namespace each, joined by a bridge, on one machine. Cuts drop packets
// without a word, as a pulled cable or a dying switch does.
//
// Everything carries this process's id in its name and is removed at the end, or by the next lab where a process was ended
// before it could; nothing reaches any other network.

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { needs } from '../debian.ts'

const run = promisify(execFile)

export interface Host {
  readonly name: string
  readonly ip: string
}

/** A test that is ended without its `finally` takes its hosts with it. */
const open = new Set<Lab>()
process.on('exit', () => {
  for (const { hosts, tag } of open) {
    for (const { name } of hosts) spawnSync('ip', ['netns', 'del', name])
    spawnSync('ip', ['link', 'del', tag])
  }
})

export class Lab {
  static #opened = 0
  readonly hosts: readonly Host[]
  /** our own address on the bridge */
  readonly ip: string
  /** what every name of this lab begins with */
  readonly tag: string

  /** Why there can be no lab here; undefined where there can. */
  static async isMissing(): Promise<string | undefined> {
    if (process.getuid?.() !== 0) return 'network namespaces need root'
    return (await needs('ip', 'iproute2')) ?? (await needs('nft', 'nftables'))
  }

  static async open(count: number): Promise<Lab> {
    await sweep()
    const lab = new Lab(count)
    open.add(lab)
    await lab.#build()
    return lab
  }

  private constructor(count: number) {
    const nth = Lab.#opened++
    this.tag = `gm${process.pid}x${nth}`
    // a network of its own, so that labs at the same time do not share addresses
    const net = `10.${64 + ((process.pid + 7 * nth) % 64)}.${(process.pid >> 6) % 256}`
    this.ip = `${net}.254`
    this.hosts = Array.from({ length: count }, (_, i) => ({ name: `${this.tag}h${i}`, ip: `${net}.${i + 1}` }))
  }

  /** The command that runs another one on a host. */
  through(host: number): string[] {
    return ['ip', 'netns', 'exec', this.host(host).name]
  }

  host(host: number): Host {
    const found = this.hosts[host]
    if (found === undefined) throw new Error(`a lab of ${this.hosts.length} hosts has no host ${host}`)
    return found
  }

  /** Silently drops everything between these hosts and all others; we reach all of them still. */
  async cut(hosts: readonly number[]): Promise<void> {
    await this.heal()
    const side = hosts.map(i => this.port(i)).join(', ')
    await this.#nft(`
      add table bridge ${this.tag}
      add set bridge ${this.tag} side { type ifname; elements = { ${side} }; }
      add chain bridge ${this.tag} cut { type filter hook forward priority 0; policy accept; }
      add rule bridge ${this.tag} cut iifname @side oifname != @side drop
      add rule bridge ${this.tag} cut iifname != @side oifname @side drop
    `)
  }

  /** Only these hosts reach everybody; of the others, none reaches another. */
  async star(hubs: readonly number[]): Promise<void> {
    const table = `${this.tag}s`
    await this.#nft(`
      add table bridge ${table}
      add set bridge ${table} hubs { type ifname; elements = { ${hubs.map(i => this.port(i)).join(', ')} }; }
      add chain bridge ${table} star { type filter hook forward priority 0; policy accept; }
      add rule bridge ${table} star iifname != @hubs oifname != @hubs drop
    `)
  }

  async heal(): Promise<void> {
    await run('nft', ['delete', 'table', 'bridge', this.tag]).catch(() => undefined) // there was no cut
  }

  /** Nobody hears multicast from now on. */
  async muteMulticast(): Promise<void> {
    const table = `${this.tag}m`
    await this.#nft(`
      add table bridge ${table}
      add chain bridge ${table} mute { type filter hook forward priority 0; policy accept; }
      add rule bridge ${table} mute ip daddr 224.0.0.0/4 drop
    `)
  }

  async close(): Promise<void> {
    await this.heal()
    await run('nft', ['delete', 'table', 'bridge', `${this.tag}m`]).catch(() => undefined) // was not muted
    await run('nft', ['delete', 'table', 'bridge', `${this.tag}s`]).catch(() => undefined) // was no star
    for (const { name } of this.hosts) await run('ip', ['netns', 'del', name]).catch(() => undefined) // half built
    await run('ip', ['link', 'del', this.tag]).catch(() => undefined)
    open.delete(this)
  }

  async #build(): Promise<void> {
    const bridge = this.tag
    const commands = [`link add ${bridge} type bridge`, `addr add ${this.ip}/24 dev ${bridge}`, `link set ${bridge} up`]
    for (const [i, { name }] of this.hosts.entries()) {
      commands.push(`netns add ${name}`, `link add ${this.port(i)} type veth peer name eth0 netns ${name}`)
      commands.push(`link set ${this.port(i)} master ${bridge} up`)
    }
    await this.configure(commands)
    for (const { name, ip } of this.hosts) {
      await this.configure(
        [`addr add ${ip}/24 dev eth0`, 'link set eth0 up', 'link set lo up', 'route add 224.0.0.0/4 dev eth0'],
        name,
      )
    }
  }

  /** Our end of a host's cable. */
  port(host: number): string {
    return `${this.tag}v${host}`
  }

  /** Commands of `ip`, here or on a host. */
  async configure(commands: readonly string[], host?: string): Promise<void> {
    const batch = spawn('ip', [...(host === undefined ? [] : ['-n', host]), '-batch', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    await ended(batch, commands.join('\n'), 'ip')
  }

  async #nft(rules: string): Promise<void> {
    await ended(spawn('nft', ['-f', '-'], { stdio: ['pipe', 'ignore', 'pipe'] }), rules, 'nft')
  }
}

/** Hosts, bridges and tables, with what removes them. Cables go with their hosts. */
const LEFT = [
  { list: ['ip', 'netns', 'list'], name: /\bgm(\d+)x\d+h\d+\b/g, remove: ['ip', 'netns', 'del'] },
  { list: ['ip', '-o', 'link', 'show', 'type', 'bridge'], name: /\bgm(\d+)x\d+\b/g, remove: ['ip', 'link', 'del'] },
  {
    list: ['nft', 'list', 'tables', 'bridge'],
    name: /\bgm(\d+)x\d+[ms]?\b/g,
    remove: ['nft', 'delete', 'table', 'bridge'],
  },
] as const

/** Removes what labs left whose process is gone: nobody else ever will. */
async function sweep(): Promise<void> {
  for (const { list, name, remove } of LEFT) {
    const [lister, ...how] = list
    const [remover, ...what] = remove
    const { stdout } = await run(lister, how)
    for (const [left, pid] of new Map([...stdout.matchAll(name)].map(([text, id]) => [text, id]))) {
      if (!existsSync(`/proc/${pid}`)) await run(remover, [...what, left]).catch(() => undefined) // somebody else did
    }
  }
}

function ended(child: ChildProcess, input: string, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', part => {
      said += part
    })
    child.on('error', reject)
    child.on('close', code => (code === 0 ? resolve() : reject(new Error(`${what}: ${said.trim()}`))))
    child.stdin?.end(`${input}\n`)
  })
}
