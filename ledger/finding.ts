// Finding: what there is when a store is opened, from the mark and the newest ledger.

import { account as accountOf, epochOf } from './account.ts'
import { Fault, must } from './fault.ts'
import type { Medium } from './medium.ts'
import { judge } from './recovery.ts'
import type { Found, Mark, StoreOptions } from './store.ts'
import { type Survey, survey } from './survey.ts'
import { shelve, unshelved } from './unshelved.ts'

export interface Finding {
  readonly found: Found
  /** the newest ledger; its shelf is open only if it is intact */
  readonly seen?: Survey
  /** size that the mark says, where it is of an intact ledger */
  readonly marked?: number
  /** an epoch that has a place on the disk, no entry, and no mark */
  readonly unfinished?: number
}

export async function find(medium: Medium, options: StoreOptions): Promise<Finding> {
  const mark = await medium.readMark()
  const epochs = await medium.epochs()
  const newest = epochs.at(-1)
  if (newest === undefined) return { found: judge({ mark, rootAt: () => undefined }) }
  const marked = mark === 'garbled' ? undefined : mark
  const look = (epoch: number) => {
    const account = accountOf(options.name, epoch)
    const begun = marked?.account === account
    return survey(medium, { account, begun, wanted: [marked?.size ?? 0], onProgress: options.onProgress })
  }
  const seen = await putBack(await look(newest), marked, options)
  const { stored, scan, damage } = seen
  const rootAt = (size: number) => (size === stored.size ? stored.root : scan.rootAt(size))
  const found = judge({ mark, stored, rootAt, damage })
  if (found.kind === 'intact') return { found, seen, marked: marked?.size ?? 0 }
  await seen.shelf?.close()
  if (found.kind === 'blank') return { found, seen, unfinished: newest }
  if (found.reason !== 'cut-short') return { found, seen }

  // What can be said of the ledger that was given up is in the one before the unfinished one.
  must(marked !== undefined, 'only a ledger with a mark is given up')
  if (!epochs.includes(epochOf(marked.account))) return { found, seen, unfinished: newest }
  const behind = await look(epochOf(marked.account))
  await behind.shelf?.close()
  const { size, root, row, flaws = [] } = behind.stored
  const more = { lastGood: { size, root }, ...(row === undefined ? {} : { row }), flaws }
  return { found: { ...found, ...more }, seen: behind, unfinished: newest }
}

async function putBack(seen: Survey, mark: Mark | undefined, { onFault }: StoreOptions): Promise<Survey> {
  const { shelf } = seen
  const missing = shelf && unshelved(seen, mark)
  if (!shelf || !missing) return seen
  try {
    const whole = await shelve(seen, shelf, missing)
    onFault?.(new Fault('LEDGER_PUT_BACK', `${whole.stored.account}: ${whole.stored.flaws?.at(-1)}`))
    return whole
  } catch (error) {
    await shelf.close()
    throw error
  }
}
