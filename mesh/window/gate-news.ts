// Gate news: gates that fall silent and come back, stop letting people in and begin again, are banned, come and go.
//
// Law: what comes and goes at the last token (NORMAL, EXHAUSTED, DEGRADED) is no news. What is true when we begin to look
// is none either, but for gates that are still silent when everyone has had the time to be heard. Many at once are one
// piece of news: a cut through the mall must not push everything else out of the feed.

import type { GateReport, MallReport } from './mall-report.ts'
import { counted, type News, Steady } from './news.ts'

type State = 'well' | 'FAULT' | 'EXPIRED' | 'ISOLATED' | 'JOINING'

interface Followed {
  readonly silence: Steady<boolean>
  readonly state: Steady<State>
  isBanned: boolean
  isRostered: boolean
  /** wall clock since when it is silent, as far as we know */
  silentSince: number
}

/** Three seconds without a word are silence; a moment more, and it is news. */
const SILENT_MS = 2000
const STATE_MS = 3000
/** After a start everyone is heard within this, or silent. */
const SETTLING_MS = 10_000
/** More than this at once are told together. */
const SINGLY_MAX = 3
const NAMED_MAX = 5

const WORDS: Readonly<Record<Exclude<State, 'well'>, string>> = {
  FAULT: 'lets nobody in',
  EXPIRED: 'lets nobody in: it has not heard the anchor for too long',
  ISOLATED: 'hears no other member, and goes on with the places it holds',
  JOINING: 'is joining: it lets nobody in yet',
}
const FAULTS: Readonly<Record<string, string>> = {
  forked: 'another life of it is known, it must be started again',
  revoked: 'it was taken off the roster',
  disk: 'its disk fails',
  stopping: 'it is being stopped',
  'broken-law': 'it found a fault in itself',
  away: 'its ledger is not open',
}

export class GateNews {
  readonly #gates = new Map<string, Followed>()
  #since: number | undefined

  see({ gates, at, me }: Pick<MallReport, 'gates' | 'at' | 'me'>, now: number): News[] {
    this.#since ??= now
    const isSettled = now - this.#since >= SETTLING_MS
    const news: News[] = []
    const silent: GateReport[] = []
    const back: GateReport[] = []
    for (const gate of gates) {
      const known = this.#gates.get(gate.name)
      const followed = known ?? follow(gate)
      if (known === undefined) this.#gates.set(gate.name, followed)
      if (isSettled) news.push(...standing(gate, known, at))
      const { silence } = followed
      const isSilent = isSettled && !gate.isReachable && !gate.isBanned && gate.isRostered
      if (silence.see(isSilent, now)) (isSilent ? silent : back).push(gate)
      else if (isSilent && !silence.value) followed.silentSince = at - (gate.ageMs ?? 0)
      // of one that is silent nothing newer is known
      if (gate.isReachable && gate.state !== undefined) news.push(...this.#state(gate, followed, { at, now }))
      followed.isBanned = gate.isBanned
      followed.isRostered = gate.isRostered
    }
    // those that are about to be told the same go with the first of them
    if (silent.length > 0) for (const gate of gates) if (this.#isNext(gate, silent)) silent.push(gate)
    return [...news, ...this.#silent(silent, { at, me, of: gates.length }), ...this.#back(back, at)]
  }

  #isNext(gate: GateReport, silent: readonly GateReport[]): boolean {
    const { silence } = this.#gates.get(gate.name) as Followed
    const isNext = !silence.value && silence.isLeaving && !silent.includes(gate)
    if (isNext) silence.settle()
    return isNext
  }

  #silent(gates: readonly GateReport[], a: { readonly at: number; readonly me: string; readonly of: number }): News[] {
    const since = (gate: GateReport) => Math.min(a.at, (this.#gates.get(gate.name) as Followed).silentSince)
    const kind = 'gate'
    const severity = 'warning'
    if (gates.length <= SINGLY_MAX) {
      return gates.map(gate => {
        const text = `${gate.name} silent, holds ${held([gate])}, its counts are unknown`
        return { at: since(gate), kind, severity, subject: gate.name, text }
      })
    }
    const unknown = `hold ${held(gates)}, their counts are unknown`
    const text =
      gates.length >= a.of - 1
        ? `${a.me} hears no other gate: ${counted(gates.length, 'gate')} silent, ${unknown}`
        : `${counted(gates.length, 'gate')} silent (${named(gates)}), ${unknown}`
    return [{ at: Math.min(...gates.map(since)), kind, severity, subject: '', text }]
  }

  #back(gates: readonly GateReport[], at: number): News[] {
    const kind = 'gate'
    const severity = 'info'
    if (gates.length > SINGLY_MAX) {
      return [
        { at, kind, severity, subject: '', text: `${counted(gates.length, 'gate')} heard again (${named(gates)})` },
      ]
    }
    return gates.map(({ name }) => ({ at, kind, severity, subject: name, text: `${name} is heard again` }))
  }

  #state(gate: GateReport, { state }: Followed, { at, now }: { readonly at: number; readonly now: number }): News[] {
    const { name, fault } = gate
    const next = stateOf(gate)
    // an emergency is not this gate's news, and says nothing of how it was before
    if (next === undefined || !state.see(next, now)) return []
    if (next === 'well') return [{ at, kind: 'gate', severity: 'info', subject: name, text: `${name} works again` }]
    const why = next === 'FAULT' && fault !== undefined ? `: ${FAULTS[fault] ?? fault}` : ''
    return [{ at, kind: 'gate', severity: 'warning', subject: name, text: `${name} ${WORDS[next]}${why}` }]
  }
}

function follow(gate: GateReport): Followed {
  return {
    silence: new Steady<boolean>(false, SILENT_MS),
    state: new Steady<State>(stateOf(gate) ?? 'well', STATE_MS),
    isBanned: gate.isBanned,
    isRostered: gate.isRostered,
    silentSince: 0,
  }
}

function standing(gate: GateReport, before: Followed | undefined, at: number): News[] {
  const { name, isBanned, isRostered } = gate
  const news = (severity: News['severity'], text: string): News => ({ at, kind: 'gate', severity, subject: name, text })
  if (before === undefined) return isRostered ? [news('info', `${name} is on the roster`)] : []
  const found: News[] = []
  if (isBanned && !before.isBanned) {
    found.push(news('critical', `${name} banned: it showed two histories of its ledger, nothing it says is believed`))
  }
  if (before.isRostered && !isRostered) found.push(news('warning', `${name} was taken off the roster`))
  if (!before.isRostered && isRostered) found.push(news('info', `${name} is on the roster again`))
  return found
}

function stateOf({ state }: GateReport): State | undefined {
  switch (state) {
    case 'FAULT':
    case 'EXPIRED':
    case 'ISOLATED':
    case 'JOINING':
      return state
    case 'NORMAL':
    case 'EXHAUSTED':
    case 'DEGRADED':
      return 'well'
    default:
      return undefined
  }
}

/** What they may have let in unheard. */
function held(gates: readonly GateReport[]): string {
  const places = gates.reduce((sum, { balance, inFlight }) => sum + Math.max(0, balance) + inFlight, 0)
  return counted(places, 'place')
}

function named(gates: readonly GateReport[]): string {
  const names = gates.slice(0, NAMED_MAX).map(({ name }) => name)
  return gates.length > NAMED_MAX ? `${names.join(', ')} …` : names.join(', ')
}
