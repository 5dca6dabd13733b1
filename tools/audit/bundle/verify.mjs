#!/usr/bin/env node
// verify.mjs: checks a Gatemesh bundle, offline, with nothing but Node 20 or newer.
//
//     node verify.mjs DIR --charter-key VKEY_OR_FILE [--json]
//
// It is the second of two verifiers. It was written from FORMAT.md alone, shares no code with the first, and imports
// nothing but Node's own modules, so that a mistake in one of them shows as a disagreement between the two.
//
// WHAT IT PROVES, if it finds nothing and exits with 0, to somebody who knows the owner's key from elsewhere:
//   - the charter, every policy and every row in the folder were signed by those who may, and are as they were signed;
//   - each ledger is, entry for entry, the one its owner signed for, up to the last row: nothing altered, left out, added;
//   - every gate admitted and sent only what it held, and every receipt of tokens has its sending;
//   - in an order of all entries that respects cause and effect, occupancy never was above the capacity in force plus the
//     debts made openly by forced entries and cuts, and which moment was the fullest.
//
// WHAT IT CANNOT PROVE, and no reader of a log can:
//   - that a person was counted at all: an event that was never appended leaves no trace (optical counts, where entries
//     have them, are a second witness; the report prints them beside the counted people);
//   - that clocks were right: `at` is what the writer's clock said; order is proved by hashes and receipts, not by clocks;
//   - anything about entries beyond the last row of an account: they are read, chained and judged, but nobody signed them;
//   - that the key you passed is the owner's. Get it from a person, never from the folder.
//
// Exit codes: 0 nothing found, 1 findings, 2 wrong use, 3 the folder cannot be read at all.
//
// Sections of this file: findings; spelling; hashes and tree; signatures; notes; charter; policy; row; entry; the folder;
// one ledger; between ledgers; replay; report; command line. Numbers of laws are those of FORMAT.md, section 10.

import { isUtf8 } from 'node:buffer'
import * as crypto from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ kind: string, account: string, seq?: number, file?: string, byte?: number, what: string }} Finding
 * @typedef {{ name: string, id: string, raw: Buffer, text: string, object?: crypto.KeyObject }} Key
 * @typedef {{ text: string, signers: Key[] }} OpenedNote
 * @typedef {{ mall: string, anchor: Key, operators: { name: string, key: Key, role: string }[],
 *   gates: { name: string, key: Key }[], legalMax: number, alone: number, revision: number, since: number,
 *   previous: string | null, hash: string }} Charter
 * @typedef {{ version: number, steps: { from: number, capacity: number }[], confidence: number, correction: number,
 *   expiry: number, gates: { name: string, key: Key }[], margin: number, share: number, previous: string | null,
 *   reason: string, reclaimed: Map<string, number>, recount: { actual: number, counted: number } | null,
 *   signers: string[], hash: string }} Policy
 * @typedef {{ capacity: number, correction: number, reclaimed: number, carried: number, policy: number }} Budget
 * @typedef {{ admitted: number, exited: number, forced: number, lapsed: number, sent: Map<string, number>,
 *   received: Map<string, number>, sentSum: number, receivedSum: number, budget: Budget | null }} Counters
 * @typedef {{ account: string, size: number, root: string, at: number, counters: Counters, policyHash: string | null,
 *   saying: string, key: Key, file: string }} Row
 * @typedef {{ from: number | null, to: number | null, gates: string[] | null, mall: string | null,
 *   ledgers: { account: string, from: number, to: number }[] }} About
 */

const SAFE_MAX = Number.MAX_SAFE_INTEGER
const COUNT_MAX = 1_000_000_000
const LINE_BYTES_MAX = 131_072
const NOTE_BYTES_MAX = 1_048_576
const ROW_BYTES_MAX = 65_536
const SIGNATURES_MAX = 100
const HEADS_MAX = 1000
const TEXT_POINTS_MAX = 400
const LAPSE_ENTRIES_MAX = 16_384
const CHUNK_BYTES = 262_144
const ANCHOR = 'anchor'

// ---------------------------------------------------------------------------------------------------------------- findings

/** What is wrong with something that was read. Everything that refuses input throws this and nothing else. */
class Refused extends Error {}

/** @param {string} what @returns {never} */
function refuse(what) {
  throw new Refused(what)
}

/** The first breach of each kind for each account; of `bag`, the first for each file. */
class Findings {
  /** @type {Map<string, Finding>} */
  #first = new Map()

  /** @param {string} kind @param {string} account @param {string} what @param {{ seq?: number, file?: string }} [place] */
  add(kind, account, what, place = {}) {
    const key = `${kind} ${account} ${kind === 'bag' ? place.file : ''}`
    const first = this.#first.get(key)
    if (first === undefined || (place.seq ?? 0) < (first.seq ?? 0)) {
      this.#first.set(key, { kind, account, ...place, what: oneLine(what) })
    }
  }

  list() {
    return [...this.#first.values()]
  }

  /** @param {readonly string[]} kinds */
  hasAny(kinds) {
    return this.list().some(finding => kinds.includes(finding.kind))
  }
}

/** Hostile input must not write to the reader's terminal. @param {string} what */
function oneLine(what) {
  return what.replace(/[^\x20-\x7e\xa1-\u2027\u202f-\ud7ff\ue000-\ufefe]/gu, '?').slice(0, 300)
}

// ---------------------------------------------------------------------------------------------------------------- spelling

const NAME = /^[a-z][a-z0-9-]{0,30}$/
const ACCOUNT = /^[a-z][a-z0-9-]{0,30}\/[1-9][0-9]{0,8}$/
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const HASH = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/ // the last digit has two unused bits, which are zero
const DECIMAL = /^(0|-?[1-9][0-9]{0,15})$/
const NO_TEXT = /[\p{Cc}\p{Cs}\u2028\u2029]/u // control characters, halves of pairs, separators of lines

/** @param {string} account */
const nameOf = account => account.slice(0, account.indexOf('/'))
/** @param {string} account */
const epochOf = account => Number(account.slice(account.indexOf('/') + 1))
/** @param {string} account */
const isAnchor = account => nameOf(account) === ANCHOR

/** @param {string} a @param {string} b */
const bytewise = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** @param {unknown} value */
function isText(value) {
  if (typeof value !== 'string' || NO_TEXT.test(value)) return false
  return value.length <= TEXT_POINTS_MAX || [...value].length <= TEXT_POINTS_MAX
}

/** @param {string | undefined} word @param {number} min @param {number} max @returns {number} */
function decimal(word, min, max) {
  const value = Number(word)
  if (word === undefined || !DECIMAL.test(word) || value < min || value > max)
    refuse(`not a number of ${min} to ${max}: ${word}`)
  return value
}

/** @param {string | undefined} word @param {RegExp} pattern @param {string} what @returns {string} */
function matching(word, pattern, what) {
  return word !== undefined && pattern.test(word) ? word : refuse(`not ${what}: ${word}`)
}

/** Base64 in its one spelling. @param {string} text */
function fromBase64(text) {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : refuse('base64 that is not in its one spelling')
}

/** @param {Buffer} bytes */
function fromUtf8(bytes) {
  return isUtf8(bytes) ? bytes.toString('utf8') : refuse('bytes that are not UTF-8')
}

// --------------------------------------------------------------------------------------------------------- hashes and tree

/** @param {Buffer} bytes @returns {Buffer} */
const sha256 = crypto.hash
  ? bytes => crypto.hash('sha256', bytes, 'buffer') // Node 20.12 and newer: one call is twice as fast
  : bytes => crypto.createHash('sha256').update(bytes).digest()

const leafRoom = Buffer.alloc(LINE_BYTES_MAX + 1) // begins with 0x00
const nodeRoom = Buffer.alloc(65, 0x01) // begins with 0x01

/** SHA-256(0x00 ‖ line). @param {Buffer} line */
function leafHash(line) {
  if (line.length > LINE_BYTES_MAX) return sha256(Buffer.concat([Buffer.of(0), line]))
  line.copy(leafRoom, 1)
  return sha256(leafRoom.subarray(0, line.length + 1))
}

/** SHA-256(0x01 ‖ left ‖ right). @param {Buffer} left @param {Buffer} right */
function nodeHash(left, right) {
  left.copy(nodeRoom, 1)
  right.copy(nodeRoom, 33)
  return sha256(nodeRoom)
}

/** @param {string} text */
const textHash = text => leafHash(Buffer.from(text)).toString('base64')

/** The tree of RFC 6962 as its peaks: the roots of the perfect subtrees of the leaves so far, largest first. */
class Tree {
  /** @param {number} size @param {Buffer[]} peaks */
  constructor(size = 0, peaks = []) {
    this.size = size
    this.peaks = peaks
  }

  /** @param {Buffer} leaf */
  push(leaf) {
    let hash = leaf
    for (let n = this.size; n % 2 === 1; n = (n - 1) / 2)
      hash = nodeHash(/** @type {Buffer} */ (this.peaks.pop()), hash)
    this.peaks.push(hash)
    this.size++
  }

  root() {
    return this.peaks.reduceRight((right, left) => nodeHash(left, right)).toString('base64')
  }

