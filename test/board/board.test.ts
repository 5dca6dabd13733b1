import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Fault } from '../../ledger/fault.ts'
import { suite } from '../suite.ts'
import { Hall, MemoryShelf, shown } from './hall.ts'

const test = suite('board/board')

const NAMES = ['gate-01', 'gate-02', 'gate-03', 'gate-04']
const name = fc.constantFrom(...NAMES)
const pair = fc.tuple(name, name).filter(([a, b]) => a !== b)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at: name, edit: fc.nat(4), about: name, n: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ cut: pair }) },
  { weight: 2, arbitrary: fc.record({ connect: pair }) },
  { weight: 1, arbitrary: fc.record({ crash: name }) },
  { weight: 1, arbitrary: fc.record({ restart: name }) },
  { weight: 3, arbitrary: fc.record({ wait: fc.constantFrom(0, 1, 2, 3000, 6000, 3600_000, 9 * 3600_000) }) },
)

test('whatever is written, cut, crashed and restarted: boards that meet again show the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const hall = new Hall()
      for (const each of NAMES) hall.seat(each)
      hall.connectAll()
      try {
        for (const it of steps) {
          if ('at' in it) edit(hall, it)
          else if ('cut' in it) hall.cut(...it.cut)
          else if ('connect' in it) hall.connect(...it.connect)
          else if ('crash' in it) hall.seat(it.crash, { shelf: hall.crash(it.crash) })
          else if ('restart' in it) hall.seat(it.restart, { shelf: hall.stop(it.restart) })
          else hall.run(it.wait)
        }
        hall.connectAll()
        hall.run(60_000)
        const [first, ...others] = NAMES.map(each => hall.board(each))
        for (const other of others) {
          assert.deepEqual(shown(other), shown(first as (typeof others)[0]))
          assert.deepEqual(other.bytes().length, first?.bytes().length)
        }
        for (const { alarms } of hall.seats.values()) assert.deepEqual(alarms, [])
      } finally {
        await hall.close()
      }
    }),
    { numRuns: 150 },
  )
})

function edit(hall: Hall, { at, edit, about, n }: { at: string; edit: number; about: string; n: number }): void {
  const board = hall.board(at)
  const alerts = board.alerts()
  if (edit === 0) board.raise({ gate: about, code: `code-${n}`, text: `trouble ${n}` })
  else if (edit === 1) board.label(about, n === 0 ? '' : `label ${n}`)
  else if (edit === 2) board.place(about, n, -n)
  else if (edit === 3) board.note(`guard ${n}`, `seen at ${about}`)
  else if (alerts.length > 0) board.acknowledge(alerts[n % alerts.length]?.id as string, `guard ${n}`)
}

test('what is written at one is read at all, also at one that only a third can reach', async () => {
  const hall = new Hall()
  for (const each of NAMES) hall.seat(each)
  hall.connect('gate-01', 'gate-02')
  hall.connect('gate-02', 'gate-03')
  const id = hall.board('gate-01').raise({ gate: 'gate-01', code: 'door-held', text: 'held open for a minute' })
  hall.run(10)
  hall.board('gate-03').acknowledge(id, 'Ada')
  hall.board('gate-03').label('gate-02', 'North')
  hall.board('gate-03').place('gate-02', 3, 4.5)
  hall.board('gate-03').note('Ada', 'lift is out')
  hall.run(10)
  const [alert] = hall.board('gate-01').alerts()
  assert.equal(alert?.text, 'held open for a minute')
  assert.equal(alert?.by, 'gate-01')
  assert.equal(alert?.acknowledged?.by, 'Ada')
  assert.equal(hall.board('gate-01').labels().get('gate-02')?.text, 'North')
  assert.deepEqual({ ...hall.board('gate-01').positions().get('gate-02'), at: 0 }, { x: 3, y: 4.5, at: 0 })
  assert.deepEqual(
    hall
      .board('gate-01')
      .notes()
      .map(note => note.text),
    ['lift is out'],
  )
  assert.deepEqual(hall.board('gate-04').alerts(), [])
  await hall.close()
})

test('saying again what is there writes nothing and sends nothing', async () => {
  const hall = new Hall()
  const a = hall.seat('gate-01')
  hall.seat('gate-02')
  hall.connectAll()
  const id = a.raise({ gate: 'gate-01', code: 'paper', text: 'out of paper' })
  a.acknowledge(id, 'Ada')
  const open = a.raise({ gate: 'gate-01', code: 'paper', text: 'out of paper again' })
  a.label('gate-01', 'North')
  a.place('gate-01', 1, 2)
  hall.run(10_000)
  const bytes = a.bytes()
  let sent = 0
  hall.tap = () => sent++
  for (let k = 0; k < 100; k++) {
    a.label('gate-01', 'North')
    hall.board('gate-02').place('gate-01', 1, 2)
    a.acknowledge(id, 'Bob')
    assert.equal(hall.board('gate-02').raise({ gate: 'gate-01', code: 'paper', text: 'third' }), open)
    a.label('gate-09', '')
  }
  hall.run(10_000)
  assert.notEqual(id, open)
  assert.deepEqual(a.bytes(), bytes)
  assert.equal(sent, 0)
  await hall.close()
})

