import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../ledger/audit/report.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { goldenJson } from './golden.ts'

const test = suite('ledger/by hand')

const page = readFileSync(new URL('../../ledger/FORMAT.md', import.meta.url), 'utf8')
const commands = /```bash\n([\s\S]*?)```/.exec(page)?.[1] as string
const cwd = fileURLToPath(new URL('../golden/mall', import.meta.url))
const lacking = [await needs('jq', 'jq'), await needs('openssl', 'openssl'), await needs('basenc', 'coreutils')]
const why = lacking.find(reason => reason !== undefined)

function say(script: string): string {
  return execFileSync('bash', ['-c', `${commands}\n${script}`], { cwd, encoding: 'utf8' }).trimEnd()
}

const claims: Readonly<Record<string, () => void>> = {
  'the charter is where every ledger begins': () => {
    assert.equal(say('hash charter.note'), say('head -n 1 ledgers/north/2.jsonl | jq -r .prev'))
  },
  'roots and balances are those of the rows': () => {
    const { accounts } = goldenJson<Report>('mall/report.json')
    for (const account of ['east/1', 'north/2', 'west/1']) {
      const [row, ledger] = [`rows/${account}.note`, `ledgers/${account}.jsonl`]
      assert.equal(say(`root ${ledger} $(sed -n 2p ${row})`), say(`sed -n 3p ${row}`))
      assert.equal(say(`balance ${ledger}`), String(accounts.find(a => a.account === account)?.balance))
    }
  },
  'an altered line shows in the chain': () => {
    assert.equal(say('chain ledgers/east/1.jsonl'), '')
    assert.equal(say('chain <(sed \'5s/"confidence":1000/"confidence":999/\' ledgers/east/1.jsonl)'), '5')
  },
  'signatures verify under their own key only': () => {
    assert.match(say('verify charter.note 1 "$(cat owner.vkey)"'), /Successfully/)
    assert.match(
      say('verify policies/3.note 3 "$(sed -n "/bruno/s/^operator \\(.*\\) .*/\\1/p" charter.note)"'),
      /Successfully/,
    )
    assert.match(say('verify rows/east/1.note 1 "$(sed -n "/west/s/^gate //p" charter.note)" 2>&1 || true'), /Failure/)
  },
}

for (const [claim, check] of Object.entries(claims)) {
  const name = `with the commands of FORMAT.md, ${claim}`
  if (why === undefined) test(name, check)
  else test.skip(name, why)
}

test.run()
