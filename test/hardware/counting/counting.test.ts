import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Counting } from '../../../hardware/counting/counting.ts'
import type { CountedExit, CounterMemory } from '../../../hardware/counting/memory.ts'
import { isUuid7 } from '../../../ledger/line.ts'
import { HandClock, settle } from '../../alerts/hand-clock.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/counting/counting')

/** A device that counts, a disk that may fail, hang or die in the middle, and a ledger that knows its ids. */
class World {
  readonly clock = new HandClock()
  readonly device = { in: 100, out: 100 }
  readonly faults: string[] = []
  readonly lapses: string[] = []
  /** on disk */
  memory: CounterMemory | undefined
  isDamaged = false
  disk: 'works' | 'fails' | 'hangs' = 'works'
  ledger: 'works' | 'fails' = 'works'
  readonly written = { entries: 0, exits: new Map<string, number>() }
  told = { entries: 0, exits: [] as CountedExit[] }
  grants: string[] = []
  /** does the gate go on with the ledger it had? */
  isSameLife = true
  recalled: readonly string[] = []
  #counting: Counting | undefined
  #life = 0

  start(): Promise<void> {
    const life = ++this.#life
    const isAlive = () => life === this.#life
    this.#counting = new Counting({
      lane: 'north',
      device: 'north/lot',
      perMinuteMax: 60,
      clock: this.clock,
      memory: {
        load: async () => {
          if (this.isDamaged) throw new Error('damaged')
          return this.memory
        },
        save: async (_lane, memory) => {
          await undefined
          if (!isAlive() || this.disk === 'hangs') return new Promise(() => undefined)
          if (this.disk === 'fails') throw new Error('no space')
          this.memory = memory
        },
      },
      isSameLife: async () => this.isSameLife,
      settled: async () => {
        await undefined
        if (!isAlive() || this.ledger === 'fails') throw new Error('no ledger')
        this.write()
      },
      grants: () => this.grants,
      recall: grants => {
        this.recalled = grants
      },
      count: (entries, exits) => {
        if (!isAlive()) return
        this.told.entries += entries
        this.told.exits.push(...exits)
      },
      lapse: grant => this.lapses.push(grant),
      fault: (code, detail, isOver) => this.faults.push(`${isOver ? 'over ' : ''}${code}: ${detail}`),
    })
    return this.#counting.start()
  }

  get counting(): Counting {
    return this.#counting as Counting
  }

  look(): void {
    this.counting.read({ ...this.device }, this.clock.now())
  }

  /** What was told reaches the disk of the ledger, where the same exit again is known. */
  write(): void {
    this.written.entries += this.told.entries
    for (const { id, confidence } of this.told.exits) {
      assert.ok(isUuid7(id), id)
      if (!this.written.exits.has(id)) this.written.exits.set(id, confidence)
    }
    this.told = { entries: 0, exits: [] }
  }

  /** kill -9: what the ledger had not on disk is gone, or just made it. */
  async crash(ledgerMadeIt: boolean): Promise<void> {
    if (ledgerMadeIt) this.write()
    this.told = { entries: 0, exits: [] }
    this.grants = []
    await this.start()
  }

  get credits(): number {
    return [...this.written.exits.values()].filter(confidence => confidence === 1000).length
  }
}

async function world(): Promise<World> {
  const made = new World()
  await made.start()
  made.look()
  await settle()
  return made
}

test('an exit is told once it is written down, with the id that is written down', async () => {
  const w = await world()
  w.device.out++
  w.look()
  assert.equal(w.told.exits.length, 0)
  await settle()
  assert.equal(w.credits, 1)
  assert.deepEqual(w.memory?.pending, [], 'in the ledger, and forgotten')
  assert.equal(w.memory?.out, 101)
})

test('an entry is told at once, and moved past once it is in the ledger', async () => {
  const w = await world()
  w.ledger = 'fails'
  w.device.in += 2
  w.look()
  assert.equal(w.told.entries, 2)
  await settle()
  assert.equal(w.memory?.in, 100)
  w.ledger = 'works'
  w.clock.pass(1000)
  await settle()
  assert.deepEqual([w.memory?.in, w.written.entries], [102, 2])
})

