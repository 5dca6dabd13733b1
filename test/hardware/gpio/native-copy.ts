// Native part of onoff, for the Node that runs the tests: `npm ci` builds it for the Node that ran npm, which may be another.
// It is built in a copy, so that nothing of this tree changes under whoever else runs.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')
const BUILD_MS_MAX = 300_000

/** The folder of an `epoll` that loads in this Node; what was built in `dir` before is used again. */
export async function epollFor(dir: string): Promise<string> {
  const copy = join(dir, `native-${process.versions.modules}`)
  const epoll = join(copy, 'node_modules/epoll')
  if (existsSync(join(epoll, 'build/Release/epoll.node'))) return epoll
  for (const module of ['nan', 'bindings', 'file-uri-to-path', 'epoll']) {
    cpSync(join(ROOT, 'node_modules', module), join(copy, 'node_modules', module), { recursive: true })
  }
  rmSync(join(epoll, 'build'), { recursive: true, force: true })
  // which also say whose build scripts may run, and that npm asks nobody outside
  for (const file of ['package.json', '.npmrc']) cpSync(join(ROOT, file), join(copy, file))
  const node = dirname(dirname(realpathSync(process.execPath)))
  await promisify(execFile)('npm', ['rebuild', 'epoll', `--nodedir=${node}`], { cwd: copy, timeout: BUILD_MS_MAX })
  if (!existsSync(join(epoll, 'build/Release/epoll.node')))
    throw new Error(`npm rebuild epoll built nothing in ${copy}`)
  return epoll
}
