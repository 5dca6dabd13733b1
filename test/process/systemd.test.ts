import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { inFolder } from './members.ts'

const test = suite('process/systemd')
const folder = join(import.meta.dirname, '../../tools/systemd')
const UNITS = ['gatemesh-gate.service', 'gatemesh-anchor.service']
const hasTool = spawnSync('systemd-analyze', ['--version']).status === 0

for (const unit of UNITS) {
  const name = `systemd finds nothing wrong with ${unit}`
  const verify = () =>
    inFolder(async dir => {
      // the program is where it is installed, which is not here
      const text = readFileSync(join(folder, unit), 'utf8').replaceAll(
        '/opt/gatemesh/node_modules/.bin/node',
        process.execPath,
      )
      writeFileSync(join(dir, unit), text)
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(dir, unit)], { encoding: 'utf8' })
      const about = stderr.split('\n').filter(line => line.includes(unit))
      assert.deepEqual([status, about], [0, []], stderr)
    })
  if (hasTool) test(name, verify)
  else test.skip(name, 'systemd-analyze is not on this machine')
}

test('each starts again for ever, is watched, and may write to its own folder only', () => {
  for (const unit of UNITS) {
    const lines = readFileSync(join(folder, unit), 'utf8').split('\n')
    for (const said of [
      'Type=notify',
      'NotifyAccess=all',
      'Restart=always',
      'StartLimitIntervalSec=0',
      'WatchdogSec=10',
    ]) {
      assert.ok(lines.includes(said), `${unit}: ${said}`)
    }
    for (const said of ['ProtectSystem=strict', 'StateDirectory=gatemesh', 'NoNewPrivileges=yes']) {
      assert.ok(lines.includes(said), `${unit}: ${said}`)
    }
  }
})

test.run()
