import assert from 'node:assert/strict'
import type { Brought } from '../../anchor/approvals/approval.ts'
import { CALM } from '../../ledger/mode.ts'
import { formatMode } from '../../ledger/mode-note.ts'
import { parseNote } from '../../ledger/note.ts'
import { suite } from '../suite.ts'
import { HOUR_MS, MALL, MORNING, Office, signed } from './office.ts'

const test = suite('approvals/modes')

const FIRE = { kind: 'raise', mode: 'FIRE' } as const
const LOCKDOWN = { kind: 'raise', mode: 'LOCKDOWN' } as const
const CLEAR = { kind: 'clear' } as const
const codeOf = (brought: Brought) => (brought.outcome === 'refused' ? brought.code : brought.outcome)

test('one operator raises, and it is in force at once', async () => {
  const office = await Office.open()
  office.wall += 1
  assert.equal(codeOf(await office.approvals.bring(office.modeNote(FIRE, ['bob']))), 'enacted')
  assert.equal(office.modes.effective, 'FIRE')
  await office.approvals.stop()
  assert.deepEqual(
    (await office.approvals.list()).approvals.map(({ kind, state, signers }) => [kind, state, signers.join()]),
    [
      ['mode', 'enacted', 'bob'],
      ['policy', 'enacted', 'ann,bob'],
    ],
  )
})

test('a raise waits neither for a disk that fails nor for one that hangs', async () => {
  const office = await Office.open()
  office.cabinet.failNext()
  assert.equal(codeOf(await office.approvals.bring(office.modeNote(LOCKDOWN, ['bob']))), 'enacted')
  await office.approvals.stop()
  assert.match(office.errors.join(), /approval-unwritten/)
  let release = () => undefined as unknown
  const hung = new Promise<void>(resolve => {
    release = resolve as () => unknown
  })
  const write = office.cabinet.write.bind(office.cabinet)
  office.cabinet.write = async edits => {
    await hung
    return write(edits)
  }
  const waiting = office.approvals.bring(office.note({ kind: 'capacity', capacity: 100 }, ['bob']))
  assert.equal(codeOf(await office.approvals.bring(office.modeNote(FIRE, ['cat']))), 'enacted')
  assert.equal(office.modes.effective, 'FIRE')
  release()
  assert.equal(codeOf(await waiting), 'pending')
})

test('re-arming takes two, one of them a marshal', async () => {
  const office = await Office.open()
  await office.approvals.bring(office.modeNote(FIRE, ['bob']))
  const note = office.modeNote(CLEAR, ['bob'])
  const { text } = parseNote(note)
  const first = await office.approvals.bring(note)
  assert.ok(first.outcome === 'pending' && first.missing === 'a marshal’s signature')
  const second = await office.approvals.bring(signed(text, ['cat']))
  assert.ok(second.outcome === 'pending' && second.missing === 'a marshal’s signature')
  assert.equal(office.modes.effective, 'FIRE')
  assert.equal(codeOf(await office.approvals.bring(signed(text, ['ann']))), 'enacted')
  assert.equal(office.modes.effective, 'NORMAL')
  assert.equal(codeOf(await office.approvals.bring(note)), 'replayed')
})

test('a marshal alone re-arms nothing', async () => {
  const office = await Office.open()
  await office.approvals.bring(office.modeNote(FIRE, ['ann']))
  const first = await office.approvals.bring(office.modeNote(CLEAR, ['ann']))
  assert.ok(first.outcome === 'pending' && first.missing === 'one more signature')
  assert.equal(office.modes.effective, 'FIRE')
})

test('who signed for the end of a LOCKDOWN has not signed for the end of the FIRE after it', async () => {
  const office = await Office.open()
  await office.approvals.bring(office.modeNote(LOCKDOWN, ['bob']))
  const clear = office.modeNote(CLEAR, ['ann'])
  assert.equal(codeOf(await office.approvals.bring(clear)), 'pending')
  await office.approvals.bring(office.modeNote(FIRE, ['cat']))
  assert.equal(codeOf(await office.approvals.bring(signed(parseNote(clear).text, ['bob', 'ann']))), 'outdated')
  assert.equal(office.modes.effective, 'FIRE')
  assert.deepEqual(office.approvals.waiting(), [])
})

