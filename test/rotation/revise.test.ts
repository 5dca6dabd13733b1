// quiet: waits
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type MallConfig, readAnchor } from '../../anchor/config.ts'
import { openCharter } from '../../ledger/charter-note.ts'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey } from '../../ledger/key.ts'
import { Form } from '../../mesh/form.ts'
import { type Papers, readPapers } from '../../mesh/papers.ts'
import { readGate } from '../../node/config.ts'
import { keyPath } from '../../tools/founding.ts'
import { memberFilePath } from '../../tools/member-file.ts'
import { type Changes, readCharters, revise } from '../../tools/revising.ts'
import { BIN, founded, inFolder, isThere, Running } from '../process/members.ts'
import { suite } from '../suite.ts'

const test = suite('rotation/revise')

const keyAt = (dir: string, name: string) => SignerKey.parse(readFileSync(keyPath(dir, name), 'utf8').trim())
const newVkey = (name: string) => SignerKey.generate(`gatemesh/m/${name}`).verifier.toString()

/** Makes the next revision and lays it beside the charter. */
async function lay(dir: string, changes: Partial<Changes>): Promise<string> {
  const owner = keyAt(dir, 'owner')
  const charters = await readCharters(dir, owner)
  const { charter, note } = revise(charters, { operators: [], removed: [], since: 2, ...changes }, owner)
  const file = join(dir, `charter.${charter.revision?.number}.note`)
  writeFileSync(file, note)
  return file
}

async function papersOf(dir: string, name: string): Promise<Papers> {
  const path = memberFilePath(dir, name)
  const form = Form.read(readFileSync(path, 'utf8'), { file: basename(path), dir: dirname(path) })
  const papers = await readPapers(form, name === 'anchor' ? (readAnchor(form).mall as MallConfig) : readGate(form))
  form.check()
  assert.ok(papers)
  return papers
}

test('revisions are found beside the charter, each in its turn; the newest is in force', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const { charterHash } = await papersOf(dir, 'g1')
    const key = SignerKey.generate('gatemesh/m/anchor')
    await lay(dir, { anchor: key.verifier.toString(), since: 3 })
    await lay(dir, { legalMax: 30, since: 7 })
    const papers = await papersOf(dir, 'g1')
    assert.equal(papers.flaw, undefined)
    assert.deepEqual(
      [2, 3, 6, 7].map(version => papers.charters.of(version).revision?.number ?? 1),
      [1, 2, 2, 3],
    )
    assert.deepEqual([papers.charter.legalMax, papers.charterNotes.length], [30, 3])
    assert.equal(papers.charterHash, charterHash, 'ledgers begin at the first for ever')
    await assert.rejects(papersOf(dir, 'anchor'), /key: is not the anchor's key in the charter of m, revision 3/)
    writeFileSync(keyPath(dir, 'anchor'), `${key}\n`)
    assert.deepEqual((await papersOf(dir, 'anchor')).doubts, [])
  })
})

test('a revision that cannot be used is named with its file and why', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const second = await lay(dir, { legalMax: 30 })
    const third = await lay(dir, { legalMax: 20 })
    const good = readFileSync(third, 'utf8')
    const flaws = async (why: RegExp) => assert.match((await papersOf(dir, 'g1')).flaw ?? 'none', why)
    writeFileSync(third, good.replace('legal-max 20', 'legal-max 40'))
    await flaws(/charter\.3\.note: the signature in the name of .* does not verify/)
    writeFileSync(third, 'hello\n')
    await flaws(/charter\.3\.note: /)
    writeFileSync(third, good)
    renameSync(second, `${second}.away`)
    await flaws(/there is no file .*charter\.2\.note/)
    writeFileSync(second, good)
    await flaws(/charter\.2\.note: is revision 3, the next is 2/)
    rmSync(third)
    renameSync(`${second}.away`, second)
    assert.equal((await papersOf(dir, 'g1')).flaw, undefined)
  })
})

