// The contract of a store, as claims. Level and its twin in memory both keep it.

import assert from 'node:assert/strict'
import { BrokenLaw, type Fault } from '../../ledger/fault.ts'
import { type Head, STORE_LIMITS } from '../../ledger/store.ts'
import { type Suite, suite } from '../suite.ts'
import { CHARTER, gather, Lines } from './lines.ts'
import { losses } from './losses.ts'
import { begun, claims, type Disk, FIRST, foundOn, open, SECOND } from './rig.ts'

/** What fits into a mark, and what does not. */
const NOTED = { short: 'a note', long: 'a note '.repeat(STORE_LIMITS.tailBytesMax / 5) }

export function contract(title: string, makeDisk: () => Promise<Disk>): void {
  const test = suite(title)
  appends(test, makeDisk)
  losses(test, makeDisk)
  test.run()
}

function withoutWrites(log: readonly string[]): string[] {
  return log.filter(what => what !== 'write')
}

function appends(test: Suite, makeDisk: () => Promise<Disk>): void {
  const claim = claims(test, makeDisk)

  claim('an empty disk is blank, and takes no line', async disk => {
    const { store } = await open(disk)
    assert.deepEqual(store.found, { kind: 'blank' })
    assert.equal(store.state, 'idle')
    await assert.rejects(store.append(new Lines().next()), { code: 'LEDGER_NOT_OPEN' })
    await store.close()
  })

  claim('what was appended comes back, in order, after closing and opening', async disk => {
    const { store } = await begun(disk)
    const lines = new Lines()
    const all = lines.take(50)
    assert.deepEqual(await Promise.all(all.slice(0, 20).map(line => store.append(line))), Array(20).fill(20))
    for (const line of all.slice(20)) await store.append(line)
    assert.deepEqual(store.durable, { size: 50, root: lines.root() })
    await store.close()

    const again = (await open(disk)).store
    assert.deepEqual(again.found, { kind: 'intact', account: FIRST, size: 50, root: lines.root(), flaws: [] })
    assert.deepEqual(await gather(again.range(0, 50)), all)
    assert.equal(again.end?.size, 50)
    const next = new Lines(again.end)
    assert.equal(await again.append(next.next()), 51)
    await again.close()
  })

  claim('a range is any part of what is durable and nothing beyond it', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    const all = lines.take(30)
    await Promise.all(all.slice(0, 7).map(line => store.append(line)))
    await Promise.all(all.slice(7, 20).map(line => store.append(line)))
    const release = medium.hold()
    const late = all.slice(20).map(line => store.append(line))
    for (let from = 0; from <= 22; from++) {
      for (const to of [from - 1, from, from + 1, from + 9, 100]) {
        assert.deepEqual(await gather(store.range(from, to)), all.slice(from, Math.max(from, Math.min(to, 20))))
      }
    }
    release()
    await Promise.all(late)
    await store.close()
  })

  claim('the mark is durable before the acknowledgement, and the ledger before what is synced', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    await store.append(lines.next()).then(size => medium.log.push(`acknowledged ${size}`))
    await store.append(lines.next()).then(size => medium.log.push(`acknowledged ${size}`))
    assert.deepEqual(withoutWrites(medium.log), ['mark 1', 'acknowledged 1', 'mark 2', 'acknowledged 2'])
    await store.sync()
    assert.equal(medium.log.includes('write'), true)
    medium.log.length = 0
    await store.sync()
    assert.deepEqual(medium.log, [], 'nothing is left to be synced')
    await store.close()
  })

  claim('the ledger falls behind as far as marks are kept, and no further', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    const release = medium.holdLedger()
    const all = lines.take(40)
    let acknowledged = 0
    const appended = (async () => {
      for (const line of all) acknowledged = await store.append(line)
    })()
    for (let k = 0; k < 100; k++) await medium.wait(1, AbortSignal.timeout(1000))
    assert.equal(acknowledged, STORE_LIMITS.marks - 2)
    assert.deepEqual(
      await gather(store.range(0, 100)),
      all.slice(0, acknowledged),
      'what is read is what was acknowledged',
    )
    assert.deepEqual(
      (await gather(store.salvage(FIRST))).map(({ line }) => line),
      all.slice(0, acknowledged),
    )
    release()
    await appended
    assert.equal(acknowledged, 40)
    await store.close()
    const found = await foundOn(disk)
    assert.deepEqual(found, { kind: 'intact', account: FIRST, size: 40, root: lines.root(), flaws: [] })
  })

  claim('what nobody waits for is there soon, and at once with what somebody waits for', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    const [first, second, third] = lines.take(3) as [string, string, string]
    assert.equal(await store.append(first, 'soon'), 1)
    const soon = store.append(second, 'soon')
    const now = store.append(third)
    assert.deepEqual(await Promise.all([soon, now]), [3, 3])
    assert.deepEqual(withoutWrites(medium.log), ['mark 1', 'mark 3'])
    const last = store.append(lines.next(), 'soon')
    await store.close()
    assert.equal(await last, 4, 'closing waits for it')
    const found = await foundOn(disk)
    assert.deepEqual(found.kind === 'intact' && [found.size, found.root], [4, lines.root()])
  })

  claim('more lines that nobody waits for than fit into a mark do not wait for each other', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    const many = STORE_LIMITS.soonLines
    const soon = lines.take(many - 1).map(line => store.append(line, 'soon'))
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    assert.equal(store.durable.size, medium.linger ? 0 : many - 1, 'a disk with patience waits for more')
    soon.push(store.append(lines.next(), 'soon'))
    await Promise.all(soon)
    if (medium.linger) assert.deepEqual(withoutWrites(medium.log), [`mark ${many}`])
    await store.close()
  })

  claim('a token that was received, and the rows of thirty others, are in one mark', async disk => {
    const { store, medium } = await begun(disk)
    const tally = (word: string) => Array.from({ length: 30 }, (_, i) => `${word} gate-${10 + i}/1 123456\n`).join('')
    for (let i = 0; i < 30; i++)
      store.keepRow(`gate-${10 + i}/1`, `${tally('received')}${tally('sent')}${'='.repeat(400)}`)
    await store.append(new Lines().next())
    assert.deepEqual(withoutWrites(medium.log), ['mark 1'])
    await store.close()
    const again = (await open(disk)).store
    assert.equal(again.rows().size, 30)
    await again.close()
  })

  claim('what is too long for a mark goes into the ledger first', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    const all = lines.take(600)
    assert.equal(Buffer.byteLength(all.join('\n')) > STORE_LIMITS.tailBytesMax, true)
    assert.deepEqual(new Set(await Promise.all(all.map(line => store.append(line)))), new Set([600]))
    assert.deepEqual(medium.log, ['write', 'mark 600'])
    await store.close()
    const found = await foundOn(disk)
    assert.deepEqual(found.kind === 'intact' && [found.size, found.root], [600, lines.root()])
  })

  claim('all that arrives while a write is in flight goes into the next one', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    const release = medium.hold()
    const first = lines.take(3).map(line => store.append(line))
    await Promise.resolve()
    await Promise.resolve()
    const rest = lines.take(40).map(line => store.append(line))
    assert.equal(store.waiting, 43)
    release()
    assert.deepEqual(await Promise.all(first), [3, 3, 3])
    assert.deepEqual(new Set(await Promise.all(rest)), new Set([43]))
    assert.deepEqual(withoutWrites(medium.log), ['mark 3', 'mark 43'])
    await store.close()
  })

  claim('a row is sealed where the ledger rests, and is found with the entries it covers', async disk => {
    const heads: Head[] = []
    const seal = (head: Head) => {
      heads.push(head)
      return `row at ${head.size}\n`
    }
    const { store } = await begun(disk, { seal })
    const lines = new Lines()
    await Promise.all(lines.take(5).map(line => store.append(line)))
    await store.sync()
    await store.append(lines.next())
    await store.sync()
    assert.deepEqual(
      heads.map(head => head.size),
      [5, 6],
    )
    assert.equal(heads[1]?.root, lines.root())
    await store.close()
    const found = await foundOn(disk)
    assert.equal(found.kind === 'intact' && found.row, 'row at 6\n')
  })

  claim('a row that cannot be sealed is reported and keeps no line waiting', async disk => {
    const faults: string[] = []
    const seal = () => {
      throw new Error('no key')
    }
    const { store } = await begun(disk, { seal, onFault: fault => faults.push(fault.code) })
    assert.equal(await store.append(new Lines().next()), 1)
    await store.sync()
    assert.deepEqual(faults, ['ROW_NOT_SEALED'])
    await store.close()
  })

  claim('rows and notes of others are kept, the newest of each, and carried into the next epoch', async disk => {
    const { store } = await begun(disk)
    store.keepRow('gate-01/1', 'old')
    store.keepRow('gate-01/1', 'new')
    store.keepNote('charter', 'the charter')
    await store.append(new Lines().next())
    store.keepNote('policy/3', 'the policy')
    await store.sync()
    store.keepRow('gate-02/4', 'kept at closing')
    await store.close()
    const again = (await open(disk)).store
    const rows = [...again.rows()]
    assert.deepEqual(rows, [
      ['gate-01/1', 'new'],
      ['gate-02/4', 'kept at closing'],
    ])
    await again.begin(SECOND, CHARTER)
    await again.close()
    const third = (await open(disk)).store
    assert.deepEqual([...third.rows()], rows)
    assert.deepEqual(Object.fromEntries(third.notes()), { charter: 'the charter', 'policy/3': 'the policy' })
    await third.close()
  })

  for (const isNoted of [true, false])
    claim(`whoever syncs finds durable what was appended before${isNoted ? ', with a note' : ''}`, async disk => {
      const { store } = await begun(disk)
      const lines = new Lines()
      for (let k = 1; k <= 5; k++) {
        for (const line of lines.take(3)) void store.append(line, 'soon')
        if (isNoted) store.keepNote('charter', `${k}`)
        await store.sync()
        assert.equal(store.durable.size, 3 * k)
        assert.equal((await gather(store.range(0, 3 * k))).length, 3 * k)
      }
      await store.close()
    })

  claim('a line that does not follow the one before is a broken law', async disk => {
    const { store } = await begun(disk)
    const [first, second] = new Lines().take(2) as [string, string]
    assert.throws(() => store.append(second), BrokenLaw)
    await store.append(first)
    assert.throws(() => store.append(first), BrokenLaw)
    assert.throws(() => store.append('{"seq":1}'), BrokenLaw)
    await store.close()
  })

  claim(
    'a note goes into the mark with its line; where that has no room, both go into the ledger first',
    async disk => {
      const { store, medium } = await begun(disk)
      const lines = new Lines()
      for (const [k, [note, log]] of [
        [NOTED.short, ['mark 1']],
        [NOTED.long, ['write', 'mark 2']],
      ].entries()) {
        medium.log.length = 0
        store.keepRow(`gate-0${k + 1}/1`, note as string)
        await store.append(lines.next())
        assert.deepEqual(medium.log, log)
        await store.sync()
      }
      await store.close()
      const again = (await open(disk)).store
      assert.deepEqual([...again.rows().values()], [NOTED.short, NOTED.long])
      await again.close()
    },
  )

  for (const what of ['write', 'mark'] as const) {
    for (const [how, noted] of [
      ['lost', undefined],
      ['lost', 'short'],
      ['lost', 'long'],
      ['arrived', undefined],
      ['arrived', 'short'],
      ['arrived', 'long'],
    ] as const) {
      const beside = noted ? ` with a ${noted} note beside the lines` : ''
      const name = `a ${what} that fails and ${how}${beside}: reopened, read, written again once, then acknowledged`
      claim(name, async disk => {
        const states: string[] = []
        const faults: Fault[] = []
        const options = {
          onState: (state: string) => states.push(state),
          onFault: (fault: Fault) => faults.push(fault),
        }
        const { store, medium } = await begun(disk, options)
        const lines = new Lines()
        const all = lines.take(12)
        for (const line of all.slice(0, 4)) await store.append(line)
        await store.sync()
        medium.log.length = 0
        states.length = 0
        if (what === 'write') medium.failWrites(1, how)
        else medium.failMarks(1, how)
        if (noted) store.keepNote('charter', NOTED[noted])
        assert.deepEqual(await Promise.all(all.slice(4).map(line => store.append(line))), Array(8).fill(12))
        await store.sync()
        while (store.state !== 'ok') await medium.wait(1, AbortSignal.timeout(1000))
        const isLong = noted === 'long'
        const failed = {
          write: isLong ? ['write fails'] : ['mark 12', 'write fails'],
          mark: isLong ? ['write', 'mark 12 fails'] : ['mark 12 fails'],
        }[what]
        // what arrived all the same, or before its mark failed, is not written again
        const isThere = what === 'write' ? how === 'arrived' && !isLong : isLong
        assert.deepEqual(medium.log, [...failed, 'open 1', ...(isThere ? [] : ['write']), 'mark 12'])
        assert.deepEqual(states, ['mending', 'ok'])
        assert.equal(faults.length, 1)
        await store.close()
        const again = (await open(disk)).store
        assert.equal(again.found.kind === 'intact' && again.found.size, 12)
        assert.equal(again.notes().get('charter'), noted && NOTED[noted])
        assert.deepEqual(await gather(again.range(0, 12)), all)
        await again.close()
      })
    }
  }

  for (const what of ['write', 'mark'] as const)
    claim(`while a ${what} fails lines wait in memory; none is acknowledged and none is dropped`, async disk => {
      const { store, medium } = await begun(disk)
      const lines = new Lines()
      if (what === 'write') medium.failWrites(1_000_000)
      else medium.failMarks(1_000_000)
      const first = store.append(lines.next())
      while (store.state !== 'mending') await medium.wait(1, AbortSignal.timeout(1000))
      const before = store.durable.size
      assert.equal(before, what === 'write' ? 1 : 0, 'with its mark an entry is safe, whatever becomes of the ledger')
      let acknowledged = 0
      const waiting: Promise<unknown>[] = [first]
      for (let k = 0; k < 10; k++) {
        waiting.push(store.append(lines.next()).then(() => acknowledged++))
        await medium.wait(1, AbortSignal.timeout(1000))
      }
      assert.equal(store.state, 'mending')
      assert.equal(store.waiting, 11 - before)
      assert.equal(acknowledged, 0)
      assert.equal(store.durable.size, before)
      await assert.rejects(store.begin(SECOND, CHARTER), { code: 'STORE_IO' })
      medium.heal()
      await Promise.all(waiting)
      assert.equal(store.state, 'ok')
      await store.close()
      const found = await foundOn(disk)
      assert.deepEqual(found.kind === 'intact' && [found.size, found.root], [11, lines.root()])
    })

  claim('closing while the disk fails gives up, and says so to whoever waits', async disk => {
    const { store, medium } = await begun(disk)
    medium.failMarks(1_000_000)
    const refused = assert.rejects(store.append(new Lines().next()), { code: 'STORE_CLOSED' })
    while (store.state !== 'mending') await medium.wait(1, AbortSignal.timeout(1000))
    await store.close()
    await refused
    assert.equal(store.state, 'closed')
    await assert.rejects(store.append(new Lines().next()), { code: 'STORE_CLOSED' })
  })
}
