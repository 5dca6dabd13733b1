// Turnstile check: the hardware at the door, by what the gate sees of it now, and by what its file says of the wiring.

import type { HardwareConfig, LaneConfig } from '../../hardware/config.ts'
import type { FaultCode, LaneState, TurnstileState } from '../../hardware/turnstile.ts'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'

const TODOS = {
  LINK: 'look at power and cable of the board, its unit number, baud rate and parity',
  POWER: 'the turnstile itself has no power: look at its fuse and supply',
  STUCK: 'a contact stays open or closed: look for a jammed arm, a broken wire, or something before a light barrier',
  NOISE: 'look at shielding, termination and earth of the wires',
  RATE: 'more passages than people can walk: look for a chattering contact, or something that moves near the line',
  COUNTER_RESET: 'the device was reset or exchanged; count heads: `gatemesh recount`',
  COUNTER_GAP: 'the device counted while nobody read it; count heads: `gatemesh recount`',
  DISAGREE: 'one of the two sensors of this lane lies: `gatemesh doctor --commission --lane NAME` finds out which',
  DIRECTION: 'in and out look swapped: `gatemesh doctor --commission --lane NAME`',
  SILENT: 'walk through it once: does it count?',
  OUTPUT: 'the board did not confirm what it was told: look at board and relays',
  INTERLOCK_BLIND: 'mend the input of fire loop and key switch NOW: until then only others can raise FIRE here',
  NATIVE: 'see the line about native modules',
  MEMORY: 'look at the disk: what counters showed is kept beside the store, in a file that ends in .counters',
  TIME_OUT: 'look at the bus: too many boards, a bad cable, a wrong baud rate',
} as const satisfies Record<FaultCode, string>

const BELIEVED_MIN = 700

export function checkTurnstile(state: TurnstileState, hardware: HardwareConfig | undefined): Finding[] {
  const link = Object.entries(state.link).map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
  const lanes = state.lanes.length
  const what = `${state.driver}, ${lanes === 0 ? 'no lanes' : lanes === 1 ? '1 lane' : `${lanes} lanes`}`
  return [
    fine('turnstile', link.length === 0 ? what : `${what}; ${link.join(', ')}`),
    ...(lanes === 0 ? [] : interlock(state, hardware)),
    ...state.lanes.flatMap(lane => checkLane(lane, state)),
  ]
}

function interlock({ fire, isLatched, key }: TurnstileState, hardware: HardwareConfig | undefined): Finding[] {
  const found: Finding[] = []
  if (fire === true)
    found.push(wrong('fire loop', 'open: the arms are free', 'reset the panel, then two people re-arm'))
  else if (isLatched) {
    found.push(
      doubt('fire loop', 'closed again, and latched: the arms stay free', 'two people re-arm: `gatemesh mode clear`'),
    )
  } else if (fire === 'unknown') found.push(blind('fire', hardware))
  else found.push(fine('fire loop', 'closed'))
  if (key === true) found.push(doubt('key switch', 'turned: nobody is let in', 'turn it back, then two people re-arm'))
  else if (key === 'unknown' && hardware?.key !== undefined) found.push(blind('key', hardware))
  else if (key === false) found.push(fine('key switch', 'at rest'))
  return found
}

function blind(contact: 'fire' | 'key', hardware: HardwareConfig | undefined): Finding {
  const about = contact === 'fire' ? 'fire loop' : 'key switch'
  if (hardware === undefined) return unknown(about, 'none is read: not wired, or broken; --config FILE tells which')
  if (hardware[contact] !== undefined) return wrong(about, 'cannot be read', TODOS.INTERLOCK_BLIND)
  const what = 'none is wired here: the hard-wired release must not rest on this gate'
  return doubt(about, what, 'wire it to an input, normally closed, and name it in turnstile.fire')
}

function checkLane(lane: LaneState, { isLatched }: TurnstileState): Finding[] {
  const about = `lane ${lane.name}`
  const found = lane.faults.map(code => wrong(about, code, TODOS[code]))
  if (!lane.isUp && !lane.faults.includes('LINK')) found.push(wrong(about, 'does not answer', TODOS.LINK))
  if (lane.isHeld && isLatched)
    found.push(wrong(about, 'HELD while the fire loop is latched', 'cut its power by hand, now'))
  if (lane.confidence < BELIEVED_MIN) {
    const what = `${lane.confidence} ‰ of what it tells is believed`
    found.push(doubt(about, what, `\`gatemesh doctor --commission --lane ${lane.name}\``))
  }
  if (found.length > 0) return found
  const arm = lane.isReleased ? 'free' : lane.isHeld ? 'held by a lease' : 'not held'
  const inputs = Object.entries(lane.inputs).map(
    ([name, on]) => `${name} ${on === 'unknown' ? '?' : on ? 'on' : 'off'}`,
  )
  const counts = `${lane.in} in, ${lane.out} out, ${lane.doubles} doubles, ${lane.noises} noises`
  return [fine(about, [`entry ${arm}`, counts, `${lane.confidence} ‰ believed`, ...inputs].join(', '))]
}

/** Does the entry go free by itself when this gate dies? */
export function checkHolds({ driver, lanes, holdMs }: HardwareConfig): Finding[] {
  return lanes.flatMap(lane => holdOf(lane, driver, holdMs))
}

function holdOf(lane: LaneConfig, driver: HardwareConfig['driver'], holdMs: number): Finding[] {
  const about = `lane ${lane.name}`
  if (lane.hold === undefined || driver.driver !== 'modbus') return []
  const map = driver.boards.find(({ name }) => name === lane.hold?.coil.on)?.map
  if (map?.kind !== 'relay') return []
  const longest = map.flash.stepMs * map.flash.valueMax
  if (holdMs <= longest) return [fine(about, `held by a lease of ${holdMs} ms that the board itself ends`)]
  const what = `holdMs is ${holdMs}, and the board's own timer reaches ${longest}`
  return [wrong(about, what, `set holdMs to at most ${longest}`)]
}
