import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { HOST, Ports } from '../../tools/mall/ports.ts'
import { suite } from '../suite.ts'

const test = suite('mall/ports')

const MODULE = join(import.meta.dirname, '../../tools/mall/ports.ts')

/** Gives ports out as another mall on this machine does, and starts nobody on them. */
const OTHER = `
const { Ports } = await import(${JSON.stringify(MODULE)})
const ports = new Ports()
const some = []
for (let i = 0; i < 62; i++) some.push(await ports.any())
console.log(JSON.stringify(some))
setInterval(() => undefined, 1000)
`

test('two malls never give out the same port, though nobody listens on any of them yet', async () => {
  const other = spawn(process.execPath, ['--input-type=module', '-e', OTHER], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [said] = await once(other.stdout.setEncoding('utf8'), 'data')
    const theirs: number[] = JSON.parse(said)
    assert.equal(new Set(theirs).size, 62)
    const ours = new Ports()
    const kept: number[] = []
    for (const port of theirs) kept.push(await ours.keep(port))
    assert.equal(new Set(kept).size, 62)
    assert.deepEqual(
      kept.filter(port => theirs.includes(port)),
      [],
    )
    other.kill('SIGKILL')
    await once(other, 'close')
    const [first = 0, ...rest] = theirs
    assert.equal(await ours.keep(first), first, 'whoever died has them no longer')
    for (const port of rest) assert.equal(await ours.keep(port), port)
  } finally {
    other.kill('SIGKILL')
  }
})

test('a block that is full is no end: ports come from the next one', async () => {
  const ports = new Ports()
  const some = new Set<number>()
  for (let i = 0; i < 400; i++) some.add(await ports.any())
  assert.equal(some.size, 400)
})

test('a port that somebody listens on is not given out, nor one twice', async () => {
  const ports = new Ports()
  const port = await ports.any()
  assert.notEqual(await ports.keep(port), port, 'it was given out before')
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const { port: taken } = server.address() as { port: number }
  try {
    assert.notEqual(await ports.keep(taken), taken)
    await assert.rejects(ports.from(taken, false), { code: 'PORT' })
  } finally {
    server.close()
  }
  assert.equal(await new Ports().keep(taken), taken, 'ports that a person chose are outside of all blocks')
})

test.run()
