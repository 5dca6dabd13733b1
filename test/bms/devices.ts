// Devices of a building, played on loopback: registers behind Modbus TCP, and objects behind BACnet/IP. Written from the
// standards and not with the code under test; each keeps what it was asked.

import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** How a device behaves. */
export type Mood = 'well' | 'mute' | 'garbage' | 'hangs-up' | 'refuses' | 'other'

export class PlayedModbus {
  /** of any kind, by address */
  readonly registers = new Map<number, number>()
  /** function codes, in order */
  readonly asked: number[] = []
  readonly units = new Set<number>()
  mood: Mood = 'well'
  connections = 0
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()

  async open(): Promise<string> {
    const server = createServer(socket => this.#serve(socket))
    this.#server = server
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    const server = this.#server
    if (server === undefined) return
    server.close()
    await once(server, 'close')
  }

  #serve(socket: Socket): void {
    this.connections++
    this.#sockets.add(socket)
    let rest = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', chunk => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 6 && rest.length >= 6 + rest.readUInt16BE(4)) {
        const frame = rest.subarray(0, 6 + rest.readUInt16BE(4))
        rest = rest.subarray(frame.length)
        this.#answer(socket, frame)
      }
    })
  }

  #answer(socket: Socket, frame: Buffer): void {
    const fn = frame.readUInt8(7)
    this.asked.push(fn)
    this.units.add(frame.readUInt8(6))
    if (this.mood === 'mute') return
    if (this.mood === 'hangs-up') {
      socket.destroy()
      return
    }
    if (this.mood === 'garbage') {
      socket.write(Buffer.from('not a frame of Modbus at all, and rather long'))
      return
    }
    const pdu = this.mood === 'refuses' ? Buffer.from([fn | 0x80, 2]) : this.#values(frame)
    const head = Buffer.from(frame.subarray(0, 7))
    if (this.mood === 'other') head.writeUInt16BE((head.readUInt16BE(0) + 1) & 0xffff, 0)
    head.writeUInt16BE(pdu.length + 1, 4)
    socket.write(Buffer.concat([head, pdu]))
  }

  #values(frame: Buffer): Buffer {
    const [at, count] = [frame.readUInt16BE(8), frame.readUInt16BE(10)]
    const pdu = Buffer.alloc(2 + 2 * count)
    pdu.writeUInt8(frame.readUInt8(7), 0)
    pdu.writeUInt8(2 * count, 1)
    for (let i = 0; i < count; i++) pdu.writeUInt16BE(this.registers.get(at + i) ?? 0, 2 + 2 * i)
    return pdu
  }
}

const READ_PROPERTY = 12
const PRESENT_VALUE = 85

export class PlayedBacnet {
  /** present value as it stands on the wire: tag and bytes */
  value = real(0)
  /** in alarm 8, fault 4, overridden 2, out of service 1; undefined: it has no such property */
  flags: number | undefined = 0
  mood: Mood = 'well'
  /** service choices, in order; -1 for what is no confirmed request */
  readonly asked: number[] = []
  readonly #socket: Datagrams = createSocket('udp4')

  async open(): Promise<string> {
    this.#socket.on('message', (datagram, { address, port }) => {
      const answer = this.#answer(datagram)
      if (answer !== undefined) this.#socket.send(answer, port, address)
    })
    this.#socket.bind(0, '127.0.0.1')
    await once(this.#socket, 'listening')
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async close(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #answer(datagram: Buffer): Buffer | undefined {
    const apdu = datagram.subarray(6)
    const isRequest = datagram[0] === 0x81 && datagram[1] === 0x0a && ((apdu[0] ?? 0xff) & 0xf0) === 0
    const service = isRequest ? (apdu[3] as number) : -1
    this.asked.push(service)
    if (service !== READ_PROPERTY || this.mood === 'mute') return undefined
    const invoke = apdu[2] as number
    const object = Buffer.from(apdu.subarray(4, 9))
    const property = apdu.subarray(9, 11)
    const value = property[1] === PRESENT_VALUE ? this.value : this.#statusFlags()
    // an enormous length within: the library reads past the end
    if (this.mood === 'garbage') return framed(Buffer.from([0x30, invoke, READ_PROPERTY, 0x0c, 0, 0, 0x3e, 0x75, 0xff]))
    if (this.mood === 'refuses' || value === undefined) {
      // error class property (2), unknown property (32)
      return framed(Buffer.from([0x50, invoke, READ_PROPERTY, 0x91, 2, 0x91, 32]))
    }
    if (this.mood === 'other') object.writeUInt8(((object[4] as number) + 1) & 0xff, 4)
    const open = Buffer.from([0x3e])
    const shut = Buffer.from([0x3f])
    const ack = Buffer.from([0x30, invoke, READ_PROPERTY])
    return framed(Buffer.concat([ack, object, property, open, value, shut]))
  }

  #statusFlags(): Buffer | undefined {
    return this.flags === undefined ? undefined : Buffer.from([0x82, 4, this.flags << 4])
  }
}

export function real(value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(0x44, 0)
  bytes.writeFloatBE(value, 1)
  return bytes
}

export const unsigned = (value: number): Buffer => Buffer.from([0x21, value])
/** on and off of a binary object */
export const enumerated = (value: number): Buffer => Buffer.from([0x91, value])
export const word = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x75, text.length + 1, 0]), Buffer.from(text)])

function framed(apdu: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x0a, 0, apdu.length + 6, 1, 0]), apdu])
}
