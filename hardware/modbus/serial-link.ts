// Serial link: an RS-485 adapter with automatic direction, by npm's `serialport`, which is loaded when it is first opened.

import type { SerialPort } from 'serialport'
import { HardwareFault } from '../turnstile.ts'
import type { Link, LinkEvents } from './link.ts'

/** Above 19200 baud the standard fixes the silence between frames. */
const GAP_MS_FAST = 1.75
const BAUD_FAST = 19_200

export interface SerialSettings {
  readonly path: string
  readonly baud: number
  readonly parity: 'none' | 'even' | 'odd'
}

export class SerialLink implements Link {
  readonly name: string
  readonly framing = 'rtu'
  readonly gapMs: number
  readonly #settings: SerialSettings
  #port: SerialPort | undefined

  constructor(settings: SerialSettings) {
    this.name = settings.path
    this.#settings = settings
    this.gapMs = settings.baud > BAUD_FAST ? GAP_MS_FAST : this.wireMs(3.5)
  }

  wireMs(bytes: number): number {
    const bits = this.#settings.parity === 'none' ? 10 : 11
    return (bytes * bits * 1000) / this.#settings.baud
  }

  async open(events: LinkEvents): Promise<void> {
    await this.close()
    const { path, baud: baudRate, parity } = this.#settings
    const { SerialPort } = await loaded()
    const port = new SerialPort({ path, baudRate, parity, dataBits: 8, stopBits: 1, autoOpen: false })
    await new Promise<void>((resolve, reject) => {
      port.open(error => (error ? reject(unopened(path, error)) : resolve()))
    })
    this.#port = port
    let why = 'closed'
    port.on('data', (chunk: Buffer) => events.bytes(chunk))
    port.on('error', error => {
      why = error.message
    })
    port.on('close', (error: Error | null) => {
      if (this.#port !== port) return
      this.#port = undefined
      events.closed(`${path}: ${error ? `unplugged (${error.message})` : why}`)
    })
  }

  send(bytes: Buffer): void {
    this.#port?.write(bytes)
  }

  async close(): Promise<void> {
    const port = this.#port
    this.#port = undefined
    if (!port?.isOpen) return
    // an error here means that it is closed already
    await new Promise<void>(resolve => port.close(() => resolve()))
  }
}

async function loaded(): Promise<typeof import('serialport')> {
  try {
    return await import('serialport')
  } catch (cause) {
    const isMissing = (cause as { code?: string }).code === 'ERR_MODULE_NOT_FOUND'
    const what = isMissing
      ? 'is not installed: npm install --include=optional'
      : 'does not load: npm rebuild serialport'
    throw new HardwareFault('NATIVE', `serialport ${what} (in the folder of gatemesh)`, { cause })
  }
}

function unopened(path: string, cause: Error): HardwareFault {
  const { message } = cause
  if (/no such file/i.test(message)) {
    return new HardwareFault(
      'LINK',
      `${path}: there is no such port; \`ls -l /dev/serial/by-id\` shows those there are`,
      {
        cause,
      },
    )
  }
  if (/permission denied/i.test(message)) {
    return new HardwareFault('LINK', `${path}: no permission; \`sudo usermod -aG dialout $USER\`, then log in again`, {
      cause,
    })
  }
  if (/lock|busy|temporarily unavailable/i.test(message))
    return new HardwareFault('LINK', `${path}: another program has it open; \`fuser -v ${path}\` names it`, { cause })
  return new HardwareFault('LINK', `${path}: ${message}`, { cause })
}
