// The golden files of this format, as texts: entries, notes, and a small mall with a loss of memory, a cut, a recount
// and a fire. The keys are no secret: the seed of a name is SHA-256("gatemesh " + name).

import { toBase64 } from '../../ledger/base64.ts'
import { Chain } from '../../ledger/chain.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { HASH, ONE_OF_EACH } from './one-of-each.ts'
import { MALL, PaperMall, START, signerOf, uuid7 } from './paper-mall.ts'

export function goldenMall(): PaperMall {
  const mall = PaperMall.opened()
  const lapsed = uuid7(START, 0xabc)
  for (let i = 0; i < 4; i++) mall.admit('east/1')
  mall.admit('east/1', lapsed)
  mall.write('east/1', { type: 'reject', code: 'REJECT_NO_HEADROOM', reason: 'out-of-reach', confidence: 940 })
  mall.write('east/1', { type: 'lapse', admit: lapsed })
  mall.give('west/1', 'east/1', 3)
  mall.row('west/1')
  mall.write('north/1', { type: 'mode', epoch: 1, mode: 'FIRE', by: 'north', reason: 'contact 2 – Küche' })
  mall.write('north/1', { type: 'forced', count: 2, why: 'fire' })
  mall.row('north/1')
  mall.exit('north/1')
  const [after, afterSize, afterRoot] = mall.headOf('north/1')
  mall.row('north/1')
  mall.open('north/2', { after, afterSize, afterRoot })
  mall.write('anchor/1', { type: 'enrol', account: 'north/2' })
  mall.policy({
    capacities: [
      { from: 0, capacity: 17 },
      { from: START + 3_600_000, capacity: 20 },
    ],
    reason: 'repairs',
  })
  mall.budget({ capacity: 17 })
  mall.policy({ correction: 1, reclaimed: [{ account: 'north/1', amount: 4 }], reason: 'recount of 16:00' })
  mall.budget({ capacity: 17 })
  mall.give('anchor/1', 'north/2', 2)
  mall.write('north/2', { type: 'policy', version: 3, hash: mall.policies[2]?.hash as string })
  mall.admit('north/2')
  mall.write('north/2', { type: 'exit', credited: false, confidence: 590 })
  const accounts = ['east/1', 'north/1', 'north/2', 'west/1']
  mall.write('anchor/1', { type: 'checkpoint', heads: accounts.map(account => mall.headOf(account)) })
  for (const account of ['anchor/1', 'east/1', 'north/2', 'west/1']) mall.row(account)
  return mall
}

/** What is shown of the golden mall: of north/1 the disk kept only the first three entries. */
export const KEPT_OF_NORTH = 3

export const MODES = {
  'mode-raise.note': () =>
    signMode({ epoch: 3, mode: 'FIRE', at: START, reason: 'contact 2 – Küche' }, MALL, [signerOf('north')]),
  'mode-clear.note': () =>
    signMode(
      { epoch: 4, mode: 'NORMAL', at: START + 60_000, reason: 'all clear', clears: { epoch: 3, mode: 'FIRE' } },
      MALL,
      [signerOf('alma'), signerOf('bruno')],
    ),
} as const satisfies Record<string, () => string>

export async function goldenFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const chain = new Chain(HASH)
  const written = ONE_OF_EACH.map(body => {
    const { seq, line, leaf } = chain.write(body)
    return { line: `${line}\n`, hashes: `${seq} ${toBase64(leaf)} ${chain.root()}\n` }
  })
  files.set('entries.jsonl', written.map(w => w.line).join(''))
  files.set('entries-hashes.txt', written.map(w => w.hashes).join(''))
  for (const [name, note] of Object.entries(MODES)) files.set(name, note())

  const mall = goldenMall()
  files.set('mall/owner.vkey', `${mall.owner.verifier}\n`)
  files.set('mall/charter.note', mall.charterNote)
  for (const { version, note } of mall.policies) files.set(`mall/policies/${version}.note`, note as string)
  for (const [account, { lines }] of mall.ledgers) {
    const kept = account === 'north/1' ? lines.slice(0, KEPT_OF_NORTH) : lines
    files.set(`mall/ledgers/${account}.jsonl`, kept.map(line => `${line}\n`).join(''))
  }
  // the newest row of an account has its name, those before it are numbered
  for (const account of mall.ledgers.keys()) {
    const rows = mall.rows.filter(row => row.startsWith(`gatemesh/${MALL}/${account}\n`))
    for (const [i, row] of rows.entries()) {
      files.set(`mall/rows/${account}${i + 1 === rows.length ? '' : `.${i + 1}`}.note`, row)
    }
  }
  const ledgers = new Map(mall.shown().ledgers).set('north/1', mall.linesOf('north/1').slice(0, KEPT_OF_NORTH))
  files.set('mall/report.json', `${JSON.stringify(await mall.verify({ ledgers }), undefined, 1)}\n`)
  return files
}
