import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as Y from 'yjs'
import { Board } from '../../mesh/board/board.ts'
import { formatSaved, parseSaved, Shelf } from '../../mesh/board/shelf.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'

const test = suite('board/shelf')

let dir = ''
let count = 0
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gatemesh-board-'))
})
test.after(() => rm(dir, { recursive: true, force: true }))

const fresh = () => join(dir, `board-${++count}`)
const wall = 1_794_000_000_000

function sample(): Uint8Array {
  const doc = new Y.Doc()
  doc.getMap('labels').set('gate-01', ['North', 1])
  return Y.encodeStateAsUpdate(doc)
}

async function take(path: string) {
  const alarms: string[] = []
  const saved = await new Shelf(path).take({ wall, alarm: (code, detail) => alarms.push(`${code} ${detail}`) })
  return { saved, alarms }
}

async function open(path: string): Promise<Board> {
  const shelf = new Shelf(path)
  const alarm = (code: string, detail: string) => assert.fail(`${code} ${detail}`)
  const saved = await shelf.take({ wall: REAL_CLOCK.wall(), alarm })
  return new Board({ name: 'gate-01', clock: REAL_CLOCK, shelf, saved, alarm })
}

test('what was saved is read back, and a client id only once', async () => {
  const path = fresh()
  assert.deepEqual(await take(path), { saved: undefined, alarms: [] })
  const update = sample()
  await new Shelf(path).save({ day: 20_408, clientId: 77, update })
  const { saved } = await take(path)
  assert.deepEqual({ ...saved, update: [...(saved?.update ?? [])] }, { day: 20_408, clientId: 77, update: [...update] })
  assert.equal((await take(path)).saved?.clientId, undefined)
  assert.equal((await take(path)).saved?.day, 20_408)
  assert.deepEqual(await readdir(dir), [`board-${count}`], 'no other file stays behind')
})

test('the file is as the comment says', () => {
  const bytes = Buffer.from(formatSaved({ day: 20_408, update: new Uint8Array([0, 0]) }))
  assert.equal(
    bytes.toString('latin1'),
    'gatemesh board 1 20408 - fbb9f02035ff713ab80398331464da8c675dea1cda731b1318e63f870053e7ec\n\0\0',
  )
})

test('saves follow one another: the last one called is the one on disk', async () => {
  const path = fresh()
  const shelf = new Shelf(path)
  const update = sample()
  await Promise.all(Array.from({ length: 20 }, (_, k) => shelf.save({ day: k, update })))
  assert.equal((await take(path)).saved?.day, 19)
})

test('any byte changed or missing is noticed; the file is set aside and the board starts empty', async () => {
  // a copy: slices of a Buffer share its bytes
  const good = new Uint8Array(formatSaved({ day: 20_408, clientId: 77, update: sample() }))
  assert.equal(typeof parseSaved(good), 'object')
  for (let at = 0; at < good.length; at++) {
    const bad = good.slice()
    bad[at] = (bad[at] as number) ^ 1
    assert.equal(typeof parseSaved(bad), 'string', `byte ${at} changed`)
    assert.equal(typeof parseSaved(good.slice(0, at)), 'string', `cut at ${at}`)
  }
  for (const bytes of [Buffer.alloc(0), Buffer.from('{"a":1}\n'), good.slice(0, -1), Buffer.alloc(17 << 20)]) {
    const path = fresh()
    await writeFile(path, bytes)
    const { saved, alarms } = await take(path)
    assert.equal(saved, undefined)
    assert.equal(alarms.length, 1)
    assert.match(alarms[0] as string, /^BOARD_FILE .* is not a board \(.*\): set aside as .*\.bad-1794000000000/)
    assert.deepEqual(await readFile(`${path}.bad-${wall}`), Buffer.from(bytes))
    assert.deepEqual(await take(path), { saved: undefined, alarms: [] })
  }
})

test('a file whose id cannot be taken out is read without it', async () => {
  if (process.getuid?.() === 0) {
    // root may write anywhere: a folder in the way of the fresh file does it as well
    const path = fresh()
    await new Shelf(path).save({ day: 1, clientId: 77, update: sample() })
    const blocked = new Shelf(path)
    blocked.save = () => Promise.reject(new Error('read-only'))
    const alarms: string[] = []
    const saved = await blocked.take({ wall, alarm: code => alarms.push(code) })
    assert.equal(saved?.clientId, undefined)
    assert.deepEqual(alarms, ['BOARD_FILE'])
    return
  }
  const folder = await mkdtemp(join(dir, 'folder-'))
  const path = join(folder, 'board')
  await new Shelf(path).save({ day: 1, clientId: 77, update: sample() })
  await chmod(folder, 0o500)
  const { saved, alarms } = await take(path)
  await chmod(folder, 0o700)
  assert.equal(saved?.day, 1)
  assert.equal(saved?.clientId, undefined)
  assert.equal(alarms.length, 1)
})

test('a board on disk comes back after close, with its id', async () => {
  const path = fresh()
  const board = await open(path)
  board.label('gate-01', 'North')
  await board.close()
  await board.close()
  const first = parseSaved(await readFile(path))
  assert.ok(typeof first !== 'string' && first.clientId !== undefined)
  const again = await open(path)
  assert.equal(again.labels().get('gate-01')?.text, 'North')
  again.label('gate-02', 'South')
  await again.close()
  const second = parseSaved(await readFile(path))
  assert.ok(typeof second !== 'string' && second.clientId === first.clientId)
})

test('killed at any moment, the file is a whole one and holds no id', async () => {
  const path = fresh()
  const program = `
    import { Board } from ${JSON.stringify(join(import.meta.dirname, '../../mesh/board/board.ts'))}
    import { Shelf } from ${JSON.stringify(join(import.meta.dirname, '../../mesh/board/shelf.ts'))}
    import { BOARD_LIMITS } from ${JSON.stringify(join(import.meta.dirname, '../../mesh/board/limits.ts'))}
    import { REAL_CLOCK } from ${JSON.stringify(join(import.meta.dirname, '../../mesh/real-clock.ts'))}
    const alarm = (code, detail) => { console.error(code, detail); process.exit(3) }
    const shelf = new Shelf(${JSON.stringify(path)})
    const saved = await shelf.take({ wall: Date.now(), alarm })
    if (saved?.clientId !== undefined) process.exit(4)
    const limits = { ...BOARD_LIMITS, saveEveryMs: 1 }
    const save = shelf.save.bind(shelf)
    shelf.save = async what => { await save(what); console.log('saved') }
    const board = new Board({ name: 'gate-01', clock: REAL_CLOCK, shelf, saved, alarm, limits })
    setInterval(() => board.place('gate-01', Math.random(), 0), 1)
  `
  for (let k = 0; k < 8; k++) {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await new Promise(resolve => setTimeout(resolve, k * 7))
    child.kill('SIGKILL')
    const [code] = await once(child, 'exit')
    assert.equal(code, null)
    const { saved, alarms } = await take(path)
    assert.deepEqual(alarms, [])
    assert.equal(saved?.clientId, undefined)
    assert.ok(saved !== undefined)
  }
})

test.run()
