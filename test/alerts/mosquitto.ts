// Mosquitto: a real broker on loopback, which a test can kill and start again on the same port.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ports } from '../../tools/mall/ports.ts'

/** It is killed and comes back: its port may not be one that an outgoing connection can be given meanwhile. */
const ports = new Ports()

export class Mosquitto {
  readonly port: number
  readonly #config: string
  #process: ChildProcess | undefined

  /** `lines` of its config beside the port. */
  static async write(dir: string, lines: readonly string[]): Promise<Mosquitto> {
    const port = await ports.any()
    const config = join(dir, `mosquitto-${port}.conf`)
    // it would become another user, who cannot read the test's files
    const user = process.getuid?.() === 0 ? ['user root'] : []
    await writeFile(config, [`listener ${port} 127.0.0.1`, ...user, ...lines, ''].join('\n'))
    return new Mosquitto(port, config)
  }

  private constructor(port: number, config: string) {
    this.port = port
    this.#config = config
  }

  async start(): Promise<void> {
    const path = `${process.env.PATH}:/usr/sbin`
    const broker = spawn('mosquitto', ['-c', this.#config], { stdio: 'ignore', env: { ...process.env, PATH: path } })
    this.#process = broker
    for (let k = 0; k < 200; k++) {
      if (broker.exitCode !== null) throw new Error(`mosquitto ended with ${broker.exitCode}: ${this.#config}`)
      if (await listens(this.port)) return
      await sleep(25)
    }
    throw new Error('mosquitto does not listen')
  }

  /** By its own process, with -9. */
  async kill(): Promise<void> {
    const broker = this.#process
    this.#process = undefined
    if (broker === undefined || broker.exitCode !== null) return
    const ended = once(broker, 'exit')
    broker.kill('SIGKILL')
    await ended
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
