// @ts-check
// Event words: what an entry says, for people who never saw a ledger. Pure: a browser and the tests read this very file.

/** @typedef {{ type: string, id: string, at: number, seq: number } & Record<string, any>} Entry */

/** Kinds of entries as a search offers them, in the order in which people look for them. @type {Record<string, string>} */
export const TYPES = {
  admit: 'people let in',
  reject: 'people turned away',
  exit: 'people who left',
  forced: 'people who came in without a decision',
  lapse: 'admissions taken back',
  mode: 'emergency modes',
  recount: 'head counts',
  change: 'changes of the rules',
  policy: 'policies followed',
  budget: 'capacity put in force',
  fault: 'faults',
  fork: 'contradictions',
  optical: 'counts of the optical sensor',
  check: 'checks of the sensors by hand',
  send: 'tokens given away',
  receive: 'tokens received',
  checkpoint: 'checkpoints of the anchor',
  enrol: 'gates that began anew',
  open: 'ledgers begun',
}

/** @type {Record<string, string>} */
export const DECISIONS = {
  ADMIT: 'let in',
  REJECT_AT_CAPACITY: 'turned away: the mall is full',
  REJECT_NO_HEADROOM: 'turned away: no token at this gate',
  REJECT_EMERGENCY: 'turned away: emergency',
  REJECT_FAULT: 'turned away: fault at the gate',
}

/** @type {Record<string, string>} */
const WHYS = {
  ask: 'it was asked for them',
  push: 'sent to where people wait',
  broker: 'gathered where they are handed out',
  debt: 'to pay a debt',
  stop: 'given back at a stop',
  grant: 'first handed out',
  tailgate: 'followed somebody in',
  manual: 'the arm was released by hand',
  fire: 'the arms were free in a fire',
}

/** @type {Record<string, string>} */
const CHECKS = {
  direction: 'Direction test',
  walk: 'Walk test',
  count: 'Count by hand',
}

const sure = (/** @type {number} */ perMille) => `sensor ${(perMille / 10).toFixed(perMille % 10 === 0 ? 0 : 1)} % sure`
const many = (/** @type {number} */ n, /** @type {string} */ one, /** @type {string} */ more) =>
  `${n} ${n === 1 ? one : more}`
const tokens = (/** @type {number} */ n) => many(n, 'token', 'tokens')
const people = (/** @type {number} */ n) => many(n, 'person', 'people')
const signed = (/** @type {number} */ n) => (n > 0 ? `+${n}` : String(n))

/** The unsafe side is said first of all: people inside whom nothing counted. */
const missing = (/** @type {Entry} */ e) => {
  const n = e.truthIn - e.truthOut - (e.seenIn - e.seenOut)
  if (n === 0) return ''
  return n > 0 ? `; ${people(n)} inside not counted, UNSAFE` : `; ${people(-n)} counted too many inside`
}

/** @type {Record<string, (e: Entry) => [what: string, details?: string]>} */
const WORDS = {
  open: e => [`Began the ledger ${e.account}`, e.after === undefined ? '' : `after ${e.after}`],
  admit: e => [
    'Let one person in',
    `${e.source === 'stolen' ? 'with a token fetched from another gate' : 'with a token of its own'}; ${sure(e.confidence)}`,
  ],
  reject: e => [`One person ${DECISIONS[e.code] ?? e.code}`, `${e.reason || 'no reason given'}; ${sure(e.confidence)}`],
  exit: e => [
    'One person left',
    `${e.credited ? 'counted' : 'not counted, the sensor was unsure'}; ${sure(e.confidence)}`,
  ],
  forced: e => [`${people(e.count)} came in without a decision`, WHYS[e.why] ?? e.why],
  lapse: e => ['Took an admission back: nobody walked through', `of ${e.admit}`],
  send: e => [`Gave ${tokens(e.amount)} to ${e.to}`, WHYS[e.why] ?? e.why],
  receive: e => [`Received ${tokens(e.amount)} from ${e.from}`],
  mode: e => [`Mode ${e.mode}`, `by ${e.by}: ${e.reason || 'no reason given'}`],
  policy: e => [`Follows policy ${e.version} from here on`],
  budget: e => [`Capacity ${e.capacity} put in force`, `correction ${signed(e.correction)}, by policy ${e.policy}`],
  enrol: e => [`Gave the account ${e.account} to a gate without memory`],
  check: e => [
    `${CHECKS[e.what] ?? e.what} of lane ${e.lane}: ${e.ok ? 'passed' : 'FAILED'}`,
    `in ${e.seenIn} seen of ${e.truthIn}, out ${e.seenOut} seen of ${e.truthOut}${missing(e)}; by ${e.by}`,
  ],
  optical: e => [`Optical sensor: ${e.in} in, ${e.out} out`],
  fault: e => [`Fault ${e.code}`, e.count > 0 ? `${e.detail}; ${e.count} decisions went unlogged` : e.detail],
  fork: e => [`Saw two histories of ${e.account}`, `at entry ${e.size}`],
  checkpoint: e => ['Wrote down where every ledger stands', many(e.heads.length, 'ledger', 'ledgers')],
  change: e => [`Changed ${e.what}: ${e.before || 'nothing'} → ${e.after || 'nothing'}`, `by ${e.by}: ${e.reason}`],
  recount: e => [
    `Head count: ${e.actual} found, ${e.counted} counted`,
    `difference ${signed(e.residual)}; by ${e.by}: ${e.reason}`,
  ],
}

/** @param {Entry} entry @returns {{ what: string, details: string }} */
export function eventWords(entry) {
  const [what, details = ''] = WORDS[entry.type]?.(entry) ?? [entry.type]
  return { what, details }
}
