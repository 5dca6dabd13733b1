// Proofs of entries, checked three times: with our own library, with the code that a browser runs, and by hand.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { proveEvent } from '../../anchor/api/evidence-proof.ts'
import type { EventProof } from '../../ledger/audit/event-proof.ts'
import { openCheckpoint } from '../../ledger/checkpoint.ts'
import type { Body } from '../../ledger/entry.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { checkInclusion } from '../../ledger/proof.ts'
import { leafHash } from '../../ledger/tree.ts'
import { newId } from '../../mesh/real-clock.ts'
import { CHARTER, keyOf, MALL, MORNING } from '../approvals/office.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

interface Checked {
  readonly holds: boolean
  readonly steps: readonly { readonly title: string; readonly holds?: boolean; readonly words: string }[]
}
type Known = { readonly line?: string; readonly account?: string; readonly owner?: string }
const page = await import(new URL('../../anchor/pages/proof.js', import.meta.url).href)
const checkProof: (proof: EventProof, known?: Known) => Promise<Checked> = page.checkProof

const test = suite('api/proofs')
const OWNER = keyOf('owner').verifier.toString()

/** The titles of the steps that did not hold. */
async function broken(proof: EventProof, known: Known = {}): Promise<string[]> {
  const { holds, steps } = await checkProof(proof, known)
  const failed = steps.filter(step => step.holds === false).map(({ title }) => title)
  assert.equal(holds, failed.length === 0)
  return failed
}

function holdsByLibrary({ line, index, proof, row, key }: EventProof): boolean {
  const { size, root } = openCheckpoint(row, [VerifierKey.parse(key.vkey)])
  const path = proof.map(text => Buffer.from(text, 'base64'))
  return checkInclusion({ leaf: leafHash(line), index, size, root: Buffer.from(root, 'base64'), path })
}

async function proofOf(rig: Rig, id: string): Promise<EventProof> {
  const { status, json, text } = await rig.get(`/events/${id}/proof`, await rig.login('aud'))
  assert.equal(status, 200, text)
  return json
}

test('every entry of ledgers of 1 to 40 entries is proved, to our own library and to a browser', async () => {
  await inRig(async rig => {
    for (let size = 1; size <= 40; size++) {
      await rig.collect('east/1', rig.admits(1))
      await rig.vouch('east/1')
      for (const event of await rig.archive.since(0, 100)) {
        const proof = await proveEvent(rig.desk, event)
        assert.deepEqual([proof.index, proof.size, proof.line], [event.entry.seq, size, event.line])
        assert.ok(holdsByLibrary(proof))
        // one in a few of 820: a browser's way of hashing takes its time
        if ((event.order * 7 + size) % 13 === 0)
          assert.deepEqual(await broken(proof, { line: event.line, owner: OWNER }), [])
      }
    }
  })
})

test('what the API hands out is complete: charter, key, row and words for whoever has nothing else', async () => {
  await inRig(async rig => {
    const [body] = rig.admits(1)
    await rig.collect('east/1', [body as Body, ...rig.admits(6)])
    await rig.vouch('east/1')
    const proof = await proofOf(rig, body?.id ?? '')
    assert.deepEqual(
      [proof.format, proof.mall, proof.account, proof.id],
      ['gatemesh/proof/1', MALL, 'east/1', body?.id],
    )
    assert.deepEqual(proof.key, { vkey: CHARTER.gates[0]?.key, from: 'charter' })
    assert.equal(proof.charter.note, rig.desk.charterNotes[0])
    const { steps } = await checkProof(proof)
    assert.equal(
      steps.find(({ title }) => title === 'The owner')?.holds,
      undefined,
      'without the owner’s key it is left open',
    )
    assert.deepEqual(await broken(proof, { owner: OWNER, account: 'east/1' }), [])
    assert.deepEqual(await broken(proof, { owner: keyOf('ann').verifier.toString() }), ['The owner'])
    assert.deepEqual(await broken(proof, { owner: 'my key' }), ['The owner'])
    assert.deepEqual(await broken(proof, { line: 'another', account: 'west/1' }), ['The entry'])
    const other = await rig.get(`/events/${body?.id}/proof?account=west/1`, await rig.login('aud'))
    assert.deepEqual([other.status, other.json.error.code], [404, 'not-found'])
  })
})