  copy() {
    return new Tree(this.size, [...this.peaks])
  }
}

/** How many peaks a tree has: the ones in its size, written in binary. @param {number} size */
const peakCount = size => BigInt(size).toString(2).replaceAll('0', '').length

// -------------------------------------------------------------------------------------------------------------- signatures

const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27742317777372353535851937790883648493n
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex') // DER before the 32 bytes of a public key

/** @param {Buffer} bytes little-endian */
const toNumber = bytes => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/**
 * The y of an encoded point, if the encoding is canonical and the point not one of the eight of small order. On
 * −x² + y² = 1 + d·x²·y² those are: order 1, y = 1; order 2, y = −1; order 4, y = 0; and order 8, whose double has y = 0.
 * Doubling gives y = 0 where x² = −y², which the curve makes d·y⁴ + 2·y² − 1 = 0; d is −121665/121666.
 * @param {Buffer} point
 */
function isSoundPoint(point) {
  const y = toNumber(point) & (2n ** 255n - 1n) // the top bit is the sign of x
  if (y >= P || y === 0n || y === 1n || y === P - 1n) return false
  const yy = (y * y) % P
  return (-121665n * yy * yy + 121666n * (2n * yy - 1n)) % P !== 0n
}

/** Ed25519 under the strict profile: canonical and large-order A and R, S < L, then OpenSSL's equation without cofactor.
 * @param {Key} key @param {Buffer} message @param {Buffer} signature */
export function isSignature(key, message, signature) {
  if (signature.length !== 64 || toNumber(signature.subarray(32)) >= L) return false
  if (!isSoundPoint(key.raw) || !isSoundPoint(signature.subarray(0, 32))) return false
  try {
    key.object ??= crypto.createPublicKey({ key: Buffer.concat([SPKI_ED25519, key.raw]), format: 'der', type: 'spki' })
    return crypto.verify(null, message, key.object, signature)
  } catch {
    return false // not a point of the curve
  }
}

/** `<name>+<id>+<base64(0x01 ‖ public key)>`. @param {string} text @returns {Key} */
export function parseKey(text) {
  const [, name = '', id = '', encoded = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u.exec(text) ?? refuse('not a vkey')
  const bytes = fromBase64(encoded)
  if (bytes.length !== 33 || bytes[0] !== 1) refuse('not an ed25519 vkey')
  const expected = sha256(Buffer.concat([Buffer.from(`${name}\n`), bytes])).subarray(0, 4)
  if (expected.toString('hex') !== id) refuse('the id in the vkey is not that of its key')
  return { name, id, raw: bytes.subarray(1), text }
}

/** A key of this mall, with the short name in it. @param {string} text @param {string} mall */
function parseMallKey(text, mall) {
  const key = parseKey(text)
  const head = `gatemesh/${mall}/`
  if (!key.name.startsWith(head)) refuse(`a key of another mall: ${key.name}`)
  return { name: matching(key.name.slice(head.length), NAME, 'a name'), key }
}

// ------------------------------------------------------------------------------------------------------------------- notes

/** Opens a C2SP signed note: every signature line must be by an expected key and verify.
 * @param {Buffer} bytes @param {readonly Key[]} keys @param {number} [bytesMax] @returns {OpenedNote} */
function openNote(bytes, keys, bytesMax = NOTE_BYTES_MAX) {
  if (bytes.length > bytesMax) refuse(`a note of more than ${bytesMax} bytes`)
  const whole = fromUtf8(bytes)
  if (/[^\P{Cc}\n]/u.test(whole)) refuse('a note with control characters')
  const end = whole.lastIndexOf('\n\n')
  if (end < 0 || !whole.endsWith('\n')) refuse('not a signed note')
  const text = whole.slice(0, end + 1)
  const lines = whole
    .slice(end + 2)
    .split('\n')
    .slice(0, -1)
  if (lines.length === 0) refuse('a note without signatures')
  if (lines.length > SIGNATURES_MAX) refuse(`a note of more than ${SIGNATURES_MAX} signatures`)
  return { text, signers: lines.map(line => signerOf(line, Buffer.from(text), keys)) }
}

/** @param {string} line @param {Buffer} message @param {readonly Key[]} keys */
function signerOf(line, message, keys) {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? refuse('not a signature line')
  const bytes = fromBase64(encoded)
  const id = bytes.subarray(0, 4).toString('hex')
  const named = keys.filter(key => key.name === name && key.id === id)
  if (named.length === 0) refuse(`signed by ${name}+${id}, a key that is not expected here`)
  const key = named.find(k => isSignature(k, message, bytes.subarray(4)))
  return key ?? refuse(`the signature in the name of ${name}+${id} does not verify`)
}

/** The words below the head of a text: word → its values, in the order of the lines.
 * @param {string} text @param {number} headLines @param {readonly string[]} one words that may come once
 * @param {readonly string[]} many words that may come again */
function wordsOf(text, headLines, one, many) {
  const lines = text.split('\n').slice(headLines, -1)
  /** @type {Map<string, string[]>} */
  const words = new Map()
  for (const [i, line] of lines.entries()) {
    if (i > 0 && bytewise(/** @type {string} */ (lines[i - 1]), line) >= 0) refuse(`lines that are not sorted: ${line}`)
    const space = line.indexOf(' ')
    const [word, value] = [line.slice(0, space), line.slice(space + 1)]
    if (space < 1 || value === '' || !(one.includes(word) || many.includes(word)))
      refuse(`not a line that belongs here: ${line}`)
    const values = words.get(word) ?? []
    if (values.length > 0 && one.includes(word)) refuse(`${word} is said twice`)
    words.set(word, [...values, value])
  }
  return {
    /** @param {string} word */
    has: word => words.has(word),
    /** @param {string} word @returns {string | undefined} */
    text: word => words.get(word)?.[0],
    /** Absent means 0, so 0 is not written. @param {string} word @param {number} max @param {number} [min] */
    number(word, max, min = 1) {
      const value = words.get(word)?.[0]
      if (value === '0') refuse(`${word} 0 would be left out`)
      return value === undefined ? 0 : decimal(value, min, max)
    },
    /** @param {string} word @param {number} parts @returns {string[][]} */
    split: (word, parts) =>
      (words.get(word) ?? []).map(value => {
        const split = value.split(' ')
        return split.length === parts ? split : refuse(`not ${parts} values: ${word} ${value}`)
      }),
  }
}

/** @param {{ name: string, key: Key }[]} holders */
function refuseTwins(holders) {
  const names = new Set(holders.map(holder => holder.name))
  const keys = new Set(holders.map(holder => holder.key.raw.toString('hex')))
  if (names.size < holders.length || keys.size < holders.length) refuse('a name or a public key occurs twice')
}

// ----------------------------------------------------------------------------------------------------------------- charter

/** @param {Buffer} bytes @param {Key} owner @returns {Charter} */
function openCharter(bytes, owner) {
  const { text, signers } = openNote(bytes, [owner])
  if (signers.length !== 1) refuse('a charter has one signature')
  const mall = /^gatemesh\/([a-z][a-z0-9-]{0,30})\/charter\n/.exec(text)?.[1] ?? refuse('not a charter')
  const one = ['alone-move-per-mille', 'anchor', 'exits-per-minute-max', 'legal-max', 'previous', 'revision', 'since']
  const words = wordsOf(text, 1, one, ['gate', 'operator'])
  const anchor = parseMallKey(words.text('anchor') ?? refuse('a charter without an anchor'), mall)
  if (anchor.name !== ANCHOR) refuse('the key of the anchor has another name')
  const gates = words.split('gate', 1).map(([key = '']) => parseMallKey(key, mall))
  const operators = words.split('operator', 2).map(([key = '', role]) => ({
    ...parseMallKey(key, mall),
    role: matching(role, /^(viewer|operator|marshal|auditor)$/, 'a role'),
  }))
  refuseTwins([anchor, ...gates, ...operators])
  words.number('exits-per-minute-max', COUNT_MAX)
  const previous = words.text('previous')
  if (words.has('revision') !== words.has('previous') || words.has('revision') !== words.has('since')) {
    refuse('revision, previous and since come together')
  }
  return {
    mall,
    anchor: anchor.key,
    operators,
    gates,
    legalMax: words.number('legal-max', COUNT_MAX),
    alone: words.number('alone-move-per-mille', 1000),
    revision: words.has('revision') ? words.number('revision', COUNT_MAX, 2) : 1,
    since: words.has('since') ? words.number('since', COUNT_MAX, 2) : 0,
    previous: previous === undefined ? null : matching(previous, HASH, 'a hash'),
    hash: textHash(text),
  }
}

/** Is this the revision that follows? @param {Charter} charter @param {Charter} before */
function refuseRevision(charter, before) {
  if (charter.mall !== before.mall) refuse('a charter of another mall')
  if (charter.revision !== before.revision + 1) refuse(`revision ${charter.revision} after ${before.revision}`)
  if (charter.previous !== before.hash) refuse('it does not follow the charter before it')
  if (charter.since < before.since) refuse('it counts from an older policy than the charter before it')
}

// ------------------------------------------------------------------------------------------------------------------ policy

/** @param {Buffer} bytes @param {readonly Charter[]} charters oldest first @returns {{ policy: Policy, charter: Charter }} */
function openPolicy(bytes, charters) {
  const version = decimal(/\nversion ([0-9]+)\n/.exec(fromUtf8(bytes))?.[1], 1, COUNT_MAX)
  const charter = /** @type {Charter} */ (charters.findLast(c => c.since <= version))
  const { mall, anchor, operators } = charter
  const { text, signers } = openNote(bytes, [anchor, ...operators.map(operator => operator.key)])
  if (!text.startsWith(`gatemesh/${mall}/policy\n`)) refuse('not a policy of this mall')
  const one = ['confidence-min', 'correction', 'expire-after-ms', 'margin-per-mille', 'max-share-per-mille']
  const words = wordsOf(
    text,
    1,
    [...one, 'previous', 'reason', 'recount', 'version'],
    ['capacity', 'gate', 'reclaimed'],
  )
  const gates = words.split('gate', 1).map(([key = '']) => parseMallKey(key, mall))
  refuseTwins([{ name: ANCHOR, key: anchor }, ...operators, ...gates])
  const previous = words.text('previous')
  const reason = words.text('reason') ?? ''
  if (!isText(reason)) refuse('a reason that is not a text')
  if (!signers.includes(anchor)) refuse('not signed by the anchor')
  const policy = {
    version: words.number('version', COUNT_MAX),
    steps: words
      .split('capacity', 2)
      .map(([from, n]) => ({ from: decimal(from, 0, SAFE_MAX), capacity: decimal(n, 0, COUNT_MAX) }))
      .sort((a, b) => a.from - b.from),
    confidence: words.number('confidence-min', 1000),
    correction: words.number('correction', COUNT_MAX, -COUNT_MAX),
    expiry: words.number('expire-after-ms', SAFE_MAX),
    gates,
    margin: words.number('margin-per-mille', 1000),
    share: words.number('max-share-per-mille', 1000),
    previous: previous === undefined ? null : matching(previous, HASH, 'a hash'),
    reason,
    reclaimed: accountNumbers(words.split('reclaimed', 2), COUNT_MAX),
    recount:
      words.split('recount', 3).map(([at, actual, counted]) => {
        decimal(at, 0, SAFE_MAX)
        return { actual: decimal(actual, 0, COUNT_MAX), counted: decimal(counted, -COUNT_MAX, COUNT_MAX) }
      })[0] ?? null,
    signers: operators.filter(operator => signers.includes(operator.key)).map(operator => operator.name),
    hash: textHash(text),
  }
  if (policy.version !== version) refuse('a version said twice')
  return { policy, charter }
}

/** @param {string[][]} pairs @param {number} max */
function accountNumbers(pairs, max) {
  /** @type {Map<string, number>} */
  const numbers = new Map()
  for (const [account, n] of pairs) {
    const name = matching(account, ACCOUNT, 'an account')
    if (numbers.has(name)) refuse(`${name} is said twice`)
    numbers.set(name, decimal(n, 1, max))
  }
  return numbers
}

/** @param {Map<string, number>} numbers */
const sumOf = numbers => [...numbers.values()].reduce((sum, n) => sum + n, 0)

/** What a step puts in force. @param {Policy} policy @param {{ capacity: number }} step */
const limitOf = (policy, step) => Math.floor((step.capacity * (1000 - policy.margin)) / 1000)

/** The limit at a time; the first step holds from the beginning of time. @param {Policy} policy @param {number} at */
function limitAt(policy, at) {
  const step = policy.steps.findLast(s => s.from <= at) ?? policy.steps[0]
  return step === undefined ? 0 : limitOf(policy, step)
}

/** Section 7, 1 to 5. @param {Policy} policy @param {Charter} charter @param {Policy | null} before
 * @param {Policy | null} agreed the newest valid version before it that two or more signed */
function refusePolicy(policy, charter, before, agreed) {
  if (policy.version !== (before?.version ?? 0) + 1)
    refuse(`version ${policy.version} after ${before?.version ?? 'none'}`)
  if (policy.previous !== (before?.hash ?? null)) refuse('it does not follow the policy before it')
  if (policy.steps.length === 0) refuse('a policy without a capacity')
  if (new Set(policy.steps.map(step => step.from)).size < policy.steps.length) refuse('two capacities from one time on')
  if (policy.steps.some(step => step.capacity > charter.legalMax))
    refuse(`a capacity above the legal maximum of ${charter.legalMax}`)
  if (policy.signers.length === 0) refuse('signed by no operator')
  for (const { name, role } of charter.operators) {
    if (policy.signers.includes(name) && role !== 'operator' && role !== 'marshal')
      refuse(`signed by ${name}, who is a ${role}`)
  }
  const { recount } = policy
  if (recount !== null && recount.actual - recount.counted !== policy.correction - (before?.correction ?? 0)) {
    refuse('the recount does not explain the correction')
  }
  const why = policy.signers.length >= 2 ? null : whyTwo(policy, charter, before, agreed)
  if (why !== null) refuse(`one operator signed, and two must: ${why}`)
}

/** @param {Policy} policy @param {Charter} charter @param {Policy | null} before @param {Policy | null} agreed */
function whyTwo(policy, charter, before, agreed) {
  if (before === null || agreed === null) return 'it is the first'
  if (policy.recount !== null) return 'it has a recount'
  if (policy.correction !== before.correction) return 'the correction differs'
  const accounts = [...policy.reclaimed.keys(), ...before.reclaimed.keys()]
  if (accounts.some(a => policy.reclaimed.get(a) !== before.reclaimed.get(a))) return 'what is reclaimed differs'
  if (before.gates.some(old => !policy.gates.some(gate => gate.key.text === old.key.text))) return 'a gate is gone'
  if (policy.confidence < before.confidence) return 'it asks for less confidence'
  if (policy.expiry > before.expiry) return 'it expires later'
  for (const { from } of [...policy.steps, ...agreed.steps]) {
    const [now, then] = [limitAt(policy, from), limitAt(agreed, from)]
    if (Math.abs(now - then) * 1000 > charter.alone * then) return `the limit moves from ${then} to ${now}`
  }
  return null
}

/** What `change` entries of this policy may say.
 * @param {Policy} policy @param {Policy | null} before */
function changesOf(policy, before) {
  const cut = (/** @type {string} */ text) =>
    [...text].length <= TEXT_POINTS_MAX ? text : `${[...text].slice(0, TEXT_POINTS_MAX - 1).join('')}…`
  /** @type {(p: Policy) => Record<string, string>} */
  const said = p => ({
    capacity: cut(
      p.steps.map((s, i) => (i === 0 ? `${s.capacity}` : `${s.capacity} ${whenOf(s.from)}`)).join('; '),
    ),
    margin: `${p.margin} per mille`,
    correction: `${p.correction}`,
    reclaimed: `${sumOf(p.reclaimed)}`,
    share: `${p.share} per mille`,
    expiry: `${p.expiry} ms`,
    confidence: `${p.confidence} per mille`,
  })
  const [now, then] = [said(policy), before === null ? {} : said(before)]
  const changes = Object.entries(now).map(([what, after]) => ({ what, before: then[what] ?? '', after }))
  const key = (/** @type {Policy | null} */ p, /** @type {string} */ name) =>
    p?.gates.find(g => g.name === name)?.key.text ?? ''
  const names = new Set([...policy.gates, ...(before?.gates ?? [])].map(gate => gate.name))
  for (const name of names) changes.push({ what: 'roster', before: key(before, name), after: key(policy, name) })
  return changes.filter(change => change.before !== change.after)
}

/** What begins at the end of time is a limit in reserve. @param {number} ms */
const whenOf = ms => (ms >= Date.UTC(9999, 11, 31) ? 'in reserve' : `from ${dateOf(ms)}`)

/** @param {number} ms */
const dateOf = ms => (ms <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`)

// --------------------------------------------------------------------------------------------------------------------- row

/** @returns {Counters} */
function noCounters() {
  const none = { admitted: 0, exited: 0, forced: 0, lapsed: 0, sentSum: 0, receivedSum: 0, budget: null }
  return { ...none, sent: new Map(), received: new Map() }
}

/** @param {Counters} c @returns {Counters} */
const copyOf = c => ({ ...c, sent: new Map(c.sent), received: new Map(c.received) })

/** @param {Budget | null} budget */
const mintedBy = budget =>
  budget === null ? 0 : budget.capacity - budget.correction + budget.reclaimed - budget.carried

/** @param {Counters} c */
const balanceOf = c => mintedBy(c.budget) + c.receivedSum + c.exited + c.lapsed - c.admitted - c.forced - c.sentSum

/** @param {Counters} c */
const insideOf = c => c.admitted + c.forced - c.lapsed - c.exited

/** @param {Buffer} bytes @param {string} mall @param {readonly Key[]} keys @param {string} file @returns {Row} */
function openRow(bytes, mall, keys, file) {
  const { text, signers } = openNote(bytes, keys, ROW_BYTES_MAX)
  const [key, another] = signers
  if (key === undefined || another !== undefined) refuse('a row has one signature')
  const [head = '', sizeLine, root] = text.split('\n')
  const account = matching(head.slice(`gatemesh/${mall}/`.length), ACCOUNT, 'an account')
  if (head !== `gatemesh/${mall}/${account}`) refuse('not a row of this mall')
  if (key.name !== `gatemesh/${mall}/${nameOf(account)}`) refuse(`a row of ${account} signed by ${key.name}`)
  const ofGate = ['admitted', 'exited', 'forced', 'lapsed']
  const ofAnchor = ['capacity', 'carried', 'correction', 'policy', 'reclaimed']
  const words = wordsOf(text, 3, ['at', ...(isAnchor(account) ? ofAnchor : ofGate)], ['received', 'sent'])
  const [received, sent] = [
    accountNumbers(words.split('received', 2), SAFE_MAX),
    accountNumbers(words.split('sent', 2), SAFE_MAX),
  ]
  if (received.has(account) || sent.has(account)) refuse('a row that trades with itself')
  const [policy] = words.split('policy', 2)
  if (policy === undefined && ofAnchor.some(word => words.has(word))) refuse('a budget without a policy')
  const budget = policy && {
    capacity: words.number('capacity', COUNT_MAX),
    correction: words.number('correction', COUNT_MAX, -COUNT_MAX),
    reclaimed: words.number('reclaimed', COUNT_MAX),
    carried: words.number('carried', COUNT_MAX),
    policy: decimal(policy[0], 1, COUNT_MAX),
  }
  const [admitted, exited, forced, lapsed] = ofGate.map(word => words.number(word, SAFE_MAX))
  return {
    account,
    size: decimal(sizeLine, 1, SAFE_MAX),
    root: matching(root, HASH, 'a hash'),
    at: words.number('at', SAFE_MAX),
    counters: /** @type {Counters} */ ({
      ...{ admitted, exited, forced, lapsed, sent, received },
      ...{ sentSum: sumOf(sent), receivedSum: sumOf(received), budget: budget ?? null },
    }),
    policyHash: policy === undefined ? null : matching(policy[1], HASH, 'a hash'),
    saying: textHash(text.replace(/\nat [0-9]+\n/, '\n')),
    key,
    file,
  }
}

/** Does the second say less than the first in any counter? @param {Counters} a @param {Counters} b */
function saysLess(a, b) {
  if (b.admitted < a.admitted || b.exited < a.exited || b.forced < a.forced || b.lapsed < a.lapsed) return true
  for (const [account, n] of a.sent) if ((b.sent.get(account) ?? 0) < n) return true
  for (const [account, n] of a.received) if ((b.received.get(account) ?? 0) < n) return true
  return false
}

/** @param {Map<string, number>} a @param {Map<string, number>} b */
const sameNumbers = (a, b) => a.size === b.size && [...a].every(([account, n]) => b.get(account) === n)

/** @param {Counters} a @param {Counters} b */
function sameCounters(a, b) {
  if (a.admitted !== b.admitted || a.exited !== b.exited || a.forced !== b.forced || a.lapsed !== b.lapsed) return false
  const budgets = [a.budget, b.budget].map(
    x => x && [x.capacity, x.correction, x.reclaimed, x.carried, x.policy].join(' '),
  )
  return budgets[0] === budgets[1] && sameNumbers(a.sent, b.sent) && sameNumbers(a.received, b.received)
}

// ------------------------------------------------------------------------------------------------------------------- entry

/** @typedef {{ is: (value: any) => boolean, write: (value: any) => string }} Kind */

/** @param {number} min @param {number} max @returns {Kind} */
const numberOf = (min, max) => ({ is: v => Number.isSafeInteger(v) && v >= min && v <= max, write: v => `${v}` })
/** @param {RegExp} pattern @returns {Kind} */
const wordOf = pattern => ({ is: v => typeof v === 'string' && pattern.test(v), write: v => `"${v}"` })

const COUNT = numberOf(0, COUNT_MAX)
const AMOUNT = numberOf(1, COUNT_MAX)
const SIGNED = numberOf(-COUNT_MAX, COUNT_MAX)
const SIZE = numberOf(1, SAFE_MAX)
const TIME = numberOf(0, SAFE_MAX)
const PER_MILLE = numberOf(0, 1000)
const ID = wordOf(UUID7)
const A_HASH = wordOf(HASH)
const AN_ACCOUNT = wordOf(ACCOUNT)
/** @type {Kind} */
const TEXT = { is: isText, write: v => JSON.stringify(v) }
/** @type {Kind} */
const BOOL = { is: v => typeof v === 'boolean', write: v => `${v}` }
/** @type {Kind} */
const HEADS = { is: isHeads, write: v => JSON.stringify(v) }

/** @param {unknown} heads */
function isHeads(heads) {
  if (!Array.isArray(heads) || heads.length > HEADS_MAX) return false
  return heads.every((head, i) => {
    if (!Array.isArray(head) || head.length !== 3) return false
    if (!AN_ACCOUNT.is(head[0]) || !SIZE.is(head[1]) || !A_HASH.is(head[2])) return false
    return i === 0 || bytewise(heads[i - 1][0], head[0]) < 0
  })
}

/** The fields after `type`, in order; a name that ends in `?` may be left out. @type {Record<string, Record<string, Kind>>} */
const FIELDS_OF = {
  open: { mall: TEXT, account: AN_ACCOUNT, key: TEXT, 'after?': AN_ACCOUNT, 'afterSize?': SIZE, 'afterRoot?': A_HASH },
  admit: { source: wordOf(/^(local|stolen)$/), confidence: PER_MILLE },
  reject: {
    code: wordOf(/^REJECT_(AT_CAPACITY|NO_HEADROOM|EMERGENCY|FAULT)$/),
    reason: TEXT,
    confidence: PER_MILLE,
  },
  exit: { credited: BOOL, confidence: PER_MILLE },
  forced: { count: AMOUNT, why: wordOf(/^(tailgate|manual|fire)$/) },
  lapse: { admit: ID },
  send: { to: AN_ACCOUNT, amount: AMOUNT, why: wordOf(/^(ask|push|broker|debt|stop|grant)$/) },
  receive: { from: AN_ACCOUNT, amount: AMOUNT, size: SIZE },
  mode: { epoch: COUNT, mode: wordOf(/^(NORMAL|LOCKDOWN|EVACUATE|FIRE)$/), by: TEXT, reason: TEXT },
  policy: { version: AMOUNT, hash: A_HASH },
  budget: { capacity: COUNT, correction: SIGNED, reclaimed: COUNT, carried: COUNT, policy: AMOUNT },
  enrol: { account: AN_ACCOUNT },
  optical: { in: COUNT, out: COUNT },
  check: {
    what: wordOf(/^(direction|walk|count)$/),
    ...{ lane: TEXT, by: TEXT, truthIn: COUNT, truthOut: COUNT, seenIn: COUNT, seenOut: COUNT, ok: BOOL },
  },
  fault: { code: TEXT, detail: TEXT, count: COUNT },
  fork: { account: AN_ACCOUNT, size: SIZE },
  checkpoint: { heads: HEADS },
  change: {
    what: wordOf(/^(capacity|margin|correction|reclaimed|roster|share|expiry|confidence)$/),
    ...{ before: TEXT, after: TEXT, by: TEXT, reason: TEXT, policy: AMOUNT },
  },
  recount: { actual: COUNT, counted: SIGNED, residual: SIGNED, by: TEXT, reason: TEXT, policy: AMOUNT },
}
const ONLY_GATES = ['admit', 'reject', 'exit', 'forced', 'lapse', 'optical', 'check']
const ONLY_ANCHORS = ['budget', 'enrol', 'checkpoint', 'change', 'recount']

/** @type {Map<string, { name: string, optional: boolean, kind: Kind }[]>} */
const SHAPES = new Map(
  Object.entries(FIELDS_OF).map(([type, fields]) => [
    type,
    Object.entries(fields).map(([name, kind]) => ({ name: name.replace('?', ''), optional: name.endsWith('?'), kind })),
  ]),
)

/** Parses, writes again and compares: the one spelling of section 3. @param {Buffer} line @returns {any} */
export function parseEntry(line) {
  if (line.length > LINE_BYTES_MAX) refuse(`a line of more than ${LINE_BYTES_MAX} bytes`)
  const text = fromUtf8(line)
  const entry = parseJson(text)
  const shape = SHAPES.get(entry?.type) ?? refuse('not an entry')
  const { seq, prev, id, at } = entry
  if (!TIME.is(seq) || !A_HASH.is(prev) || !ID.is(id) || !TIME.is(at))
    refuse('seq, prev, id or at is not what it must be')
  let again = `{"seq":${seq},"prev":"${prev}","id":"${id}","at":${at},"type":"${entry.type}"`
  for (const { name, optional, kind } of shape) {
    const value = entry[name]
    if (value === undefined && optional) continue
    if (!kind.is(value)) refuse(`${name} of this ${entry.type} is not what it must be`)
    again += `,"${name}":${kind.write(value)}`
  }
  return `${again}}` === text ? entry : refuse('an entry that is not in its one spelling')
}

/** @param {string} text @returns {any} */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('not JSON')
  }
}

/** Section 9: what an entry does to the counters of its ledger. @param {Counters} c @param {any} entry */
function count(c, entry) {
  switch (entry.type) {
    case 'admit':
      c.admitted++
      break
    case 'exit':
      if (entry.credited) c.exited++
      break
    case 'forced':
      c.forced += entry.count
      break
    case 'lapse':
      c.lapsed++
      break
    case 'send':
      c.sent.set(entry.to, (c.sent.get(entry.to) ?? 0) + entry.amount)
      c.sentSum += entry.amount
      break
    case 'receive':
      c.received.set(entry.from, (c.received.get(entry.from) ?? 0) + entry.amount)
      c.receivedSum += entry.amount
      break
    case 'budget': {
      const { capacity, correction, reclaimed, carried, policy } = entry
      c.budget = { capacity, correction, reclaimed, carried, policy }
    }
  }
}

// -------------------------------------------------------------------------------------------------------------- the folder

/** The lines of a file, read in chunks. A file is open only while a chunk is read: bundles may have many ledgers. */
class Lines {
  #file
  /** What was read and not yet given is between `start` and `end`. */
  #room = Buffer.alloc(0)
  #start = 0
  #end = 0
  #position = 0
  #isDone = false
  /** Where the next line begins. */
  byte = 0

  /** @param {string} file */
  constructor(file) {
    this.#file = file
  }

  /** The next line without its newline, good until the next call; null at the end. What has no newline is `torn`.
   * @returns {{ line: Buffer, torn: boolean } | null} */
  next() {
    for (;;) {
      const rest = this.#room.subarray(this.#start, this.#end)
      const end = rest.indexOf(10)
      if (end >= 0) return this.#give(rest.subarray(0, end), 1)
      if (rest.length > LINE_BYTES_MAX || (this.#isDone && rest.length > 0)) return this.#give(rest, 0)
      if (this.#isDone) return null
      this.#read()
    }
  }

  /** @param {Buffer} line @param {number} newline how many bytes of it there are */
  #give(line, newline) {
    this.#start += line.length + newline
    this.byte += line.length + newline
    return { line, torn: newline === 0 }
  }

  /** The rest moves to the front; it is shorter than the longest line, and so there is room behind it. */
  #read() {
    this.#room.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
    const handle = fs.openSync(this.#file, 'r')
    try {
      // most are small; one byte more, so that a file that grows meanwhile is seen to end within a line
      if (this.#room.length === 0) this.#room = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, fs.fstatSync(handle).size + 1))
      const length = fs.readSync(handle, this.#room, this.#end, this.#room.length - this.#end, this.#position)
      this.#position += length
      this.#end += length
      this.#isDone = length === 0
    } finally {
      fs.closeSync(handle)
    }
  }
}

const fileRoom = Buffer.alloc(CHUNK_BYTES) // one for all files: most are far smaller, and there are thousands

/** @param {string} file */
function fileHash(file) {
  const hash = crypto.createHash('sha256')
  const handle = fs.openSync(file, 'r')
  try {
    for (let n = fs.readSync(handle, fileRoom); n > 0; n = fs.readSync(handle, fileRoom)) {
      hash.update(fileRoom.subarray(0, n))
    }
  } finally {
    fs.closeSync(handle)
  }
  return hash.digest('hex')
}

const FOLDER_DEPTH_MAX = 8
const ONCE = ['bundle.json', 'charter.note', 'custody.jsonl', 'README.txt', 'FORMAT.md', 'verify.mjs']
const MAY_BE_EMPTY = 'data/custody.jsonl'
const PLACES = {
  charter: /^charter(?:\.([1-9][0-9]{0,8}))?\.note$/,
  policy: /^policies\/([1-9][0-9]{0,8})\.note$/,
  ledger: /^ledgers\/([a-z][a-z0-9-]{0,30}\/[1-9][0-9]{0,8})\.jsonl$/,
  start: /^starts\/([a-z][a-z0-9-]{0,30}\/[1-9][0-9]{0,8})\.json$/,
  row: /^rows\/([a-z][a-z0-9-]{0,30}\/[1-9][0-9]{0,8})(?:\.(0|[1-9][0-9]{0,15}))?\.note$/,
  fork: /^forks\/([a-z][a-z0-9-]{0,30}\/[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,15})\.note$/,
}

/** A bundle as a folder: which files there are, and whether they are what the manifests say. */
class Folder {
  /** @param {string} dir @param {Findings} findings */
  constructor(dir, findings) {
    this.dir = dir
    this.findings = findings
    /** Paths of all regular files below the top. @type {Set<string>} */
    this.files = new Set()
    const top = fs.readdirSync(dir)
    const older = top.includes('charter.note') && !top.includes('data') && !top.includes('bagit.txt')
    this.format = older ? 0 : 1
    this.base = older ? '' : 'data/'
    this.#walk('', 0)
    this.#nameFiles()
    if (!older) this.#checkBag()
  }

  /** @param {string} what @param {string} file */
  flaw(what, file) {
    this.findings.add('bag', '', what, { file })
  }

  /** @param {string} below @param {number} depth */
  #walk(below, depth) {
    let names
    try {
      names = fs.readdirSync(path.join(this.dir, below)).sort(bytewise)
    } catch {
      return this.flaw('a folder that cannot be read', below)
    }
    if (names.length === 0 && depth > 0 && this.format > 0) this.flaw('a folder with nothing in it', below)
    for (const name of names) {
      const file = below === '' ? name : `${below}/${name}`
      const about = fs.lstatSync(path.join(this.dir, file), { throwIfNoEntry: false })
      if (about?.isFile()) this.files.add(file)
      else if (about?.isDirectory() && depth < FOLDER_DEPTH_MAX) this.#walk(file, depth + 1)
      else if (this.format > 0) this.flaw('neither a file nor a folder', file)
    }
  }

  /** Files by what their names say, with the groups of the pattern. */
  #nameFiles() {
    /** @type {Record<keyof typeof PLACES, { file: string, match: RegExpExecArray }[]>} */
    this.named = { charter: [], policy: [], ledger: [], start: [], row: [], fork: [] }
    const kinds = /** @type {(keyof typeof PLACES)[]} */ (Object.keys(PLACES))
    for (const file of this.files) {
      if (!file.startsWith(this.base)) continue
      const below = file.slice(this.base.length)
      const kind = kinds.find(k => PLACES[k].test(below))
      if (kind !== undefined)
        this.named[kind].push({ file, match: /** @type {RegExpExecArray} */ (PLACES[kind].exec(below)) })
      else if (this.format > 0 ? !ONCE.includes(below) : /^(ledgers|rows|policies)\//.test(below))
        this.flaw('not a file of a bundle', file)
    }
  }

  #checkBag() {
    const tags = ['bagit.txt', 'bag-info.txt', 'manifest-sha256.txt']
    const bagit = this.tryRead('bagit.txt')?.toString('latin1')
    if (bagit !== undefined && bagit !== 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
      this.flaw('not what it must say', 'bagit.txt')
    for (const file of this.files) {
      if (!file.startsWith('data/') && !tags.includes(file) && file !== 'tagmanifest-sha256.txt')
        this.flaw('not a file of a bundle', file)
    }
    this.#checkManifest('tagmanifest-sha256.txt', new Set(tags))
    this.#checkManifest('manifest-sha256.txt', new Set([...this.files].filter(file => file.startsWith('data/'))))
    for (const name of ONCE) {
      const file = `data/${name}`
      if (!this.files.has(file)) this.flaw('this file is missing', file)
    }
    for (const file of this.files) {
      const about = fs.lstatSync(path.join(this.dir, file), { throwIfNoEntry: false })
      if (about?.size === 0 && file !== MAY_BE_EMPTY) this.flaw('this file is empty', file)
    }
    this.#checkCustody()
  }

  /** @param {string} manifest @param {ReadonlySet<string>} expected */
  #checkManifest(manifest, expected) {
    const text = this.tryRead(manifest)?.toString('utf8')
    if (text === undefined) return
    if (!text.endsWith('\n')) this.flaw('the last line has no end', manifest)
    const listed = new Set()
    for (const line of text.split('\n').slice(0, -1)) {
      const [, hash, file = ''] = /^([0-9a-f]{64}) {2}(.+)$/u.exec(line) ?? []
      if (hash === undefined) this.flaw('a line that is not hash, two spaces, path', manifest)
      else if (listed.has(file)) this.flaw('listed twice', file)
      else if (!expected.has(file) && !this.files.has(file)) this.flaw('listed in the manifest, and missing', file)
      else if (!expected.has(file)) this.flaw('does not belong into this manifest', file)
      else this.#checkHash(file, hash)
      listed.add(file)
    }
    for (const file of expected) if (!listed.has(file)) this.flaw('not listed in the manifest', file)
  }

  /** @param {string} file @param {string} hash */
  #checkHash(file, hash) {
    try {
      if (fileHash(path.join(this.dir, file)) !== hash) this.flaw('its hash is not that of the manifest', file)
    } catch {
      this.flaw('cannot be read', file)
    }
  }

  /** Its words prove nothing; that it is lines of JSON is all that can be asked. */
  #checkCustody() {
    const text = this.files.has('data/custody.jsonl') ? this.tryRead('data/custody.jsonl')?.toString('utf8') : undefined
    for (const line of text?.split('\n').slice(0, -1) ?? []) {
      try {
        const value = parseJson(line)
        if (Object(value) !== value || Array.isArray(value)) refuse('not an object')
      } catch {
        return this.flaw('a line that is not a JSON object', 'data/custody.jsonl')
      }
    }
    if (text !== undefined && text !== '' && !text.endsWith('\n'))
      this.flaw('the last line has no end', 'data/custody.jsonl')
  }

  /** A small file whole, or undefined and a finding. @param {string} file @returns {Buffer | undefined} */
  tryRead(file) {
    try {
      if (!this.files.has(file)) refuse('this file is missing')
      if (fs.statSync(path.join(this.dir, file)).size > 64 * NOTE_BYTES_MAX) refuse('far too large')
      return fs.readFileSync(path.join(this.dir, file))
    } catch (error) {
      this.flaw(error instanceof Refused ? error.message : 'cannot be read', file)
      return undefined
    }
  }

  /** @param {string} file */
  lines(file) {
    return new Lines(path.join(this.dir, file))
  }
}

/** JSON in which spaces do not matter, but nothing else may differ. @param {Buffer} bytes @returns {any} */
function parseSpaced(bytes) {
  const text = fromUtf8(bytes)
  const value = parseJson(text)
  return JSON.stringify(value) === text.replace(/[ \t\r\n]/g, '')
    ? value
    : refuse('JSON that is not in its one spelling')
}

/** @param {any} value @param {readonly string[]} names */
function refuseFields(value, names) {
  if (Object(value) !== value || Object.keys(value).join() !== names.join())
    refuse(`its fields are not ${names.join(', ')}`)
}

/** @param {Buffer} bytes @returns {About} */
function parseAbout(bytes) {
  const about = parseSpaced(bytes)
  refuseFields(about, ['format', 'mall', 'made', 'source', 'from', 'to', 'gates', 'ledgers'])
  const { format, mall, made, source, from, to, gates, ledgers } = about
  if (format !== 'gatemesh/bundle/1') refuse(`a format this verifier does not know: ${format}`)
  if (typeof mall !== 'string' || !NAME.test(mall) || !TIME.is(made)) refuse('mall or made is not what it must be')
  if (!['anchor', 'gate', 'disk'].includes(source)) refuse('source is not what it must be')
  if ((from !== null && !TIME.is(from)) || (to !== null && !TIME.is(to))) refuse('from or to is not a time')
  const isName = wordOf(NAME).is
  if (gates !== null && !(Array.isArray(gates) && gates.every(isName) && new Set(gates).size === gates.length))
    refuse('gates are not names')
  if (!Array.isArray(ledgers)) refuse('ledgers is not a list')
  for (const [i, ledger] of ledgers.entries()) {
    refuseFields(ledger, ['account', 'from', 'to'])
    const isStretch =
      AN_ACCOUNT.is(ledger.account) && TIME.is(ledger.from) && TIME.is(ledger.to) && ledger.from <= ledger.to
    if (!isStretch || (i > 0 && bytewise(ledgers[i - 1].account, ledger.account) >= 0))
      refuse('ledgers are not stretches, sorted')
  }
  return { from, to, gates, mall, ledgers }
}

// -------------------------------------------------------------------------------------------------------------- one ledger

/** Growing lists of numbers and hashes, without an object for each: there may be millions. */
class Numbers {
  #room = new Float64Array(16)
  length = 0

  /** @param {number} n */
  push(n) {
    if (this.length === this.#room.length) {
      const larger = new Float64Array(2 * this.length)
      larger.set(this.#room)
      this.#room = larger
    }
    this.#room[this.length++] = n
  }

  /** @param {number} i @returns {number} */
  at(i) {
    return this.#room[i] ?? 0
  }

  /** How many are at most n; the list never falls. @param {number} n */
  countUpTo(n) {
    let [low, high] = [0, this.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.at(middle) <= n) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Heads of one account that others speak of: by whom, in which entry. */
class Marks {
  sizes = new Numbers()
  seqs = new Numbers()
  /** @type {Ledger[]} */
  by = []
  #roots = Buffer.alloc(512)

  /** @param {number} size @param {string} root @param {Ledger} by @param {number} seq */
  add(size, root, by, seq) {
    const i = this.sizes.length
    if (i > 0 && this.sizes.at(i - 1) === size && this.by[i - 1] === by && this.rootAt(i - 1) === root) return
    if (32 * (i + 1) > this.#roots.length) this.#roots = Buffer.concat([this.#roots, Buffer.alloc(this.#roots.length)])
    this.#roots.write(root, 32 * i, 'base64')
    this.sizes.push(size)
    this.seqs.push(seq)
    this.by.push(by)
  }

  /** @param {number} i */
  rootAt(i) {
    return this.#roots.toString('base64', 32 * i, 32 * i + 32)
  }

  /** Indices in the order of their sizes. */
  sorted() {
    return Uint32Array.from({ length: this.sizes.length }, (_, i) => i).sort(
      (a, b) => this.sizes.at(a) - this.sizes.at(b),
    )
  }
}

/** One account as it is shown: what its ledger says, and how far that can be trusted. */
class Ledger {
  /** @param {string} account @param {number} from @param {number} to @param {string | null} file */
  constructor(account, from, to, file) {
    this.account = account
    this.from = from
    this.to = to
    this.file = file
    this.owed = false
    /** Valid rows, by size; more than one of a size only where it forked. @type {Map<number, Row[]>} */
    this.rows = new Map()
    this.counters = noCounters()
    /** @type {Counters} */
    this.first = noCounters()
    /** Where reading stopped. */
    this.size = from
    /** The largest size that a row vouched for. */
    this.signed = 0
    /** Entries from here on prove nothing; where nothing was found altered, there are none. */
    this.trusted = Number.POSITIVE_INFINITY
    this.marks = new Marks()
    /** What was sent: taker → size after the send, sum. @type {Map<string, { sizes: Numbers, sums: Numbers }>} */
    this.sends = new Map()
    /** What was received: donor → seq, size cited, sum.
     * @type {Map<string, { seqs: Numbers, sizes: Numbers, sums: Numbers }>} */
    this.receives = new Map()
    /** Budgets, for laws 15 and 16. @type {{ seq: number, carried: number, policy: number }[]} */
    this.budgets = []
    /** Heads that this ledger did not have, told by others. @type {{ by: Ledger, seq: number, size: number }[]} */
    this.wrongMarks = []
    /** @type {Key | null} */
    this.key = null
    /** Rows that stand in for lost entries. @type {Row[]} */
    this.leaps = []
    /** Is there no line of it? */
    this.isBlank = file === null
    this.optical = { in: 0, out: 0, entries: 0 }
    this.exits = 0
    this.firstAt = Number.POSITIVE_INFINITY
    this.lastAt = Number.NEGATIVE_INFINITY
  }

  /** From this size on nothing is proved. @param {number} size */
  distrust(size) {
    this.trusted = Math.min(this.trusted, size)
  }

  get rowsInOrder() {
    return [...this.rows.keys()].sort((a, b) => a - b).map(size => /** @type {Row[]} */ (this.rows.get(size))[0])
  }

  /** What was sent to a taker by the entries up to a size. @param {string} taker @param {number} size */
  sentAt(taker, size) {
    const history = this.sends.get(taker)
    const i = history?.sizes.countUpTo(size) ?? 0
    return i === 0 ? (this.first.sent.get(taker) ?? 0) : (history?.sums.at(i - 1) ?? 0)
  }
}

/** Reads one ledger and judges laws 1 to 10 of it. */
class Reader {
  /** @param {Audit} audit @param {Ledger} ledger */
  constructor(audit, ledger) {
    this.audit = audit
    this.ledger = ledger
    this.lines = audit.folder.lines(/** @type {string} */ (ledger.file))
    /** @type {({ entry: any, leaf: Buffer } | { wrong: string } | null)[]} */
    this.ahead = []
    this.tree = new Tree()
    /** Admissions that may still lapse, oldest first: id → seq. @type {Map<string, number>} */
    this.admits = new Map()
    /** Ids that lapsed, oldest first. @type {Set<string>} */
    this.lapsed = new Set()
    this.policyNamed = 0
    this.marks = ledger.marks.sorted()
    this.nextMark = 0
  }

  /** @param {string} kind @param {number} seq @param {string} what */
  found(kind, seq, what) {
    this.audit.findings.add(kind, this.ledger.account, what, { seq })
  }

  /** The line i ahead, parsed; null beyond the end. @param {number} i */
  peek(i) {
    while (this.ahead.length <= i) {
      const next = this.lines.next()
      this.ahead.push(next && this.#parse(next.line, next.torn))
    }
    return this.ahead[i] ?? null
  }

  /** @param {Buffer} line @param {boolean} torn */
  #parse(line, torn) {
    try {
      if (torn) refuse('a line without an end')
      return { entry: parseEntry(line), leaf: leafHash(line) }
    } catch (error) {
      if (error instanceof Refused) return { wrong: error.message }
      throw error
    }
  }

  /** @param {Tree} tree at the beginning */
  read(tree) {
    const { ledger, audit } = this
    this.tree = tree
    this.#meetMarks()
    /** @type {string | null} */
    let prev = ledger.from === 0 ? audit.charterHash : null
    for (let n = ledger.from; ; n++) {
      const current = this.peek(0)
      if (current === null) break
      if (n >= ledger.to) break
      const flaw = this.#flawOf(current, n, prev)
      if (flaw !== null || 'wrong' in current) {
        ledger.distrust(n)
        this.found(flaw?.kind ?? '', n, flaw?.what ?? '')
        return this.#countLines(n, flaw?.kind === 'gap')
      }
      this.#apply(current.entry, n)
      this.tree.push(current.leaf)
      ledger.size = n + 1
      if (!this.#meetRows()) return
      this.#meetMarks()
      prev = current.leaf.toString('base64')
      this.ahead.shift()
    }
    this.#countLines(ledger.size)
  }

  /** Section 11: are there as many lines as bundle.json says? @param {number} n of the line that would be read next
   * @param {boolean} isGap entries are known to be missing before the end */
  #countLines(n, isGap = false) {
    const { ledger } = this
    let end = n
    for (; this.peek(0) !== null; end++) this.ahead.shift()
    ledger.isBlank = end === ledger.from
    if (end > ledger.to)
      this.audit.folder.flaw(`${end - ledger.from} lines, and not ${ledger.to - ledger.from}`, `${ledger.file}`)
    if (!Number.isFinite(ledger.to) || end >= ledger.to || isGap) return
    this.found('truncated', end, `ends at size ${end}, and should be shown to ${ledger.to}`)
    ledger.distrust(end)
  }

  /** Laws 1 and 2 of line n, which also needs to be what the line after it cites.
   * @param {{ entry: any, leaf: Buffer } | { wrong: string }} current @param {number} n @param {string | null} prev
   * @returns {{ kind: string, what: string } | null} */
  #flawOf(current, n, prev) {
    if ('wrong' in current) return { kind: 'entry', what: current.wrong }
    const { entry } = current
    const follows = prev === null || entry.prev === prev
    if (entry.seq !== n) {
      if (entry.seq > n && (!follows || prev === null))
        return { kind: 'gap', what: `entry ${n} is missing: the next is ${entry.seq}` }
      return { kind: 'chain', what: `says that it is entry ${entry.seq}, and is ${n}` }
    }
    if (!follows)
      return { kind: 'chain', what: n === 0 ? 'does not cite the charter' : 'does not cite the entry before it' }
    if (this.#isDisowned(current, n)) return { kind: 'chain', what: 'is not the entry that the one after it cites' }
    return null
  }

  /** Lines n and n+1 disagree, and it is n that was altered: see law 2.
   * @param {{ entry: any, leaf: Buffer }} current @param {number} n */
  #isDisowned(current, n) {
    const next = this.peek(1)
    if (next === null || 'wrong' in next || next.entry.seq !== n + 1) return false
    const leaf = current.leaf.toString('base64')
    if (next.entry.prev === leaf) return false
    const mended = leafHash(Buffer.from(JSON.stringify({ ...next.entry, prev: leaf })))
    const after = n + 2 < this.ledger.to ? this.peek(2) : null
    if (after !== null) return 'wrong' in after || after.entry.prev !== mended.toString('base64')
    const tree = this.tree.copy()
    tree.push(current.leaf)
    tree.push(mended)
    const root = tree.root()
    return !(this.ledger.rows.get(n + 2) ?? []).some(row => row.root === root)
  }

  /** Law 3: what was signed at this size. False where the ledger is not the one that was signed. */
  #meetRows() {
    const { ledger, audit } = this
    const rows = ledger.rows.get(ledger.size)
    if (rows === undefined) return true
    const root = this.tree.root()
    const same = rows.filter(row => row.root === root)
    if (same.length === 0) {
      this.found('root', ledger.size - 1, `the row of size ${ledger.size} was signed for another root`)
      ledger.distrust(ledger.signed)
      return false
    }
    if (!same.some(row => sameCounters(row.counters, ledger.counters) && audit.isHashOf(row))) {
      this.found('counters', ledger.size - 1, `the row of size ${ledger.size} counts otherwise than the entries`)
    }
    ledger.signed = ledger.size
    return true
  }

  /** Law 13: what others said of this size. */
  #meetMarks() {
    const { marks, size, wrongMarks } = this.ledger
    for (; this.nextMark < this.marks.length; this.nextMark++) {
      const i = this.marks[this.nextMark] ?? 0
      if (marks.sizes.at(i) > size) return
      if (marks.sizes.at(i) < size || size === 0) continue
      const by = /** @type {Ledger} */ (marks.by[i])
      if (marks.rootAt(i) !== this.tree.root()) wrongMarks.push({ by, seq: marks.seqs.at(i), size })
    }
  }

  /** Laws 4 to 10, then the counting. @param {any} entry @param {number} n */
  #apply(entry, n) {
    const { ledger } = this
    if (n === 0 || entry.type === 'open') this.#judgeOpen(entry, n)
    const forOthers = isAnchor(ledger.account) ? ONLY_GATES : ONLY_ANCHORS
    if (forOthers.includes(entry.type)) this.found('entry', n, `${entry.type} is not for ${ledger.account} to write`)
    else if (entry.type in JUDGES) JUDGES[/** @type {keyof typeof JUDGES} */ (entry.type)](this, entry, n)
    count(ledger.counters, entry)
    if (entry.type === 'send')
      remember(ledger.sends, entry.to, { sizes: n + 1, sums: ledger.counters.sent.get(entry.to) ?? 0 })
    if (entry.type === 'receive') {
      const sums = ledger.counters.received.get(entry.from) ?? 0
      remember(ledger.receives, entry.from, { seqs: n, sizes: entry.size, sums })
    }
    ledger.firstAt = Math.min(ledger.firstAt, entry.at)
    ledger.lastAt = Math.max(ledger.lastAt, entry.at)
    this.audit.proved.entries++
  }

  /** Law 5. @param {any} entry @param {number} n */
  #judgeOpen(entry, n) {
    const { audit, ledger } = this
    if (n > 0) return this.found('open', n, 'a ledger is opened once, by its first entry')
    if (entry.type !== 'open') return this.found('open', n, 'the first entry does not open the ledger')
    if (entry.mall !== audit.mall || entry.account !== ledger.account)
      this.found('open', n, `opens ${entry.account} of ${entry.mall}`)
    ledger.key = audit.keysOf(nameOf(ledger.account)).find(key => key.text === entry.key) ?? null
    if (ledger.key === null) this.found('roster', n, 'opened with a key that nobody gave to this name')
    const said = [entry.after, entry.afterSize, entry.afterRoot].filter(value => value !== undefined)
    if (said.length === 0) return
    const isEarlier =
      said.length === 3 &&
      nameOf(entry.after) === nameOf(ledger.account) &&
      epochOf(entry.after) < epochOf(ledger.account)
    if (!isEarlier) this.found('open', n, 'does not cite an earlier epoch of its own name')
    else audit.mark(entry.after, entry.afterSize, entry.afterRoot, ledger, n)
  }
}

/** @param {Map<string, any>} map @param {string} key @param {Record<string, number>} values */
function remember(map, key, values) {
  let lists = map.get(key)
  if (lists === undefined) {
    lists = Object.fromEntries(Object.keys(values).map(name => [name, new Numbers()]))
    map.set(key, lists)
  }
  for (const name in values) lists[name].push(values[name])
}

/** Laws 4 and 6 to 10, by the type of the entry they are about. */
const JUDGES = {
  /** Whoever shows the mall may have left the proof out. @param {Reader} reader @param {any} entry @param {number} n */
  fork(reader, entry, n) {
    const { ledger, audit } = reader
    if (audit.folder.format === 0) return
    const what = `entry ${n} of ${ledger.account} says that two histories of it were seen`
    audit.findings.add('fork', entry.account, what, { seq: entry.size - 1 })
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  admit(reader, entry, n) {
    const balance = balanceOf(reader.ledger.counters)
    if (balance < 1) reader.found('overspent', n, `admits with a balance of ${balance}`)
    reader.admits.delete(entry.id)
    reader.admits.set(entry.id, n)
    if (reader.admits.size > LAPSE_ENTRIES_MAX) reader.admits.delete(reader.admits.keys().next().value ?? '')
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  send(reader, entry, n) {
    const balance = balanceOf(reader.ledger.counters)
    if (balance < entry.amount) reader.found('overspent', n, `sends ${entry.amount} with a balance of ${balance}`)
    if (entry.to === reader.ledger.account) reader.found('self', n, 'sends to itself')
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  receive(reader, entry, n) {
    const { ledger, audit } = reader
    if (entry.from === ledger.account) reader.found('self', n, 'receives from itself')
    const before = ledger.receives.get(entry.from)?.sizes
    if (audit.folder.format > 0 && before !== undefined && before.at(before.length - 1) >= entry.size) {
      reader.found('receive', n, `cites size ${entry.size} of ${entry.from}, and an earlier entry cited no smaller one`)
    }
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  lapse(reader, entry, n) {
    if (reader.lapsed.size > LAPSE_ENTRIES_MAX) reader.lapsed.delete(reader.lapsed.keys().next().value ?? '')
    const seq = reader.admits.get(entry.admit)
    const { from } = reader.ledger
    const mayBeHidden = from > 0 && n - LAPSE_ENTRIES_MAX < from && !reader.lapsed.has(entry.admit)
    const isFound = seq !== undefined && seq + LAPSE_ENTRIES_MAX >= n
    if (!isFound && !mayBeHidden) reader.found('lapse', n, 'takes back an admission that is not there to be taken back')
    reader.admits.delete(entry.admit)
    reader.lapsed.delete(entry.admit)
    reader.lapsed.add(entry.admit)
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  exit(reader, entry, n) {
    reader.ledger.exits++
    const asked = reader.audit.confidenceFrom(reader.policyNamed)
    if (entry.credited && entry.confidence < asked)
      reader.found('exit', n, `credited with a confidence of ${entry.confidence}, below ${asked}`)
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  policy(reader, entry, n) {
    const policy = reader.audit.policies.get(entry.version)
    if (policy?.hash !== entry.hash)
      reader.found('policy', n, `no valid policy ${entry.version} with this hash is shown`)
    else reader.policyNamed = Math.max(reader.policyNamed, entry.version)
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  budget(reader, entry, n) {
    const { ledger, audit } = reader
    const policy = audit.policies.get(entry.policy)
    const wrong = (/** @type {string} */ what) => reader.found('budget', n, what)
    if (policy === undefined) wrong(`follows policy ${entry.policy}, of which no valid one is shown`)
    else if (entry.policy < (ledger.counters.budget?.policy ?? 0)) wrong('goes back to an older policy')
    else if (!policy.steps.some(step => limitOf(policy, step) === entry.capacity))
      wrong('its capacity is the limit of no step')
    else if (entry.correction !== policy.correction) wrong('its correction is not that of the policy')
    else if (entry.reclaimed !== sumOf(policy.reclaimed)) wrong('what it reclaims is not what the policy reclaims')
    ledger.budgets.push({ seq: n, carried: entry.carried, policy: entry.policy })
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  change(reader, entry, n) {
    const policy = reader.audit.policies.get(entry.policy)
    if (!isSignedAs(policy, entry))
      return reader.found('policy', n, `is not by those who signed policy ${entry.policy}, or for its reason`)
    const changes = changesOf(policy, reader.audit.policies.get(entry.policy - 1) ?? null)
    const isSaid = changes.some(c => c.what === entry.what && c.before === entry.before && c.after === entry.after)
    if (!isSaid) reader.found('policy', n, `policy ${entry.policy} did not change ${entry.what} so`)
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  recount(reader, entry, n) {
    const policy = reader.audit.policies.get(entry.policy)
    if (!isSignedAs(policy, entry))
      return reader.found('policy', n, `is not by those who signed policy ${entry.policy}, or for its reason`)
    const { actual, counted } = policy.recount ?? {}
    const isSaid = actual === entry.actual && counted === entry.counted && actual - counted === entry.residual
    if (!isSaid) reader.found('policy', n, `policy ${entry.policy} has no such recount`)
  },
  /** @param {Reader} reader @param {any} entry @param {number} n */
  checkpoint(reader, entry, n) {
    for (const [account, size, root] of entry.heads) {
      if (account !== reader.ledger.account) reader.audit.mark(account, size, root, reader.ledger, n)
    }
  },
  /** @param {Reader} reader @param {any} entry */
  optical(reader, entry) {
    reader.ledger.optical.in += entry.in
    reader.ledger.optical.out += entry.out
    reader.ledger.optical.entries++
  },
}

/** Is it told by all who signed the policy, and for its reason? @param {Policy | undefined} policy
 * @param {any} entry @returns {policy is Policy} */
function isSignedAs(policy, entry) {
  if (policy === undefined || entry.reason !== policy.reason) return false
  return entry.by.split(',').sort().join() === [...policy.signers].sort().join()
}

// --------------------------------------------------------------------------------------------------------- between ledgers

/** Everything that is known of a bundle, and the laws that need more than one ledger. */
class Audit {
  findings = new Findings()
  proved = { entries: 0, rows: 0, policies: 0, receives: 0 }
  /** Shown accounts. @type {Map<string, Ledger>} */
  ledgers = new Map()
  /** Accounts that are spoken of and not shown, with their valid rows. @type {Map<string, Ledger>} */
  strangers = new Map()
  /** Valid policies by version. @type {Map<number, Policy>} */
  policies = new Map()
  /** @type {Charter[]} */
  charters = []
  /** Keys of gates and anchor, by name. @type {Map<string, Key[]>} */
  keys = new Map()
  /** @type {{ account: string, from: number, to: number }[]} */
  lost = []
  /** @type {{ occupancy: number, capacity: number, account: string, seq: number, at: number } | null} */
  peak = null
  /** @type {About} */
  about = { from: null, to: null, gates: null, mall: null, ledgers: [] }

  /** @param {string} dir @param {Key} owner */
  constructor(dir, owner) {
    this.owner = owner
    this.folder = new Folder(dir, this.findings)
  }

  run() {
    if (!this.#openCharters()) return
    this.#openPolicies()
    this.#openAbout()
    if (this.ledgers.size === 0) this.findings.add('empty', '', 'no account is shown')
    this.#openRows()
    this.#judgeForks()
    // Whoever speaks of heads is read before those spoken of: the anchor first, and later epochs before earlier ones.
    const order = [...this.ledgers.values()].sort((a, b) => {
      const first = Number(isAnchor(b.account)) - Number(isAnchor(a.account))
      return first || bytewise(nameOf(a.account), nameOf(b.account)) || epochOf(b.account) - epochOf(a.account)
    })
    for (const ledger of order) this.#read(ledger)
    this.#judgeKeys()
    this.#judgeMarks()
    this.#judgeSizes()
    this.#judgeReceives()
    this.#judgeLeaps()
    if (this.about.gates === null) {
      this.#judgeCarried()
      this.#judgeReclaimed()
    }
    new Replay(this).run()
  }

  get mall() {
    return this.charters[0]?.mall ?? ''
  }

  get charterHash() {
    return this.charters[0]?.hash ?? ''
  }

  /** @param {string} name */
  keysOf(name) {
    return this.keys.get(name) ?? []
  }

  /** @param {string} name @param {Key} key */
  #learnKey(name, key) {
    const known = this.keysOf(name)
    if (!known.some(k => k.text === key.text)) this.keys.set(name, [...known, key])
  }

  /** Opens a note; what is refused is a finding. @template T @param {string} kind @param {string} account @param {string} file
   * @param {(bytes: Buffer) => T} open @returns {T | undefined} */
  #try(kind, account, file, open) {
    const bytes = this.folder.tryRead(file)
    if (bytes === undefined) return undefined
    try {
      return open(bytes)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.findings.add(kind, account, error.message, { file })
      return undefined
    }
  }

  /** Law 14. Without a charter there are no keys, and nothing else can be judged. */
  #openCharters() {
    const { named, base, format, files } = this.folder
    const first = `${base}charter.note`
    if (!files.has(first)) this.findings.add('charter', '', 'there is no charter', { file: first })
    const charter = files.has(first)
      ? this.#try('charter', '', first, bytes => openCharter(bytes, this.owner))
      : undefined
    if (charter !== undefined && charter.revision !== 1)
      this.findings.add('charter', '', 'not the first charter', { file: first })
    if (charter === undefined || charter.revision !== 1) return false
    this.charters.push(charter)
    const later = named.charter.map(({ file, match }) => ({ file, n: Number(match[1]) })).filter(({ n }) => n > 0)
    for (const { file, n } of format === 0 ? [] : later.sort((a, b) => a.n - b.n)) {
      const before = /** @type {Charter} */ (this.charters.at(-1))
      const revision = this.#try('charter', '', file, bytes => {
        const opened = openCharter(bytes, this.owner)
        refuseRevision(opened, before)
        if (opened.revision !== n) this.folder.flaw(`it is revision ${opened.revision}`, file)
        return opened
      })
      if (revision === undefined) break
      this.charters.push(revision)
    }
    for (const { anchor, gates } of this.charters) {
      this.#learnKey(ANCHOR, anchor)
      for (const { name, key } of gates) this.#learnKey(name, key)
    }
    return true
  }

  #openPolicies() {
    const notes = this.folder.named.policy.flatMap(({ file, match }) => {
      const opened = this.#try('policy', ANCHOR, file, bytes => openPolicy(bytes, this.charters))
      if (opened && `${opened.policy.version}` !== match[1])
        this.folder.flaw(`it is version ${opened.policy.version}`, file)
      return opened ? [{ ...opened, file }] : []
    })
    /** @type {Policy | null} */
    let before = null
    /** @type {Policy | null} */
    let agreed = null
    for (const { policy, charter, file } of notes.sort((a, b) => a.policy.version - b.policy.version)) {
      if (this.policies.get(policy.version)?.hash === policy.hash) continue // said twice is said once
      try {
        refusePolicy(policy, charter, before, agreed)
      } catch (error) {
        this.findings.add('policy', ANCHOR, /** @type {Error} */ (error).message, { file })
        continue
      }
      before = policy
      if (policy.signers.length >= 2) agreed = policy
      this.policies.set(policy.version, policy)
      for (const { name, key } of policy.gates) this.#learnKey(name, key)
    }
    this.proved.policies = this.policies.size
  }

  /** What is shown. */
  #openAbout() {
    const { folder } = this
    const files = new Map(folder.named.ledger.map(({ file, match }) => [match[1] ?? '', file]))
    if (folder.format === 0) {
      for (const [account, file] of files)
        this.ledgers.set(account, new Ledger(account, 0, Number.POSITIVE_INFINITY, file))
    } else {
      // Without it nothing is shown, and everything is owed that others speak of.
      const about = this.#try('bag', '', 'data/bundle.json', parseAbout) ?? this.about
      if (about !== this.about && about.mall !== this.mall) {
        folder.flaw(`it is of ${about.mall}, and the charter of ${this.mall}`, 'data/bundle.json')
      }
      this.about = about
      for (const { account, from, to } of about.ledgers) {
        const file = files.get(account)
        if (from < to && file === undefined) folder.flaw('this file is missing', `data/ledgers/${account}.jsonl`)
        if (from > 0 && from < to) folder.tryRead(`data/starts/${account}.json`)
        this.ledgers.set(account, new Ledger(account, from, to, from < to && file ? file : null))
      }
      for (const [account, file] of files) {
        if (this.ledgers.get(account)?.file !== file) folder.flaw('bundle.json does not speak of it', file)
      }
      for (const { file, match } of folder.named.start) {
        const ledger = this.ledgers.get(match[1] ?? '')
        if (!ledger || ledger.from === 0 || ledger.from === ledger.to)
          folder.flaw('bundle.json does not speak of it', file)
      }
    }
    for (const ledger of this.ledgers.values()) this.#owe(ledger)
  }

  /** Is it promised that everything of it is shown? @param {Ledger} ledger */
  #owe(ledger) {
    const { to, gates } = this.about
    ledger.owed = to === null && (gates === null || gates.includes(nameOf(ledger.account)))
  }

  #openRows() {
    const { folder } = this
    for (const { file, match } of folder.named.row) {
      const row = this.#openRow(file, match[1] ?? '')
      if (row === undefined) continue
      if (folder.format > 0 && `${row.size}` !== match[2]) folder.flaw(`it is a row of size ${row.size}`, file)
      const ledger = this.#ledgerOf(row.account)
      const same = ledger.rows.get(row.size)
      if (same === undefined) this.proved.rows++
      if (same === undefined || same.every(other => other.saying !== row.saying))
        ledger.rows.set(row.size, [...(same ?? []), row])
    }
  }

  /** @param {string} file @param {string} account @returns {Row | undefined} */
  #openRow(file, account) {
    const keys = this.keysOf(nameOf(account))
    if (keys.length === 0) {
      this.findings.add('roster', account, 'a row of an account whose name has no key', { file })
      return undefined
    }
    return this.#try('row', account, file, bytes => {
      const said = /^gatemesh\/[^/\n]+\/([^\n]+)\n/.exec(bytes.toString('utf8'))?.[1]
      // a row of somebody else is one all the same, under a wrong name
      const theirs = said === undefined || said === account ? keys : this.keysOf(nameOf(said))
      if (said !== undefined && ACCOUNT.test(said) && theirs.length === 0) {
        this.findings.add('roster', account, `a row of ${said}, whose name has no key`, { file })
        return undefined
      }
      const row = openRow(bytes, this.mall, theirs, file)
      if (row.account === account) return row
      if (this.folder.format > 0) return this.folder.flaw('not a row of the account in its name', file)
      return refuse(`it is a row of ${row.account}`)
    })
  }

  /** The ledger of an account. Of one that is not shown, where all should be, it is as if it had no entries.
   * @param {string} account */
  #ledgerOf(account) {
    const shown = this.ledgers.get(account) ?? this.strangers.get(account)
    if (shown !== undefined) return shown
    const ledger = new Ledger(account, 0, 0, null)
    const { gates } = this.about
    ledger.owed = gates === null || gates.includes(nameOf(account))
    const known = ledger.owed ? this.ledgers : this.strangers
    known.set(account, ledger)
    return ledger
  }

  /** Law 4, of the rows and of what is kept as proof of a fork. */
  #judgeForks() {
    /** @type {Map<string, Row[]>} */
    const kept = new Map()
    for (const { file, match } of this.folder.format === 0 ? [] : this.folder.named.fork) {
      const row = this.#openRow(file, match[1] ?? '')
      if (row !== undefined) kept.set(row.account, [...(kept.get(row.account) ?? []), row])
    }
    for (const account of kept.keys()) this.#ledgerOf(account)
    for (const { account, rows } of [...this.ledgers.values(), ...this.strangers.values()]) {
      const proofs = kept.get(account) ?? []
      const all = [...[...rows.values()].flat(), ...proofs].sort((a, b) => a.size - b.size)
      const broken = all.findIndex((row, i) => i > 0 && contradicts(/** @type {Row} */ (all[i - 1]), row))
      const size = all[broken]?.size ?? 0
      if (broken > 0)
        this.findings.add('fork', account, `rows up to size ${size} are not of one history`, { seq: size - 1 })
      const [proof, another] = proofs
      if (proof && !another) this.folder.flaw('it is alone, and two make a fork', proof.file)
      else if (proof && broken <= 0) this.folder.flaw('it contradicts no row that is shown', proof.file)
    }
  }

  /** @param {Ledger} ledger */
  #read(ledger) {
    const { account, from, to, file } = ledger
    if (this.keysOf(nameOf(account)).length === 0) {
      this.findings.add('roster', account, 'an account whose name has no key', file === null ? {} : { file })
      return ledger.distrust(0)
    }
    const tree = this.#beginning(ledger)
    if (tree === null) return ledger.distrust(0)
    if (file !== null) new Reader(this, ledger).read(tree)
    else if (from < to && Number.isFinite(to)) {
      this.findings.add('truncated', account, 'its entries are not shown', { seq: from })
      ledger.distrust(from)
    }
    if (ledger.isBlank && ledger.rows.size === 0)
      this.findings.add('empty', account, 'there is nothing of it to check', file === null ? {} : { file })
    else if (ledger.rows.size === 0) this.findings.add('unsigned', account, 'there is no valid row of it')
  }

  /** Where a ledger is shown from: the tree and the counters there; null where that cannot be told.
   * @param {Ledger} ledger @returns {Tree | null} */
  #beginning(ledger) {
    const { account, from, to, rows } = ledger
    if (from === 0) return new Tree()
    const row = rows.get(from)?.[0]
    if (row === undefined) {
      this.findings.add('unsigned', account, `there is no valid row of size ${from}, where it begins`)
      return null
    }
    ledger.counters = copyOf(row.counters)
    ledger.first = row.counters
    ledger.signed = from
    const file = `data/starts/${account}.json`
    if (from === to && !this.folder.files.has(file)) return new Tree(from)
    const tree = this.#try('bag', '', file, bytes => parseStart(bytes, account))
    if (tree?.size !== from || !rows.get(from)?.some(r => r.root === tree.root())) {
      this.findings.add('root', account, `its peaks do not give the root in the row of size ${from}`, { file })
      return null
    }
    return tree
  }

  /** Somebody speaks of a head. @param {string} account @param {number} size @param {string} root @param {Ledger} by
   * @param {number} seq */
  mark(account, size, root, by, seq) {
    this.#ledgerOf(account).marks.add(size, root, by, seq)
  }

  /** The least confidence that this version or a later one asks for. @param {number} version */
  confidenceFrom(version) {
    const asked = [...this.policies.values()].filter(p => p.version >= version).map(p => p.confidence)
    return asked.length === 0 ? 0 : Math.min(...asked)
  }

  /** @param {Row} row */
  isHashOf(row) {
    const policy = this.policies.get(row.counters.budget?.policy ?? 0)
    return policy === undefined || policy.hash === row.policyHash
  }

  /** Law 3, last sentence. */
  #judgeKeys() {
    if (this.folder.format === 0) return
    for (const { account, key, rowsInOrder } of [...this.ledgers.values(), ...this.strangers.values()]) {
      const expected = key ?? rowsInOrder[0]?.key
      const other = rowsInOrder.find(row => row.key.text !== expected?.text)
      if (other !== undefined)
        this.findings.add('row', account, 'signed with another key than the account has', { file: other.file })
    }
  }

  /** Laws 5 and 13: heads that were met while reading, and those of which only rows are left. */
  #judgeMarks() {
    for (const ledger of [...this.ledgers.values(), ...this.strangers.values()]) {
      const { marks, rows, size, from, trusted, account } = ledger
      for (let i = 0; i < marks.sizes.length; i++) {
        const at = marks.sizes.at(i)
        const same = rows.get(at)
        const isMet = at <= size && at >= from && from < size
        if (same !== undefined && !isMet && at <= trusted && same.every(row => row.root !== marks.rootAt(i))) {
          ledger.wrongMarks.push({ by: /** @type {Ledger} */ (marks.by[i]), seq: marks.seqs.at(i), size: at })
        }
      }
      for (const mark of ledger.wrongMarks) {
        if (mark.size > trusted || mark.seq >= mark.by.trusted) continue
        const what = `${account} never had the head told here for size ${mark.size}`
        this.findings.add('checkpoint', mark.by.account, what, { seq: mark.seq })
      }
    }
  }

  /** Law 12: which ledgers are shorter than others know them to be. */
  #judgeSizes() {
    const claimed = this.#claims()
    const known = [...this.ledgers.values(), ...this.strangers.values()].filter(l => !l.isBlank || l.rows.size > 0)
    const hasLater = (/** @type {string} */ account) =>
      known.some(l => nameOf(l.account) === nameOf(account) && epochOf(l.account) > epochOf(account))
    for (const account of [...claimed.keys()].sort(bytewise)) {
      const ledger = this.#ledgerOf(account)
      const to = claimed.get(account) ?? 0
      const { from, gates } = this.about
      if (from === null && ledger.from > 0 && (gates === null || gates.includes(nameOf(account)))) {
        if (hasLater(account)) this.lost.push({ account, from: 0, to: ledger.from })
        else this.findings.add('truncated', account, `begins at size ${ledger.from}, and all was asked for`, { seq: 0 })
      }
      if (!ledger.owed || Number.isFinite(ledger.trusted) || to <= ledger.size) continue
      const leaps = ledger.rowsInOrder.filter(row => row.size > ledger.size)
      if (hasLater(account) && leaps.at(-1)?.size === to) {
        this.lost.push({ account, from: ledger.size, to })
        ledger.leaps = leaps
      } else {
        const what = `ends at size ${ledger.size}, and others know it at ${to}`
        this.findings.add('truncated', account, what, { seq: ledger.size })
        ledger.distrust(ledger.size)
      }
    }
  }

  /** The largest size of each account that anybody speaks of who can be trusted in this. */
  #claims() {
    /** @type {Map<string, number>} */
    const claimed = new Map()
    const claim = (/** @type {string} */ account, /** @type {number} */ size) =>
      claimed.set(account, Math.max(size, claimed.get(account) ?? 0))
    for (const ledger of [...this.ledgers.values(), ...this.strangers.values()]) {
      for (const row of ledger.rowsInOrder) {
        claim(ledger.account, row.size)
        for (const other of [...row.counters.received.keys(), ...row.counters.sent.keys()]) {
          if (!this.ledgers.has(other)) claim(other, 1)
        }
      }
      const { marks } = ledger
      for (let i = 0; i < marks.sizes.length; i++) {
        if (marks.seqs.at(i) < (marks.by[i]?.trusted ?? 0)) claim(ledger.account, marks.sizes.at(i))
      }
      for (const [donor, { seqs, sizes }] of ledger.receives) {
        for (let i = 0; i < seqs.length; i++) if (seqs.at(i) < ledger.trusted) claim(donor, sizes.at(i))
      }
    }
    return claimed
  }

  /** Law 11: after each receive, at most what the donor had sent. */
  #judgeReceives() {
    for (const taker of this.ledgers.values()) {
      for (const [donor, { seqs, sizes, sums }] of taker.receives) {
        for (let i = 0; i < seqs.length && seqs.at(i) < taker.trusted; i++) {
          const sent = this.#sentUpTo(donor, taker.account, sizes.at(i))
          if (sent === null) continue
          this.proved.receives++
          if (sums.at(i) <= sent) continue
          const what = `has received ${sums.at(i)} from ${donor}, which at size ${sizes.at(i)} had sent ${sent}`
          this.findings.add('receive', taker.account, what, { seq: seqs.at(i) })
        }
      }
    }
  }

  /** What a donor had sent to a taker at a size, or the least that is known to be no less; null where nothing is known.
   * @param {string} donor @param {string} taker @param {number} size */
  #sentUpTo(donor, taker, size) {
    const ledger = this.#ledgerOf(donor)
    const isShown = this.ledgers.has(donor)
    if (isShown && size <= Math.min(ledger.size, ledger.trusted)) return ledger.sentAt(taker, size)
    if (isShown && Number.isFinite(ledger.trusted)) return null
    const row = ledger.rowsInOrder.find(r => r.size >= size)
    if (row !== undefined) return row.counters.sent.get(taker) ?? 0
    return isShown && ledger.owed ? (finalOf(ledger).sent.get(taker) ?? 0) : null
  }

  /** Law 12, last sentence: rows that stand in for lost entries. */
  #judgeLeaps() {
    for (const { account, leaps, counters } of this.ledgers.values()) {
      let before = counters
      for (const row of leaps) {
        const seq = row.size - 1
        const { received, forced } = row.counters
        if (saysLess(before, row.counters))
          this.findings.add('fork', account, 'a row says less than what was before it', { seq })
        if (balanceOf(row.counters) < -forced)
          this.findings.add('overspent', account, 'a row of lost entries spends too much', { seq })
        for (const [donor, n] of received) {
          const ledger = this.ledgers.get(donor)
          const isKnown = ledger?.owed && !Number.isFinite(ledger.trusted)
          const sent = isKnown ? (finalOf(ledger).sent.get(account) ?? 0) : n
          if (n > sent)
            this.findings.add('receive', account, `a row of lost entries has ${n} from ${donor}, which sent ${sent}`, {
              seq,
            })
        }
        before = row.counters
      }
    }
  }

  /** Law 15. */
  #judgeCarried() {
    const anchors = [...this.ledgers.values()]
      .filter(l => isAnchor(l.account))
      .sort((a, b) => epochOf(a.account) - epochOf(b.account))
    let minted = 0
    for (const anchor of anchors) {
      for (const { seq, carried } of anchor.budgets) {
        const what = `carries ${carried}, and epochs before it have minted ${minted}`
        if (carried < minted && seq < anchor.trusted) this.findings.add('budget', anchor.account, what, { seq })
      }
      if (Number.isFinite(anchor.trusted)) return
      minted += mintedBy(finalOf(anchor).budget)
    }
  }

  /** Law 16. */
  #judgeReclaimed() {
    for (const anchor of this.ledgers.values()) {
      for (const { seq, policy } of anchor.budgets) {
        for (const [account, amount] of this.policies.get(policy)?.reclaimed ?? []) {
          const held = this.#heldBy(account)
          const what = `policy ${policy} reclaims ${amount} of ${account}, which holds ${held}`
          if (held !== null && held < amount && seq < anchor.trusted)
            this.findings.add('reclaim', anchor.account, what, { seq })
        }
      }
    }
  }

  /** What an account holds in the end, with what is on its way to it; null where that is not known. @param {string} account */
  #heldBy(account) {
    const ledger = this.ledgers.get(account)
    if ((ledger === undefined && this.strangers.has(account)) || (ledger && Number.isFinite(ledger.trusted)))
      return null
    let held = ledger === undefined ? 0 : balanceOf(finalOf(ledger))
    for (const donor of this.ledgers.values()) {
      if (Number.isFinite(donor.trusted)) return null
      const received = ledger === undefined ? 0 : (finalOf(ledger).received.get(donor.account) ?? 0)
      held += Math.max(0, (finalOf(donor).sent.get(account) ?? 0) - received)
    }
    return held
  }
}

/** Counters at the end of what is known. @param {Ledger} ledger */
const finalOf = ledger => ledger.leaps.at(-1)?.counters ?? ledger.counters

/** Can two rows of one account not both be true? The first is of no larger size. @param {Row} a @param {Row} b */
const contradicts = (a, b) => (a.size === b.size ? a.saying !== b.saying : saysLess(a.counters, b.counters))

/** The tree at the size where a ledger is shown from. @param {Buffer} bytes @param {string} account */
function parseStart(bytes, account) {
  const start = parseSpaced(bytes)
  refuseFields(start, ['account', 'size', 'peaks'])
  const { size, peaks } = start
  if (start.account !== account || !SIZE.is(size)) refuse('not the account in its name, or not a size')
  if (!Array.isArray(peaks) || peaks.length !== peakCount(size) || !peaks.every(A_HASH.is))
    refuse('its peaks are not those of a tree')
  return new Tree(
    size,
    peaks.map(peak => Buffer.from(peak, 'base64')),
  )
}

// ------------------------------------------------------------------------------------------------------------------ replay

/** Entries that change a sum; the others go by together with the one before them. */
const MOVES = ['admit', 'forced', 'lapse', 'exit', 'send', 'receive', 'budget']
const SUMS_PROVE_NOTHING = ['roster', 'row', 'entry', 'chain', 'gap', 'root', 'truncated']

/** @typedef {{ ledger: Ledger, counters: Counters, size: number, end: number, last: number, lines: Lines | null, leap: number,
 *   balance: number, event: { at: number, entry: any, row: Row | null } | null, waiting: Stand[] }} Stand */

/** Law 17: all that moves people or tokens once more, in one order that respects cause and effect, and the sums after each. */
class Replay {
  /** @param {Audit} audit */
  constructor(audit) {
    this.audit = audit
    /** @type {Map<string, Stand>} */
    this.stands = new Map()
    /** Those whose next entry may go, the earliest on top. @type {Stand[]} */
    this.heap = []
    this.inside = 0
    this.debts = 0
    /** Pairs of accounts of which one has received more than the other had sent. */
    this.ahead = 0
    /** @type {Budget | null} */
    this.budget = null
    this.isJudged = audit.about.gates === null && !audit.findings.hasAny(SUMS_PROVE_NOTHING)
  }

  run() {
    for (const ledger of this.audit.ledgers.values()) this.#place(ledger)
    this.#countPairs()
    this.#findBudget()
    for (const stand of this.stands.values()) this.#line(stand)
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) this.#step(next)
    const stuck = [...this.stands.values()].filter(stand => stand.event !== null).sort(isEarlier)[0]
    if (stuck === undefined) return
    const what = 'receives what could only be sent because it was received'
    this.audit.findings.add('receive', stuck.ledger.account, what, { seq: stuck.event?.entry.seq })
  }

  /** @param {Ledger} ledger */
  #place(ledger) {
    const counters = copyOf(ledger.first)
    const end = Math.max(ledger.from, Math.min(ledger.size, ledger.trusted))
    const lines = ledger.file === null ? null : this.audit.folder.lines(ledger.file)
    const last = ledger.leaps.at(-1)?.size ?? end
    const balance = balanceOf(counters)
    this.stands.set(ledger.account, {
      ...{ ledger, counters, size: ledger.from, end, last, lines, leap: 0, balance, event: null, waiting: [] },
    })
    this.inside += insideOf(counters)
    this.debts += Math.max(0, -balance)
  }

  /** Puts an account into the line, or where its next entry must wait. @param {Stand} stand */
  #line(stand) {
    stand.event ??= this.#nextOf(stand)
    if (stand.event === null) return
    const { entry } = stand.event
    const donor = entry?.type === 'receive' ? this.stands.get(entry.from) : undefined
    if (donor !== undefined && donor !== stand && donor.size < Math.min(entry.size, donor.last))
      donor.waiting.push(stand)
    else this.#push(stand)
  }

  /** @param {Stand} stand */
  #nextOf(stand) {
    for (; stand.size < stand.end; stand.size++) {
      const next = stand.lines?.next()
      const entry = parseJson(next?.line.toString('latin1') ?? '')
      if (MOVES.includes(entry.type)) return { at: entry.at, entry, row: null }
    }
    const row = stand.ledger.leaps[stand.leap++]
    return row === undefined ? null : { at: row.at, entry: null, row }
  }

  /** @param {Stand} stand */
  #step(stand) {
    const { at, entry, row } = /** @type {NonNullable<Stand['event']>} */ (stand.event)
    stand.event = null
    this.inside -= insideOf(stand.counters)
    this.debts -= Math.max(0, -stand.balance)
    if (row !== null) {
      stand.counters = copyOf(row.counters)
      stand.size = row.size
      this.#countPairs()
    } else {
      const before = this.#isPairAhead(stand, entry)
      count(stand.counters, entry)
      stand.size++
      this.ahead += Number(this.#isPairAhead(stand, entry)) - Number(before)
    }
    stand.balance = balanceOf(stand.counters)
    this.inside += insideOf(stand.counters)
    this.debts += Math.max(0, -stand.balance)
    if (row !== null || entry.type === 'budget') this.#findBudget()
    if (this.isJudged && this.ahead === 0) this.#judge(stand, at)
    this.#line(stand)
    for (const waiting of stand.waiting.splice(0)) this.#line(waiting)
  }

  /** @param {Stand} stand @param {number} at */
  #judge(stand, at) {
    const { audit } = this
    const [account, seq] = [stand.ledger.account, stand.size - 1]
    const capacity = this.budget?.capacity ?? 0
    const occupancy = this.inside + (this.budget?.correction ?? 0)
    if (audit.peak === null || occupancy > audit.peak.occupancy) audit.peak = { occupancy, capacity, account, seq, at }
    if (occupancy <= capacity + this.debts) return
    const what = `${occupancy} people with a capacity of ${capacity} and debts of ${this.debts}`
    if (!audit.findings.hasAny(['occupancy'])) audit.findings.add('occupancy', account, what, { seq })
  }

  /** The budget in force: that of the newest epoch of the anchor that has one. */
  #findBudget() {
    let newest = 0
    for (const { ledger, counters } of this.stands.values()) {
      if (!isAnchor(ledger.account) || counters.budget === null || epochOf(ledger.account) < newest) continue
      newest = epochOf(ledger.account)
      this.budget = counters.budget
    }
  }

  /** Of the pair that this transfer is about. @param {Stand} stand @param {any} entry */
  #isPairAhead(stand, entry) {
    if (entry.type === 'send') {
      const received = this.stands.get(entry.to)?.counters.received.get(stand.ledger.account) ?? 0
      return received > (stand.counters.sent.get(entry.to) ?? 0)
    }
    if (entry.type !== 'receive') return false
    const sent = this.stands.get(entry.from)?.counters.sent.get(stand.ledger.account) ?? 0
    return (stand.counters.received.get(entry.from) ?? 0) > sent
  }

  #countPairs() {
    this.ahead = 0
    for (const { ledger, counters } of this.stands.values()) {
      for (const [donor, n] of counters.received) {
        if (n > (this.stands.get(donor)?.counters.sent.get(ledger.account) ?? 0)) this.ahead++
      }
    }
  }

  /** @param {Stand} stand */
  #push(stand) {
    const { heap } = this
    let i = heap.push(stand) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (isEarlier(/** @type {Stand} */ (heap[parent]), stand) <= 0) break
      heap[i] = /** @type {Stand} */ (heap[parent])
      i = parent
    }
    heap[i] = stand
  }

  /** @returns {Stand | undefined} */
  #pop() {
    const { heap } = this
    const top = heap[0]
    const moved = heap.pop()
    if (top === undefined || moved === undefined || heap.length === 0) return top
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      const right = heap[child + 1]
      if (right !== undefined && isEarlier(right, /** @type {Stand} */ (heap[child])) < 0) child++
      const smaller = heap[child]
      if (smaller === undefined || isEarlier(moved, smaller) <= 0) break
      heap[i] = smaller
      i = child
    }
    heap[i] = moved
    return top
  }
}

/** By `at`, then bytewise by account (accounts are ASCII). @param {Stand} a @param {Stand} b */
function isEarlier(a, b) {
  const [at, other] = [a.event?.at ?? 0, b.event?.at ?? 0]
  if (at !== other) return at - other
  return a.ledger.account < b.ledger.account ? -1 : 1
}

// ------------------------------------------------------------------------------------------------------------------ report

/** @typedef {ReturnType<typeof reportOf>} Report */

/** Verifies the bundle in a folder under the owner's key, given as a vkey. Throws only where the folder cannot be read, or the
 * key is none. @param {string} dir @param {string} vkey @returns {Promise<Report>} */
export async function verify(dir, vkey) {
  const audit = new Audit(dir, parseKey(vkey.trim()))
  try {
    audit.run()
  } catch (error) {
    // A file that goes away while it is read, or a mistake in this program: either way, nothing is proved.
    audit.findings.add(
      'bag',
      '',
      `could not be judged to the end: ${error instanceof Error ? error.message : error}`,
      {},
    )
  }
  return reportOf(audit)
}

/** @param {Audit} audit */
function reportOf(audit) {
  const { findings, lost, proved, peak, ledgers, folder, about } = audit
  const list = findings.list().map(finding => located(finding, audit))
  const shown = [...ledgers.values()].sort((a, b) => bytewise(a.account, b.account))
  const accounts = shown.map(ledger => ({
    account: ledger.account,
    from: ledger.from,
    size: ledger.size,
    signed: ledger.signed,
    balance: balanceOf(finalOf(ledger)),
    inside: insideOf(finalOf(ledger)),
  }))
  return {
    format: 'gatemesh/verification/1',
    profile: `gatemesh/bundle/${folder.format}`,
    ok: list.length === 0,
    findings: list,
    lost,
    proved,
    maxOccupancy: peak === null ? null : peak.occupancy,
    peak,
    accounts,
    // Beyond what every verifier prints:
    mall: audit.mall,
    scope: { from: about.from, to: about.to, gates: about.gates },
    period: { from: Math.min(...shown.map(l => l.firstAt)), to: Math.max(...shown.map(l => l.lastAt)) },
    optical: shown.flatMap(({ account, optical, counters, first, exits }) => {
      const entered = counters.admitted + counters.forced - counters.lapsed
      const before = first.admitted + first.forced - first.lapsed
      return optical.entries === 0
        ? []
        : [{ account, in: optical.in, out: optical.out, entered: entered - before, exits }]
    }),
  }
}

/** With the file and the byte where the line of the entry begins.
 * @param {Finding} finding @param {Audit} audit @returns {Finding} */
function located(finding, audit) {
  const { kind, account, seq, what } = finding
  const ledger = audit.ledgers.get(account)
  if (seq === undefined || !ledger?.file || seq < ledger.from) return finding
  try {
    const lines = audit.folder.lines(ledger.file)
    for (let n = ledger.from; ; n++) {
      const { byte } = lines
      if (lines.next() === null) return n === seq ? { kind, account, seq, file: ledger.file, byte, what } : finding
      if (n === seq) return { kind, account, seq, file: ledger.file, byte, what }
    }
  } catch {
    return finding // the file cannot be read, which is itself a finding
  }
}

/** @param {Report} report */
function toText(report) {
  const { ok, profile, findings, lost, proved, peak, accounts, mall, scope, period, optical } = report
  const time = (/** @type {number} */ ms) => (Number.isFinite(ms) ? dateOf(ms) : 'none')
  const scopes = [
    scope.from === null ? '' : ` from ${time(scope.from)}`,
    scope.to === null ? '' : ` to ${time(scope.to)}`,
    scope.gates === null ? '' : ` of ${scope.gates.join(', ')}`,
  ].join('')
  const lines = [
    ok
      ? 'NOTHING FOUND: every law that this bundle can be held against holds.'
      : `FINDINGS: ${findings.length}. This bundle does not prove what it should.`,
    '',
    `mall       ${mall || 'unknown'} (${profile}), ${scopes === '' ? 'everything' : `asked for:${scopes}`}`,
    `period     ${time(period.from)} to ${time(period.to)}, by the clocks of the writers`,
    `proved     ${proved.entries} entries, ${proved.rows} rows, ${proved.policies} policies, ${proved.receives} receives`,
    peak === null
      ? 'maximum    not judged'
      : `maximum    ${peak.occupancy} people, capacity ${peak.capacity}, after entry ${peak.seq} of ${peak.account}, ` +
        time(peak.at),
    '',
    'account                     from       size     signed    balance     inside',
    ...accounts.map(a =>
      [a.account.padEnd(21), ...[a.from, a.size, a.signed, a.balance, a.inside].map(n => `${n}`.padStart(10))].join(
        ' ',
      ),
    ),
  ]
  for (const { account, from, to } of lost)
    lines.push(
      '',
      `lost       ${account}: entries ${from} to ${to - 1}, with the memory of the gate; its rows stand in for them`,
    )
  for (const { kind, account, seq, file, byte, what } of findings) {
    const place = [file ?? '', byte === undefined ? '' : `byte ${byte}`].filter(Boolean).join(', ')
    const where = `${account}${seq === undefined ? '' : ` entry ${seq}`}`
    lines.push('', `${kind.toUpperCase()} ${where}`.trim(), `  ${what}`, ...(place === '' ? [] : [`  ${place}`]))
  }
  lines.push(
    '',
    'What no log can show: an event that was never appended. Entries beyond `signed` are read, and nobody vouches for them.',
  )
  for (const o of optical) {
    lines.push(
      `The optical counter of ${o.account} saw ${o.in} in, ${o.out} out; its ledger has ${o.entered} in, ${o.exits} out.`,
    )
  }
  if (optical.length === 0) lines.push('No optical counts are shown that could be held against the counted people.')
  return `${lines.join('\n')}\n`
}

// ------------------------------------------------------------------------------------------------------------ command line

const USAGE = `usage: node verify.mjs [DIR] --charter-key VKEY_OR_FILE [--json]

  DIR            the bundle; may be left out where this file lies in the folder data/ of one
  --charter-key  the owner's key (name+id+base64), or a file that holds it. Get it from a person, not from the bundle.
  --json         the report as JSON

exit codes: 0 nothing found, 1 findings, 2 wrong use, 3 the folder cannot be read
`

/** @param {readonly string[]} args */
function parseArgs(args) {
  /** @type {{ dir: string | null, key: string | null, json: boolean }} */
  const options = { dir: null, key: null, json: false }
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '--json') options.json = true
    else if (arg === '--charter-key') options.key = args[++i] ?? refuse('--charter-key needs a value')
    else if (arg.startsWith('-')) refuse(`not an option: ${arg}`)
    else if (options.dir !== null) refuse(`more than one folder: ${arg}`)
    else options.dir = arg
  }
  const key = options.key ?? refuse('--charter-key is missing')
  const here = path.dirname(fileURLToPath(import.meta.url))
  const isInside = path.basename(here) === 'data' && fs.existsSync(path.join(here, 'bundle.json'))
  const dir = options.dir ?? (isInside ? path.dirname(here) : refuse('which folder?'))
  return { dir, vkey: readKey(key), json: options.json }
}

/** @param {string} given */
function readKey(given) {
  const text = fs.existsSync(given) && fs.statSync(given).isFile() ? fs.readFileSync(given, 'utf8') : given
  try {
    return parseKey(text.trim()).text
  } catch {
    return refuse(`neither a vkey nor a file that holds one: ${oneLine(given)}`)
  }
}

/** @param {readonly string[]} args @returns {Promise<number>} the exit code */
async function main(args) {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE)
    return 0
  }
  let options
  try {
    options = parseArgs(args)
  } catch (error) {
    process.stderr.write(`verify: ${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return 2
  }
  try {
    const report = await verify(options.dir, options.vkey)
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 1)}\n` : toText(report))
    return report.ok ? 0 : 1
  } catch (error) {
    process.stderr.write(`verify: ${options.dir} cannot be read: ${error instanceof Error ? error.message : error}\n`)
    return 3
  }
}

const started = process.argv[1]
if (started !== undefined && fs.existsSync(started) && fs.realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2))
}
