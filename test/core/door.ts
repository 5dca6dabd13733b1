// Door: one real gate in a test's hand. The test is its clock, its disk and everyone it talks to; what goes on in the
// world (durable, withdrawn) happens only when the test says so.

import type { Books } from '../../ledger/books.ts'
import { noCounters } from '../../ledger/counters.ts'
import type { Body } from '../../ledger/entry.ts'
import { must } from '../../ledger/fault.ts'
import type { Written } from '../../ledger/pen.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { Answer, Effect, Hint, Message } from '../../mesh/message.ts'
import { Gate } from '../../node/gate.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import { CheapPen } from '../sim/pen.ts'
import { anchorBooks, budget, CHARTER, MORNING, newId, policy } from './papers.ts'

export interface Setting {
  /** what the anchor has sent to this gate before it woke up */
  readonly tokens?: number
  /** null: none has reached the gate */
  readonly policy?: Policy | null
  /** false: nobody has answered yet */
  readonly joined?: boolean
  /** false: the roster does not name it */
  readonly rostered?: boolean
  /** exits that its ledger had when it started */
  readonly exits?: readonly string[]
  /** gates of the mall besides the three */
  readonly more?: readonly string[]
  /** its pen breaks at the first exit */
  readonly brittle?: boolean
}

class BrittlePen extends CheapPen {
  override write(body: Body): Written {
    must(body.type !== 'exit', 'this pen writes exits')
    return super.write(body)
  }
}

export class Door {
  readonly gate: Gate
  readonly anchor: Books
  readonly entries: Body[] = []
  now = 0

  constructor(a: Setting = {}) {
    const all = [...CHARTER.gates, ...(a.more ?? []).map(name => ({ name, key: name }))]
    const gates = a.rostered === false ? all.filter(gate => gate.name !== 'east') : all
    const charter = { ...CHARTER, gates }
    this.gate = new Gate({ name: 'east', charter, limits: LIMITS, key: 'east', newId }, { alone: a.joined ?? true })
    this.anchor = anchorBooks(a.tokens ?? 0, a.tokens ? { 'east/1': a.tokens } : {})
    const inForce = a.policy ?? policy({ gates })
    const opened = { account: 'east/1', pen: a.brittle ? new BrittlePen() : new CheapPen(), counters: noCounters() }
    const memory = { kind: 'intact', account: 'east/1', size: 0, root: opened.pen.root() } as const
    const policies = a.policy === null ? [] : [inForce]
    const recent = (a.exits ?? []).map(id => ({ id, answer: 'left' as const }))
    const boot = { memory, opened, rows: [this.anchor.row(MORNING)], policies, proofs: [], modes: [], recent }
    this.step({ kind: 'booted', boot })
  }

  get books(): Books {
    return this.gate.me.books as Books
  }

  get balance(): number {
    return this.books.balance
  }

  step(event: GateEvent): Effect[] {
    const effects = this.gate.step(event, this.now, MORNING + this.now)
    for (const effect of effects) if (effect.kind === 'append') this.entries.push(effect.body)
    return effects
  }

  after(ms: number): Effect[] {
    this.now += ms
    return this.step({ kind: 'ticked' })
  }

  /** All that was written is on disk. */
  sync(): Effect[] {
    return this.step({ kind: 'durable', size: this.books.size })
  }

  ask(id: string): Effect[] {
    return this.step({ kind: 'asked', id, confidence: 990 })
  }

  leave(id: string, confidence = 990): Effect[] {
    return this.step({ kind: 'left', id, confidence })
  }

  hear(from: string, message: Message): Effect[] {
    return this.step({ kind: 'heard', from, message })
  }

  /** The regular word of a peer, straight from its books. */
  hearRow(from: string, row: Row, hint?: Hint): Effect[] {
    return this.hear(from, hint ? { kind: 'rows', rows: [row], hint } : { kind: 'rows', rows: [row] })
  }

  /** The anchor mints tokens and hands them to a peer, and we hear of both. */
  grant(peer: Books, amount: number, hint?: Hint): Effect[] {
    const capacity = (this.anchor.budget?.capacity ?? 0) + amount
    this.anchor.setBudget(budget(capacity), { version: 1, hash: 'policy 1' }, MORNING)
    this.anchor.send(peer.account, amount, MORNING, 'grant')
    peer.receive(this.anchor.row(MORNING), MORNING)
    this.hearRow('anchor', this.anchor.row(MORNING + this.now))
    return this.hearRow(peer.account.slice(0, peer.account.indexOf('/')), peer.row(MORNING + this.now), hint)
  }
}

export function answersIn(effects: readonly Effect[]): string[] {
  return effects.flatMap(effect => (effect.kind === 'answer' ? [say(effect.answer)] : []))
}

function say({ decision, reason, source }: Answer): string {
  return `${decision} ${source ?? reason}`
}

/** The tokens that these effects send away: `2 to anchor/1 (debt)`. */
export function sendsIn(effects: readonly Effect[]): string[] {
  return effects.flatMap(effect =>
    effect.kind === 'append' && effect.body.type === 'send'
      ? [`${effect.body.amount} to ${effect.body.to} (${effect.body.why})`]
      : [],
  )
}

export function kindsOf(effects: readonly Effect[]): string[] {
  return effects.map(effect => (effect.kind === 'append' ? effect.body.type : effect.kind))
}
