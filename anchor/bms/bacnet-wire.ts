// BACnet wires: present values of devices that speak BACnet/IP. One UDP socket of ours for all of them.
//
// Law: the client of the library is a device too, and could write and answer. Its socket is ours: questions for values go
// out, answers of the devices we asked come in, and nothing else does either.

import { createSocket, type Socket } from 'node:dgram'
import { EventEmitter } from 'node:events'
import { type Place, parsePlace, placeText } from '../../mesh/lan/place.ts'
import type { BacnetWire } from './config.ts'
import { isBacnetAnswer, isBacnetQuestion, mustBeQuestion } from './fence.ts'
import type { Wire } from './source.ts'

type Library = typeof import('@bacnet-js/client')
type Client = Pick<InstanceType<Library['default']>, 'readProperty' | 'close'>
type Answer = Awaited<ReturnType<Client['readProperty']>>

const PRESENT_VALUE = 85
const STATUS_FLAGS = 111
/** of status flags, by their order: in alarm, fault, overridden, out of service */
const FAULT = 1
const OUT_OF_SERVICE = 3
const PAYLOAD_MAX = 1482

/** What the library's client sends and hears through. */
class AskingSocket extends EventEmitter {
  readonly #devices: ReadonlySet<string>
  readonly #port: number
  readonly #socket: Socket
  #isClosed = false

  constructor(a: { readonly devices: readonly Place[]; readonly port: number }) {
    super()
    this.#devices = new Set(a.devices.map(placeText))
    this.#port = a.port
    this.#socket = createSocket({ type: 'udp4' })
    this.#socket.on('message', (datagram, { address, port }) => this.#heard(datagram, `${address}:${port}`))
    this.#socket.on('error', error => this.emit('error', error))
  }

  getMaxPayload(): number {
    return PAYLOAD_MAX
  }

  open(): void {
    this.#socket.bind(this.#port)
  }

  send(buffer: Buffer, length: number, receiver: string): void {
    const datagram = buffer.subarray(0, length)
    mustBeQuestion(this.#devices.has(receiver) && isBacnetQuestion(datagram))
    const { host, port } = parsePlace(receiver)
    this.#socket.send(datagram, port, host)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
  }

  #heard(datagram: Buffer, sender: string): void {
    if (!this.#devices.has(sender) || !isBacnetAnswer(datagram)) return
    try {
      this.emit('message', datagram, sender)
    } catch {
      // the library reads past the end of a datagram that lies about itself: to us it is no answer
    }
  }
}

export class BacnetWires {
  readonly #devices: Place[] = []
  readonly #port: number
  readonly #timeoutMs: number
  #client: Promise<Client> | undefined

  /** `port` of ours; 0: any. */
  constructor(a: { readonly port: number; readonly timeoutMs: number }) {
    this.#port = a.port
    this.#timeoutMs = a.timeoutMs
  }

  wire(config: BacnetWire): Wire {
    this.#devices.push(config.place)
    return { ask: () => this.#ask(config), close: () => this.#close() }
  }

  async #ask({ place, object }: BacnetWire): Promise<number> {
    this.#client ??= this.#open()
    const client = await this.#client
    const address = placeText(place)
    const [value] = await read(client, address, object, PRESENT_VALUE)
    const flags = await read(client, address, object, STATUS_FLAGS).catch(unlessUnknown)
    if (isSet(flags[0], FAULT)) throw new Error(`${address} says that it is faulty`)
    if (isSet(flags[0], OUT_OF_SERVICE)) throw new Error(`${address} says that it is out of service`)
    if (typeof value === 'boolean') return value ? 1 : 0
    if (typeof value === 'number') return value
    throw new Error(`${address} has no number there`)
  }

  /** A socket that failed is made anew with the next question. */
  async #open(): Promise<Client> {
    const { default: library } = await import('@bacnet-js/client')
    const transport = new AskingSocket({ devices: this.#devices, port: this.#port })
    const client = new library.default({ transport, apduTimeout: this.#timeoutMs })
    client.on('error', () => {
      this.#client = undefined
      client.close()
    })
    return client
  }

  async #close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.then(one => one.close()).catch(() => undefined)
  }
}

async function read(
  client: Client,
  address: string,
  object: BacnetWire['object'],
  property: number,
): Promise<readonly unknown[]> {
  let answer: Answer
  try {
    answer = await client.readProperty({ address }, object, property)
  } catch (error) {
    throw new Error(`${address}: ${(error as Error).message}`, { cause: error })
  }
  const { objectId, values } = answer
  const isOf = objectId.type === object.type && objectId.instance === object.instance
  if (!isOf || answer.property.id !== property) throw new Error(`${address} answered another question`)
  return values.map(({ value }) => value)
}

/** Not every object has status flags; a device that is away fails all the same. */
function unlessUnknown(error: Error): readonly unknown[] {
  if (/BacnetError/.test(error.message)) return []
  throw error
}

function isSet(flags: unknown, bit: number): boolean {
  const bytes = (flags as { readonly value?: readonly number[] } | undefined)?.value
  return (((bytes?.[0] ?? 0) >> bit) & 1) === 1
}
