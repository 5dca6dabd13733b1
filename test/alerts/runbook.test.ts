import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALARMS } from '../../anchor/alerts/alarm-table.ts'
import { CODES } from '../../anchor/alerts/alert.ts'
import { suite } from '../suite.ts'

const test = suite('alerts/runbook')
const TEXT = readFileSync(join(import.meta.dirname, '../../anchor/RUNBOOK.md'), 'utf8')

test('whoever is called by an alert finds it in the runbook: its signal, a check, what to do now', () => {
  const alarms = Object.values(ALARMS).flatMap(rule => (rule === 'seen' ? [] : [rule.code]))
  for (const code of [...CODES, ...alarms]) {
    const section = TEXT.split(/^#+ /m).find(part => new RegExp(`\\b${code}\\b`).test(part.split('\n')[0] ?? ''))
    // those of the board are one
    if (section === undefined && code.startsWith('BOARD')) continue
    assert.ok(section !== undefined, `${code} has no section`)
    for (const word of ['*Signal.*', '*Check.*', '*Now.*']) assert.ok(section.includes(word), `${code}: ${word}`)
  }
})

test.run()
