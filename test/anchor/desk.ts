// Operators at their desk: they sign what the mall m of a folder should do, with keys that lie in it.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter } from '../../ledger/charter-note.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import type { Policy } from '../../ledger/policy.ts'
import { openPolicy, type PolicyText, signPolicy } from '../../ledger/policy-note.ts'
import { keyPath, policyPath, policyText } from '../../tools/founding.ts'
import { memberFilePath, writeMemberFile } from '../../tools/member-file.ts'
import { type Reply, Running } from '../process/members.ts'

export class Operators {
  readonly dir: string
  readonly charter: Charter
  before: Policy

  constructor(dir: string) {
    this.dir = dir
    const owner = VerifierKey.parse(readFileSync(join(dir, 'owner.vkey'), 'utf8').trim())
    this.charter = openCharter(readFileSync(join(dir, 'charter.note'), 'utf8'), owner).charter
    this.before = openPolicy(readFileSync(policyPath(dir, 1), 'utf8'), this.charter)
  }

  key(name: string): SignerKey {
    return SignerKey.parse(readFileSync(keyPath(this.dir, name), 'utf8').trim())
  }

  /** From here on what is signed stands on this one. */
  follow(note: string): void {
    this.before = openPolicy(note, this.charter)
  }

  /** The policy after `before`, signed by those named. */
  signed(change: Partial<PolicyText> & { capacity?: number }, ...names: string[]): string {
    const { capacity, ...rest } = change
    const now = this.before.capacities.at(-1)?.capacity ?? 0
    const text = policyText(this.charter, { capacity: capacity ?? now, before: this.before, reason: 'test' })
    return signPolicy(
      { ...text, ...rest },
      this.charter.mall,
      names.map(name => this.key(name)),
    )
  }

  /** Both sign; what comes next stands on it. */
  async decree(anchor: Running, change: Partial<PolicyText> & { capacity?: number }): Promise<Reply> {
    const note = this.signed(change, 'ann', 'bob')
    const reply = await anchor.post('/policy', note)
    assert.equal(reply.status, 200, JSON.stringify(reply.json))
    this.before = openPolicy(this.signed(change, 'anchor', 'ann', 'bob'), this.charter)
    return reply
  }
}

/** A door that was not there when the mall was founded: it has a key of its own, and knows where the anchor is. */
export async function newGate(dir: string, name: string): Promise<{ gate: Running; key: SignerKey }> {
  const key = SignerKey.generate(`gatemesh/m/${name}`)
  writeFileSync(keyPath(dir, name), `${key}\n`, { mode: 0o600 })
  const { listen } = JSON.parse(readFileSync(memberFilePath(dir, 'anchor'), 'utf8'))
  const http = { host: '127.0.0.1', port: 0 }
  await writeMemberFile(dir, name, { listen: '127.0.0.1:0', peers: { anchor: listen }, mdns: false, http })
  return { gate: new Running(dir, name), key }
}

/** Everything that the anchor has collected, by account, asked for page by page. */
export async function collected(anchor: Running, mall = 'm'): Promise<Map<string, string[]>> {
  const ledgers = new Map<string, string[]>()
  for (let cursor = ''; ; ) {
    const { status, json } = await anchor.ask('GET', `/api/v1/malls/${mall}/events?limit=500${cursor}`)
    assert.equal(status, 200, JSON.stringify(json))
    for (const { account, line } of json.events) {
      const lines = ledgers.get(account)
      if (lines === undefined) ledgers.set(account, [line])
      else lines.push(line)
    }
    if (json.cursor === undefined) return ledgers
    cursor = `&cursor=${encodeURIComponent(json.cursor)}`
  }
}

export async function eventually(what: string, msMax: number, holds: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await holds())) {
    assert.ok(performance.now() - began < msMax, `${what}: not within ${msMax} ms`)
    await sleep(25)
  }
  return performance.now() - began
}
