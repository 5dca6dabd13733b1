// quiet
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { FireDrill } from './fire-drill.ts'
import { inFolder, RunningMall } from './running.ts'

const test = suite('mall/modes')

const RAISES = 100
const IN_FORCE_MS_MAX = 1000

test(
  'with the anchor dead, a fire contact that closes at one gate is in force at all of them within a second, 100 times',
  () =>
    inFolder(async folder => {
      const dir = join(folder, 'm')
      const mall = await RunningMall.start(dir, '--no-restart')
      const drill = new FireDrill(mall)
      const { gates } = drill
      await mall.killMember('anchor')
      const took: number[] = []
      for (let k = 0; k < RAISES; k++) {
        const at = gates[k % gates.length] as string
        const since = performance.now()
        const raised = drill.contact(at, true)
        took.push(await drill.everywhere('FIRE', since))
        assert.equal((await raised).status, 200)
        const elsewhere = gates[(k + 1) % gates.length] as string
        if (k % 10 === 0) {
          assert.equal((await mall.enter(elsewhere)).json.decision, 'REJECT_EMERGENCY')
          assert.equal((await mall.leave(elsewhere)).status, 200)
        }
        await drill.clear(at, elsewhere)
        await drill.everywhere('NORMAL', performance.now())
      }
      took.sort((a, b) => a - b)
      const at = (share: number) => (took[Math.min(RAISES - 1, Math.floor(share * RAISES))] as number).toFixed(1)
      console.log(`\nFIRE at all ${gates.length} gates after ms: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`)
      assert.ok((took.at(-1) as number) < IN_FORCE_MS_MAX, `${took.at(-1)} ms`)
      assert.equal((await mall.signal('SIGTERM')).code, 0)
    }),
  { timeoutMs: 180_000 },
)

test.run()
