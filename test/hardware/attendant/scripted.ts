// Scripted: a turnstile in the test's hand. It keeps what it was told, in order, and says what the test makes it say.

import type { Happening, Turnstile, TurnstileState } from '../../../hardware/turnstile.ts'

type Said<T> = T extends unknown ? Omit<T, 'at'> : never

export class Scripted implements Turnstile {
  readonly told: string[] = []
  readonly lanes
  /** why it cannot be opened, for as long as it says so */
  broken: string | undefined
  /** it cannot read its fire loop */
  isBlind = false
  #hear: ((happening: Happening) => void) | undefined

  constructor(names: readonly string[] = ['north']) {
    const tell = (what: string) => this.told.push(what)
    this.lanes = names.map(name => ({
      name,
      entry: {
        grant: (id: string) => tell(`${name} grant ${id}`),
        refuse: (id: string) => tell(`${name} refuse ${id}`),
        hold: (ms: number) => tell(`${name} hold ${ms}`),
        release: () => tell(`${name} release`),
      },
      exit: { free: () => tell(`${name} exit free`) },
    }))
  }

  /** How often it was told something that begins so. */
  times(what: string): number {
    return this.told.filter(one => one.startsWith(what)).length
  }

  say(happening: Said<Happening>): void {
    this.#hear?.({ ...happening, at: 0 } as Happening)
  }

  state(): TurnstileState {
    return { driver: 'scripted', isLatched: false, fire: false, key: false, lanes: [], link: {} }
  }

  async start(hear: (happening: Happening) => void): Promise<void> {
    if (this.broken !== undefined) throw new Error(this.broken)
    this.#hear = hear
    this.told.push('started')
  }

  rearm(): boolean {
    this.told.push('rearm')
    return !this.isBlind
  }

  async stop(): Promise<void> {
    this.told.push('stopped')
  }
}
