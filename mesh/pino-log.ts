// Pino log: JSON lines on standard output.
//
// Law: nobody waits for whoever reads the log. Lines go out beside the work; while the reader stands still they gather
// up to a limit, and what is beyond it is lost. A reader that is gone is no reason to stop a gate.

import pino from 'pino'
import type { Level } from './config.ts'
import type { Log } from './log.ts'

export interface ProcessLog extends Log {
  /** Resolves when all that was said is out, or will not be in time. */
  flush(): Promise<void>
}

const BACKLOG_BYTES_MAX = 1024 * 1024
const FLUSH_MS_MAX = 500

export function pinoLog(a: { readonly member: string; readonly level: Level; readonly fd?: number }): ProcessLog {
  const out = pino.destination({ fd: a.fd ?? 1, sync: false, maxLength: BACKLOG_BYTES_MAX })
  out.on('error', () => undefined)
  const logger = pino(
    {
      level: a.level,
      base: { member: a.member },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    out,
  )
  const say = (level: 'info' | 'warn' | 'error') => (event: string, fields?: object) => {
    if (fields === undefined) logger[level](event)
    else logger[level](fields, event)
  }
  const flush = () =>
    new Promise<void>(resolve => {
      const late = setTimeout(resolve, FLUSH_MS_MAX)
      out.flush(() => {
        clearTimeout(late)
        resolve()
      })
    })
  return { info: say('info'), warn: say('warn'), error: say('error'), flush }
}
