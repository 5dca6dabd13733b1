// Broker: a receiver that is an MQTT broker.
//
//     <prefix>/<mall>/alerts/<code>    QoS 1, one message per notice, the same JSON as a webhook gets
//     <prefix>/<mall>/occupancy        retained, at most one a second
//     <prefix>/<mall>/anchor           retained: `online`, or by our last will `offline`
//
// Law: a notice has arrived when the broker says so. The library keeps one that was cut off under way and sends it again
// when the broker is back; a crash of ours in between is what the outbox is for.

import { readFile } from 'node:fs/promises'
import type { MqttClient } from 'mqtt'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { MqttConfig } from './config.ts'
import { type Delivery, type Receiver, Unwanted } from './receiver.ts'

export interface BrokerOptions {
  readonly config: MqttConfig
  readonly mall: string
  readonly clock: Clock
  readonly log: Log
  /** tells our connections apart */
  readonly newId: () => string
  /** the broker is there again */
  readonly onReady: () => void
}

const RECONNECT_MS = 2000
const CONNECT_MS_MAX = 10_000
const KEEPALIVE_S = 15
const OCCUPANCY_EVERY_MS = 1000
/** Told again though nothing changed, so that whoever reads can see that it is not old. */
const OCCUPANCY_AGAIN_MS = 30_000
const STOP_MS_MAX = 2000

export class Broker implements Receiver {
  readonly id = 'mqtt'
  readonly label: string
  readonly #o: BrokerOptions
  readonly #root: string
  #client: MqttClient | undefined
  #isStopped = false
  #wasUp = false
  #retry: (() => void) | undefined
  #toldAt = Number.NEGATIVE_INFINITY
  #told = ''

  constructor(options: BrokerOptions) {
    this.#o = options
    this.#root = `${options.config.prefix}/${options.mall}`
    this.label = new URL(options.config.url).host
  }

  /** Never fails: whatever is wrong is logged, and tried again. */
  async start(): Promise<void> {
    const { config, log, clock, newId, onReady, mall } = this.#o
    let files: { readonly password?: Buffer; readonly ca?: Buffer }
    try {
      files = await filesOf(config)
    } catch (error) {
      log.error('mqtt', { to: this.label, what: (error as Error).message })
      if (!this.#isStopped) this.#retry = clock.in(60_000, () => this.start())
      return
    }
    // large, and most malls have no broker
    const { default: mqtt } = await import('mqtt')
    if (this.#isStopped) return
    const client = mqtt.connect(config.url, {
      protocolVersion: 5,
      clientId: `gatemesh-${mall}-${newId().slice(-12)}`,
      clean: true,
      keepalive: KEEPALIVE_S,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_MS_MAX,
      // a broker that says no today may have its password mended tomorrow
      reconnectOnConnackError: true,
      queueQoSZero: false,
      ...(config.user === undefined ? {} : { username: config.user }),
      ...files,
      will: { topic: `${this.#root}/anchor`, payload: Buffer.from('offline'), qos: 1, retain: true },
    })
    this.#client = client
    client.on('connect', () => {
      log.info('mqtt', { to: this.label, what: 'connected' })
      this.#wasUp = true
      this.#told = ''
      client.publish(`${this.#root}/anchor`, 'online', { qos: 1, retain: true }, error => this.#complain(error))
      onReady()
    })
    client.on('error', error => this.#complain(error))
    client.on('close', () => {
      if (this.#wasUp && !this.#isStopped) log.warn('mqtt', { to: this.label, what: 'connection lost' })
      this.#wasUp = false
    })
  }

  get isReady(): boolean {
    return this.#client?.connected ?? false
  }

  send({ code, body }: Delivery): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#client === undefined) return reject(new Error('not connected'))
      this.#client.publish(`${this.#root}/alerts/${code.replaceAll(/[^A-Z0-9_]/g, '_')}`, body, { qos: 1 }, error => {
        if (error === undefined || error === null) resolve()
        else reject(new Unwanted(`the broker says: ${error.message}`))
      })
    })
  }

  /** The newest figure; `text` changes when it does, but for its time. */
  occupancy(figure: object, wall: number, now: number): void {
    const text = JSON.stringify(figure)
    const sinceMs = now - this.#toldAt
    if (!this.isReady || sinceMs < OCCUPANCY_EVERY_MS) return
    if (text === this.#told && sinceMs < OCCUPANCY_AGAIN_MS) return
    this.#toldAt = now
    this.#told = text
    this.#client?.publish(`${this.#root}/occupancy`, JSON.stringify({ at: wall, ...figure }), { retain: true })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#retry?.()
    const client = this.#client
    if (client === undefined) return
    const { clock } = this.#o
    await new Promise<void>(resolve => {
      const late = clock.in(STOP_MS_MAX, resolve)
      const done = () => {
        late()
        resolve()
      }
      // whoever ends in order has no last will: it says so itself
      if (client.connected) client.publish(`${this.#root}/anchor`, 'offline', { qos: 1, retain: true }, done)
      else done()
    })
    await new Promise<void>(resolve => client.end(true, {}, () => resolve()))
  }

  #complain(error: Error | null | undefined): void {
    if (error && !this.#isStopped) this.#o.log.warn('mqtt', { to: this.label, what: error.message || error.name })
  }
}

async function filesOf({ passwordFile, caFile }: MqttConfig) {
  const password = passwordFile === undefined ? undefined : await readFile(passwordFile)
  const ca = caFile === undefined ? undefined : await readFile(caFile)
  return {
    ...(password === undefined ? {} : { password: Buffer.from(password.toString('utf8').replace(/[\r\n]+$/, '')) }),
    ...(ca === undefined ? {} : { ca }),
  }
}
