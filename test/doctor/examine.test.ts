import assert from 'node:assert/strict'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { HardwareConfig } from '../../hardware/config.ts'
import { MAPS } from '../../hardware/modbus/maps.ts'
import { PASSAGE_RULES } from '../../hardware/passage/rules.ts'
import type { LaneState, TurnstileState } from '../../hardware/turnstile.ts'
import { takeLock } from '../../ledger/level-folder.ts'
import { MarkFile } from '../../ledger/mark.ts'
import { EMPTY_ROOT } from '../../ledger/tree.ts'
import { checkSkew } from '../../tools/doctor/clock-check.ts'
import { checkDriver } from '../../tools/doctor/driver-check.ts'
import { examine } from '../../tools/doctor/examine.ts'
import { type Finding, findingLines, summaryLine } from '../../tools/doctor/finding.ts'
import { GateTalk } from '../../tools/doctor/gate-talk.ts'
import { checkPapers } from '../../tools/doctor/papers-check.ts'
import { checkHolds, checkTurnstile } from '../../tools/doctor/turnstile-check.ts'
import { memberFilePath } from '../../tools/member-file.ts'
import { change, founded, inFolder } from '../process/members.ts'
import { suite } from '../suite.ts'

const test = suite('doctor/examine')

/** A gate that does not run, looked at by its file. */
async function looked(dir: string): Promise<Finding[]> {
  return examine({ read: await checkPapers(memberFilePath(dir, 'east')), talk: undefined, mustRun: false })
}

function of(findings: readonly Finding[], about: string): Finding[] {
  return findings.filter(finding => finding.about === about)
}

function words(findings: readonly Finding[], about: string): string {
  return of(findings, about)
    .map(({ verdict, what, todo }) => `${verdict}: ${what} → ${todo}`)
    .join('\n')
}

test('a gate that was founded well has nothing wrong, and looking at it leaves nothing behind', () =>
  inFolder(async dir => {
    await founded(dir, ['east', 'west'], 10)
    const before = readFileSync(memberFilePath(dir, 'east'), 'utf8')
    const findings = await looked(dir)
    assert.deepEqual(
      findings.filter(({ verdict }) => verdict === 'wrong'),
      [],
    )
    assert.match(words(findings, 'config'), /east\.json: east, turnstile soft/)
    assert.match(words(findings, 'papers'), /charter of m, legal maximum 10/)
    assert.match(words(findings, 'store'), /none yet/)
    assert.match(words(findings, 'port'), /\(mesh\) is free/)
    assert.equal(readFileSync(memberFilePath(dir, 'east'), 'utf8'), before)
    assert.throws(() => readFileSync(join(dir, 'east', 'mark')), { code: 'ENOENT' })
  }))

test('all that is wrong with a file is told at once, a line each', () =>
  inFolder(async dir => {
    await founded(dir, ['east'], 10)
    change(dir, 'east', { listen: ['nowhere'], sotre: 'x', http: { host: '127.0.0.1', port: 99_999 } })
    const findings = await looked(dir)
    const told = of(findings, 'config')
    assert.ok(told.length >= 3 && told.every(({ verdict, todo }) => verdict === 'wrong' && todo !== undefined))
    assert.match(words(findings, 'config'), /sotre: there is no such field/)
  }))

test('a key that others can read comes with the command that mends it', () =>
  inFolder(async dir => {
    await founded(dir, ['east'], 10)
    const key = join(dir, 'keys/east.key')
    chmodSync(key, 0o644)
    const [finding] = of(await looked(dir), 'config')
    assert.deepEqual([finding?.verdict, finding?.todo], ['wrong', `chmod 600 ${key}`])
    rmSync(key)
    assert.match(words(await looked(dir), 'config'), /wrong: .*key: .*east\.key/)
  }))

test('a pass that everybody can read is doubted', () =>
  inFolder(async dir => {
    await founded(dir, ['east'], 10)
    change(dir, 'east', { http: { host: '127.0.0.1', port: 0, pass: 'swordfish' } })
    assert.match(words(await looked(dir), 'config'), /doubt: everybody on this machine can read the pass/)
    chmodSync(memberFilePath(dir, 'east'), 0o640)
    assert.doesNotMatch(words(await looked(dir), 'config'), /doubt/)
  }))

