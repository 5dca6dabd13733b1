// Modbus questions and answers as bytes, without what carries them (rtu.ts, mbap.ts).
//
// Law: an answer that does not fit its question in every byte that can be compared is somebody else's.

export type Question =
  /** 1 coils, 2 discrete inputs, 3 holding registers, 4 input registers */
  | { readonly fn: 1 | 2 | 3 | 4; readonly at: number; readonly count: number }
  /** 5 one coil (0xFF00 on, 0 off, and what a board makes of other values), 6 one register */
  | { readonly fn: 5 | 6; readonly at: number; readonly value: number }
  /** 15 coils, 16 registers */
  | { readonly fn: 15 | 16; readonly at: number; readonly values: readonly number[] }

export type Answer =
  /** what was read; of something written, nothing */
  | { readonly kind: 'values'; readonly values: readonly number[] }
  | { readonly kind: 'refused'; readonly exception: number }
  | { readonly kind: 'foreign' }

export const COIL_ON = 0xff00
export const COIL_OFF = 0
/** bit of the function that says no */
const REFUSED = 0x80

/** What the standard allows in one question, so that the answer fits into 253 bytes. */
const COUNT_MAX = { 1: 2000, 2: 2000, 3: 125, 4: 125, 15: 1968, 16: 123 } as const

const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'illegal function',
  2: 'illegal data address',
  3: 'illegal data value',
  4: 'device failure',
  5: 'acknowledged, still at it',
  6: 'device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable',
  11: 'device behind the gateway does not respond',
}

/** What is wrong with a question, in words; undefined where it can be asked. */
export function flawOf(question: Question): string | undefined {
  const { fn, at } = question
  if (!isWord(at)) return `address ${at} is not from 0 to 65535`
  if (fn === 5 || fn === 6) return isWord(question.value) ? undefined : `value ${question.value} is not from 0 to 65535`
  const count = countOf(question)
  if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX[fn])
    return `${count} at once is not from 1 to ${COUNT_MAX[fn]}`
  if (at + count > 0x10000) return `${count} from ${at} on goes beyond address 65535`
  if (fn !== 15 && fn !== 16) return undefined
  const max = fn === 15 ? 1 : 0xffff
  const wrong = question.values.find(value => !isWord(value) || value > max)
  return wrong === undefined ? undefined : `value ${wrong} is not from 0 to ${max}`
}

export function encode(question: Question): Buffer {
  const { fn, at } = question
  const head = Buffer.alloc(5)
  head.writeUInt8(fn, 0)
  head.writeUInt16BE(at, 1)
  head.writeUInt16BE(fn === 5 || fn === 6 ? question.value : countOf(question), 3)
  if (fn !== 15 && fn !== 16) return head
  const data = fn === 15 ? packed(question.values) : words(question.values)
  return Buffer.concat([head, Buffer.from([data.length]), data])
}

/** Bytes of the answer if it is yes; a refusal has two. */
export function answerBytes(question: Question): number {
  if (question.fn > 4) return 5
  const count = countOf(question)
  return 2 + (question.fn < 3 ? Math.ceil(count / 8) : 2 * count)
}

export const REFUSAL_BYTES = 2

export function isRefusal(fn: number): boolean {
  return (fn & REFUSED) !== 0
}

export function decode(question: Question, pdu: Buffer): Answer {
  const fn = pdu[0]
  if (fn === (question.fn | REFUSED) && pdu.length === REFUSAL_BYTES)
    return { kind: 'refused', exception: pdu[1] as number }
  if (fn !== question.fn || pdu.length !== answerBytes(question)) return { kind: 'foreign' }
  if (question.fn > 4) {
    // a write is answered with its first five bytes
    return pdu.equals(encode(question).subarray(0, 5)) ? { kind: 'values', values: [] } : { kind: 'foreign' }
  }
  if (pdu[1] !== pdu.length - 2) return { kind: 'foreign' }
  const data = pdu.subarray(2)
  const count = countOf(question)
  const values = Array.from({ length: count }, (_, k) =>
    question.fn < 3 ? ((data[k >> 3] as number) >> (k & 7)) & 1 : data.readUInt16BE(2 * k),
  )
  return { kind: 'values', values }
}

export function refusal(exception: number): string {
  return `${EXCEPTIONS[exception] ?? 'an exception of its own'} (${exception})`
}

/** For people: which function, and where. */
export function nameOf(question: Question): string {
  const where = `at 0x${question.at.toString(16).padStart(4, '0')}`
  if (question.fn < 5) return `read (function ${question.fn}) of ${countOf(question)} ${where}`
  return `write (function ${question.fn}) ${where}`
}

export function countOf(question: Question): number {
  if ('count' in question) return question.count
  return 'values' in question ? question.values.length : 1
}

function isWord(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 0xffff
}

function words(values: readonly number[]): Buffer {
  const data = Buffer.alloc(2 * values.length)
  values.forEach((value, k) => {
    data.writeUInt16BE(value, 2 * k)
  })
  return data
}

function packed(bits: readonly number[]): Buffer {
  const data = Buffer.alloc(Math.ceil(bits.length / 8))
  bits.forEach((bit, k) => {
    data[k >> 3] = (data[k >> 3] as number) | (bit << (k & 7))
  })
  return data
}
