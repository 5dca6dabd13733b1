// Commission report: what came of it, for the person who stood there and for the folder of the gate.

import type { Commissioned } from './commission.ts'
import type { ContactTested } from './contacts.ts'
import type { LaneTested } from './lane-test.ts'

const OUTCOMES = {
  ok: 'ok',
  failed: 'NOT OK',
  skipped: 'skipped',
  absent: 'none here',
} as const satisfies Record<ContactTested['outcome'], string>

export function commissionWords(report: Commissioned): string {
  const { gate, mall, by, at, lanes, contacts, stopped, ok } = report
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const verdict = ok ? 'ACCEPTED' : `NOT ACCEPTED: ${whyNot(report).join('; ')}`
  const trials = contacts.map(({ contact, outcome, words }) => {
    const name = contact === 'fire' ? 'fire loop' : 'key switch'
    return `${name.padEnd(12)}${OUTCOMES[outcome]}${words.map(line => `, ${line}`).join('')}`
  })
  return [
    '',
    `${gate} of ${mall}, tried by ${by}, ${time} UTC`,
    ...lanes.flatMap(laneLines),
    ...trials,
    ...(stopped === undefined ? [] : [`ended early: ${stopped}; what was done before is kept`]),
    verdict,
  ].join('\n')
}

function laneLines(tested: LaneTested): string[] {
  const { lane, direction, walk, confidence, faults } = tested
  const doubles = (direction?.doubles ?? 0) + (walk?.doubles ?? 0)
  const noises = (direction?.noises ?? 0) + (walk?.noises ?? 0)
  return [
    `lane ${lane}`,
    `  direction   ${stepWords(direction)}`,
    `  walk        ${stepWords(walk)}`,
    `  sensors     ${doubles} double edges, ${noises} noises, ${confidence} ‰ believed${faultWords(faults)}`,
    `  kept as     ${[direction?.id, walk?.id].filter(id => id !== undefined).join(', ') || 'nothing'}`,
  ]
}

function stepWords(step: LaneTested['direction'] | LaneTested['walk']): string {
  if (step === undefined) return 'not done'
  return `${step.ok ? 'ok' : 'NOT OK'}: ${step.words.join('; ')}`
}

function faultWords(faults: readonly string[]): string {
  return faults.length === 0 ? '' : `, faults now: ${faults.join(', ')}`
}

function whyNot({ lanes, contacts, stopped }: Commissioned): string[] {
  const whys = lanes.flatMap(({ lane, direction, walk, faults, ok }) => {
    if (ok) return []
    const steps = [
      [direction, 'direction'],
      [walk, 'walk'],
    ] as const
    const failed = steps.flatMap(([step, name]) =>
      step?.ok === true ? [] : [`${name} ${step === undefined ? 'not done' : 'not ok'}`],
    )
    const why = failed.length > 0 ? failed.join(', ') : faults.length > 0 ? faults.join(', ') : 'link down'
    return [`lane ${lane}: ${why}`]
  })
  const failed = contacts.filter(({ outcome }) => outcome === 'failed').map(({ contact }) => `${contact} contact`)
  return [...whys, ...failed, ...(stopped === undefined ? [] : ['not finished'])]
}
