// Player: boards on the far end of a pseudo-terminal, played by a process of its own.
//
//     const player = await Player.start({ path, baud: 9600, boards: [{ kind: 'relay', unit: 1 }] })
//     player.send({ do: 'input', unit: 1, input: 0, level: 0 })
//     await player.until(line => line.what === 'relay' && line.isOn)

import { type ChildProcess, fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, Line, PlayerArguments } from './script.ts'

const UNTIL_MS_MAX = 60_000

interface Waiting {
  readonly is: (line: Line) => boolean
  readonly resolve: (line: Line) => void
}

export class Player {
  readonly path: string
  /** all that the boards did, oldest first */
  readonly journal: Line[] = []
  readonly #child: ChildProcess
  readonly #waiting = new Set<Waiting>()

  private constructor(a: PlayerArguments) {
    this.path = a.path
    this.#child = fork(join(import.meta.dirname, 'main.ts'), [JSON.stringify(a)])
    this.#child.on('message', message => this.#hear(message as Line))
  }

  /** Resolves once the port is there. */
  static async start(a: Pick<PlayerArguments, 'path' | 'baud' | 'boards'> & Partial<PlayerArguments>): Promise<Player> {
    rmSync(a.path, { force: true })
    const player = new Player({ seed: 1, turnaroundMs: 2, blindMs: UNTIL_MS_MAX, ...a })
    await player.until(line => line.what === 'ready')
    return player
  }

  send(command: Command): void {
    this.#child.send(command)
  }

  /** The first line of the journal from `from` on of which that is true, which may be there already. */
  until<L extends Line>(is: (line: Line) => line is L, from?: number, withinMs?: number): Promise<L>
  until(is: (line: Line) => boolean, from?: number, withinMs?: number): Promise<Line>
  until(is: (line: Line) => boolean, from = 0, withinMs = UNTIL_MS_MAX): Promise<Line> {
    const there = this.journal.slice(from).find(is)
    if (there) return Promise.resolve(there)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        const last = this.journal.slice(-5).map(line => JSON.stringify(line))
        reject(new Error(`no such line from the played boards within ${withinMs} ms; last: ${last.join(' ')}`))
      }, withinMs)
      const waiting: Waiting = {
        is,
        resolve: line => {
          clearTimeout(timer)
          resolve(line)
        },
      }
      this.#waiting.add(waiting)
    })
  }

  async figures(): Promise<Readonly<Record<string, number>>> {
    const from = this.journal.length
    this.send({ do: 'figures' })
    const line = await this.until(line => line.what === 'figures', from)
    return line.what === 'figures' ? line.figures : {}
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise<void>(resolve => this.#child.once('exit', () => resolve()))
    this.#child.disconnect()
    await ended
  }

  #hear(line: Line): void {
    this.journal.push(line)
    for (const waiting of [...this.#waiting]) {
      if (!waiting.is(line)) continue
      this.#waiting.delete(waiting)
      waiting.resolve(line)
    }
  }
}
