// quiet
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { inFolder } from './running.ts'

const test = suite('mall/blocked')
const run = promisify(execFile)

const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')

const missing = [await needs('unshare', 'util-linux'), await needs('ip', 'iproute2'), await needs('nft', 'nftables')]
const why = missing.find(reason => reason !== undefined) ?? (process.getuid?.() === 0 ? undefined : 'only root may')

/** A mall in a network of its own, whose kernel drops what the rule says. */
async function mallBehind(rule: string): Promise<string> {
  return inFolder(async dir => {
    const filter = `nft add table ip t && nft add chain ip t o '{ type filter hook output priority 0 ; }'`
    const mall = `exec "$@" mall --gates 2 --crowd off --for 1 --dir ${dir}`
    const script = `ip link set lo up && ${filter} && nft add rule ip t o ${rule} && ${mall}`
    const { stdout } = await run('unshare', ['-n', 'sh', '-c', script, 'sh', process.execPath, BIN], {
      timeout: 90_000,
    })
    assert.match(stdout, /^mall ready: http:\/\/127\.0\.0\.1:8080$/m, 'nobody else is on the default port there')
    assert.match(stdout, /^stopped with 0 of 300 people inside$/m)
    return stdout
  })
}

if (why !== undefined) test.skip('a mall without multicast goes on with fixed addresses', why)
else {
  test('where the kernel has no multicast members are told where the others are, and that is said', async () => {
    const out = await mallBehind('ip daddr 224.0.0.0/4 drop')
    assert.match(out, /^multicast does not work here: members are told each other's addresses on 127\.0\.0\.1$/m)
  })

  test('where only mDNS is blocked nobody finds anybody, and after five seconds they are told', async () => {
    const out = await mallBehind('udp dport 5353 drop')
    assert.match(out, /^members find each other by mDNS/m)
    assert.match(out, /^nobody found anybody by multicast in 5 s: going on with fixed loopback addresses$/m)
  })
}

test.run()
