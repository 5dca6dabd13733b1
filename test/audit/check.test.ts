// Proofs that hold, and everything that can be done to them: two implementations say the same, and neither breaks down.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventProof } from '../../ledger/audit/event-proof.ts'
import { checkEventProof } from '../../ledger/audit/proof-check.ts'
import { signCharter } from '../../ledger/charter-note.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { parseNote, signNote } from '../../ledger/note.ts'
import { formatPolicy } from '../../ledger/policy-note.ts'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { checkProofText } from '../../tools/audit/commands/check.ts'
import { proveFromBundle } from '../../tools/audit/proofs/prove-bundle.ts'
import { PaperMall, signerOf } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { gatemesh } from '../tools/clerk.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'

const test = suite('audit/check')
const GOLDEN = join(import.meta.dirname, '../golden/mall')
const OWNER = VerifierKey.parse(readFileSync(join(GOLDEN, 'owner.vkey'), 'utf8').trim())
const page = await import(new URL('../../anchor/pages/proof.js', import.meta.url).href)
const inBrowser: (proof: unknown, known: { owner: string }) => Promise<{ holds: boolean }> = page.checkProof

type Loose = Record<string, unknown>

/** What both say of it. */
async function verdict(proof: unknown): Promise<boolean> {
  const { holds, steps } = checkEventProof(proof, { owner: OWNER, twice: false })
  const browser = await inBrowser(proof, { owner: OWNER.toString() })
  const failed = steps.filter(step => step.holds !== true).map(({ title, words }) => `${title}: ${words}`)
  assert.equal(browser.holds, holds, `${failed.join('; ') || 'it holds'}\n${JSON.stringify(proof).slice(0, 300)}`)
  return holds
}

async function golden(account: string, seq: number): Promise<EventProof> {
  const lines = readFileSync(join(GOLDEN, 'ledgers', `${account}.jsonl`), 'utf8').split('\n')
  const { id } = JSON.parse(lines[seq] as string) as { id: string }
  return (await proveFromBundle(GOLDEN, { id, account })).proof
}

/** One whose charter was revised, with a key that came by a policy which the revised charter judges. */
async function revised(): Promise<EventProof> {
  const mall = evidenceMall()
  const gate = { name: 'south', key: signerOf('south').verifier.toString() }
  const { note: _note, hash, signers: _signers, ...before } = mall.mall.policies[3] as PaperMall['policies'][number]
  const text = formatPolicy({ ...before, version: 5, previous: hash, gates: [...before.gates, gate] }, 'paper')
  const note = signNote(text, [signerOf('anchor'), signerOf('alma'), signerOf('bruno', ' 2')])
  mall.mall.open('south/1')
  for (let i = 0; i < 4; i++) mall.mall.write('south/1', { type: 'optical', in: i, out: 0 })
  mall.mall.row('south/1')
  const content = contentOf(mall)
  const dir = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    await writeBundle(join(dir, 'b'), { ...content, policies: [...content.policies, { version: 5, note }] })
    const { id } = JSON.parse(mall.mall.linesOf('south/1')[2] as string) as { id: string }
    return (await proveFromBundle(join(dir, 'b'), { id })).proof
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Every place in a value: the keys that lead to it. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name]))]
}

/** A copy with something else, or nothing, in one place. */
function changed(value: unknown, [name, ...rest]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to
  if (Array.isArray(value)) {
    const copy = value.map((inner, i) => (String(i) === name ? changed(inner, rest, to) : inner))
    return rest.length === 0 && to === undefined ? copy.filter((_, i) => String(i) !== name) : copy
  }
  const fields = { ...(value as Loose), [name]: changed((value as Loose)[name], rest, to) }
  if (rest.length === 0 && to === undefined) delete fields[name]
  return fields
}

test('proofs of every kind hold for both: by charter, by revision, by policy, with the anchor as witness', async () => {
  const plain = await golden('east/1', 4)
  assert.ok(plain.checkpoint !== undefined)
  assert.ok(await verdict(plain))
  assert.ok(await verdict(await golden('anchor/1', 0)))
  const late = await revised()
  assert.deepEqual([late.key.from, late.key.policy?.version, late.charter.revisions?.length], ['policy', 5, 1])
  assert.ok(await verdict(late))
  assert.deepEqual(checkEventProof(late, { owner: OWNER }).signers, ['alma', 'bruno'])
})

