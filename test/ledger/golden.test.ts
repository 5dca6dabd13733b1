import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { parseAccount } from '../../ledger/account.ts'
import { verifyMall } from '../../ledger/audit/verify.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { suite } from '../suite.ts'
import { goldenJson, goldenText } from './golden.ts'
import { goldenFiles } from './golden-mall.ts'

const test = suite('ledger/golden')

function names(folder: string): string[] {
  const all = readdirSync(new URL(`../golden/${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
  return all.filter(name => /\.(note|jsonl|vkey|json)$/.test(name)).sort()
}

test('the golden files are what this program writes, byte for byte', async () => {
  const files = await goldenFiles()
  for (const [name, text] of files) assert.equal(goldenText(name), text, name)
  const mall = [...files.keys()].filter(name => name.startsWith('mall/')).map(name => name.slice('mall/'.length))
  assert.deepEqual(names('mall'), mall.sort())
})

test('the golden mall is proved from its files alone', async () => {
  const ledgers = new Map<string, string[]>()
  for (const name of names('mall/ledgers')) {
    const account = name.replace('.jsonl', '')
    parseAccount(account)
    ledgers.set(account, goldenText(`mall/ledgers/${name}`).trimEnd().split('\n'))
  }
  const report = await verifyMall({
    charter: goldenText('mall/charter.note'),
    owner: VerifierKey.parse(goldenText('mall/owner.vkey').trimEnd()),
    policies: names('mall/policies').map(name => goldenText(`mall/policies/${name}`)),
    ledgers,
    rows: names('mall/rows').map(name => goldenText(`mall/rows/${name}`)),
  })
  assert.deepEqual(report.findings, [])
  assert.deepEqual(report.lost, [{ account: 'north/1', from: 3, to: 5 }])
  assert.deepEqual(JSON.parse(JSON.stringify(report)), goldenJson('mall/report.json'))
})

test.run()
