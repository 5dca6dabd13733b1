// The second half of the contract: what is found after something went wrong, and how it goes on from there.

import assert from 'node:assert/strict'
import { Keeper } from '../../ledger/keeper.ts'
import { type Head, type LossReason, STORE_LIMITS } from '../../ledger/store.ts'
import type { Suite } from '../suite.ts'
import { Faulty } from './faulty.ts'
import { CHARTER, gather, Lines, NAME } from './lines.ts'
import { assertLost, begun, claims, type Disk, FIRST, filled, foundOn, goesOn, open, SECOND } from './rig.ts'

export function losses(test: Suite, makeDisk: () => Promise<Disk>): void {
  const claim = claims(test, makeDisk)

  claim('a ledger ahead of its mark is intact, and the mark is raised at once', async disk => {
    const { store, medium } = await begun(disk)
    const lines = new Lines()
    await store.append(lines.next())
    medium.failMarks(1_000_000)
    const refused = assert.rejects(Promise.all(lines.take(3).map(line => store.append(line))), {
      code: 'STORE_CLOSED',
    })
    // the ledger takes them while the disk is being mended, and then again their mark fails
    while (medium.log.filter(what => what === 'mark 4 fails').length < 2)
      await medium.wait(1, AbortSignal.timeout(1000))
    await store.close()
    await refused
    const bare = disk.medium()
    assert.deepEqual(((await bare.readMark()) as Head).size, 1)
    const found = await foundOn(disk)
    assert.deepEqual(found.kind === 'intact' && [found.size, found.root], [4, lines.root()])
    assert.deepEqual(((await bare.readMark()) as Head).size, 4)
  })

  claim('a disk that comes back with less than was acknowledged is lost', async disk => {
    const lines = await filled(disk, 5)
    const restore = await disk.image()
    const { store, medium } = await open(disk)
    for (const line of lines.take(5)) await store.append(line)
    await store.sync()
    medium.beforeOpen = async () => {
      await restore('ledger')
      medium.beforeOpen = undefined
    }
    medium.failMarks(1)
    await assert.rejects(store.append(lines.next()), { code: 'LEDGER_LOST' })
    assert.equal(store.state, 'lost')
    assertLost(store.found, 'behind-mark')
    await assert.rejects(store.append(lines.next()), { code: 'LEDGER_LOST' })
    await goesOn(store, disk)
  })

  claim('one store at a time', async disk => {
    const { store } = await begun(disk)
    await assert.rejects(open(disk), { code: 'LEDGER_LOCKED' })
    await store.close()
    assert.equal((await foundOn(disk)).kind, 'intact')
  })

  claim('an old ledger beside a newer mark is behind it', async disk => {
    const lines = await filled(disk, 5)
    const restore = await disk.image()
    const { store } = await open(disk)
    for (const line of lines.take(STORE_LIMITS.marks + 1)) await store.append(line)
    await store.close()
    await restore('ledger')
    const again = (await open(disk)).store
    assertLost(again.found, 'behind-mark')
    assert.deepEqual(again.found.kind === 'lost' && [again.found.lastGood?.size, again.found.marked?.size], [
      5,
      5 + STORE_LIMITS.marks + 1,
    ])
    await goesOn(again, disk)
  })

  claim('an old ledger is made whole again by as many writes as marks are kept of', async disk => {
    const lines = await filled(disk, 5)
    const restore = await disk.image()
    const { store } = await open(disk)
    for (const line of lines.take(STORE_LIMITS.marks)) await store.append(line)
    await store.close()
    await restore('ledger')
    const faults: string[] = []
    const again = (await open(disk, { onFault: fault => faults.push(fault.message) })).store
    const size = 5 + STORE_LIMITS.marks
    const flaws = [`entries 5 to ${size - 1} were in the mark only and were put back`]
    assert.deepEqual(again.found, { kind: 'intact', account: FIRST, size, root: lines.root(), flaws })
    assert.deepEqual(faults, [`${FIRST}: ${flaws[0]}`])
    assert.equal(await again.append(lines.next()), size + 1)
    assert.deepEqual(await gather(again.range(0, size + 1)), new Lines().take(size + 1))
    await again.close()
    const found = await foundOn(disk)
    assert.deepEqual(found, { kind: 'intact', account: FIRST, size: size + 1, root: lines.root(), flaws: [] })
  })

  claim('a disk that fails while entries are put back says so, and has them the next time', async disk => {
    const lines = await filled(disk, 5)
    const restore = await disk.image()
    const { store } = await open(disk)
    await store.append(lines.next())
    await store.close()
    await restore('ledger')
    const medium = new Faulty(disk.medium())
    medium.failWrites(1)
    await assert.rejects(Keeper.open(medium, { name: NAME }), { code: 'STORE_IO' })
    const found = await foundOn(disk)
    assert.deepEqual(found.kind === 'intact' && [found.size, found.root], [6, lines.root()])
  })

  claim('an old mark beside its ledger is no loss', async disk => {
    const lines = await filled(disk, 5)
    const restore = await disk.image()
    const { store } = await open(disk)
    await store.append(lines.next())
    await store.close()
    await restore('mark')
    const found = await foundOn(disk)
    assert.equal(found.kind === 'intact' && found.size, 6)
  })

  claim('ledger and mark taken back together look intact: only peers can tell', async disk => {
    const lines = await filled(disk, 5)
    const restore = await disk.image()
    const { store } = await open(disk)
    await store.append(lines.next())
    await store.close()
    await restore('both')
    const found = await foundOn(disk)
    assert.equal(found.kind === 'intact' && found.size, 5)
  })

  claim('another history of the same length is not the one acknowledged', async disk => {
    await filled(disk, 5)
    const restore = await disk.image()
    await disk.removeLedger(1)
    await disk.removeMark()
    const { store } = await begun(disk)
    await store.append(new Lines().next().replace('"confidence":990', '"confidence":980'))
    while (store.durable.size < 6) await store.append(new Lines(store.end).next())
    await store.close()
    await restore('mark')
    assertLost(await foundOn(disk), 'other-history')
  })

  const LOSSES: Record<string, [LossReason, (disk: Disk) => Promise<void>]> = {
    'a mark without a ledger': ['no-store', disk => disk.removeLedger(1)],
    'a ledger without a mark': ['no-mark', disk => disk.removeMark()],
    'a garbled mark': ['garbled-mark', disk => disk.garbleMark()],
  }
  for (const [what, [reason, spoil]] of Object.entries(LOSSES)) {
    claim(`${what} is a loss of the account that was`, async disk => {
      await filled(disk, 4)
      await spoil(disk)
      const { store } = await open(disk)
      assertLost(store.found, reason)
      assert.equal(store.found.kind === 'lost' && store.found.account, FIRST)
      await store.begin(SECOND, CHARTER)
      await store.append(new Lines().next())
      await store.close()
      const found = await foundOn(disk)
      assert.equal(found.kind === 'intact' && found.account, SECOND)
    })
  }

  claim('with ledger and mark gone there is no memory at all', async disk => {
    await filled(disk, 4)
    await disk.removeLedger(1)
    await disk.removeMark()
    assert.deepEqual(await foundOn(disk), { kind: 'blank' })
  })

  claim('the mark of an epoch before shows that the mark is an old copy', async disk => {
    await filled(disk, 4)
    const restore = await disk.image()
    const { store } = await open(disk)
    await store.begin(SECOND, CHARTER)
    await store.append(new Lines().next())
    await store.close()
    await restore('mark')
    const found = await foundOn(disk)
    assertLost(found, 'old-mark')
    assert.equal(found.kind === 'lost' && found.account, SECOND)
  })

  claim('while the next epoch is being opened no line is taken, and closing waits for it', async disk => {
    await filled(disk, 4)
    const { store, medium } = await open(disk)
    const release = medium.hold()
    const beginning = store.begin(SECOND, CHARTER)
    await assert.rejects(store.append(new Lines(store.end).next()), { code: 'LEDGER_NOT_OPEN' })
    store.keepRow('gate-01/1', 'kept meanwhile')
    const closing = store.close()
    release()
    await beginning
    await closing
    const again = (await open(disk)).store
    assert.deepEqual(again.found.kind === 'intact' && [again.found.account, again.found.size], [SECOND, 0])
    assert.equal(again.rows().get('gate-01/1'), 'kept meanwhile')
    await again.close()
  })

  claim('a store that another holds is left alone, however often it is asked to begin', async disk => {
    const late = await open(disk)
    const lines = await filled(disk, 4)
    const { store } = await open(disk)
    await assert.rejects(late.store.begin(FIRST, CHARTER), { code: 'LEDGER_EXISTS' })
    await assert.rejects(late.store.begin(FIRST, CHARTER), { code: 'LEDGER_EXISTS' })
    await late.store.close()
    assert.equal(await store.append(lines.next()), 5)
    await store.close()
    assert.equal((await foundOn(disk)).kind, 'intact')
  })

  claim('an epoch is opened once', async disk => {
    await filled(disk, 4)
    const { store } = await open(disk)
    await assert.rejects(store.begin(FIRST, CHARTER), { code: 'LEDGER_EXISTS' })
    assert.equal(await store.append(new Lines(store.end).next()), 5)
    await store.close()
  })

  for (const failing of ['write', 'mark'] as const) {
    claim(`an epoch whose opening failed at its ${failing} can be opened again`, async disk => {
      await filled(disk, 4)
      const { store, medium } = await open(disk)
      if (failing === 'write') medium.failWrites(1)
      else medium.failMarks(1)
      await assert.rejects(store.begin(SECOND, CHARTER), { code: 'STORE_IO' })
      await goesOn(store, disk)
    })

    claim(`an epoch whose opening was cut short at its ${failing} leaves the one before given up`, async disk => {
      await filled(disk, 4)
      const { store, medium } = await open(disk)
      if (failing === 'write') medium.failWrites(1)
      else medium.failMarks(1)
      await assert.rejects(store.begin(SECOND, CHARTER), { code: 'STORE_IO' })
      await store.close()
      const again = (await open(disk)).store
      assertLost(again.found, 'cut-short')
      assert.deepEqual(again.found.kind === 'lost' && [again.found.account, again.found.lastGood?.size], [FIRST, 4])
      await goesOn(again, disk)
    })
  }

  claim('a first epoch whose opening was cut short leaves no memory', async disk => {
    const { store, medium } = await open(disk)
    medium.failMarks(1)
    await assert.rejects(store.begin(FIRST, CHARTER), { code: 'STORE_IO' })
    await store.close()
    const again = (await open(disk)).store
    assert.deepEqual(again.found, { kind: 'blank' })
    await again.begin(FIRST, CHARTER)
    assert.equal(await again.append(new Lines().next()), 1)
    await again.close()
  })
}