test('a crash after an exit was written down and before the ledger had it loses nobody', async () => {
  const w = await world()
  w.ledger = 'fails'
  w.device.out++
  w.look()
  await settle()
  await w.crash(false)
  w.ledger = 'works'
  w.look()
  await settle()
  assert.equal(w.credits, 1)
})

test('a crash before the ledger had them tells exits again with the same ids, and entries again', async () => {
  const w = await world()
  w.ledger = 'fails'
  w.device.out += 2
  w.device.in++
  w.look()
  await settle()
  const ids = w.told.exits.map(exit => exit.id)
  await w.crash(true)
  w.ledger = 'works'
  w.look()
  await settle()
  assert.deepEqual([...w.written.exits.keys()], ids)
  assert.equal(w.written.entries, 2, 'too many inside is the safe side')
})

test('who walked while the gate was dead is counted by the difference, each exit once', async () => {
  const w = await world()
  w.device.out += 3
  w.device.in += 2
  await w.crash(true)
  w.look()
  w.look()
  await settle()
  assert.deepEqual([w.credits, w.written.entries], [3, 2])
})

test('a gate that lost its ledger gives no room back for what the lost one may have had, and forgets old grants', async () => {
  const w = await world()
  w.device.in++
  w.device.out++
  w.look()
  await settle()
  w.grants = ['g1']
  w.counting.granted()
  await settle()
  w.device.in += 2
  w.device.out += 3
  w.isSameLife = false
  await w.crash(true)
  assert.deepEqual(w.recalled, [])
  w.look()
  await settle()
  assert.equal(w.credits, 1, 'only the one of before')
  assert.equal(w.written.exits.size, 4, 'the others are written down all the same')
  w.device.out++
  w.look()
  await settle()
  assert.equal(w.credits, 2, 'whoever leaves from here on does')
})

test('a disk that fails delays nobody: exits are told all the same, there is an alarm, and it ends', async () => {
  const w = await world()
  w.disk = 'fails'
  w.device.out++
  w.look()
  await settle()
  assert.equal(w.credits, 1)
  assert.match(w.faults.join('\n'), /MEMORY: the counters of north cannot be written down: no space/)
  w.disk = 'works'
  w.device.out++
  w.look()
  await settle()
  assert.match(w.faults.at(-1) ?? '', /^over MEMORY/)
})

test('a disk that hangs is waited for half a second', async () => {
  const w = await world()
  w.disk = 'hangs'
  w.device.out++
  w.look()
  w.clock.pass(499)
  await settle()
  assert.equal(w.credits, 0)
  w.clock.pass(1)
  await settle()
  assert.equal(w.credits, 1)
})

test('an exit that could never be written down has the same id after a restart', async () => {
  const w = await world()
  w.clock.pass(61_000)
  w.look()
  await settle()
  w.disk = 'fails'
  w.device.out++
  w.look()
  await settle()
  await w.crash(true)
  w.look()
  await settle()
  await w.crash(true)
  w.disk = 'works'
  w.look()
  await settle()
  assert.equal(w.written.exits.size, 1)
})

test('a memory that is damaged is a fault and a fresh start: nobody is invented, and counting goes on', async () => {
  const w = await world()
  w.isDamaged = true
  w.device.out += 5
  await w.crash(true)
  w.look()
  w.device.out++
  w.look()
  await settle()
  assert.match(w.faults.join('\n'), /MEMORY: counting begins anew, passages of meanwhile are not known: damaged/)
  assert.equal(w.credits, 1)
})

test('a memory that does not come is given up after two seconds, and readings of meanwhile are not lost', async () => {
  const w = new World()
  const loading = new Promise<never>(() => undefined)
  const counting = new Counting({
    lane: 'north',
    device: 'north/lot',
    perMinuteMax: 60,
    clock: w.clock,
    memory: { load: () => loading, save: async () => undefined },
    settled: async () => undefined,
    isSameLife: async () => true,
    grants: () => [],
    recall: () => undefined,
    count: entries => {
      w.told.entries += entries
    },
    lapse: () => undefined,
    fault: (code, detail) => w.faults.push(`${code}: ${detail}`),
  })
  counting.start()
  counting.read({ in: 7, out: 7 }, w.clock.now())
  w.clock.pass(2000)
  await settle()
  counting.read({ in: 8, out: 7 }, w.clock.now())
  assert.equal(w.told.entries, 1)
  assert.match(w.faults[0] ?? '', /MEMORY: .* not read after 2000 ms/)
})

