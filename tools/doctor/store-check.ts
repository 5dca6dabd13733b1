// Store check: whose the ledger's folder is at present, and what its mark says. The folder is not opened as a store: that
// would take the lock from a gate that is about to start.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MarkFile } from '../../ledger/mark.ts'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'

/** Linux lists every lock that is held, by process and file. */
const LOCKS = '/proc/locks'

export async function checkStore(store: string, isRunning: boolean): Promise<Finding[]> {
  return [await markFinding(store), ...(await lockFinding(store, isRunning))]
}

async function markFinding(store: string): Promise<Finding> {
  try {
    const mark = await new MarkFile(join(store, 'mark')).read()
    if (mark === undefined) {
      const isThere = await stat(store).then(
        () => true,
        () => false,
      )
      return isThere
        ? doubt('store', `${store} is there without a mark`, 'was it copied by hand? Then start once with --restored')
        : fine('store', `none yet at ${store}: the gate will begin a ledger with nothing`)
    }
    if (mark === 'garbled') {
      const todo = 'start the gate: it opens its next epoch and keeps the damaged ledger; then look at the disk'
      return wrong('store', `the mark in ${store} cannot be read`, todo)
    }
    return fine('store', `ledger ${mark.account}, ${mark.size.toLocaleString('en')} entries safe on disk`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EACCES')
      return unknown('store', `this user cannot read ${store}`, 'run the doctor as the user of the gate')
    return wrong('store', `${store}: ${message}`, 'look at the disk')
  }
}

async function lockFinding(store: string, isRunning: boolean): Promise<Finding[]> {
  const holder = await holderOf(join(store, 'lock', 'LOCK'))
  if (holder === 'unknown') return []
  if (holder === undefined) {
    return isRunning
      ? [unknown('lock', 'the gate answers, and this store is not the one it has open: is it of this file?')]
      : []
  }
  if (isRunning) return [fine('lock', `held by process ${holder}`)]
  const what = `process ${holder} has the store open, and no gate answers`
  return [wrong('lock', what, `look at it: ps -p ${holder} -o args; a second gate cannot start while it runs`)]
}

/** The process that holds a lock on this file; undefined where nobody does. */
async function holderOf(path: string): Promise<number | undefined | 'unknown'> {
  let inode: number
  try {
    inode = (await stat(path)).ino
  } catch {
    return undefined
  }
  const locks = await readFile(LOCKS, 'utf8').catch(() => undefined)
  if (locks === undefined) return 'unknown'
  for (const line of locks.split('\n')) {
    // 1: POSIX  ADVISORY  WRITE 4711 fd:01:131072 0 EOF
    const [, pid, node] = /^\d+: \S+ +\S+ +\S+ (-?\d+) \S+:(\d+) /.exec(line) ?? []
    if (Number(node) === inode) return Number(pid)
  }
  return undefined
}
