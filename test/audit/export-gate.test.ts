// A gate's own port, as an export asks it: small portions that go on where they ended, and nothing without the pass.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../../ledger/account.ts'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import type { Store } from '../../ledger/store.ts'
import { Ledgers } from '../../mesh/ledgers.ts'
import type { Member } from '../../mesh/member.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { Server } from '../../mesh/window/server.ts'
import { Evidence } from '../../node/evidence.ts'
import { mayLook } from '../../node/pass.ts'
import { exportBundle } from '../../tools/audit/export-bundle.ts'
import { GateSource } from '../../tools/audit/sources/gate-source.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { MALL, PaperMall, signerOf } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'

const test = suite('audit/export-gate')

const PASS = 'open-sesame'

/** A gate in its second life: the ledger of the first is closed, and lies beside the new one. */
async function inGate(act: (url: URL, mall: PaperMall, dir: string) => Promise<void>): Promise<void> {
  const mall = PaperMall.opened()
  for (let i = 0; i < 600; i++) {
    mall.admit('east/1')
    mall.exit('east/1')
  }
  const old = mall.row('east/1')
  const [after, afterSize, afterRoot] = mall.headOf('east/1')
  mall.open('east/2', { after, afterSize, afterRoot })
  const disk = new MemoryDisk()
  const store = await openMemoryStore(disk, { name: 'east' })
  for (const account of ['east/1', 'east/2']) await fill(store, mall, account)
  const others = [old, ...['anchor/1', 'north/1', 'west/1'].map(account => mall.row(account))]
  const me = {
    view: { others: () => others.map(note => ({ row: { note } })) },
    policies: { after: () => mall.policies },
    banned: new Map(),
  } as unknown as Member
  const ledgers = new Ledgers(() => store)
  const evidence = new Evidence({
    mall: MALL,
    name: 'east',
    key: signerOf('east').verifier.toString(),
    clock: REAL_CLOCK,
    me: () => me,
    ledgers: () => ledgers,
    own: () => ({ row: () => ({ ...mall.rowOf('east/2'), note: mall.row('east/2') }) }),
    copies: () => undefined,
    charters: async () => [mall.charterNote],
  })
  const faults: unknown[] = []
  const server = new Server({
    routes: evidence.routes,
    onFault: error => faults.push(error),
    mayLook: headers => mayLook(headers, PASS),
  })
  const dir = mkdtempSync(join(tmpdir(), 'export-gate-'))
  try {
    await server.listen({ host: '127.0.0.1', port: 0 }, false)
    await act(new URL(server.url), mall, dir)
    assert.deepEqual(faults, [])
  } finally {
    await server.close()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function fill(store: Store, mall: PaperMall, account: Account): Promise<void> {
  await store.begin(account, mall.charterHash)
  await Promise.all(mall.linesOf(account).map(line => store.append(line)))
}

const QUIET = { say: () => undefined, warn: () => undefined, onProgress: () => undefined }

test('a gate shows both of its lives, in portions, to whoever has its pass', () =>
  inGate(async (url, mall, dir) => {
    const out = join(dir, 'out')
    const wish = { out, from: null, to: null, gates: null, by: null, ...QUIET }
    await assert.rejects(exportBundle(new GateSource({ url }), wish), { message: /shows the pass; --token takes it/ })
    await assert.rejects(exportBundle(new GateSource({ url, pass: 'wrong-one' }), wish), { status: 401 })
    const { about } = await exportBundle(new GateSource({ url, pass: PASS }), wish)
    assert.deepEqual(about.gates, ['east'])
    for (const account of ['east/1', 'east/2']) {
      const lines = readFileSync(join(out, `data/ledgers/${account}.jsonl`), 'utf8')
        .trim()
        .split('\n')
      assert.deepEqual(lines, mall.linesOf(account))
    }
    assert.deepEqual((await verifyBundle(out, mall.owner.verifier)).findings, [])
    await assert.rejects(
      exportBundle(new GateSource({ url, pass: PASS }), { ...wish, out: join(dir, 'west'), gates: ['west'] }),
      { message: /nothing of west here, only of east/ },
    )
  }))

test('what is asked for wrongly is told what was expected, and readings that cross each other go on', () =>
  inGate(async (url, mall) => {
    const ask = async (query: string) => {
      const headers = { authorization: `Bearer ${PASS}`, connection: 'close' }
      const response = await fetch(new URL(`/evidence/ledger?${query}`, url), { headers })
      return { status: response.status, text: await response.text() }
    }
    for (const [query, status] of [
      ['', 400],
      ['account=east', 400],
      ['account=east/1&from=-1', 400],
      ['account=east/1&to=x', 400],
      ['account=west/1', 404],
    ] as const) {
      assert.equal((await ask(query)).status, status, query)
    }
    const got = { a: [] as string[], b: [] as string[] }
    const lines = mall.linesOf('east/1')
    for (const turn of ['a', 'b', 'a', 'b', 'a', 'b'] as const) {
      const { text } = await ask(`account=east/1&from=${got[turn].length}&to=${lines.length}`)
      got[turn].push(...text.split('\n').slice(0, -1))
    }
    assert.deepEqual(got.a, lines)
    assert.deepEqual(got.b, lines)
    assert.equal((await ask(`account=east/1&from=${lines.length}`)).text, '')
  }))

test.run()
