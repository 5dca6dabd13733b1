// Lines of a chip as sysfs shows them, played: what the kernel refuses is refused here with the same number, and an event
// comes only for an edge that was asked for. Started as a process: serves /sys/class/gpio, and says "ready".
//
// What is not the kernel's: the folder "world", by whose files a test pushes contacts and reads levels.

import { type Folder, Fuse, type Leaf, refusal } from './fuse.ts'

const [folder, label] = process.argv.slice(2) as [string, string]
const BASE = 529
const COUNT = 8

const plain = (read: () => string, write: (text: string) => void): Leaf => ({
  read: () => `${read()}\n`,
  write,
  event: 1,
})
const fixed = (text: string) =>
  plain(
    () => text,
    () => {
      throw refusal('EACCES')
    },
  )

class Line {
  isExported = false
  #isOut = false
  #driven = false
  #pull = false
  #isInverted = false
  #edge = 'none'
  readonly #value = {
    read: () => `${Number(this.level !== this.#isInverted)}\n`,
    write: (text: string) => this.#drive(text),
    event: 1,
  }
  readonly files: Folder = new Map<string, Leaf>([
    ['value', this.#value],
    [
      'direction',
      plain(
        () => (this.#isOut ? 'out' : 'in'),
        text => this.#turn(text),
      ),
    ],
    [
      'edge',
      plain(
        () => this.#edge,
        text => this.#listen(text),
      ),
    ],
    [
      'active_low',
      plain(
        () => String(Number(this.#isInverted)),
        text => {
          this.#isInverted = text !== '0'
        },
      ),
    ],
  ])

  /** as a meter shows it */
  get level(): boolean {
    return this.#isOut ? this.#driven : this.#pull
  }

  push(isHigh: boolean): void {
    const before = this.level
    this.#pull = isHigh
    if (this.level === before || !['both', isHigh ? 'rising' : 'falling'].includes(this.#edge)) return
    this.#value.event++
    fuse.wake(this.#value)
  }

  unexport(): void {
    this.isExported = false
    this.#edge = 'none'
    this.#isInverted = false
  }

  #drive(text: string): void {
    if (!this.#isOut) throw refusal('EPERM')
    this.#driven = (text !== '0') !== this.#isInverted
  }

  #turn(text: string): void {
    if (!['in', 'out', 'low', 'high'].includes(text)) throw refusal('EINVAL')
    // a line that interrupts cannot be driven
    if (text !== 'in' && this.#edge !== 'none') throw refusal('EIO')
    this.#isOut = text !== 'in'
    if (this.#isOut) this.#driven = (text === 'high') !== this.#isInverted
  }

  #listen(text: string): void {
    if (!['none', 'rising', 'falling', 'both'].includes(text)) throw refusal('EINVAL')
    if (this.#isOut && text !== 'none') throw refusal('EIO')
    this.#edge = text
  }
}

const lines = Array.from({ length: COUNT }, () => new Line())

function named(text: string): Line {
  const line = lines[Number(text) - BASE]
  if (line === undefined) throw refusal('EINVAL')
  return line
}

const chip: Folder = new Map([
  ['label', fixed(label)],
  ['base', fixed(String(BASE))],
  ['ngpio', fixed(String(COUNT))],
])
// a chip before ours, so that numbers are not those that anybody would guess
const other: Folder = new Map([
  ['label', fixed('other-pins')],
  ['base', fixed('512')],
  ['ngpio', fixed('17')],
])
const doExport = plain(
  () => '',
  text => {
    const line = named(text)
    if (line.isExported) throw refusal('EBUSY')
    line.isExported = true
  },
)
const undoExport = plain(
  () => '',
  text => {
    const line = named(text)
    if (!line.isExported) throw refusal('EINVAL')
    line.unexport()
  },
)
const world: Folder = new Map(
  lines.map((line, k) => [
    String(k),
    plain(
      () => String(Number(line.level)),
      text => line.push(text === '1'),
    ),
  ]),
)

const fuse = new Fuse(() => {
  const exported = lines.flatMap((line, k): [string, Folder][] =>
    line.isExported ? [[`gpio${BASE + k}`, line.files]] : [],
  )
  return new Map<string, Leaf | Folder>([
    ['export', doExport],
    ['unexport', undoExport],
    ['gpiochip512', other],
    [`gpiochip${BASE}`, chip],
    ['world', world],
    ...exported,
  ])
})
fuse.serve(folder)
console.log('ready')