test('a part that is missing, or of another kind, is named with its place', async () => {
  for (const proof of [await golden('east/1', 4), await revised()]) {
    const bare = { ...proof, instructions: ['x'] }
    for (const place of placesIn(bare)) {
      if (place.length === 0 || (place[0] === 'instructions' && place.length > 1)) continue
      for (const to of [undefined, null, 7, '', 'x', [], {}, -1, 1e300, true]) {
        const mangled = changed(bare, place, to)
        // what may be left out may be left out: the witness
        const isFine = to === undefined && place.join() === 'checkpoint'
        const isStill = Array.isArray(to) && place.join() === 'instructions'
        const { holds, steps } = checkEventProof(mangled, { owner: OWNER, twice: false })
        assert.equal(holds, isFine || isStill, `${place.join('.')} ${JSON.stringify(to)}`)
        if (!holds) assert.ok(steps.some(step => step.holds === false && step.words !== ''))
        if (to === (place.length % 2 === 0 ? undefined : 'x')) await verdict(mangled)
      }
    }
    const odd = checkEventProof(changed(bare, ['key', 'note'], 'x'), { owner: OWNER }).steps
    assert.deepEqual(
      odd.map(({ words }) => words),
      ['key.note: a field that does not belong into a proof'],
    )
  }
})

test('with any byte flipped a proof holds no longer, or says the same as before', async () => {
  const { instructions: _instructions, ...proof } = await revised()
  const text = Buffer.from(JSON.stringify({ ...proof, instructions: [] }))
  const was = JSON.parse(text.toString())
  for (let i = 0; i < text.length; i++) {
    const mangled = Buffer.from(text)
    mangled[i] = (mangled[i] as number) ^ (1 << (i % 8))
    const { holds } = checkProofText(mangled, { owner: OWNER, twice: false })
    if (holds) assert.deepEqual(JSON.parse(mangled.toString()), was, `byte ${i}`)
    if (i % 53 !== 0) continue
    let parsed: unknown
    try {
      parsed = JSON.parse(mangled.toString())
    } catch {
      continue
    }
    await verdict(parsed)
  }
})

test('a proof that ends early is none, wherever it ends', async () => {
  const text = Buffer.from(JSON.stringify(await golden('west/1', 1)))
  for (let i = 0; i < text.length; i += 7) {
    assert.ok(!checkProofText(text.subarray(0, i), { owner: OWNER }).holds)
  }
  assert.ok(checkProofText(text, { owner: OWNER }).holds)
})

test('nothing of another proof fits, whoever signed it', async () => {
  const east = await golden('east/1', 4)
  const others = [await golden('east/1', 5), await golden('west/1', 1), await golden('anchor/1', 4)]
  const names = [
    'id',
    'account',
    'index',
    'line',
    'leafHash',
    'size',
    'root',
    'proof',
    'row',
    'key',
    'checkpoint',
  ] as const
  for (const other of others) {
    for (const name of names) {
      if (JSON.stringify(other[name]) === JSON.stringify(east[name])) continue
      const isBare = name === 'checkpoint' && other.checkpoint === undefined
      assert.equal(await verdict(changed(east, [name], other[name])), isBare, `${name} of ${other.account}`)
    }
    // a whole entry of another ledger under this one's name
    const { account: _account, ...rest } = other
    if (other.account !== east.account) assert.ok(!(await verdict({ ...rest, account: east.account })))
  }
})

