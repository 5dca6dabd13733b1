// Mint: nothing is minted before it is on disk that the anchor was born; whoever brings a policy meanwhile waits for that.

import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { Enacted } from '../../anchor/approvals/approvals.ts'
import type { Born } from '../../anchor/born.ts'
import { Mint, type MintOptions } from '../../anchor/mint.ts'
import { SignerKey } from '../../ledger/key.ts'
import { suite } from '../suite.ts'

const test = suite('anchor/mint')

/** The disk says when. */
function minted() {
  const disk = Promise.withResolvers<void>()
  const core = { isJoined: true, me: {} }
  const host = { station: { shell: { core } } } as unknown as MintOptions['host']
  const born = { note: () => disk.promise } as unknown as Born
  const charters = {} as MintOptions['charters']
  const mint = new Mint({ charters, signer: SignerKey.generate('anchor'), host, born })
  const said: Enacted[] = []
  return { mint, disk, core, said, bring: () => mint.policy('no note').then(enacted => said.push(enacted)) }
}

const NO_NOTE = { done: false, code: 'refused', why: 'no blank line between text and signatures' }

test('a policy that comes while that is being written is looked at once it is', async () => {
  const { disk, said, bring } = minted()
  const brought = bring()
  for (let i = 0; i < 5; i++) await turn()
  assert.deepEqual(said, [], 'it waits')
  disk.resolve()
  await brought
  assert.deepEqual(said, [NO_NOTE])
})

test('where it cannot be written nothing is minted, and why is told', async () => {
  const { disk, said, bring } = minted()
  disk.reject(new Error('ENOSPC: no space left'))
  await bring()
  assert.deepEqual(said, [
    { done: false, code: 'away', why: 'that this anchor was born is not on disk: ENOSPC: no space left' },
  ])
})

test('an anchor that has not joined, or lost its ledger while it waited, takes none', async () => {
  const { disk, core, said, bring } = minted()
  core.isJoined = false
  await bring()
  core.isJoined = true
  const brought = bring()
  core.isJoined = false
  disk.resolve()
  await brought
  const why = 'the anchor has not joined yet: bring it again in a moment'
  assert.deepEqual(said, [
    { done: false, code: 'away', why },
    { done: false, code: 'away', why },
  ])
})

test.run()
