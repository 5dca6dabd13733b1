// alone
// Pins of a real kernel, on every way to them: a Linux that runs as a process of this machine (vm/kernel.ts). Building it takes
// minutes and fetches 140 MB, so it is asked for; the folder keeps what was fetched and built:
//
//     GATEMESH_VM=DIR node tools/test.ts gpio/vm

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { needs } from '../../debian.ts'
import { suite } from '../../suite.ts'
import { epollFor } from './native-copy.ts'
import { claimsOf, verdictOf } from './printed.ts'
import { buildKernel, runKernel } from './vm/kernel.ts'
import { type Fetched, fetchPackages } from './vm/packages.ts'
import { WAYS } from './vm/ways.ts'

const test = suite('hardware/gpio/vm')
const MAKE_MS_MAX = 3_600_000
const RUN_MS_MAX = 600_000
const PACKAGES = {
  gpiodetect: 'gpiod',
  make: 'make',
  gcc: 'gcc',
  'g++': 'g++',
  flex: 'flex',
  bison: 'bison',
  bc: 'bc',
  xz: 'xz-utils',
}

async function missing(): Promise<string | undefined> {
  for (const [command, debianPackage] of Object.entries(PACKAGES)) {
    const why = await needs(command, debianPackage)
    if (why !== undefined) return why
  }
  return undefined
}

const { GATEMESH_VM } = process.env
const why = GATEMESH_VM === undefined ? 'takes minutes: GATEMESH_VM=DIR node tools/test.ts gpio/vm' : await missing()

if (GATEMESH_VM === undefined || why !== undefined) test.skip('pins of a real kernel', why as string)
else {
  const dir = resolve(GATEMESH_VM)
  mkdirSync(dir, { recursive: true })
  const { source, second }: Fetched = fetchPackages(dir)
  let said = ''
  test(
    'a kernel with simulated lines is built, boots, and comes to all claims',
    async () => {
      const kernel = buildKernel(dir, source)
      const epoll = await epollFor(dir)
      const words = [join(import.meta.dirname, 'vm/proof.ts'), ...('folder' in second ? [second.folder] : [])]
      const libraries = 'folder' in second ? second.libraries : ''
      const began = performance.now()
      said = await runKernel({ kernel, dir, epoll, libraries, words, limitMs: RUN_MS_MAX })
      const tookS = ((performance.now() - began) / 1000).toFixed(0)
      console.log(`${/^KERNEL (Linux version \S+)/m.exec(said)?.[1]}: boot and all claims in ${tookS} s`)
      if (!said.includes('\nDONE\n')) throw new Error(`it did not come to its end: ${said.slice(-2000)}`)
    },
    { timeoutMs: MAKE_MS_MAX },
  )
  for (const { way, backend, isSecond } of WAYS) {
    if (isSecond && 'why' in second) {
      test.skip(way, second.why)
      continue
    }
    for (const { name } of claimsOf(backend)) {
      test(`${way}: ${name}`, () => {
        const figures = verdictOf(said, way, name)
        if (figures !== undefined) console.log(figures)
      })
    }
  }
}

test.run()
