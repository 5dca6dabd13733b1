// Broken malls: each breaks one law, and the audit must name that law, the account and the entry, and nothing else.

import assert from 'node:assert/strict'
import type { Account } from '../../ledger/account.ts'
import { FINDING_KINDS, type FindingKind } from '../../ledger/audit/findings.ts'
import type { Report } from '../../ledger/audit/report.ts'
import type { MallShown } from '../../ledger/audit/verify.ts'
import type { Suite } from '../suite.ts'
import { PaperMall, START, uuid7 } from './paper-mall.ts'

/** Findings as `kind account seq`, for short. */
export function told(report: Report): string[] {
  return report.findings.map(({ kind, account, seq }) =>
    [kind, account, seq].filter(x => x !== undefined && x !== '').join(' '),
  )
}

export class BrokenMalls {
  readonly #test: Suite
  readonly #kinds = new Set<string>()

  constructor(test: Suite) {
    this.#test = test
  }

  /** `finding` is the only one there may be. */
  breaks(says: string, finding: string, report: () => Promise<Report>): void {
    this.#kinds.add(finding.split(' ')[0] as string)
    this.#test(`${says} is told as ${finding}, and nothing else`, async () => {
      const { ok, findings, ...rest } = await report()
      assert.equal(ok, false)
      assert.deepEqual(told({ ok, findings, ...rest }), [finding], findings.map(f => f.what).join('\n'))
    })
  }

  /** To be called last: has every kind but these had its mall? */
  cover(others: readonly FindingKind[]): void {
    this.#test('every kind of finding has its mall', () => {
      assert.deepEqual(
        FINDING_KINDS.filter(kind => !this.#kinds.has(kind)),
        FINDING_KINDS.filter(kind => others.includes(kind)),
      )
    })
  }
}

/** A day at the paper mall in which everything that may happen happens, and every law holds. */
export function goodDay(): PaperMall {
  const mall = PaperMall.opened()
  const id = uuid7(START, 0xabc)
  for (let i = 0; i < 4; i++) mall.admit('east/1')
  mall.admit('east/1', id)
  mall.write('east/1', { type: 'reject', code: 'REJECT_AT_CAPACITY', reason: 'full', confidence: 1000 })
  mall.write('east/1', { type: 'lapse', admit: id })
  mall.write('west/1', { type: 'forced', count: 7, why: 'fire' })
  mall.give('north/1', 'west/1', 2)
  mall.row('north/1')
  mall.exit('north/1')
  mall.write('north/1', { type: 'exit', credited: false, confidence: 100 })
  mall.policy({ capacities: [{ from: 0, capacity: 17 }], reason: 'repairs' }, ['alma'])
  mall.budget()
  mall.write('anchor/1', { type: 'checkpoint', heads: ['east/1', 'north/1', 'west/1'].map(a => mall.headOf(a)) })
  mall.admit('east/1')
  return mall
}

/** A good opening, then what `spoil` writes, then a row for everybody. */
export function after(spoil: (mall: PaperMall) => unknown): () => Promise<Report> {
  return () => {
    const mall = PaperMall.opened()
    spoil(mall)
    return mall.close().verify()
  }
}

/** A good day, shown otherwise than it was. */
export function shown(change: (mall: PaperMall) => Partial<MallShown>): () => Promise<Report> {
  return () => {
    const mall = goodDay().close()
    return mall.verify(change(mall))
  }
}

export function withLines(mall: PaperMall, account: Account, lines: readonly string[]): Partial<MallShown> {
  return { ledgers: new Map(mall.shown().ledgers).set(account, lines) }
}

export function without(mall: PaperMall, account: Account, from: number, count: number): Partial<MallShown> {
  return withLines(mall, account, mall.linesOf(account).toSpliced(from, count))
}

export function altered(mall: PaperMall, account: Account, seq: number, alter: (line: string) => string) {
  return withLines(
    mall,
    account,
    mall.linesOf(account).map((line, i) => (i === seq ? alter(line) : line)),
  )
}
