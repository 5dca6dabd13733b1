import assert from 'node:assert/strict'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'

const test = suite('tools/debian')

test('a tool that is there needs nothing', async () => {
  assert.equal(await needs('sh', 'dash'), undefined)
  assert.equal(await needs('/bin/sh', 'dash'), undefined)
})

test('a missing tool that only root could install is a reason to skip, with the package to ask for', async () => {
  const root = process.getuid
  process.getuid = () => 1000
  try {
    const why = await needs('no-such-tool', 'no-such-package')
    assert.equal(why, 'no-such-tool is missing (Debian package no-such-package), and only root can install it')
  } finally {
    if (root) process.getuid = root
  }
})

test.run()
