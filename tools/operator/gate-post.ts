// Gate post: a mode note brought to a gate by hand. Any gate tells all the others, anchor or no anchor.

import type { Mode } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import { severity } from '../../ledger/mode.ts'
import { ask, errorOf, SaysNo } from './anchor-client.ts'

export interface InForce {
  readonly mode: Mode
  readonly epoch: number
}

/** What came of it: taken in, or what is in force instead. */
export interface Posted extends InForce {
  readonly isNews: boolean
}

/** What the gate has in force; no epoch where it does not tell one. */
export async function modeAt(gate: URL): Promise<{ readonly mode: Mode; readonly epoch?: number }> {
  const { status, text } = await reached(gate, '/modes', undefined)
  if (status !== 200) throw new SaysNo(status, 'refused', `${gate.origin}: ${errorOf(text).message}`)
  const { mode, modeEpoch } = JSON.parse(text) as { mode: Mode; modeEpoch?: number }
  return modeEpoch === undefined ? { mode } : { mode, epoch: modeEpoch }
}

export async function postMode(gate: URL, note: string): Promise<Posted> {
  const { status, text } = await reached(gate, '/modes', note)
  if (status !== 200 && status !== 409) {
    throw new SaysNo(status, 'refused', `${gate.origin}: ${errorOf(text).message}`)
  }
  const { mode, epoch } = JSON.parse(text) as InForce
  return { isNews: status === 200, mode, epoch }
}

/** Raised in the epoch that the gate is in: it says which when ours is another. Resolves once it has it, or worse. */
export async function raiseAt(gate: URL, mode: Mode, sign: (epoch: number) => string): Promise<Posted> {
  const { epoch = 0 } = await modeAt(gate)
  const has = ({ isNews, mode: there }: Posted) => isNews || severity(there) >= severity(mode)
  const first = await postMode(gate, sign(epoch))
  if (has(first)) return first
  const second = await postMode(gate, sign(first.epoch))
  if (has(second)) return second
  throw new SaysNo(409, 'changes-nothing', `${gate.origin} stays with ${second.mode} of epoch ${second.epoch}`)
}

async function reached(gate: URL, path: string, body: string | undefined) {
  const url = new URL(path, gate).href
  const method = body === undefined ? 'GET' : 'POST'
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'text/plain; charset=utf-8' }
  try {
    return await ask({ url, method, headers, text: body })
  } catch (error) {
    throw new Fault('UNREACHED', `no answer from ${gate.origin}: ${(error as Error).message}`, { cause: error })
  }
}
