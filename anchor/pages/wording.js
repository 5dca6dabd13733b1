// Wording: what a policy or a mode text says, in words for whoever signs it. Plain JavaScript without imports: a browser
// reads this very file, and so do the anchor and the command line.
//
// Law: nothing in a text goes unsaid. Whatever differs from the text before it is in the words, and a line that this file
// does not know is repeated as it stands.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A step from then on never begins by itself: it is a limit in reserve (STANDBY_FROM of ledger/policy.ts). */
const STANDBY_FROM = Date.UTC(9999, 11, 31)

export function wordsOf(text, before, wording = {}) {
  const said = read(text)
  const how = { time: wording.time ?? utc, print: wording.print ?? (vkey => vkey), now: wording.now }
  if (said.head.endsWith('/mode')) return modeWords(said, how)
  return policyWords(said, before === undefined ? undefined : read(before), how)
}

/** Each word with its values, in the order they stand there. */
function read(text) {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
  const values = new Map()
  for (const line of lines) {
    const space = line.indexOf(' ')
    const word = space < 0 ? line : line.slice(0, space)
    values.set(word, [...(values.get(word) ?? []), space < 0 ? '' : line.slice(space + 1)])
  }
  return { head, all: word => values.get(word) ?? [], words: [...values.keys()] }
}

function modeWords(said, { time }) {
  const one = word => said.all(word).join(', ')
  const [was, cleared] = one('clears').split(' ')
  const epoch = one('epoch') || '0'
  const known = ['at', 'clears', 'epoch', 'mode', 'reason']
  const raised = {
    FIRE: 'entries are rejected, turnstiles are released, exits are free',
    EVACUATE: 'entries are rejected, exits are free',
    LOCKDOWN: 'entries are rejected, exits are free all the same',
  }
  const what =
    said.all('clears').length > 0
      ? `re-arm: ${cleared} of epoch ${was} ends and epoch ${epoch} begins; entries are decided again`
      : `raise ${one('mode')} in epoch ${epoch}: ${raised[one('mode')] ?? 'a mode unknown here'}`
  return [
    what,
    ...(said.all('clears').length > 0 && one('mode') !== 'NORMAL' ? [`mode: ${one('mode')}`] : []),
    `said at ${time(Number(one('at') || 0))}`,
    `reason: ${plain(one('reason')) || 'none'}`,
    ...strange(said, undefined, known),
  ]
}

function policyWords(next, before, how) {
  const words = []
  const versions = next.all('version').join(', ')
  if (before === undefined) words.push(`policy ${versions}, told in full`)
  else words.push(`policy ${versions}, standing on policy ${before.all('version').join(', ')}`)
  words.push(...capacityWords(next, before, how))
  words.push(
    ...numberWords(next, before, 'margin-per-mille', n => `kept back for what sensors miss: ${percent(n)}`, percent),
  )
  words.push(...countWords(next, before, how))
  words.push(...reclaimWords(next, before))
  words.push(...gateWords(next, before, how))
  words.push(
    ...numberWords(
      next,
      before,
      'max-share-per-mille',
      n => `one gate may hold ${percent(n)} of the capacity`,
      percent,
    ),
  )
  words.push(
    ...numberWords(
      next,
      before,
      'expire-after-ms',
      n => `entries go on for ${duration(n)} without the anchor`,
      duration,
    ),
  )
  const perMille = n => `${n} ‰`
  words.push(
    ...numberWords(next, before, 'confidence-min', n => `exits are credited from a confidence of ${n} ‰`, perMille),
  )
  words.push(...strange(next, before, POLICY_WORDS))
  words.push(`reason: ${plain(next.all('reason').join(', ')) || 'none'}`)
  return words
}

const POLICY_WORDS = [
  'capacity',
  'confidence-min',
  'correction',
  'expire-after-ms',
  'gate',
  'margin-per-mille',
  'max-share-per-mille',
  'previous',
  'reason',
  'reclaimed',
  'recount',
  'version',
]

/** A word that is in one of the texts and unknown here. */
function strange(next, before, known) {
  const odd = [...new Set([...next.words, ...(before?.words ?? [])])].filter(word => !known.includes(word))
  return odd.flatMap(word => [
    ...next.all(word).map(value => `also says: ${plain(`${word} ${value}`)}`),
    ...(before?.all(word) ?? [])
      .filter(value => !next.all(word).includes(value))
      .map(value => `no longer says: ${plain(`${word} ${value}`)}`),
  ])
}

