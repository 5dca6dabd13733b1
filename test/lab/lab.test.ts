// Lab: what a lab leaves behind, the next one removes.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { Lab } from './lab.ts'

const test = suite('lab/lab')

const OTHER = `
const { Lab } = await import(${JSON.stringify(join(import.meta.dirname, 'lab.ts'))})
const lab = await Lab.open(2)
await lab.cut([0])
console.log(lab.tag)
setInterval(() => undefined, 1000)
`

function seen(tag: string): string[] {
  const lists = [
    ['ip', 'netns', 'list'],
    ['ip', '-o', 'link'],
    ['nft', 'list', 'tables'],
  ] as const
  return lists.flatMap(([command, ...args]) =>
    execFileSync(command, args, { encoding: 'utf8' })
      .split('\n')
      .filter(line => line.includes(tag)),
  )
}

const name = 'hosts, cables and cuts of a lab that was ended with -9 are gone when the next one is open; others stay'
const why = await Lab.isMissing()
if (why) test.skip(name, why)
else {
  test(name, async () => {
    const [ended, alive] = [0, 1].map(() => {
      return spawn(process.execPath, ['--input-type=module', '-e', OTHER], { stdio: ['ignore', 'pipe', 'inherit'] })
    }) as [ReturnType<typeof spawn>, ReturnType<typeof spawn>]
    try {
      const [left, kept] = (await Promise.all(
        [ended, alive].map(async one => String((await once(one.stdout as NodeJS.ReadableStream, 'data'))[0]).trim()),
      )) as [string, string]
      ended.kill('SIGKILL')
      await once(ended, 'close')
      const before = seen(kept)
      assert.ok(seen(left).length >= 4, 'a bridge, two hosts and a table')
      const lab = await Lab.open(1)
      try {
        assert.deepEqual(seen(left), [])
        assert.deepEqual(seen(kept), before)
      } finally {
        await lab.close()
      }
      alive.kill('SIGKILL')
      await once(alive, 'close')
      await (await Lab.open(1)).close()
      assert.deepEqual(seen(kept), [])
    } finally {
      ended.kill('SIGKILL')
      alive.kill('SIGKILL')
    }
  })
}

test.run()
