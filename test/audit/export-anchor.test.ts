// The anchor's API over a mall made of paper: what it serves is what an export takes, and what goes wrong on the way is said.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Desk } from '../../anchor/api/ports.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Row } from '../../ledger/row.ts'
import type { Member } from '../../mesh/member.ts'
import { exportBundle } from '../../tools/audit/export-bundle.ts'
import { AnchorSource } from '../../tools/audit/sources/anchor-source.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { AnchorClient, SaysNo } from '../../tools/operator/anchor-client.ts'
import { inRig, type Rig } from '../api/rig.ts'
import { MALL, START } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { type ClosedDays, DAY, HOUR, inClosedDays } from './closed-days.ts'

const test = suite('audit/export-anchor')

/** An anchor that knows these rows, and serves what was collected. */
function deskOf(rig: Rig, days: ClosedDays, rows: readonly Row[], change: Partial<Desk> = {}): Desk {
  const { mall, archive, retention } = days
  const view = { others: () => rows.map(row => ({ row })) }
  return Object.assign(Object.create(rig.desk), {
    mall: MALL,
    charter: mall.charter,
    charterNotes: [mall.charterNote],
    archive,
    retention,
    policies: () => mall.policies,
    checkpoint: () => undefined,
    me: () => ({ view, banned: new Map() }) as unknown as Member,
    ...change,
  })
}

function rowsOf({ mall }: ClosedDays): Row[] {
  return [...mall.ledgers.keys()].map(account => ({ ...mall.rowOf(account), note: mall.row(account) }))
}

function sourceAt(rig: Rig, token?: string, waitMsMax = 200): AnchorSource {
  const own = token === undefined ? {} : { token }
  return new AnchorSource(new AnchorClient({ url: new URL(rig.url), mall: MALL, ...own }), waitMsMax)
}

const QUIET = { say: () => undefined, warn: () => undefined, onProgress: () => undefined }
const ALL = { from: null, to: null, gates: null, by: 'ann', ...QUIET }

async function withAnchor(act: (rig: Rig, days: ClosedDays) => Promise<void>): Promise<void> {
  await inClosedDays(days =>
    inRig(
      async rig => {
        rig.desks = () => new Map([[MALL, rig.desk]])
        await act(rig, days)
        await days.end()
      },
      { access: 'open' },
    ),
  )
}

test('over the API an export has every line, from files and database alike, and every row that is kept', () =>
  withAnchor(async (rig, days) => {
    await days.live(5)
    rig.desk = deskOf(rig, days, rowsOf(days))
    const out = join(days.dir, 'out')
    await exportBundle(sourceAt(rig), { ...ALL, out })
    const { findings } = await verifyBundle(out, days.mall.owner.verifier)
    assert.deepEqual(findings, [])
    for (const account of days.mall.ledgers.keys()) {
      const lines = readFileSync(join(out, `data/ledgers/${account}.jsonl`), 'utf8')
        .trim()
        .split('\n')
      assert.deepEqual(lines, days.mall.linesOf(account))
    }
    assert.equal(readdirSync(join(out, 'data/rows/east')).length, 5)

    const noon = START - (START % DAY) + 2 * DAY + 12 * HOUR
    const part = join(days.dir, 'part')
    await exportBundle(sourceAt(rig), { ...ALL, out: part, from: noon, to: noon + 1 })
    assert.deepEqual((await verifyBundle(part, days.mall.owner.verifier)).findings, [])
  }))

test('a gate that cannot be collected from is shown as far as it was, and a verifier sees that there is more', () =>
  withAnchor(async (rig, days) => {
    await days.live(2)
    const size = days.mall.sizeOf('east/1')
    days.mall.admit('east/1')
    rig.desk = deskOf(rig, days, rowsOf(days))
    const out = join(days.dir, 'out')
    const { missing } = await exportBundle(sourceAt(rig), { ...ALL, out })
    assert.deepEqual(
      missing.map(({ what, account, from, to }) => [what, account, from, to]),
      [['missing', 'east/1', size, size + 1]],
    )
    const { findings } = await verifyBundle(out, days.mall.owner.verifier)
    assert.deepEqual(
      findings.map(({ kind, account }) => `${kind} ${account}`),
      ['truncated east/1'],
    )
  }))

test('two histories that were seen are in the bundle with both of their rows', () =>
  withAnchor(async (rig, days) => {
    await days.live(1)
    const { mall } = days
    const rows = rowsOf(days)
    const [one, two] = [mall.row('east/1'), mall.row('east/1', { root: mall.rowOf('west/1').root })]
    await days.archive.keep({
      id: 'e1',
      account: 'east/1',
      at: 1,
      what: 'fork',
      detail: 'd',
      rows: [one, two],
      lines: [],
    })
    rig.desk = deskOf(rig, days, rows)
    const out = join(days.dir, 'out')
    await exportBundle(sourceAt(rig), { ...ALL, out })
    const notes = readdirSync(join(out, 'data/forks/east')).map(name =>
      readFileSync(join(out, 'data/forks/east', name), 'utf8'),
    )
    assert.deepEqual(notes.sort(), [one, two].sort())
    const { findings } = await verifyBundle(out, mall.owner.verifier)
    assert.ok(findings.some(({ kind, account }) => kind === 'fork' && account === 'east/1'))
  }))

test('a token that is none is refused, and an anchor that goes away leaves nothing half done', () =>
  withAnchor(async (rig, days) => {
    await days.live(1)
    rig.desk = deskOf(rig, days, rowsOf(days))
    const out = join(days.dir, 'out')
    const wish = { ...ALL, out }
    await assert.rejects(exportBundle(sourceAt(rig, 'no-such-token'), wish), (error: unknown) => {
      return error instanceof SaysNo && error.status === 401
    })
    const source = sourceAt(rig)
    const broken = Object.assign(Object.create(source), {
      kind: source.kind,
      gates: source.gates,
      take: (...a: Parameters<AnchorSource['take']>) => source.take(...a),
      lines: async function* (account: string, from: number, to: number) {
        let n = 0
        for await (const line of source.lines(account, from, to)) {
          if (n++ === 5) throw new Fault('UNREACHED', 'no answer any more')
          yield line
        }
      },
    }) as AnchorSource
    await assert.rejects(exportBundle(broken, wish), { code: 'UNREACHED' })
    assert.deepEqual(
      readdirSync(days.dir).filter(name => name.startsWith('out')),
      [],
    )
  }))

test.run()
