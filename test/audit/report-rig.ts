// Report rig: two days of a paper mall as bundles, and the reports made of them, each once.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '../../ledger/audit/about.ts'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { makeReport } from '../../tools/audit/report/make-report.ts'
import { dayPeriod, type Period } from '../../tools/audit/report/period.ts'
import type { Report } from '../../tools/audit/report/report.ts'
import type { PaperMall } from '../ledger/paper-mall.ts'
import { contentOf } from './evidence-mall.ts'
import { PaperDay } from './paper-day.ts'

export const ZONE = 'Europe/Vienna'
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** when the doors opened on the two days */
export const EVENTFUL = Date.UTC(2026, 10, 16, 8)
export const PLAIN = Date.UTC(2026, 10, 17, 8)

export const day = (name: string): Period => dayPeriod(name, ZONE)

/** An eventful day, and a plain one after it. */
export function twoDays(): PaperMall {
  const days = new PaperDay({ capacity: 90, legalMax: 100, opens: EVENTFUL })
  days.day({ opens: EVENTFUL, visitors: 1200, isEventful: true })
  days.day({ opens: PLAIN, visitors: 500 })
  return days.mall
}

export class ReportRig {
  #dir: Promise<string> | undefined
  #bundles = 0
  readonly #made = new Map<string, Promise<Report>>()

  get dir(): Promise<string> {
    this.#dir ??= mkdtemp(join(tmpdir(), 'report-'))
    return this.#dir
  }

  async bundle(mall: PaperMall, scope: Partial<Scope> = {}): Promise<string> {
    const path = join(await this.dir, `bundle-${++this.#bundles}`)
    await writeBundle(path, contentOf({ mall, charters: [mall.charterNote], morning: 0, evening: 0 }, scope))
    return path
  }

  /** To make one is to verify its bundle. */
  report(path: string, period: Period, mall: PaperMall): Promise<Report> {
    const key = `${path} ${period.name}`
    const known = this.#made.get(key) ?? makeReport(path, mall.owner.verifier, { period, madeAt: EVENTFUL, threads: 0 })
    this.#made.set(key, known)
    return known
  }

  async end(): Promise<void> {
    await rm(await this.dir, { recursive: true, force: true })
  }
}
