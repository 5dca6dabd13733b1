import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LevelMedium } from '../../ledger/level-store.ts'
import { contract } from './contract.ts'

contract('store/level', async () => {
  const home = await mkdtemp(join(tmpdir(), 'gatemesh-store-'))
  const dir = join(home, 'store')
  const mark = join(dir, 'mark')
  return {
    medium: () => new LevelMedium(dir),
    image: async () => {
      const copy = join(home, 'copy')
      await cp(dir, copy, { recursive: true })
      return async what => {
        for (const name of await readdir(dir)) {
          const is = name === 'mark' ? 'mark' : 'ledger'
          if (what === is || what === 'both') await rm(join(dir, name), { recursive: true })
        }
        for (const name of await readdir(copy)) {
          const is = name === 'mark' ? 'mark' : 'ledger'
          if (what === is || what === 'both') await cp(join(copy, name), join(dir, name), { recursive: true })
        }
      }
    },
    removeMark: () => rm(mark),
    garbleMark: () => writeFile(mark, Buffer.alloc(4608, 'x')),
    removeLedger: epoch => rm(join(dir, String(epoch)), { recursive: true }),
    destroy: () => rm(home, { recursive: true, force: true }),
  }
})
