import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Diary } from '../../mesh/window/diary.ts'
import { formatMark, formatMinute, parseDiaryLine } from '../../mesh/window/diary-line.ts'
import type { Minute } from '../../mesh/window/minutes.ts'
import { suite } from '../suite.ts'

const test = suite('window/diary')

const WALL = Date.UTC(2030, 0, 2, 12)
const minute = (k: number): Minute => {
  return { at: WALL + k * 60_000, count: k, atMost: k, capacity: 9, mode: 'NORMAL', entries: 1, exits: 2, rejects: 3 }
}
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => formatMinute(minute(from + k)))

async function inFolder(act: (path: string, open: (contents?: readonly string[]) => Opened) => Promise<void>) {
  const dir = mkdtempSync(join(tmpdir(), 'diary-'))
  const path = join(dir, 'store.trend')
  const open = (contents: readonly string[] = []): Opened => {
    const said: string[] = []
    const diary = new Diary({ path, contents: () => contents, alarm: (code, detail) => said.push(`${code} ${detail}`) })
    return { diary, said }
  }
  try {
    await act(path, open)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Opened {
  readonly diary: Diary
  readonly said: string[]
}

const counts = (read: Awaited<ReturnType<Diary['read']>>) =>
  read.map(line => ('minute' in line ? line.minute.count : -1))

test('what was added is there after a restart, in order, and a line more is a line more', async () => {
  await inFolder(async (path, open) => {
    const mark = { day: 21_916, account: 'gate-01/1', in: 3, out: 2, isPart: true }
    const first = open([...lines(0, 3), formatMark(mark)])
    assert.deepEqual(await first.diary.read(WALL), [])
    first.diary.add(lines(2, 3))
    first.diary.add(lines(3, 5))
    await first.diary.close()
    const second = open()
    const read = await second.diary.read(WALL)
    assert.deepEqual(counts(read), [0, 1, 2, -1, 3, 4])
    assert.deepEqual(read[3], { mark })
    const before = readFileSync(path, 'utf8')
    second.diary.add(lines(5, 6))
    await second.diary.close()
    assert.equal(readFileSync(path, 'utf8'), `${before}${formatMinute(minute(5))}\n`)
    assert.deepEqual([...first.said, ...second.said], [])
  })
})

test('a line cut off by a power cut costs that line, and the next one is not glued to it', async () => {
  await inFolder(async (path, open) => {
    const first = open(lines(0, 4))
    first.diary.add(lines(3, 4))
    await first.diary.close()
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -12))
    const second = open(lines(0, 5))
    assert.deepEqual(counts(await second.diary.read(WALL)), [0, 1, 2])
    second.diary.add(lines(4, 5))
    await second.diary.close()
    const third = open()
    assert.deepEqual(counts(await third.diary.read(WALL)), [0, 1, 2, 3, 4])
    assert.deepEqual([...second.said, ...third.said], [])
  })
})

test('what is damaged is set aside with one line, and what can be read goes on', async () => {
  await inFolder(async (path, open) => {
    const first = open(lines(0, 4))
    first.diary.add(lines(3, 4))
    await first.diary.close()
    const bad = readFileSync(path, 'utf8').replace(formatMinute(minute(1)), '\0'.repeat(40))
    writeFileSync(path, bad)
    const second = open(lines(0, 1))
    assert.deepEqual(counts(await second.diary.read(WALL)), [0, 2, 3])
    assert.equal(second.said.length, 1)
    assert.match(second.said[0] as string, /^TREND_FILE .*3 lines of it are kept, it is set aside as .*\.bad-/)
    assert.equal(readFileSync(`${path}.bad-${WALL}`, 'utf8'), bad)
    second.diary.add(lines(9, 10))
    await second.diary.close()
    assert.deepEqual(counts(await open().diary.read(WALL)), [0])
  })
})

test('a foreign file, an empty one, a folder and one too large keep nobody from starting', async () => {
  for (const put of [
    (path: string) => writeFileSync(path, 'once upon a time\n["m",0,0,0,0,"NORMAL",0,0,0]\n'),
    (path: string) => writeFileSync(path, ''),
    (path: string) => mkdirSync(path),
    (path: string) => writeFileSync(path, `gatemesh trend 1\n${`${formatMinute(minute(1))}\n`.repeat(120_000)}`),
  ]) {
    await inFolder(async (path, open) => {
      put(path)
      const { diary, said } = open(lines(0, 1))
      assert.equal((await diary.read(WALL)).length, 0)
      assert.equal(said.length, 1, JSON.stringify(said))
      diary.add(lines(0, 1))
      await diary.close()
    })
  }
})

test('a disk that fails is said once, and when it works again nothing that is still of use is missing', async () => {
  await inFolder(async (path, open) => {
    const dir = join(path, '..')
    const { diary, said } = open(lines(0, 3))
    rmSync(dir, { recursive: true })
    for (let k = 0; k < 3; k++) diary.add(lines(k, k + 1))
    await diary.close()
    assert.equal(said.length, 1)
    assert.match(said[0] as string, /cannot be written/)
    mkdirSync(dir)
    chmodSync(dir, 0o755)
    diary.add(lines(2, 3))
    await diary.close()
    assert.deepEqual(counts(await open().diary.read(WALL)), [0, 1, 2])
    assert.equal(said.length, 1)
  })
})

test('after about a day of lines the file is written anew with what is still of use', async () => {
  await inFolder(async (path, open) => {
    const { diary } = open(lines(0, 10))
    for (let k = 0; k < 1502; k++) diary.add(lines(k, k + 1))
    await diary.close()
    assert.equal(readFileSync(path, 'utf8').split('\n').length, 12, 'a title, ten lines, and an end')
    assert.deepEqual(readdirSync(join(path, '..')), ['store.trend'])
  })
})

test('what is no line of a diary is none, whatever it looks like', () => {
  const good = formatMinute(minute(3))
  assert.deepEqual(parseDiaryLine(good), { minute: minute(3) })
  const bad = [
    '',
    'x',
    '[]',
    '{}',
    'null',
    '["m"]',
    '["x",1]',
    good.replace('NORMAL', 'PANIC'),
    good.replace('9', '-9'),
  ]
  const more = [good.replace('[', '[["x"],'), good.replace(',3]', ',3,4]'), good.replace('"m",1', '"m",1.5')]
  const marks = [
    '["d",1,"gate-01",0,0,0]',
    '["d",1,"gate-01/1",0,0,2]',
    '["d",-1,"gate-01/1",0,0,0]',
    '["d",1,7,0,0,0]',
  ]
  for (const line of [...bad, ...more, ...marks]) assert.equal(parseDiaryLine(line), undefined, line)
})

test.run()
