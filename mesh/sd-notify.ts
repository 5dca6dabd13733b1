// sd-notify: tells systemd how this process is, and that it still is.
//
// systemd listens on a unix datagram socket, which Node cannot speak, and a native addon would need a compiler on every
// gate. So one small shell is started beside us, which hands each line it reads to `systemd-notify`: both are there
// wherever systemd is. This process forks once, at the start, and never again; a line is only written while the event
// loop runs, so a process that hangs goes silent and is started anew. The unit must say NotifyAccess=all.
//
// Law: systemd being deaf, slow or gone changes nothing here. A line that cannot be delivered is dropped.

import { type ChildProcess, spawn } from 'node:child_process'

export interface Environment {
  readonly NOTIFY_SOCKET?: string | undefined
  readonly WATCHDOG_USEC?: string | undefined
  readonly WATCHDOG_PID?: string | undefined
}

export interface SdNotify {
  ready(): void
  status(text: string): void
  /** Alive: says so at half of the time systemd waits, as long as `isWell`. */
  watch(isWell: () => boolean): void
  stopping(): Promise<void>
}

/** For a member whose process is not its own. */
export const NO_NOTIFY: SdNotify = {
  ready: () => undefined,
  status: () => undefined,
  watch: () => undefined,
  stopping: async () => undefined,
}

const SCRIPT = 'while IFS= read -r line; do systemd-notify -- "$line"; done'
const RESPAWN_MS = 5000
/** Lines that systemd is slow to take: more would only be old news. */
const BACKLOG_BYTES_MAX = 4096
const LAST_WORD_MS_MAX = 1000

/** Silent where nobody listens. */
export function sdNotify(env: Environment, pid: number): SdNotify {
  if (!env.NOTIFY_SOCKET) return NO_NOTIFY
  return new Speaker(env.NOTIFY_SOCKET, watchdogMs(env, pid))
}

/** How long systemd waits for a sign of life; undefined when it does not, or means another process. */
export function watchdogMs(env: Environment, pid: number): number | undefined {
  const { WATCHDOG_USEC = '', WATCHDOG_PID = String(pid) } = env
  if (WATCHDOG_PID !== String(pid) || !/^[1-9]\d{0,15}$/.test(WATCHDOG_USEC)) return undefined
  return Number(WATCHDOG_USEC) / 1000
}

class Speaker implements SdNotify {
  readonly #socket: string
  readonly #watchdogMs: number | undefined
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #respawn: NodeJS.Timeout | undefined
  #stopped = false
  #status = ''

  constructor(socket: string, watchdogMs: number | undefined) {
    this.#socket = socket
    this.#watchdogMs = watchdogMs
    this.#spawn()
  }

  ready(): void {
    this.#say('READY=1')
  }

  status(text: string): void {
    if (text === this.#status) return
    this.#status = text
    this.#say(`STATUS=${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
  }

  watch(isWell: () => boolean): void {
    if (this.#watchdogMs === undefined || this.#timer !== undefined) return
    const beat = () => {
      if (isWell()) this.#say('WATCHDOG=1')
    }
    beat()
    this.#timer = setInterval(beat, this.#watchdogMs / 2)
    this.#timer.unref()
  }

  /** Resolves once that is said, and ends the shell. The watchdog goes on until then: stopping takes a moment too. */
  async stopping(): Promise<void> {
    if (this.#stopped) return
    this.#say('STOPPING=1')
    this.#stopped = true
    clearInterval(this.#timer)
    clearTimeout(this.#respawn)
    const child = this.#child
    if (child === undefined) return
    const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
    child.stdin?.end()
    const cut = setTimeout(() => child.kill('SIGKILL'), LAST_WORD_MS_MAX)
    await ended
    clearTimeout(cut)
  }

  #say(line: string): void {
    const pipe = this.#child?.stdin
    if (this.#stopped || !pipe?.writable || pipe.writableLength > BACKLOG_BYTES_MAX) return
    pipe.write(`${line}\n`)
  }

  #spawn(): void {
    const { PATH = '/usr/bin:/bin' } = process.env
    const env = { PATH, NOTIFY_SOCKET: this.#socket }
    const child = spawn('/bin/sh', ['-c', SCRIPT], { env, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#child = child
    // neither the shell nor its pipe keeps a process alive that is done
    child.unref()
    child.on('error', () => this.#gone(child))
    child.on('exit', () => this.#gone(child))
    child.stdin.on('error', () => undefined)
  }

  #gone(child: ChildProcess): void {
    if (this.#child !== child || this.#stopped) return
    this.#child = undefined
    this.#respawn = setTimeout(() => this.#spawn(), RESPAWN_MS)
    this.#respawn.unref()
  }
}