test('another device under another name begins with its own first reading', async () => {
  const w = await world()
  w.memory = { ...(w.memory as CounterMemory), device: 'north/old' }
  w.device.out = 90_000
  await w.crash(true)
  w.look()
  await settle()
  assert.deepEqual([w.written.exits.size, w.memory?.device, w.memory?.out], [0, 'north/lot', 90_000])
})

test('a reset is told, and exits since then count without giving room back', async () => {
  const w = await world()
  Object.assign(w.device, { in: 1, out: 2 })
  w.look()
  w.look()
  await settle()
  assert.deepEqual([w.written.entries, w.written.exits.size, w.credits], [1, 2, 0])
  assert.match(w.faults.join('\n'), /COUNTER_RESET: in\/out went from 100\/100 to 1\/2 .*: taken for 1 in, and 2 out/)
  w.clock.pass(61_000)
  w.look()
  assert.match(w.faults.at(-1) ?? '', /^over COUNTER_RESET/)
})

test('a lapse is told once the memory has struck the grant out, and not where it cannot', async () => {
  const w = await world()
  w.grants = ['g1']
  w.counting.granted()
  await settle()
  assert.deepEqual(w.memory?.grants, ['g1'])
  w.disk = 'fails'
  w.grants = []
  w.counting.lapsed('g1')
  await settle()
  assert.deepEqual([w.lapses, w.memory?.grants], [[], ['g1']])
  w.disk = 'works'
  w.device.in++
  w.look()
  await settle()
  assert.deepEqual([w.lapses, w.memory?.grants], [['g1'], []])
})

test('a device that was never read keeps no lapse waiting, and leaves nothing to remember', async () => {
  const w = new World()
  await w.start()
  w.counting.granted()
  w.counting.lapsed('g1')
  await settle()
  assert.deepEqual([w.lapses, w.memory], [['g1'], undefined])
})

test('a grant that was walked through is remembered until the ledger has the passage', async () => {
  const w = await world()
  w.grants = ['g1']
  w.counting.granted()
  w.ledger = 'fails'
  w.device.in++
  w.grants = []
  w.counting.walked('g1')
  w.look()
  await settle()
  await w.crash(false)
  assert.deepEqual(w.recalled, ['g1'], 'the same passage is then of the same grant')
})

const ops = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('in', 'out', 'look', 'turn', 'rest') },
    { weight: 2, arbitrary: fc.constantFrom('second', 'refused', 'taken') },
    { weight: 1, arbitrary: fc.constantFrom('full', 'hung', 'mended', 'crash and lost', 'crash and made it') },
  ),
  { maxLength: 50 },
)

test('whatever crashes and fails, each exit is in the ledger once, and no entry is missing', async () => {
  await fc.assert(
    fc.asyncProperty(ops, async script => {
      const w = await world()
      for (const op of script) {
        if (op === 'in' || op === 'out') w.device[op]++
        else if (op === 'look') w.look()
        else if (op === 'turn') await undefined
        else if (op === 'rest') await settle()
        else if (op === 'second') w.clock.pass(1000)
        else if (op === 'refused') w.ledger = 'fails'
        else if (op === 'taken') w.ledger = 'works'
        else if (op === 'full') w.disk = 'fails'
        else if (op === 'hung') w.disk = 'hangs'
        else if (op === 'mended') w.disk = 'works'
        else await w.crash(op === 'crash and made it')
      }
      w.disk = 'works'
      w.ledger = 'works'
      for (let k = 0; k < 3; k++) {
        w.clock.pass(11_000)
        await settle()
        w.look()
      }
      await settle()
      w.write()
      assert.equal(w.written.exits.size, w.device.out - 100)
      assert.ok(w.written.entries >= w.device.in - 100, `${w.written.entries} of ${w.device.in - 100} entries`)
      if (!script.some(op => op.startsWith('crash'))) assert.equal(w.written.entries, w.device.in - 100)
    }),
    { numRuns: 400 },
  )
})

test.run()