test('a key is believed from nobody but charter and policy, and those from nobody but whom they name', async () => {
  const late = await revised()
  const { policy } = late.key
  assert.ok(policy !== undefined)
  const { text } = parseNote(policy.note)
  const by = (...names: [name: string, salt?: string][]) =>
    signNote(
      text,
      names.map(([name, salt]) => signerOf(name, salt)),
    )
  const withNote = (note: string) => changed(late, ['key', 'policy', 'note'], note)
  assert.ok(
    await verdict(withNote(by(['anchor'], ['bruno', ' 2']))),
    'one operator may be enough: that is left to others',
  )
  assert.ok(!(await verdict(withNote(by(['anchor'])))), 'no operator')
  assert.ok(!(await verdict(withNote(by(['alma'], ['bruno', ' 2'])))), 'no anchor')
  assert.ok(!(await verdict(withNote(by(['anchor'], ['alma'], ['bruno'])))), 'a key that was replaced')
  assert.ok(!(await verdict(withNote(by(['anchor'], ['alma'], ['vera'])))), 'a viewer')
  assert.ok(!(await verdict(withNote(by(['anchor'], ['alma'], ['owner'])))), 'somebody who is no operator')
  const line = by(['anchor'], ['alma']).trimEnd().split('\n').at(-1)
  assert.ok(!(await verdict(withNote(`${by(['anchor'], ['alma'])}${line}\n`))), 'one operator twice')
  const [first] = late.charter.revisions ?? []
  assert.ok(!(await verdict(changed(late, ['charter', 'revisions'], []))), 'the charter that counts is not shown')
  assert.ok(!(await verdict(changed(late, ['charter', 'revisions'], [first, first]))), 'twice the same revision')
  const { charter } = new PaperMall()
  const other = signCharter({ ...charter, legalMax: 41 }, signerOf('owner'))
  assert.ok(!(await verdict(changed(late, ['charter', 'note'], other))), 'another charter of the same owner')
  const stranger = signCharter(charter, signerOf('mallory'))
  assert.ok(!(await verdict(changed(await golden('east/1', 4), ['charter', 'note'], stranger))), 'another owner')
})

test('nonsense is answered in words', async () => {
  const all = [
    '',
    '{',
    '[]',
    'null',
    '7',
    '"x"',
    '{}',
    `{"format":"gatemesh/proof/1"}`,
    '['.repeat(100_000),
    '\ufeff{}',
  ]
  for (const text of all) {
    const { holds, steps } = checkProofText(Buffer.from(text), { owner: OWNER })
    assert.ok(!holds && (steps[0]?.words.length ?? 0) > 5, text.slice(0, 20))
  }
  assert.match(checkProofText(Buffer.of(0xff, 0xfe), { owner: OWNER }).steps[0]?.words ?? '', /UTF-8/)
  const proto = JSON.parse('{"__proto__":{"format":"gatemesh/proof/1"}}')
  assert.ok(!checkEventProof(proto, { owner: OWNER }).holds)
})

test('the command says step by step what was checked, what it means and what it does not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    const file = join(dir, 'p.json')
    const key = ['--charter-key', join(GOLDEN, 'owner.vkey')]
    const late = await revised()
    writeFileSync(file, JSON.stringify(late))
    const good = await gatemesh('audit', 'check', file, ...key)
    assert.equal(good.code, 0, good.out)
    assert.match(good.out, /the proof holds\n {2}✓ The form\./)
    assert.match(good.out, /signed by the anchor and by 2 operators \(alma, bruno\) whom the owner’s charter/)
    assert.match(
      good.out,
      /It does not show:[\s\S]*That policy 5 was valid in its turn[\s\S]*revision 2 of the charter is the newest/,
    )
    const told = await gatemesh('audit', 'check', file, ...key, '--json')
    assert.deepEqual([told.json.ok, told.json.event.account, told.json.steps.length], [true, 'south/1', 9])
    writeFileSync(file, JSON.stringify(changed(late, ['size'], late.size + 1)))
    const bad = await gatemesh('audit', 'check', file, ...key)
    assert.equal(bad.code, 1)
    assert.match(bad.out, /this is no proof[\s\S]*✗ The row\. row: is of 5 entries, not of 6/)
    const stranger = signerOf('mallory').verifier.toString()
    writeFileSync(file, JSON.stringify(late))
    const owned = await gatemesh('audit', 'check', file, '--charter-key', stranger)
    assert.match(owned.out, /✗ The owner\. charter\.note: no signature by a trusted key/)
    assert.equal((await gatemesh('audit', 'check', file)).code, 2)
    assert.equal((await gatemesh('audit', 'check', join(dir, 'none'), ...key)).code, 3)
    assert.equal((await gatemesh('audit', 'check', file, '--charter-key', join(dir, 'none'))).code, 3)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test.run()
