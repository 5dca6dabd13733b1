// Quick: the entries that a ledger is full of, read from their one spelling without taking the line apart as JSON.
//
// Law: whatever is returned here is what `parseLine` returns for the same line. Everything else is undefined, which says
// nothing about the line: it is then read with all care.

import type { Entry, Reject, SendWhy, Source } from '../entry.ts'
import { COUNT_MAX } from '../line.ts'

const NUMBER = '(0|[1-9][0-9]{0,15})'
const HEAD = new RegExp(
  `\\{"seq":${NUMBER},"prev":"([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)",` +
    `"id":"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})","at":${NUMBER},"type":"([a-z]{4,7})"`,
  'y',
)
const ACCOUNT = '([a-z][a-z0-9-]{0,30}/[1-9][0-9]{0,8})'
const CONFIDENCE = '"confidence":(0|[1-9][0-9]{0,2}|1000)\\}$'

const ADMIT = new RegExp(`,"source":"(local|stolen)",${CONFIDENCE}`, 'y')
const EXIT = new RegExp(`,"credited":(true|false),${CONFIDENCE}`, 'y')
const REJECT = new RegExp(
  `,"code":"(REJECT_AT_CAPACITY|REJECT_NO_HEADROOM|REJECT_EMERGENCY|REJECT_FAULT)","reason":"([a-z-]{1,60})",${CONFIDENCE}`,
  'y',
)
const SEND = new RegExp(`,"to":"${ACCOUNT}","amount":${NUMBER},"why":"(ask|push|broker|debt|stop|grant)"\\}$`, 'y')
const RECEIVE = new RegExp(`,"from":"${ACCOUNT}","amount":${NUMBER},"size":${NUMBER}\\}$`, 'y')

/** `line` may be bytes taken as characters: what matches is ASCII. */
export function quickEntry(line: string): Entry | undefined {
  HEAD.lastIndex = 0
  const head = HEAD.exec(line)
  if (head === null) return undefined
  const [, seqText, prev, id, atText, type] = head as unknown as readonly string[]
  const seq = Number(seqText)
  const at = Number(atText)
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(at)) return undefined
  const common = { seq, prev: prev as string, id: id as string, at }
  switch (type) {
    case 'admit': {
      const tail = after(ADMIT, line)
      if (tail === null) return undefined
      return { ...common, type, source: tail[1] as Source, confidence: Number(tail[2]) }
    }
    case 'exit': {
      const tail = after(EXIT, line)
      if (tail === null) return undefined
      return { ...common, type, credited: tail[1] === 'true', confidence: Number(tail[2]) }
    }
    case 'reject': {
      const tail = after(REJECT, line)
      if (tail === null) return undefined
      return { ...common, type, code: tail[1] as Reject, reason: tail[2] as string, confidence: Number(tail[3]) }
    }
    case 'send': {
      const tail = after(SEND, line)
      const amount = Number(tail?.[2])
      if (tail === null || !isAmount(amount)) return undefined
      return { ...common, type, to: tail[1] as string, amount, why: tail[3] as SendWhy }
    }
    case 'receive': {
      const tail = after(RECEIVE, line)
      const amount = Number(tail?.[2])
      const size = Number(tail?.[3])
      if (tail === null || !isAmount(amount) || size < 1 || !Number.isSafeInteger(size)) return undefined
      return { ...common, type, from: tail[1] as string, amount, size }
    }
    default:
      return undefined
  }
}

function after(tail: RegExp, line: string): RegExpExecArray | null {
  tail.lastIndex = HEAD.lastIndex
  return tail.exec(line)
}

function isAmount(amount: number): boolean {
  return amount >= 1 && amount <= COUNT_MAX
}
