import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firesIn } from '../../tools/bench/emergency.ts'
import { rowsOf } from '../../tools/bench/healing.ts'
import { readSockets } from '../../tools/bench/kernel/process.ts'
import { forPrograms, type Result, readable } from '../../tools/commands/bench.ts'
import { fileSystemOf, machine } from '../../tools/machine.ts'
import { suite } from '../suite.ts'

const test = suite('bench/result')
const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')

const ON = machine()
const STORE: Result = { name: 'store', title: 'Stores', rows: [{ 'per second': 7 }], notes: ['a note'], machine: ON }
const SCARCITY: Result = { name: 'scarcity', title: 'S', rows: [{ name: 'full' }], scenarios: [1], machine: ON }
const HEALING: Result = { name: 'healing', title: 'H', rows: [], skipped: 'network namespaces need root', machine: ON }

test('the machine is known by its cores, memory, kernel, Node, file system and load', () => {
  for (const [fact, value] of Object.entries(ON)) assert.ok(value !== '' && value !== undefined, fact)
  assert.ok(ON.cores > 0 && ON.memoryGb > 0)
  assert.equal(ON.node, process.version)
})

test('the file system of a folder is that of the nearest mount above it', () => {
  const mounts = 'a / ext4 rw 0 0\nb /tmp tmpfs rw 0 0\nc /tmp/with\\040space xfs rw 0 0\nd /tmpfoo zfs rw 0 0\n'
  assert.equal(fileSystemOf('/home/x', mounts), 'ext4')
  assert.equal(fileSystemOf('/tmp/y', mounts), 'tmpfs')
  assert.equal(fileSystemOf('/tmp/with space/y', mounts), 'xfs')
  assert.equal(fileSystemOf('/tmp', ''), 'an unknown file system')
})

test('every result says on what machine, to people and to programs, and scarcity keeps its shape', () => {
  assert.match(readable(STORE), /^Stores\n\nper second\n\s+7\n\na note\n\nMeasured on \d+ cores of /)
  assert.deepEqual(forPrograms([SCARCITY]), { scenarios: [1], machine: ON })
  const { title, rows, notes } = STORE
  assert.deepEqual(forPrograms([STORE]), { title, rows, notes, machine: ON })
  assert.deepEqual(Object.keys(forPrograms([STORE, SCARCITY]) as object), ['store', 'scarcity'])
})

test('what cannot be measured here is one line', () => {
  assert.equal(readable(HEALING), 'healing: skipped: network namespaces need root\n')
  assert.deepEqual(forPrograms([HEALING]), { title: 'H', skipped: HEALING.skipped, rows: [], machine: ON })
})

test(
  '`bench --json` prints one object, and a bench that draws nothing says so beside it',
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'bench-'))
    try {
      const args = [BIN, 'bench', 'store', '--quick', '--json', '--plot', join(dir, 'plots')]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      const said = JSON.parse(stdout)
      assert.ok(said.rows.length > 0)
      assert.deepEqual(Object.keys(said.machine), Object.keys(ON))
      assert.match(stderr, /^store draws nothing$/m)
      assert.deepEqual(readdirSync(join(dir, 'plots')), [])
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
  { timeoutMs: 60_000 },
)

test('bytes sent are summed by process, without pages and without connections that nobody owns', () => {
  const listing = [
    'ESTAB 0 0 127.0.0.1:4500 127.0.0.1:50000 users:(("node",pid=7,fd=20)) cubic rto:204 bytes_sent:100 bytes_acked:90',
    'ESTAB 0 0 127.0.0.1:50001 127.0.0.1:4501 users:(("node",pid=7,fd=21)) cubic bytes_sent:11',
    'ESTAB 0 0 127.0.0.1:8080 127.0.0.1:50002 users:(("node",pid=7,fd=22)) cubic bytes_sent:5000',
    'ESTAB 0 0 [::1]:50003 [::1]:8080 users:(("node",pid=8,fd=22)) cubic bytes_sent:5000',
    'ESTAB 0 0 127.0.0.1:4501 127.0.0.1:50001 users:(("node",pid=8,fd=9)) cubic rto:204',
    'TIME-WAIT 0 0 127.0.0.1:4500 127.0.0.1:50009 bytes_sent:9',
    'ESTAB 0 0 127.0.0.1:4500 127.0.0.1:50010 cubic bytes_sent:9',
    '',
  ].join('\n')
  assert.deepEqual(
    [...readSockets(listing, new Set([8080]))],
    [
      [7, 111],
      [8, 0],
    ],
  )
})

test('a gate says in its log when it went into FIRE', () => {
  const line = (time: string, mode: string) => JSON.stringify({ level: 40, time, member: 'g', mode, event: 'mode' })
  const log = [
    line('2026-11-17T03:00:00.010Z', 'FIRE'),
    '{"event":"peer-up"}',
    'a crash looks like this',
    line('2026-11-17T03:00:01.000Z', 'NORMAL'),
    line('2026-11-17T03:00:02.000Z', 'FIRE'),
  ].join('\n')
  assert.deepEqual(firesIn(log), [Date.UTC(2026, 10, 17, 3, 0, 0, 10), Date.UTC(2026, 10, 17, 3, 0, 2)])
})

test('cuts of one length are one row, with the median and the most', () => {
  const cut = (seconds: number, noticedMs: number, healedMs: number) => ({
    seconds,
    lastedMs: seconds * 1000 + 40,
    noticedMs,
    healedMs,
  })
  const [short, long] = rowsOf([cut(5, 2000, 900), cut(5, 2400.4, 700), cut(5, 2100, 1500), cut(29, 2200, 800)])
  assert.deepEqual(Object.values(short as object), [5, 3, 5, 2100, 2400, 900, 1500])
  assert.deepEqual(Object.values(long as object), [29, 1, 29, 2200, 2200, 800, 800])
})

test.run()