test('a file that is not there, or is no JSON, is told and not thrown', async () => {
  const read = await checkPapers('/nowhere/east.json')
  assert.equal(read.config, undefined)
  assert.match(read.findings[0]?.what ?? '', /cannot be read/)
  await inFolder(async dir => {
    writeFileSync(join(dir, 'x.json'), '{')
    assert.match((await checkPapers(join(dir, 'x.json'))).findings[0]?.what ?? '', /not JSON/)
  })
})

test('a port that is taken and an address that is not ours are told apart', () =>
  inFolder(async dir => {
    await founded(dir, ['east'], 10)
    const { listen } = JSON.parse(readFileSync(memberFilePath(dir, 'east'), 'utf8'))
    const server = createServer()
    const port = Number(listen[0].split(':')[1])
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    try {
      assert.match(words(await looked(dir), 'port'), /wrong: .*taken by another program → find it: ss -ltnp/)
    } finally {
      server.close()
    }
    change(dir, 'east', { listen: ['192.0.2.1:4501'] })
    assert.match(words(await looked(dir), 'port'), /wrong: .*this machine has no address 192\.0\.2\.1/)
  }))

test('others who do not answer are named, and a gate that can find nobody is wrong', () =>
  inFolder(async dir => {
    await founded(dir, ['east', 'west'], 10)
    assert.match(words(await looked(dir), 'peers'), /doubt: 2 of 2 do not answer: anchor \(127.*west \(127/)
    change(dir, 'east', { peers: {}, mdns: false })
    assert.match(words(await looked(dir), 'peers'), /wrong: .*it will find nobody/)
  }))

test('the mark says how far the ledger is, and who holds the store is named, without opening it', () =>
  inFolder(async dir => {
    await founded(dir, ['east'], 10)
    const lock = await takeLock(join(dir, 'east', 'lock'))
    try {
      const mark = new MarkFile(join(dir, 'east', 'mark'))
      await mark.write({ account: 'east/1', size: 1234, root: EMPTY_ROOT.toString('base64') })
      await mark.close()
      const findings = await looked(dir)
      assert.match(words(findings, 'store'), /fine: ledger east\/1, 1,234 entries/)
      assert.match(words(findings, 'lock'), new RegExp(`wrong: process ${process.pid} has the store open`))
    } finally {
      await lock.close()
    }
    assert.deepEqual(of(await looked(dir), 'lock'), [])
    writeFileSync(join(dir, 'east', 'mark'), 'garbled')
    assert.match(words(await looked(dir), 'store'), /wrong: the mark .* cannot be read/)
  }))

test('a gate that nobody said is running may be stopped; one whose address was given may not', () =>
  inFolder(async dir => {
    await founded(dir, ['east'], 10)
    const read = await checkPapers(memberFilePath(dir, 'east'))
    const talk = new GateTalk(new URL('http://127.0.0.1:9'), undefined)
    assert.match(words(await examine({ read, talk, mustRun: false }), 'gate'), /doubt: does not run/)
    assert.match(words(await examine({ read, talk, mustRun: true }), 'gate'), /wrong: no answer/)
  }))

test('a clock is held against the anchor’s, and without it against the middle of the others', () => {
  assert.equal(checkSkew({ clocks: { anchor: 300, west: 90_000 } }).verdict, 'fine')
  assert.equal(checkSkew({ clocks: { anchor: -4000 } }).verdict, 'doubt')
  assert.match(checkSkew({ clocks: { anchor: -60_000, west: 0 } }).what, /60\.0 s behind that of the anchor/)
  assert.equal(checkSkew({ clocks: { west: 10, north: 20, south: -99_000 } }).verdict, 'fine')
  assert.equal(checkSkew({ clocks: {} }).verdict, 'unknown')
})

const LANE: LaneState = {
  name: 'north',
  isUp: true,
  isHeld: true,
  isReleased: false,
  in: 0,
  out: 0,
  doubles: 0,
  noises: 0,
  confidence: 1000,
  inputs: {},
  faults: [],
}
const STATE: TurnstileState = { driver: 'modbus', isLatched: false, fire: false, key: false, lanes: [LANE], link: {} }
const relays = { name: 'relays', unit: 1, map: MAPS.waveshare }
const lot = { name: 'lot', unit: 2, map: MAPS.lot }
const WIRED: HardwareConfig = {
  driver: {
    driver: 'modbus',
    path: '/dev/nowhere',
    baud: 9600,
    parity: 'none',
    timeoutMs: 1,
    pollMs: 1,
    boards: [relays, lot],
  },
  lanes: [{ name: 'north', rules: PASSAGE_RULES, inputs: {}, hold: { coil: { on: 'relays', at: 0 } } }],
  fire: { on: 'relays', at: 1, normally: 'closed' },
  holdMs: 2000,
  memory: '',
  optical: [],
}

function verdicts(state: Partial<TurnstileState>, hardware?: HardwareConfig): string {
  return checkTurnstile({ ...STATE, ...state }, hardware)
    .map(({ about, verdict, what }) => `${about} ${verdict} ${what}`)
    .join('\n')
}

test('a turnstile that is well is fine, and every fault of a lane says what to look at', () => {
  assert.doesNotMatch(verdicts({}), /wrong|doubt/)
  const broken = checkTurnstile({ ...STATE, lanes: [{ ...LANE, isUp: false, faults: ['LINK', 'NOISE'] }] }, WIRED)
  const wrongs = broken.filter(({ verdict }) => verdict === 'wrong')
  assert.deepEqual(
    wrongs.map(({ about, what }) => [about, what]),
    [
      ['lane north', 'LINK'],
      ['lane north', 'NOISE'],
    ],
  )
  assert.ok(wrongs.every(({ todo }) => (todo ?? '').length > 10))
})

test('an arm that is held while the fire loop is latched is wrong, and a loop that cannot be read too', () => {
  assert.match(verdicts({ isLatched: true }), /lane north wrong HELD while the fire loop is latched/)
  assert.match(verdicts({ fire: 'unknown' }, WIRED), /fire loop wrong cannot be read/)
  const { fire: _, ...unwired } = WIRED
  assert.match(verdicts({ fire: 'unknown' }, unwired), /fire loop doubt none is wired here/)
  assert.match(verdicts({ fire: 'unknown' }), /fire loop unknown/)
  assert.match(verdicts({ fire: true, isLatched: true, lanes: [] }), /^turnstile fine/)
})

test('a lane that is hardly believed is sent to be commissioned', () => {
  assert.match(verdicts({ lanes: [{ ...LANE, confidence: 400 }] }), /lane north doubt 400 ‰/)
})

test('a hold that the board itself ends is a lease; one that is longer than its timer is wrong', () => {
  assert.deepEqual(
    checkHolds(WIRED).map(({ verdict }) => verdict),
    ['fine'],
  )
  const short = { ...relays, map: { ...MAPS.waveshare, flash: { base: 0, stepMs: 100, valueMax: 10 } } }
  const driver = { ...WIRED.driver, boards: [short] } as HardwareConfig['driver']
  assert.match(checkHolds({ ...WIRED, driver })[0]?.todo ?? '', /holdMs to at most 1000/)
})

test('a serial port that is missing, or is none, is told with those there are', async () => {
  const line = async (path: string) =>
    words(await checkDriver({ ...WIRED, driver: { ...WIRED.driver, path } as never }), 'serial')
  assert.match(await line('/dev/nowhere'), /wrong: there is no \/dev\/nowhere; there are/)
  assert.match(await line('/etc/hostname'), /wrong: \/etc\/hostname is no serial port/)
  assert.match(await line('/dev/null'), /fine: \/dev\/null is there, 9600 baud/)
})

test('a gateway that does not answer is wrong, and no serial port is looked for', async () => {
  const driver = { ...WIRED.driver, path: '127.0.0.1:9' } as HardwareConfig['driver']
  const findings = await checkDriver({ ...WIRED, driver })
  assert.deepEqual(
    findings.map(({ about, verdict }) => [about, verdict]),
    [['bus', 'wrong']],
  )
})

test('lines are aligned, and the last one sums them up', () => {
  const findings: Finding[] = [
    { about: 'a', verdict: 'fine', what: 'well' },
    { about: 'long', verdict: 'wrong', what: 'bad', todo: 'mend it' },
  ]
  assert.deepEqual(findingLines(findings), ['ok     a     well', 'WRONG  long  bad → mend it'])
  assert.equal(summaryLine(findings), '2 looked at: 1 wrong')
  assert.equal(summaryLine(findings.slice(0, 1)), '1 looked at: all is well')
})

test.run()