function capacityWords(next, before, { time, now }) {
  const after = scheduleText(steps(next, now), time)
  if (before === undefined) return [`capacity: ${after}`]
  const was = scheduleText(steps(before, now), time)
  return after === was ? [] : [`capacity: ${after}; it was ${was}`]
}

/** In order of time; of those that have begun only the newest, where it is known what time it is. */
function steps(said, now) {
  const all = said
    .all('capacity')
    .map(value => value.split(' ').map(Number))
    .sort((a, b) => a[0] - b[0])
  if (now === undefined) return all
  const current = all.findLastIndex(([from]) => from <= now)
  return all.slice(Math.max(0, current))
}

/** The first step holds from the beginning, whatever its time. */
function scheduleText(list, time) {
  if (list.length === 0) return 'none'
  const reserve = list.filter(([from], i) => i > 0 && from >= STANDBY_FROM).map(([, people]) => people)
  const steps = list.slice(0, list.length - reserve.length)
  const text = steps
    .map(([from, people], i) => (i === 0 ? `${people}` : `${people} from ${time(from)}`))
    .join(', then ')
  return reserve.length === 0 ? text : `${text}, with ${reserve.join(' and ')} in reserve`
}

function numberWords(next, before, word, tell, short) {
  const is = number(next, word)
  if (before === undefined) return [tell(is)]
  const was = number(before, word)
  return is === was ? [] : [`${tell(is)}; it was ${short(was)}`]
}

function number(said, word) {
  return Number(said.all(word)[0] ?? 0)
}

function countWords(next, before, { time }) {
  const [recount] = next.all('recount')
  const was = before === undefined ? 0 : number(before, 'correction')
  const moved = number(next, 'correction') - was
  const words = []
  if (recount !== undefined) {
    const [at, actual, counted] = recount.split(' ').map(Number)
    words.push(
      `head count at ${time(at)}: ${actual} people found, ${counted} were counted (residual ${signed(actual - counted)})`,
    )
  }
  if (moved !== 0) words.push(`the count of people inside changes by ${signed(moved)}`)
  return words
}

function reclaimWords(next, before) {
  const was = new Map((before?.all('reclaimed') ?? []).map(value => value.split(' ')))
  const is = new Map(next.all('reclaimed').map(value => value.split(' ')))
  return [...new Set([...is.keys(), ...was.keys()])].flatMap(account => {
    const more = Number(is.get(account) ?? 0) - Number(was.get(account) ?? 0)
    if (more === 0) return []
    return [
      more > 0
        ? `${more} tokens of ${account} are put back into use`
        : `${-more} reclaimed tokens of ${account} are taken back`,
    ]
  })
}

function gateWords(next, before, { print }) {
  const is = keys(next)
  if (before === undefined) return [...is].map(([name, key]) => `gate ${name}: ${print(key)}`)
  const was = keys(before)
  return [...new Set([...was.keys(), ...is.keys()])].flatMap(name => {
    const [old, key] = [was.get(name), is.get(name)]
    if (old === key) return []
    if (old === undefined) return [`gate ${name} is added, with the key ${print(key)}`]
    if (key === undefined) return [`gate ${name} is taken off the roster`]
    return [`gate ${name} gets another key: ${print(key)}; it was ${print(old)}`]
  })
}

function keys(said) {
  return new Map(said.all('gate').map(vkey => [vkey.slice(0, vkey.indexOf('+')).split('/').slice(2).join('/'), vkey]))
}

/** Characters that turn the direction of writing, or show nothing, could make a reason look like something else. */
function plain(text) {
  return text.replace(
    /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu,
    c => `\\u{${c.codePointAt(0).toString(16)}}`,
  )
}

function signed(n) {
  return n > 0 ? `+${n}` : `${n}`.replace('-', '−')
}

function percent(perMille) {
  return `${perMille / 10} %`
}

function duration(ms) {
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS} h`
  return ms % MINUTE_MS === 0 ? `${ms / MINUTE_MS} min` : `${ms} ms`
}

/** Seconds only where there are any. */
function utc(ms) {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return `${ms} ms`
  const [day, clock] = date.toISOString().slice(0, -1).split('T')
  return `${day} ${clock.replace(/(:00)?\.000$/, '')} UTC`
}
