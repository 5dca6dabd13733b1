// Examine: everything the doctor can look at from here, in the order in which a technician would: the file, the machine,
// the gate, the mall, the door. It works with the gate running and with it stopped.
//
// Law: nothing that is looked at is changed by it. What could not be looked at is said, and is never called fine.

import { Fault } from '../../ledger/fault.ts'
import { SaysNo } from '../operator/anchor-client.ts'
import { checkNtp, checkSkew } from './clock-check.ts'
import { checkDisk } from './disk-check.ts'
import { checkDriver } from './driver-check.ts'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'
import { checkAlarms, checkAnchor, checkIdentity, checkPolicy, checkReach, checkState } from './gate-check.ts'
import type { GateTalk, Who } from './gate-talk.ts'
import type { Read } from './papers-check.ts'
import { checkPeers, checkPorts } from './port-check.ts'
import { checkStore } from './store-check.ts'
import { checkHolds, checkTurnstile } from './turnstile-check.ts'

export interface Patient {
  /** what the file says, where there is one */
  readonly read: Read | undefined
  /** how to reach the running gate, where that is known */
  readonly talk: GateTalk | undefined
  /** somebody said that it runs, and where */
  readonly mustRun: boolean
}

export async function examine({ read, talk, mustRun }: Patient): Promise<Finding[]> {
  const who = talk === undefined ? undefined : await answering(talk, mustRun)
  const isRunning = who !== undefined && !('verdict' in who)
  const findings = [
    ...(read?.findings ?? []),
    ...(await ofMachine(read, isRunning)),
    ...(talk !== undefined && isRunning ? await ofGate(talk, who, read) : []),
    ...(who !== undefined && 'verdict' in who ? [who] : []),
    ...(talk === undefined && read?.config !== undefined ? [PORTLESS] : []),
    ...(await ofDoor(read)),
  ]
  // several wires on one chip that is not there are one thing to mend
  const lines = new Map(findings.map(finding => [JSON.stringify(finding), finding]))
  return [...lines.values()]
}

const PORTLESS = unknown('gate', 'http.port is 0: nobody knows where it answers', '--gate takes its address')

/** Who answers there, or that nobody does. */
async function answering(talk: GateTalk, mustRun: boolean): Promise<Who | Finding> {
  try {
    return await talk.who()
  } catch (error) {
    if (error instanceof Fault && error.code === 'UNREACHED') {
      const todo = 'start it: systemctl start gatemesh-gate, or `gatemesh gate --config FILE`'
      return mustRun ? wrong('gate', error.message, todo) : doubt('gate', `does not run: ${error.message}`, todo)
    }
    if (error instanceof Fault || error instanceof SaysNo) {
      return wrong('gate', error.message, 'is this the address of a gate? The anchor has another')
    }
    throw error
  }
}

async function ofMachine(read: Read | undefined, isRunning: boolean): Promise<Finding[]> {
  const { config, papers } = read ?? {}
  const clock = await checkNtp()
  if (config === undefined || papers === undefined) return read === undefined ? [] : [clock]
  const { store, http, listen } = config
  const places = [
    ...(http.port === 0 ? [] : [{ use: 'http', at: http }]),
    ...listen.filter(({ port }) => port !== 0).map(at => ({ use: 'mesh', at })),
  ]
  return [
    clock,
    ...(await checkDisk(store)),
    ...(await checkStore(store, isRunning)),
    ...(isRunning ? [] : await checkPorts(places)),
    ...(isRunning ? [] : await checkPeers(config, papers.charter.gates.length)),
  ]
}

async function ofGate(talk: GateTalk, who: Who, read: Read | undefined): Promise<Finding[]> {
  const { config, papers } = read ?? {}
  const stranger = config && papers && checkIdentity(who, { charter: papers.charter, name: config.name })
  if (stranger !== undefined) return [stranger]
  const named = fine('address', `${who.gate} of ${who.mall} answers at ${talk.url.origin}`)
  try {
    return [named, ...(await ofAnswers(talk, read))]
  } catch (error) {
    if (!(error instanceof SaysNo || error instanceof Fault)) throw error
    return [named, unknown('gate', error.message)]
  }
}

async function ofAnswers(talk: GateTalk, read: Read | undefined): Promise<Finding[]> {
  const status = await talk.status()
  // a gate that is still starting has none
  const evidence = await talk.evidence().catch(unlessStarting)
  const turnstile = await talk.turnstile()
  const { at } = await talk.mall()
  return [
    ...checkState(status),
    ...checkReach(status),
    checkAnchor(status),
    checkPolicy(status, evidence),
    checkSkew(status),
    ...checkAlarms(status, at),
    ...checkTurnstile(turnstile, read?.config?.hardware),
  ]
}

async function unlessStarting(error: unknown): Promise<undefined> {
  if (!(error instanceof SaysNo && error.status === 503)) throw error
}

async function ofDoor(read: Read | undefined): Promise<Finding[]> {
  const hardware = read?.config?.hardware
  if (hardware === undefined) return []
  return [...(await checkDriver(hardware)), ...checkHolds(hardware)]
}
