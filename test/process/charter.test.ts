import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type MallConfig, readAnchor } from '../../anchor/config.ts'
import { openCharter } from '../../ledger/charter-note.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { flawOf } from '../../ledger/policy.ts'
import { openPolicy } from '../../ledger/policy-note.ts'
import { Form } from '../../mesh/form.ts'
import { readPapers } from '../../mesh/papers.ts'
import { readGate } from '../../node/config.ts'
import { suite } from '../suite.ts'
import { BIN, inFolder } from './members.ts'

const test = suite('process/charter')

function gatemesh(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [BIN, ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const found = (dir: string, ...more: string[]) =>
  gatemesh(
    'charter',
    'new',
    '--mall',
    'north',
    '--legal-max',
    '500',
    '--capacity',
    '400',
    '--operators',
    'ann,bob,eve:auditor',
    '--gates',
    'g1,g2',
    '--out',
    dir,
    ...more,
  )

test('a mall is founded: its charter, first policy, keys and configs all fit together', async () => {
  await inFolder(async dir => {
    const { code, out, err } = await found(dir)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^north is founded/)
    assert.match(out, /gatemesh anchor --config anchor\.json --birth/)
    const owner = VerifierKey.parse(readFileSync(join(dir, 'owner.vkey'), 'utf8').trim())
    const { charter } = openCharter(readFileSync(join(dir, 'charter.note'), 'utf8'), owner, { twice: true })
    assert.deepEqual([charter.mall, charter.legalMax], ['north', 500])
    assert.deepEqual(
      charter.operators.map(({ name, role }) => [name, role]),
      [
        ['ann', 'marshal'],
        ['bob', 'operator'],
        ['eve', 'auditor'],
      ],
    )
    const policy = openPolicy(readFileSync(join(dir, 'policies/1.note'), 'utf8'), charter, { twice: true })
    assert.equal(flawOf(policy, undefined, charter), undefined, 'gates will take it')
    assert.equal(policy.capacities[0]?.capacity, 400)
    const keys = readdirSync(join(dir, 'keys')).sort()
    assert.deepEqual(keys, ['anchor.key', 'ann.key', 'bob.key', 'eve.key', 'g1.key', 'g2.key', 'owner.key'])
    for (const file of keys) assert.equal(statSync(join(dir, 'keys', file)).mode & 0o777, 0o600)
    for (const name of ['anchor', 'g1', 'g2']) {
      const form = Form.read(readFileSync(join(dir, `${name}.json`), 'utf8'), { file: `${name}.json`, dir })
      const papers = await readPapers(form, name === 'anchor' ? (readAnchor(form).mall as MallConfig) : readGate(form))
      form.check()
      assert.deepEqual(papers?.doubts, [])
    }
  })
})

test('a folder that has a mall is left alone', async () => {
  await inFolder(async dir => {
    assert.equal((await found(dir, '--json')).code, 0)
    const before = readFileSync(join(dir, 'keys/owner.key'), 'utf8')
    const { code, err } = await found(dir)
    assert.equal(code, 3)
    assert.match(err, /FOUNDING: .*charter\.note is of a mall that was founded here before/)
    assert.equal(readFileSync(join(dir, 'keys/owner.key'), 'utf8'), before)
  })
})

test('wrong use is named and founds nothing', async () => {
  await inFolder(async dir => {
    const out = join(dir, 'none')
    const wrong: [args: string[], says: RegExp][] = [
      [['--mall', 'North Mall'], /--mall takes a small letter/],
      [['--legal-max', '0'], /--legal-max takes a whole number from 1/],
      [['--capacity', '501'], /--capacity takes a whole number from 1 to 500/],
      [['--operators', 'ann'], /--operators: the first two sign/],
      [['--operators', 'ann:boss,bob'], /--operators: the roles are/],
      [['--operators', 'ann:operator,bob'], /without a marshal/],
      [['--gates', ''], /--gates takes 1 to/],
      [['--gates', 'g1,ann'], /two would be called ann/],
      [['--gates', 'g1,owner'], /two would be called owner/],
    ]
    for (const [args, says] of wrong) {
      const { code, err } = await found(out, ...args)
      assert.equal(code, 2, err)
      assert.match(err, says)
    }
    assert.equal((await gatemesh('charter', 'old')).code, 2)
    assert.equal(existsSync(out), false)
  })
})

test('a key is made for one name, is private, and never written over', async () => {
  await inFolder(async dir => {
    const out = join(dir, 'g3.key')
    const { code, out: said } = await gatemesh('key', 'new', '--name', 'gatemesh/north/g3', '--out', out, '--json')
    assert.equal(code, 0)
    const { vkey, fingerprint } = JSON.parse(said)
    const text = readFileSync(out, 'utf8')
    assert.equal(SignerKey.parse(text.trim()).verifier.toString(), vkey)
    assert.match(fingerprint, /^([0-9a-f]{4} ){4}[0-9a-f]{4}$/)
    assert.equal(statSync(out).mode & 0o777, 0o600)
    assert.equal((await gatemesh('key', 'new', '--name', 'gatemesh/north/g3', '--out', out)).code, 2)
    assert.equal(readFileSync(out, 'utf8'), text)
    for (const name of ['g3', 'gatemesh/north', 'gatemesh/north/G3', 'gatemesh/north/g3/1']) {
      const { code, err } = await gatemesh('key', 'new', '--name', name, '--out', join(dir, 'x'))
      assert.equal(code, 2)
      assert.match(err, /--name takes gatemesh\/MALL\/NAME/)
    }
  })
})

test.run()
