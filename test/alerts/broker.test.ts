// alone
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import type { Notice } from '../../anchor/alerts/alert.ts'
import { Broker } from '../../anchor/alerts/broker.ts'
import type { MqttConfig } from '../../anchor/alerts/config.ts'
import { Courier } from '../../anchor/alerts/courier.ts'
import { Tray } from '../../anchor/alerts/tray.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { type Log, NO_LOG } from '../../mesh/log.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { Mosquitto } from './mosquitto.ts'

const test = suite('alerts/broker')
const missing = (await needs('mosquitto', 'mosquitto')) ?? (await needs('openssl', 'openssl'))
const claim = missing === undefined ? test : (name: string) => test.skip(name, missing)

let dir = ''
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'broker-'))
})
test.after(() => rm(dir, { recursive: true, force: true }))

async function until(is: () => boolean, what: string, ms = 15_000): Promise<void> {
  const end = performance.now() + ms
  while (!is()) {
    if (performance.now() > end) assert.fail(`never: ${what}`)
    await sleep(10)
  }
}

/** Somebody who listens to everything, and is back at once when the broker is. */
class Listener {
  readonly heard: { readonly topic: string; readonly text: string; readonly isRetained: boolean }[] = []
  readonly #client: MqttClient
  isListening = false

  constructor(port: number, over: IClientOptions = {}) {
    this.#client = mqtt.connect(`${over.ca === undefined ? 'mqtt' : 'mqtts'}://localhost:${port}`, {
      reconnectPeriod: 20,
      resubscribe: false,
      ...over,
    })
    this.#client.on('error', () => undefined)
    this.#client.on('close', () => {
      this.isListening = false
    })
    this.#client.on('connect', () =>
      this.#client.subscribe('#', { qos: 1 }, () => {
        this.isListening = true
      }),
    )
    this.#client.on('message', (topic, payload, { retain }) =>
      this.heard.push({ topic, text: payload.toString(), isRetained: retain }),
    )
  }

  on(topic: string): string[] {
    return this.heard.filter(message => message.topic === topic).map(({ text }) => text)
  }

  end(): Promise<void> {
    return this.#client.endAsync(true)
  }
}

class Sender {
  readonly broker: Broker
  readonly tray: Tray
  readonly courier: Courier
  #stop = false
  #pumping: Promise<void>

  constructor(config: MqttConfig, cabinet = new MemoryCabinet(), log: Log = NO_LOG) {
    const clock = REAL_CLOCK
    this.tray = new Tray(cabinet)
    this.broker = new Broker({ config, mall: 'test', clock, log, newId, onReady: () => this.courier.pump() })
    const { broker, tray } = this
    this.courier = new Courier({ mall: 'test', tray, clock, log, receivers: [broker], chance: () => 0 })
    this.#pumping = this.#pump()
  }

  async #pump(): Promise<void> {
    await this.courier.start()
    await this.broker.start()
    while (!this.#stop) {
      await this.tray.flush()
      this.courier.pump()
      await sleep(20)
    }
  }

  put(code: string): string {
    const at = Date.now()
    const id = newId()
    const alert = { id: newId(), code, subject: '', severity: 'info', detail: '', isOpen: true, raisedAt: at, times: 1 }
    this.courier.enqueue({ id, kind: 'raised', at, mall: 'test', alert } as Notice)
    return id
  }

  async stop(): Promise<void> {
    this.#stop = true
    await this.#pumping
    await this.courier.stop()
    await this.tray.flush()
  }
}

const ids = (texts: readonly string[]) => new Set(texts.map(text => JSON.parse(text).id as string))

claim('a broker that is killed and comes back, twice, with alerts under way: nothing is lost', async () => {
  const mosquitto = await Mosquitto.write(dir, ['allow_anonymous true'])
  await mosquitto.start()
  const listener = new Listener(mosquitto.port)
  await until(() => listener.isListening, 'listening')
  const sender = new Sender({ url: `mqtt://127.0.0.1:${mosquitto.port}`, prefix: 'site/gatemesh' })
  const topic = 'site/gatemesh/test/alerts/MODE'
  const put = new Set<string>()
  for (let life = 0; life < 2; life++) {
    const before = listener.on(topic).length
    for (let k = 0; k < 300; k++) put.add(sender.put('MODE'))
    await until(() => listener.on(topic).length >= before + 20, 'some arrive')
    await mosquitto.kill()
    for (let k = 0; k < 50; k++) put.add(sender.put('MODE'))
    await until(() => !listener.isListening, 'gone')
    await sleep(200)
    await mosquitto.start()
    await until(() => listener.isListening, 'listening again')
    await until(() => sender.courier.waiting === 0, 'all are taken')
  }
  await until(() => ids(listener.on(topic)).size === put.size, `all ${put.size} arrive`)
  await sender.stop()
  await listener.end()
  await mosquitto.kill()
})

claim('a crash of ours while the broker is away loses nothing either', async () => {
  const mosquitto = await Mosquitto.write(dir, ['allow_anonymous true'])
  const cabinet = new MemoryCabinet()
  const config = { url: `mqtt://127.0.0.1:${mosquitto.port}`, prefix: 'gm' }
  const first = new Sender(config, cabinet)
  const put = new Set([first.put('DISK'), first.put('DISK')])
  await first.stop()
  await mosquitto.start()
  const listener = new Listener(mosquitto.port)
  await until(() => listener.isListening, 'listening')
  const second = new Sender(config, cabinet.reopened())
  await until(() => ids(listener.on('gm/test/alerts/DISK')).size === put.size, 'both arrive')
  await until(() => second.courier.waiting === 0, 'both are taken')
  await second.stop()
  await listener.end()
  await mosquitto.kill()
})