test('a board survives a clean restart with its client id, and a crash without it', async () => {
  const hall = new Hall()
  hall.seat('gate-01').label('gate-01', 'North')
  const shelf = hall.stop('gate-01')
  const { clientId } = shelf.file ?? {}
  assert.equal(typeof clientId, 'number')
  const again = hall.seat('gate-01', { shelf })
  assert.equal(again.labels().get('gate-01')?.text, 'North')
  assert.equal(shelf.file?.clientId, undefined)
  again.label('gate-02', 'South')
  hall.run(6000)
  const after = hall.crash('gate-01')
  assert.equal(after.file?.clientId, undefined)
  const third = hall.seat('gate-01', { shelf: after })
  assert.equal(third.labels().get('gate-02')?.text, 'South')
  third.label('gate-03', 'West')
  await third.close()
  assert.notEqual(after.file?.clientId, clientId)
  await hall.close()
})

test('writes that were told but not saved before a crash are not overwritten by what is written after it', async () => {
  const hall = new Hall()
  hall.seat('gate-01')
  hall.seat('gate-02')
  hall.connectAll()
  const shelf = hall.stop('gate-01')
  hall.seat('gate-01', { shelf })
  hall.connectAll()
  hall.run(10)
  // told to gate-02 within the seconds before the next save, and lost here
  hall.board('gate-01').note('Ada', 'before the crash')
  hall.run(10)
  hall.seat('gate-01', { shelf: hall.crash('gate-01') })
  hall.board('gate-01').note('Ada', 'after the crash')
  hall.connectAll()
  hall.run(10)
  for (const each of ['gate-01', 'gate-02']) {
    const texts = hall
      .board(each)
      .notes()
      .map(note => note.text)
    assert.deepEqual(texts.sort(), ['after the crash', 'before the crash'])
  }
  await hall.close()
})

test('a copied disk, two writers of one id: the one that hears of it takes another id', async () => {
  const hall = new Hall()
  hall.seat('gate-01').note('Ada', 'one')
  const { file } = hall.stop('gate-01')
  const copies = ['gate-01', 'gate-02'].map(each => {
    const shelf = new MemoryShelf()
    shelf.file = file
    return hall.seat(each, { shelf })
  })
  copies[0]?.note('Ada', 'two')
  hall.connectAll()
  hall.run(10)
  copies[1]?.note('Bob', 'three')
  hall.run(10)
  for (const board of copies) assert.equal(board.notes().length, 3)
  await hall.close()
})

test('it is saved at most every five seconds, and a shelf that fails is reported once and tried again', async () => {
  const hall = new Hall()
  const shelf = new MemoryShelf()
  const board = hall.seat('gate-01', { shelf })
  for (let k = 0; k < 20_000; k += 100) {
    board.place('gate-01', k, k)
    hall.run(100)
  }
  assert.equal(shelf.saves, 4)
  let isBroken = true
  let tries = 0
  shelf.save = async () => {
    tries++
    if (isBroken) throw new Error('no space left')
  }
  board.note('Ada', 'hello')
  for (let k = 0; k < 6; k++) {
    hall.run(5000)
    await new Promise(resolve => setImmediate(resolve))
  }
  assert.deepEqual(hall.get('gate-01').alarms, ['BOARD_UNSAVED not on disk: no space left'])
  assert.ok(tries >= 3, `${tries} tries`)
  isBroken = false
  await hall.close()
})

test('wrong words are refused with a fault that says what is wrong', async () => {
  const hall = new Hall()
  const board = hall.seat('gate-01')
  const fault = (code: string, message: RegExp) => (error: unknown) =>
    error instanceof Fault && error.code === code && message.test(error.message)
  assert.throws(() => board.label('Gate 1', 'x'), fault('BOARD_GATE', /"Gate 1"/))
  assert.throws(() => board.label('gate-01', 'x'.repeat(61)), fault('BOARD_TEXT', /61 characters, at most 60/))
  assert.throws(() => board.place('gate-01', Number.NaN, 0), fault('BOARD_PLACE', /NaN/))
  assert.throws(() => board.place('gate-01', 0, 1e9), fault('BOARD_PLACE', /1000000000/))
  assert.throws(() => board.note('', 'x'), fault('BOARD_TEXT', /by is empty/))
  assert.throws(() => board.note('Ada', ' \n'), fault('BOARD_TEXT', /text is empty/))
  assert.throws(() => board.acknowledge('nothing', 'Ada'), fault('BOARD_ALERT', /"nothing"/))
  assert.throws(() => board.raise({ gate: 'gate-01', code: '', text: 'x' }), fault('BOARD_TEXT', /code is empty/))
  assert.throws(() => board.tell({} as { state: string }), fault('BOARD_TELEMETRY', /state/))
  for (let k = 0; k < 1000; k++) board.raise({ gate: 'gate-01', code: `c${k}`, text: 'x' })
  assert.throws(() => board.raise({ gate: 'gate-01', code: 'one-more', text: 'x' }), fault('BOARD_FULL', /1000 alerts/))
  assert.equal(board.alerts().length, 1000)
  await hall.close()
  assert.throws(() => board.note('Ada', 'late'), fault('BOARD_CLOSED', /closed/))
})

test('whoever listens hears of changes, and one that throws breaks nothing', async () => {
  const hall = new Hall()
  const a = hall.seat('gate-01')
  const b = hall.seat('gate-02')
  hall.connectAll()
  hall.run(10)
  const heard: string[] = []
  b.onChange(() => {
    throw new Error('a bad page')
  })
  const forget = b.onChange(what => heard.push(what))
  a.label('gate-01', 'North')
  a.tell({ state: 'NORMAL' })
  hall.run(10)
  assert.deepEqual(heard, ['document', 'telemetry'])
  forget()
  a.label('gate-01', 'South')
  hall.run(10)
  assert.equal(heard.length, 2)
  assert.equal(b.labels().get('gate-01')?.text, 'South')
  await hall.close()
})

test.run()
