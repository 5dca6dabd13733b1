#!/usr/bin/env node
// The door to `gatemesh`. The code is TypeScript, which a Node older than 22.18 cannot read; then the Node that the
// lockfile brings takes over. Under `npx` and `npm run` it is first on the PATH anyway.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

if (process.features.typescript) {
  // what was stripped and compiled once is kept: a start takes half the time, and a gate 20 MB less
  enableCompileCache()
  const { main } = await import('./gatemesh.ts')
  process.exitCode = await main(process.argv.slice(2))
} else {
  const own = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(own)) {
    console.error(`gatemesh: this is Node ${process.versions.node}; it takes 22.18 or newer, or \`npm ci\`, which brings one`)
    process.exit(3)
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143)
  })
}