test('a re-arm that nobody joins is over after an hour, one brought late at once', async () => {
  const office = await Office.open()
  await office.approvals.bring(office.modeNote(FIRE, ['bob']))
  const clear = office.modeNote(CLEAR, ['ann'])
  const late = office.modeNote(CLEAR, ['ann'], 'kept in a drawer')
  await office.approvals.bring(clear)
  office.wall += HOUR_MS
  await office.approvals.tick()
  assert.deepEqual(office.approvals.waiting(), [])
  assert.equal(codeOf(await office.approvals.bring(signed(parseNote(clear).text, ['bob']))), 'expired')
  office.wall += 1
  assert.equal(codeOf(await office.approvals.bring(late)), 'expired')
})

test('while an anchor starts, nothing is judged by a mode and policies that it has not read yet', async () => {
  const office = await Office.open()
  await office.approvals.bring(office.modeNote(FIRE, ['bob']))
  const clear = office.modeNote(CLEAR, ['ann'])
  await office.approvals.bring(clear)
  office.isReady = false
  const { statement } = office.modes
  Object.defineProperty(office.modes, 'statement', { configurable: true, get: () => CALM })
  await office.restart()
  for (const isReady of [false, true]) {
    office.isReady = isReady
    await office.approvals.tick()
    assert.equal(codeOf(await office.approvals.bring(signed(parseNote(clear).text, ['bob']))), 'away')
  }
  Object.defineProperty(office.modes, 'statement', { configurable: true, get: () => statement })
  await office.approvals.tick()
  assert.equal(office.approvals.waiting().length, 1)
})

test('what a mode note may not say is refused, each by its name', async () => {
  const office = await Office.open()
  const say = (change: object, signers: string[]) =>
    signed(formatMode({ epoch: 0, mode: 'FIRE', at: MORNING, reason: 'r', ...change }, MALL), signers)
  const clears = { epoch: 0, mode: 'FIRE' } as const
  const rearm = { epoch: 1, mode: 'NORMAL', clears }
  const calm: [note: string, code: string][] = [
    [say({}, ['vic']), 'may-not'],
    [say({}, ['east']), 'not-a-note'],
    [say({ epoch: 1 }, ['bob']), 'away'],
    [say(rearm, ['ann', 'bob']), 'away'],
    [say({ ...rearm, clears: { epoch: 0, mode: 'NORMAL' } }, ['ann', 'bob']), 'changes-nothing'],
    [say({ mode: 'NORMAL' }, ['ann', 'bob']), 'not-a-note'],
  ]
  for (const [note, code] of calm) assert.equal(codeOf(await office.approvals.bring(note)), code, note)
  assert.equal(codeOf(await office.approvals.bring(say({}, ['bob']))), 'enacted')
  const alarmed: [note: string, code: string][] = [
    [say({ reason: 'again' }, ['bob']), 'changes-nothing'],
    [say({ mode: 'LOCKDOWN' }, ['bob']), 'changes-nothing'],
    [say({ ...rearm, clears: { epoch: 0, mode: 'LOCKDOWN' } }, ['ann', 'bob']), 'outdated'],
    [say({ ...rearm, at: MORNING + HOUR_MS }, ['ann', 'bob']), 'not-a-note'],
    [say({ ...rearm, epoch: 2 }, ['ann', 'bob']), 'not-a-note'],
    [say(rearm, ['ann', 'vic']), 'may-not'],
  ]
  for (const [note, code] of alarmed) assert.equal(codeOf(await office.approvals.bring(note)), code, note)
  assert.equal(office.modes.effective, 'FIRE')
})

test('an anchor that cannot act says so at once: whoever raises goes to a gate then', async () => {
  const office = await Office.open()
  office.isAway = true
  assert.equal(codeOf(await office.approvals.bring(office.modeNote(FIRE, ['bob']))), 'away')
})

test.run()
