// Approval file: approvals on disk.
//
//     approval/id/<id>                         everything about one
//     approval/pending/<id>                    it waits
//     approval/brought/<ms, 15 digits>/<id>    when it was brought
//
// Law: what ended stays, or a text that was withdrawn could come back with its old signatures.

import { Fault } from '../../ledger/fault.ts'
import type { Cabinet, Edit } from '../../mesh/archive/cabinet.ts'
import { type Approval, type ApprovalState, isApprovalId, STATES } from './approval.ts'

export interface ApprovalQuery {
  readonly state?: ApprovalState
  /** where the page before ended */
  readonly cursor?: string
  readonly limit: number
}

export interface ApprovalPage {
  readonly approvals: readonly Approval[]
  /** there may be more: ask again with it */
  readonly cursor?: string
}

const BY_ID = 'approval/id/'
const PENDING = 'approval/pending/'
const BROUGHT = 'approval/brought/'
const CURSOR = /^[0-9]{15}~[0-9a-f]{64}$/
/** So many are looked at for one page, however few of them are wanted. */
const SCAN_MAX = 1000

export class ApprovalFile {
  readonly #cabinet: Cabinet
  readonly #onFlawed: (key: string) => void

  constructor(cabinet: Cabinet, onFlawed: (key: string) => void) {
    this.#cabinet = cabinet
    this.#onFlawed = onFlawed
  }

  async get(id: string): Promise<Approval | undefined> {
    const key = `${BY_ID}${id}`
    const text = await this.#cabinet.get(key)
    if (text === undefined) return undefined
    const approval = parsed(text)
    if (approval === undefined) this.#onFlawed(key)
    return approval
  }

  async write(approval: Approval): Promise<void> {
    const { id, broughtAt, state } = approval
    const edits: Edit[] = [
      [`${BY_ID}${id}`, JSON.stringify(approval)],
      [`${PENDING}${id}`, state === 'pending' ? '' : undefined],
      [`${BROUGHT}${padded(broughtAt)}/${id}`, ''],
    ]
    await this.#cabinet.write(edits)
  }

  async pending(): Promise<Approval[]> {
    const found: Approval[] = []
    for await (const items of this.#cabinet.read({ from: PENDING, to: `${PENDING}~` })) {
      for (const [key] of items) {
        const approval = await this.get(key.slice(PENDING.length))
        if (approval?.state === 'pending') found.push(approval)
      }
    }
    return found
  }

  /** Newest first. Throws a Fault for a cursor that was not told here. */
  async list({ state, cursor, limit }: ApprovalQuery): Promise<ApprovalPage> {
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new Fault('CURSOR', 'not a cursor of approvals')
    const to = `${BROUGHT}${cursor?.replace('~', '/') ?? '~'}`
    const approvals: Approval[] = []
    let seen = 0
    for await (const items of this.#cabinet.read({ from: BROUGHT, to, reverse: true, limit: SCAN_MAX })) {
      for (const [key] of items) {
        seen++
        const approval = await this.get(key.slice(key.lastIndexOf('/') + 1))
        if (approval !== undefined && (state === undefined || approval.state === state)) approvals.push(approval)
        const next = key.slice(BROUGHT.length).replace('/', '~')
        if (approvals.length >= limit || seen >= SCAN_MAX) return { approvals, cursor: next }
      }
    }
    return { approvals }
  }
}

function padded(ms: number): string {
  return String(ms).padStart(15, '0')
}

function parsed(text: string): Approval | undefined {
  try {
    const value = JSON.parse(text) as Partial<Approval>
    const isWhole = isApprovalId(value.id ?? '') && STATES.some(state => state === value.state)
    return isWhole && typeof value.text === 'string' ? (value as Approval) : undefined
  } catch {
    return undefined
  }
}
