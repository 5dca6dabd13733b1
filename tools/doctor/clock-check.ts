// Clock check: is this machine's time kept by somebody, and does it agree with the others'?
//
// Clocks decide nothing that matters for safety, and all that people read later: entries carry the time of their gate.

import { execFile } from 'node:child_process'
import { ANCHOR } from '../../ledger/account.ts'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'
import type { Status } from './gate-talk.ts'

const ASK_MS_MAX = 2000
const OFF_DOUBT_MS = 1000
const OFF_WRONG_MS = 10_000
const NTP = 'let a time service keep it: systemctl enable --now systemd-timesyncd, or chrony'

/** Of the machine that the doctor runs on. */
export async function checkNtp(): Promise<Finding> {
  const told = (await said('timedatectl', ['show', '--property=NTPSynchronized', '--value']))?.trim()
  if (told === 'yes') return fine('clock', 'kept by a time service')
  const chrony = await said('chronyc', ['-c', 'tracking'])
  // the last column says how it is with the leap second, or that it never heard of any time
  if (chrony !== undefined) {
    const isKept = !chrony.includes('Not synchronised')
    return isKept ? fine('clock', 'kept by chrony') : doubt('clock', 'chrony has heard from no time server', NTP)
  }
  if (told === 'no') return doubt('clock', 'no time service has set it yet', NTP)
  return unknown('clock', 'nothing here tells whether a time service keeps it')
}

function said(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile(command, args, { timeout: ASK_MS_MAX }, (error, out) => resolve(error ? undefined : out))
  })
}

/** The anchor's clock is the one that schedules go by; without it, what most others show. */
export function checkSkew({ clocks = {} }: Pick<Status, 'clocks'>): Finding {
  const sorted = Object.values(clocks).sort((a, b) => a - b)
  const ms = clocks[ANCHOR] ?? sorted[Math.floor(sorted.length / 2)]
  if (ms === undefined) return unknown('clock', 'nobody is heard to compare it with')
  const whose = ANCHOR in clocks ? 'the anchor' : `${sorted.length} others, at their middle`
  const off = `${(Math.abs(ms) / 1000).toFixed(1)} s ${ms < 0 ? 'behind' : 'ahead of'}`
  const what = `the gate's clock is ${off} that of ${whose}`
  if (Math.abs(ms) > OFF_WRONG_MS) return wrong('clock', what, NTP)
  return Math.abs(ms) > OFF_DOUBT_MS ? doubt('clock', what, NTP) : fine('clock', what)
}
