import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type ArchiveReport, verifyArchive } from '../../anchor/retention/verify-archive.ts'
import { Charters } from '../../ledger/charters.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'
import { days, filesIn, pathOf, quiet, type Rig, withRig } from './shelf.ts'

const test = suite('retention/verify-archive')

function verify({ dir, mall }: Rig): Promise<ArchiveReport> {
  return verifyArchive(dir, { charters: Charters.unrevised(mall.charter), policies: mall.policies })
}

test('an archive that nobody touched is found whole, without the database', async () => {
  await withRig(async rig => {
    days(rig, 4, ['east/1', 'west/1'])
    await rig.retention.sweep()
    const entries = ['anchor/1', 'east/1', 'west/1'].reduce((sum, account) => sum + rig.mall.sizeOf(account), 0)
    const report = await verify(rig)
    assert.deepEqual(report, { accounts: 3, segments: 9, entries, removed: 0, strays: [], findings: [] })
  })
})

test('removed days are counted, and what follows them is still tied to what was signed', async () => {
  await withRig(async rig => {
    await rig.reopen({ keepDays: 365 })
    days(rig, 2)
    await rig.retention.sweep()
    quiet(rig, 36)
    await rig.retention.sweep()
    quiet(rig, 330)
    days(rig, 1)
    assert.ok((await rig.retention.sweep()).removed > 0)
    const report = await verify(rig)
    assert.deepEqual(report.findings, [])
    assert.equal(report.removed, 3)
    assert.ok(report.segments > 0)
    rmSync(pathOf(rig, 'east-1/2025-11-17.removed.json'))
    assert.match((await verify(rig)).findings[0]?.what ?? '', /2025-11-17.jsonl.gz: there is no such file/)
  })
})

const BLOWS: Record<string, { blow: (rig: Rig) => void; found: RegExp }> = {
  'lines missing': {
    blow: rig => rmSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz')),
    found: /2025-11-17.jsonl.gz: there is no such file/,
  },
  'a whole day missing': {
    blow: rig => {
      rmSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz'))
      rmSync(pathOf(rig, 'east-1/2025-11-17.proof.json'))
    },
    found: /no sound file has the entries 8 to 13/,
  },
  'two days exchanged': {
    blow: rig => {
      renameSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz'), pathOf(rig, 'east-1/x'))
      renameSync(pathOf(rig, 'east-1/2025-11-18.jsonl.gz'), pathOf(rig, 'east-1/2025-11-17.jsonl.gz'))
      renameSync(pathOf(rig, 'east-1/x'), pathOf(rig, 'east-1/2025-11-18.jsonl.gz'))
    },
    found: /entry 8: entry 14 stands in its place/,
  },
  'lines of another gate': {
    blow: rig => {
      for (const end of ['jsonl.gz', 'proof.json'])
        copyFileSync(pathOf(rig, `west-1/2025-11-17.${end}`), pathOf(rig, `east-1/2025-11-17.${end}`))
    },
    found: /the proof is of paper, west\/1, 2025-11-17/,
  },
  'something behind the end': {
    blow: rig => appendFileSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz'), 'and more'),
    found: /2025-11-17.jsonl.gz: /,
  },
  'a proof that is no proof': {
    blow: rig => writeFileSync(pathOf(rig, 'east-1/2025-11-17.proof.json'), '[]'),
    found: /2025-11-17.proof.json: format: missing/,
  },
  'peaks that are too many': {
    blow: rig => {
      const path = pathOf(rig, 'east-1/2025-11-17.proof.json')
      const proof = JSON.parse(readFileSync(path, 'utf8'))
      proof.before.peaks.push(proof.before.peaks[0])
      writeFileSync(path, JSON.stringify(proof))
    },
    found: /1 peaks make up 8 entries/,
  },
  'a row that somebody else signed': {
    blow: rig => {
      const path = pathOf(rig, 'east-1/2025-11-17.proof.json')
      const text = readFileSync(path, 'utf8')
      const proof = JSON.parse(text)
      proof.row = proof.row.replace(/admitted \d+/, 'admitted 999')
      writeFileSync(path, JSON.stringify(proof))
    },
    found: /does not verify/,
  },
}

for (const [what, { blow, found }] of Object.entries(BLOWS)) {
  test(`found and named: ${what}`, async () => {
    await withRig(async rig => {
      days(rig, 3, ['east/1', 'west/1'])
      await rig.retention.sweep()
      blow(rig)
      const { findings } = await verify(rig)
      assert.ok(
        findings.some(({ account, what: text }) => account === 'east/1' && found.test(text)),
        JSON.stringify(findings),
      )
      assert.ok(findings.every(({ account }) => account === 'east/1'))
    })
  })
}

test('lines without a proof are named as strays, and spoil nothing', async () => {
  await withRig(async rig => {
    days(rig, 2)
    await rig.retention.sweep()
    copyFileSync(pathOf(rig, 'east-1/2025-11-17.jsonl.gz'), pathOf(rig, 'east-1/2025-11-18.jsonl.gz'))
    const { strays, findings } = await verify(rig)
    assert.deepEqual(strays, ['east/1 2025-11-18'])
    assert.deepEqual(findings, [])
  })
})

test('no garbage in any file stops the check of the others', async () => {
  await withRig(async rig => {
    days(rig, 3, ['east/1', 'west/1'], 1)
    await rig.retention.sweep()
    const random = new Random('garbage')
    const files = filesIn(pathOf(rig, 'east-1'))
    for (let i = 0; i < 60; i++) {
      const path = random.pick(files)
      const whole = readFileSync(path)
      const cut = whole.subarray(0, random.int(whole.length))
      const garbage = Buffer.from(Array.from({ length: random.int(200) }, () => random.int(256)))
      writeFileSync(path, Buffer.concat([cut, garbage]))
      const report = await verify(rig)
      assert.ok(report.findings.length > 0, `${path} round ${i}`)
      assert.ok(report.findings.every(({ account }) => account === 'east/1'))
      writeFileSync(path, whole)
    }
    assert.deepEqual((await verify(rig)).findings, [])
  })
})

test.run()