claim('whether we are online is retained, and our last will says when we are not', async () => {
  const mosquitto = await Mosquitto.write(dir, ['allow_anonymous true'])
  await mosquitto.start()
  const sender = new Sender({ url: `mqtt://127.0.0.1:${mosquitto.port}`, prefix: 'gm' })
  await until(() => sender.broker.isReady, 'connected')
  await sleep(100)
  const late = new Listener(mosquitto.port)
  await until(() => late.on('gm/test/anchor').length === 1, 'retained')
  assert.deepEqual(late.heard, [{ topic: 'gm/test/anchor', text: 'online', isRetained: true }])
  await sender.stop()
  await until(() => late.on('gm/test/anchor').length === 2, 'an orderly end')
  assert.equal(late.on('gm/test/anchor').at(-1), 'offline')
  // one that dies: a process of its own that is killed
  const script = `
    import { Broker } from ${JSON.stringify(join(import.meta.dirname, '../../anchor/alerts/broker.ts'))}
    import { REAL_CLOCK, newId } from ${JSON.stringify(join(import.meta.dirname, '../../mesh/real-clock.ts'))}
    const log = { info() {}, warn() {}, error() {} }
    const config = { url: 'mqtt://127.0.0.1:${mosquitto.port}', prefix: 'gm' }
    await new Broker({ config, mall: 'dying', clock: REAL_CLOCK, log, newId, onReady() {} }).start()`
  const child = execFile(process.execPath, ['--input-type=module', '-e', script])
  await until(() => late.on('gm/dying/anchor').includes('online'), 'it lives')
  child.kill('SIGKILL')
  await until(() => late.on('gm/dying/anchor').includes('offline'), 'its last will')
  await late.end()
  await mosquitto.kill()
})

claim('occupancy is retained, told at most once a second, and only when it changed', async () => {
  const mosquitto = await Mosquitto.write(dir, ['allow_anonymous true'])
  await mosquitto.start()
  const sender = new Sender({ url: `mqtt://127.0.0.1:${mosquitto.port}`, prefix: 'gm' })
  await until(() => sender.broker.isReady, 'connected')
  const listener = new Listener(mosquitto.port)
  await until(() => listener.isListening, 'listening')
  const figures: [number, number][] = [
    [1, 0],
    [2, 300],
    [3, 999],
    [3, 1000],
    [3, 2500],
    [4, 3500],
    [4, 34_000],
  ]
  for (const [count, now] of figures) sender.broker.occupancy({ count, capacity: 9 }, 5, now)
  await until(() => listener.on('gm/test/occupancy').length === 4, 'four of seven')
  assert.deepEqual(
    listener.on('gm/test/occupancy').map(text => JSON.parse(text)),
    [1, 3, 4, 4].map(count => ({ at: 5, count, capacity: 9 })),
  )
  const late = new Listener(mosquitto.port)
  await until(() => late.on('gm/test/occupancy').length === 1, 'the newest is retained')
  await Promise.all([late.end(), listener.end(), sender.stop()])
  await mosquitto.kill()
})

claim('over TLS, with a name and a password from a file; a wrong password is said and tried again', async () => {
  const cert = join(dir, 'cert.pem')
  const key = join(dir, 'key.pem')
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await promisify(execFile)('openssl', [...args, ...names, '-keyout', key, '-out', cert])
  const passwords = join(dir, 'passwords')
  await writeFile(passwords, 'mall:right horse\n')
  await promisify(execFile)('mosquitto_passwd', ['-U', passwords])
  const mosquitto = await Mosquitto.write(dir, [
    `certfile ${cert}`,
    `keyfile ${key}`,
    'allow_anonymous false',
    `password_file ${passwords}`,
  ])
  await mosquitto.start()
  const passwordFile = join(dir, 'password')
  await writeFile(passwordFile, 'wrong horse\n')
  const said: string[] = []
  const log = { ...NO_LOG, warn: (_: string, fields?: object) => said.push(JSON.stringify(fields)) }
  const config = { url: `mqtts://localhost:${mosquitto.port}`, prefix: 'gm', user: 'mall', passwordFile, caFile: cert }
  const wrong = new Sender(config, new MemoryCabinet(), log)
  await until(() => said.some(text => /not authorized/i.test(text)), 'said')
  assert.equal(wrong.broker.isReady, false)
  await wrong.stop()
  await writeFile(passwordFile, 'right horse\n')
  const stranger = new Sender({ ...config, caFile: '/etc/ssl/certs/ca-certificates.crt' }, new MemoryCabinet(), log)
  await until(() => said.some(text => /self.signed|verify/i.test(text)), 'a broker that nobody vouches for is refused')
  await stranger.stop()
  const sender = new Sender(config)
  const id = sender.put('FORK')
  await until(() => sender.courier.waiting === 0, 'taken')
  assert.match(id, /^[0-9a-f-]{36}$/)
  await sender.stop()
  await mosquitto.kill()
})

test.run()