test('a gate that came later is proved by the policy that brought it, signed by those whom the charter names', async () => {
  await inRig(async rig => {
    const vkey = keyOf('north').verifier.toString()
    await rig.office.approvals.bring(rig.office.note({ kind: 'gate-add', key: vkey }, ['ann', 'bob']))
    const [body] = rig.admits(1)
    await rig.collect('north/1', [body as Body])
    await rig.vouch('north/1')
    const proof = await proofOf(rig, body?.id ?? '')
    assert.deepEqual([proof.key.from, proof.key.policy?.version], ['policy', 2])
    assert.deepEqual(await broken(proof), [])
    const { policy } = proof.key
    assert.ok(policy !== undefined)
    const { policy: _none, ...bare } = proof.key
    const lines = policy.note.split('\n')
    const unsigned = lines.filter(line => !line.startsWith(`— gatemesh/${MALL}/anchor`)).join('\n')
    const forged = policy.note.replace('reason because', 'reason becausf')
    for (const key of [
      bare,
      { ...bare, policy: { ...policy, note: unsigned } },
      { ...bare, policy: { ...policy, note: forged } },
      { ...bare, policy: { ...policy, hash: proof.charter.hash } },
      { ...bare, policy: { ...policy, note: rig.desk.policies()[0]?.note ?? '' } },
    ]) {
      assert.deepEqual(await broken({ ...proof, key }), ['The key'])
    }
  })
})

test('the anchor’s checkpoint says since when an entry was there, and is proved like the entry', async () => {
  await inRig(async rig => {
    const [body] = rig.admits(1)
    await rig.collect('east/1', [...rig.admits(4), body as Body])
    await rig.vouch('east/1')
    const seen = /^.*\n(\d+)\n(.*)\n/.exec(rig.archive.head('east/1')?.row ?? '')
    const head = ['east/1', Number(seen?.[1]), seen?.[2] ?? ''] as const
    const checkpoint = { id: newId(), at: rig.office.wall + 5000, type: 'checkpoint', heads: [head] } as const
    await rig.collect('anchor/1', [{ ...checkpoint, id: newId(), at: rig.office.wall, heads: [] }, checkpoint])
    await rig.collect('east/1', rig.admits(4))
    await rig.vouch('east/1')
    assert.equal((await proofOf(rig, body?.id ?? '')).checkpoint, undefined, 'not before the anchor signed it')
    await rig.vouch('anchor/1')
    const proof = await proofOf(rig, body?.id ?? '')
    const { checkpoint: witness } = proof
    assert.ok(witness !== undefined)
    assert.deepEqual([proof.size, witness.head.size, witness.index, witness.at], [9, 5, 1, MORNING + 5000])
    assert.deepEqual(await broken(proof), [])
    const { steps } = await checkProof(proof)
    assert.match(steps.at(-1)?.words ?? '', /2026-10-20T08:00:05.000Z/)
    for (const other of [
      { ...witness, head: { ...witness.head, size: 9 } },
      { ...witness, head: { ...witness.head, proof: [] } },
      { ...witness, head: { ...witness.head, proof: [proof.root] } },
      { ...witness, line: witness.line.replace('"east/1",5', '"east/1",4') },
      { ...witness, row: proof.row },
      { ...witness, key: proof.key },
    ]) {
      assert.deepEqual(await broken({ ...proof, checkpoint: other }), ['The anchor'])
    }
    const own = await proofOf(rig, checkpoint.id)
    assert.deepEqual([own.key.vkey, own.checkpoint], [CHARTER.anchor, undefined])
    assert.deepEqual(await broken(own), [])
  })
})

test('whatever is changed in a proof, it holds no longer, and the step that finds it is named', async () => {
  await inRig(async rig => {
    await rig.collect('east/1', rig.admits(21))
    await rig.vouch('east/1')
    await rig.collect('west/1', rig.admits(21))
    await rig.vouch('west/1')
    const [event] = (await rig.archive.since(8, 1)) ?? []
    const proof = await proveEvent(rig.desk, event as never)
    const west = await proveEvent(rig.desk, (await rig.archive.since(29, 1))[0] as never)
    const changed: [change: Partial<EventProof>, by: string][] = [
      [{ line: proof.line.replace('"confidence":1000', '"confidence":999') }, 'Its hash'],
      [{ line: west.line }, 'The entry'],
      [{ id: west.id }, 'The entry'],
      [{ index: 9 }, 'The way up to the root'],
      [{ proof: proof.proof.slice(1) }, 'The way up to the root'],
      [{ proof: proof.proof.toReversed() }, 'The way up to the root'],
      [{ proof: [...proof.proof, proof.root] }, 'The way up to the root'],
      [{ root: west.root }, 'The way up to the root'],
      [{ size: 22 }, 'The row'],
      [{ account: 'east/2' }, 'The row'],
      [{ account: 'west/1' }, 'The row'],
      [{ mall: 'south' }, 'The row'],
      [{ row: west.row }, 'The row'],
      [{ row: proof.row.replace(/at \d+/, 'at 1') }, 'The signature'],
      [{ row: `${proof.row}${proof.row.split('\n').at(-2)}\n` }, 'The signature'],
      [{ key: west.key }, 'The signature'],
      [{ key: { vkey: keyOf('ann').verifier.toString(), from: 'charter' } }, 'The key'],
      [{ charter: { ...proof.charter, hash: proof.root } }, 'The charter'],
      [{ charter: { ...proof.charter, note: proof.row } }, 'The charter'],
      [{ charter: { ...proof.charter, note: '' } }, 'The charter'],
      [{ leafHash: proof.root }, 'Its hash'],
    ]
    for (const [change, by] of changed) {
      const failed = await broken({ ...proof, ...change })
      assert.ok(failed.includes(by), `${JSON.stringify(change).slice(0, 100)}: ${failed.join()}`)
    }
    const hashes = fc.nat(proof.proof.length - 1)
    await fc.assert(
      fc.asyncProperty(hashes, fc.nat(31), fc.integer({ min: 1, max: 255 }), async (which, at, by) => {
        const path = [...proof.proof]
        const bytes = Buffer.from(path[which] as string, 'base64')
        bytes[at] = (bytes[at] as number) ^ by
        path[which] = bytes.toString('base64')
        assert.deepEqual(await broken({ ...proof, proof: path }), ['The way up to the root'])
      }),
      { numRuns: 40 },
    )
    // whatever a stranger sends is answered in words
    const nonsense = [{}, { line: 7 }, { ...proof, row: null }, { ...proof, proof: 'x' }, { ...proof, key: {} }]
    for (const one of nonsense) assert.ok((await broken(one as never)).length > 0)
  })
})

