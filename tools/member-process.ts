// Member process: what a gate's and the anchor's process have in common: config and papers in, signals, and an end.
//
// Law: what nobody foresaw is logged and does not take the door down: a broken stream of a stranger must not lock people
// in or out. Admissions are safe whatever is dropped here, because the arm waits for the disk.

import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Fault } from '../ledger/fault.ts'
import type { Level, MemberConfig } from '../mesh/config.ts'
import { Form } from '../mesh/form.ts'
import type { Surroundings } from '../mesh/host.ts'
import { readPapers } from '../mesh/papers.ts'
import { pinoLog } from '../mesh/pino-log.ts'
import { REAL_CLOCK } from '../mesh/real-clock.ts'
import { sdNotify } from '../mesh/sd-notify.ts'
import { Siren } from '../mesh/siren.ts'
import { EXIT, Usage } from './command.ts'
import { beThrifty } from './member-node.ts'

/** What a start is told beside its config. */
export interface Wishes {
  readonly file: string
  readonly isRestored: boolean
  readonly isBirth: boolean
  /** stop when standard input ends, which is when whoever started this one has ended */
  readonly withParent: boolean
}

export interface Running {
  stop(why: string): Promise<void>
}

/** Stopping takes a few seconds at most; a disk that hangs must not hold up a machine that shuts down. */
const STOP_MS_MAX = 10_000
const LINGER_MS = 500

export function memberWishes(args: string[], options: { readonly birth: boolean }): Wishes {
  const { values } = parseArgs({
    args,
    options: {
      config: { type: 'string' },
      restored: { type: 'boolean', default: false },
      'with-parent': { type: 'boolean', default: false },
      ...(options.birth ? { birth: { type: 'boolean', default: false } } : {}),
    },
  })
  if (values.config === undefined || values.config === '') throw new Usage('--config takes the file of this member')
  return {
    file: values.config,
    isRestored: values.restored,
    isBirth: 'birth' in values && values.birth === true,
    withParent: values['with-parent'],
  }
}

/** What every process of ours has around it. */
export type Around = Pick<Surroundings, 'clock' | 'log' | 'notify'>

export async function runMember<Config extends MemberConfig>(
  wishes: Wishes,
  read: (form: Form) => Config,
  start: (config: Config, surroundings: Surroundings) => Promise<Running>,
): Promise<number> {
  const form = await openForm(wishes.file)
  const config = read(form)
  const papers = await readPapers(form, config)
  form.check()
  if (papers === undefined) throw new Fault('CONFIG', `${wishes.file}: no papers`)
  const { isRestored } = wishes
  return runProcess(wishes, config, around => start(config, { ...around, papers, isRestored }))
}

/** Runs until a signal says otherwise. */
export async function runProcess(
  { withParent }: Pick<Wishes, 'withParent'>,
  a: { readonly name: string; readonly log: Level },
  start: (around: Around) => Promise<Running>,
): Promise<number> {
  const log = pinoLog({ member: a.name, level: a.log })
  const siren = new Siren(REAL_CLOCK, ({ detail, unsaid }) => {
    log.error('unexpected', { error: detail, ...(unsaid === 0 ? {} : { unsaid }) })
  })
  const onError = (error: unknown) => {
    const { name = 'Error', stack = String(error) } = (error ?? {}) as Partial<Error>
    // where it came from says more than its words, which may be a stranger's
    const [frame = ''] = /^ +at .*$/m.exec(stack) ?? []
    siren.sound(`${name}${frame}`, stack)
  }
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
  const notify = sdNotify(process.env, process.pid)
  const stop = stopSignal(withParent)
  const running = await start({ clock: REAL_CLOCK, log, notify }).catch(async error => {
    await notify.stopping()
    await log.flush()
    endSoon(EXIT.fault)
    throw error
  })
  beThrifty()
  const why = await stop
  const hangs = setTimeout(() => {
    log.error('cut short', { afterMs: STOP_MS_MAX })
    log.flush().finally(() => process.exit(EXIT.fault))
  }, STOP_MS_MAX)
  await running.stop(why)
  clearTimeout(hangs)
  await log.flush()
  endSoon(EXIT.fine)
  return EXIT.fine
}

/**
 * All is on disk, or nothing was begun. What somebody forgot, or standard input that is still open, must not keep this
 * process: whoever started it would take it for one that works.
 */
function endSoon(code: number): void {
  setTimeout(() => process.exit(code), LINGER_MS).unref()
}

/** A config file, to be read field by field. */
export async function openForm(file: string): Promise<Form> {
  const path = resolve(file)
  const text = await readFile(path, 'utf8').catch(error => {
    throw new Fault('CONFIG', `${file} cannot be read: ${(error as Error).message}`, { cause: error })
  })
  return Form.read(text, { file: basename(path), dir: dirname(path) })
}

/** Ctrl-C and its kin. A second one while stopping is for those in a hurry, and as safe as a power cut. */
function stopSignal(withParent: boolean): Promise<string> {
  const { promise, resolve: stop } = Promise.withResolvers<string>()
  let asked = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked && signal === 'SIGINT') process.exit(130)
    asked = true
    stop(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  if (!withParent) return promise
  process.stdin.resume()
  for (const end of ['end', 'error', 'close']) process.stdin.on(end, () => stop('whoever started this is gone'))
  return promise.finally(() => process.stdin.pause())
}