test(
  'with a revision that it cannot use a gate lets everyone out and nobody in, and says why',
  () =>
    inFolder(async dir => {
      await founded(dir, ['g1', 'g2'], 40)
      const file = await lay(dir, { anchor: newVkey('anchor') })
      writeFileSync(file, readFileSync(file, 'utf8').replace('legal-max 40', 'legal-max 400'))
      const g1 = new Running(dir, 'g1')
      assert.equal((await g1.leave()).status, 200)
      const { decision } = (await g1.enter()).json
      assert.equal(decision, 'REJECT_FAULT')
      const { detail, code } = (await g1.heard('alarm')) as unknown as { detail: string; code: string }
      assert.equal(code, 'CHARTER')
      assert.match(detail, /charter\.2\.note: the signature .* does not verify. Nobody is let in until it is mended/)
      assert.equal((await g1.leave()).status, 200)
      assert.equal((await g1.signal('SIGTERM')).code, 0)
    }),
  { timeoutMs: 60_000 },
)

test('a revision that would leave a mall without its people, or changes nothing, is not signed', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const { charter } = await papersOf(dir, 'g1')
    const wrong: [changes: Partial<Changes>, why: RegExp][] = [
      [{}, /it would change nothing/],
      [{ removed: ['bob'] }, /fewer than two could sign/],
      [{ removed: ['eve'] }, /there is no operator eve/],
      [{ operators: [{ name: 'ann', role: 'operator', key: newVkey('ann') }] }, /without a marshal/],
      [{ operators: [{ name: 'eve', key: newVkey('eve') }] }, /eve is new: a role is needed/],
      [{ operators: [{ name: 'anchor', role: 'operator', key: newVkey('anchor') }] }, /the anchor is no operator/],
      [{ operators: [{ name: 'g1', role: 'operator', key: newVkey('g1') }] }, /g1: named twice/],
      [{ anchor: charter.anchor.replace('anchor+', 'ann+') }, /key/],
      [{ legalMax: 30, since: 1 }, /since: version 1/],
    ]
    for (const [changes, why] of wrong) {
      await assert.rejects(
        lay(dir, changes),
        (error: Error) => error instanceof Fault && why.test(error.message),
        `${why}`,
      )
    }
  })
})

test('the command writes the next revision, says what changes and what to do, and wrong use writes nothing', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const gatemesh = (...args: string[]) =>
      new Promise<{ code: number; out: string; err: string }>(resolve => {
        execFile(process.execPath, [BIN, 'charter', 'revise', ...args], (error, out, err) =>
          resolve({ code: error ? Number(error.code) : 0, out, err }),
        )
      })
    const own = ['--from', dir, '--owner-key', keyPath(dir, 'owner'), '--out', dir]
    const bob = newVkey('bob')
    const done = await gatemesh(...own, '--since', '5', '--operators', `bob=${bob}`)
    assert.deepEqual([done.code, done.err], [0, ''])
    assert.match(done.out, /^revision 2 of the charter of m, for policies since version 5, is in .*charter\.2\.note:\n/)
    assert.match(done.out, /operator bob: operator, ([0-9a-f]{4} ){4}[0-9a-f]{4}; it was operator, /)
    const note = readFileSync(join(dir, 'charter.2.note'), 'utf8')
    const { charter } = openCharter(note, keyAt(dir, 'owner').verifier)
    assert.equal(charter.operators.find(({ name }) => name === 'bob')?.key, bob)
    const wrong: [args: string[], says: RegExp][] = [
      [['--since', '1'], /--since takes a whole number from 2/],
      [['--since', '4', '--legal-max', '30'], /counts since before the one before it/],
      [
        ['--since', '5', '--anchor', newVkey('g1')],
        /--anchor: the key is called gatemesh\/m\/g1, not gatemesh\/m\/anchor/,
      ],
      [['--since', '5', '--owner-key', keyPath(dir, 'ann'), '--legal-max', '30'], /CHARTER|NOTE_SIGNATURE/],
    ]
    for (const [args, says] of wrong) {
      const { code, err } = await gatemesh(...own, ...args)
      assert.match(err, says)
      assert.ok(code >= 2)
    }
    assert.ok(!isThere(join(dir, 'charter.3.note')))
  })
})

test.run()