test('an entry that is pruned is named with the files of its time, and one that never was with none', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    const at = Date.UTC(2026, 2, 1, 12)
    const id = `${at
      .toString(16)
      .padStart(12, '0')
      .replace(/(.{8})/, '$1-')}-7000-8000-000000000000`
    const none = await rig.get(`/events/${id}/proof`, token)
    assert.deepEqual([none.status, none.json.error.code], [404, 'not-found'])
    const filesAt = async (time: { from: number; to: number }) => {
      assert.ok(time.from < at && time.to > at)
      return [
        { name: 'east-1/2026-03-01.jsonl.gz', isRemoved: false },
        { name: 'west-1/2026-03-01.jsonl.gz', isRemoved: true },
      ]
    }
    rig.desk = { ...rig.desk, retention: Object.assign(Object.create(rig.retention), { filesAt }) }
    const { status, json } = await rig.get(`/events/${id}/proof`, token)
    assert.deepEqual([status, json.error.code], [404, 'archived'])
    assert.match(json.error.message, /2026-03-01T12:00:00.000Z.* east-1\/2026-03-01.jsonl.gz, west-1.* \(removed/)
    await rig.collect('east/1', rig.admits(2))
    await rig.vouch('east/1')
    const [body] = rig.admits(1)
    await rig.collect('east/1', [body as Body])
    const unsigned = await rig.get(`/events/${body?.id}/proof`, token)
    assert.deepEqual([unsigned.status, unsigned.json.error.code], [409, 'unsigned'])
    assert.match(unsigned.json.error.message, /entry 2 of east\/1 yet: its rows reach 2 entries/)
  })
})

const BY_HAND = 'with the commands that are in every proof, a proof holds, and one that was altered does not'
const lacking = [await needs('jq', 'jq'), await needs('openssl', 'openssl'), await needs('basenc', 'coreutils')]
const why = lacking.find(reason => reason !== undefined)
if (why !== undefined) test.skip(BY_HAND, why)
else
  test(BY_HAND, async () => {
    await inRig(async rig => {
      await rig.collect('east/1', rig.admits(11))
      await rig.vouch('east/1')
      const dir = mkdtempSync(join(tmpdir(), 'proof-'))
      const run = (proof: EventProof) => {
        writeFileSync(join(dir, 'proof.json'), JSON.stringify(proof))
        const script = proof.instructions.filter(line => line.startsWith('  ')).join('\n')
        return execFileSync('bash', ['-c', `${script}\n:`], {
          cwd: dir,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
      }
      try {
        for (const event of await rig.archive.since(0, 11)) {
          if (![0, 6, 10].includes(event.entry.seq)) continue
          const said = run(await proveEvent(rig.desk, event))
          assert.match(
            said,
            /^the line is in the ledger of this row\n(.*\n.*\n)\1Signature Verified Successfully\ngate /,
          )
        }
        const proof = await proveEvent(rig.desk, (await rig.archive.since(4, 1))[0] as never)
        assert.doesNotMatch(run({ ...proof, line: proof.line.replace('local', 'stolen') }), /is in the ledger/)
        assert.doesNotMatch(run({ ...proof, row: proof.row.replace(/at \d+/, 'at 1') }), /Successfully/)
        assert.doesNotMatch(run({ ...proof, key: { ...proof.key, vkey: OWNER } }), /^gate /m)
      } finally {
        rmSync(dir, { recursive: true })
      }
    })
  })

test.run()
