// Turnstile config: what the gate's file says of the hardware at its door, read field by field.
//
// Law: a wire is named by the board or chip it is on, and both must be there. The fire loop is normally closed, whatever
// anybody writes: a broken wire must be an alarm.

import type {
  BoardConfig,
  Coil,
  CounterMap,
  DriverConfig,
  GpioConfig,
  HardwareConfig,
  LaneConfig,
  ModbusConfig,
  RelayMap,
  Wire,
} from '../hardware/config.ts'
import { SIGNALS, type Signal } from '../hardware/io.ts'
import { MAPS } from '../hardware/modbus/maps.ts'
import { flawOf, PASSAGE_RULES, type PassageRules } from '../hardware/passage/rules.ts'
import type { Form } from '../mesh/form.ts'
import { readOptical } from './optical-config.ts'

export const DRIVERS = ['soft', 'modbus', 'gpio', 'sim'] as const

const REGISTER = { min: 0, max: 0xffff }
/** A lane without inputs of its own: the model behind it has them all. */
const SIM_LANE = 'lane'

export function readTurnstile(form: Form, store: string): HardwareConfig {
  const memory = `${store}.counters`
  const optical = form.named('optical', (all, name) => readOptical(all, name))
  const turnstile = form.form('turnstile')
  const kind = turnstile?.oneOf('driver', DRIVERS, 'soft') ?? 'soft'
  if (turnstile === undefined || kind === 'soft') {
    turnstile?.close()
    const soft = { driver: { driver: 'soft' }, lanes: [], holdMs: HOLD.otherwise, memory } as const
    return { ...soft, optical: [...optical.values()] }
  }
  const driver = readDriver(turnstile, kind)
  const boards = driver.driver === 'modbus' ? new Map(driver.boards.map(board => [board.name, board])) : undefined
  const lanes = [...turnstile.named('lanes', (all, name) => readLane(all, name, kind, boards)).values()]
  if (lanes.length === 0 && kind === 'sim') lanes.push(laneOf(SIM_LANE))
  if (lanes.length === 0) turnstile.complain('lanes', 'is missing: one or more, by name, each with its wires')
  const fire = readWire(turnstile, 'fire', boards)
  if (fire?.normally === 'open') {
    turnstile.complain('fire.normally', '"closed": a loop whose wire breaks must be an alarm, so wire it that way')
  }
  const key = readWire(turnstile, 'key', boards)
  const holdMs = turnstile.whole('holdMs', HOLD)
  turnstile.close()
  return {
    driver,
    lanes,
    ...(fire === undefined ? {} : { fire: { ...fire, normally: 'closed' } }),
    ...(key === undefined ? {} : { key }),
    holdMs,
    memory,
    optical: [...optical.values()],
  }
}

/** Long enough for two renewals to get lost, short enough that a dead gate's entry is free before people push. */
const HOLD = { min: 500, max: 60_000, otherwise: 2000 }

function readDriver(form: Form, kind: Exclude<DriverConfig['driver'], 'soft'>): DriverConfig {
  if (kind === 'modbus') return readModbus(form)
  if (kind === 'gpio') return readGpio(form)
  return {
    driver: 'sim',
    seed: form.whole('seed', { min: 0, max: 2 ** 31, otherwise: 1 }),
    turnsRoundPerMille: form.whole('turnsRoundPerMille', { min: 0, max: 1000, otherwise: 0 }),
    tailgatePerMille: form.whole('tailgatePerMille', { min: 0, max: 1000, otherwise: 0 }),
    walkMs: form.whole('walkMs', { min: 100, max: 10_000, otherwise: 700 }),
  }
}

function readGpio(form: Form): GpioConfig {
  return {
    driver: 'gpio',
    backend: form.oneOf('backend', ['auto', 'sysfs', 'chardev'], 'auto'),
    closed: form.oneOf('closed', ['low', 'high'], 'low'),
    pull: form.oneOf('pull', ['chip', 'outside'], 'chip'),
    energised: form.oneOf('energised', ['high', 'low'], 'high'),
  }
}

function readModbus(form: Form): ModbusConfig {
  const path = form.text('path', 'a serial port, or host:port of a gateway', text => /^\S{1,200}$/.test(text))
  const boards = form.named('boards', readBoard)
  if (boards.size === 0)
    form.complain('boards', 'is missing: one or more, by name, as in {"relays": {"unit": 1, "map": "waveshare"}}')
  return {
    driver: 'modbus',
    path,
    baud: form.whole('baud', { min: 1200, max: 921_600, otherwise: 9600 }),
    parity: form.oneOf('parity', ['none', 'even', 'odd'], 'none'),
    timeoutMs: form.whole('timeoutMs', { min: 20, max: 10_000, otherwise: 200 }),
    pollMs: form.whole('pollMs', { min: 1, max: 1000, otherwise: 10 }),
    boards: [...boards.values()],
  }
}

function readBoard(all: Form, name: string): BoardConfig {
  const form = all.form(name)
  if (form === undefined) return { name, unit: 1, map: MAPS.waveshare }
  const unit = form.whole('unit', { min: 1, max: 247 })
  const map = readMap(form)
  form.close()
  return { name, unit, map }
}

function readMap(form: Form): RelayMap | CounterMap {
  if (form.kind('map') !== 'object')
    return MAPS[form.oneOf('map', Object.keys(MAPS) as (keyof typeof MAPS)[], 'waveshare')]
  const map = form.form('map') as Form
  const kind = map.oneOf('kind', ['relay', 'counter'], 'relay')
  const read = kind === 'relay' ? readRelayMap(map) : readCounterMap(map)
  map.close()
  return read
}

function readRelayMap(map: Form): RelayMap {
  const { inputs, coils, flash } = MAPS.waveshare as RelayMap
  return {
    kind: 'relay',
    inputs: within(map, 'inputs', inputs, form => ({
      function: form.whole('function', { min: 1, max: 2, otherwise: inputs.function }) as 1 | 2,
      base: form.whole('base', REGISTER),
      count: form.whole('count', { min: 1, max: 64 }),
    })),
    coils: within(map, 'coils', coils, form => ({
      base: form.whole('base', REGISTER),
      count: form.whole('count', { min: 1, max: 64 }),
    })),
    flash: within(map, 'flash', flash, form => ({
      base: form.whole('base', REGISTER),
      stepMs: form.whole('stepMs', { min: 1, max: 1000 }),
      valueMax: form.whole('valueMax', { min: 1, max: 0xffff }),
    })),
    setup: readSetup(map),
  }
}

function readCounterMap(map: Form): CounterMap {
  const { permit, exits, counters } = MAPS.lot as CounterMap
  const freeing = (form: Form) => ({
    at: form.whole('at', REGISTER),
    free: form.whole('free', { min: 1, max: 0xffff }),
  })
  const error = map.kind('error') === 'none' ? undefined : map.whole('error', REGISTER)
  return {
    kind: 'counter',
    permit: within(map, 'permit', permit, freeing),
    exits: within(map, 'exits', exits, freeing),
    counters: within(map, 'counters', counters, form => ({ at: form.whole('at', REGISTER) })),
    ...(error === undefined ? {} : { error: { at: error } }),
    setup: readSetup(map),
  }
}

function readSetup(map: Form): RelayMap['setup'] {
  return map.forms('setup', form => ({ at: form.whole('at', REGISTER), value: form.whole('value', REGISTER) }))
}

/** An object that must be there; `otherwise` only stands in until the complaint is read. */
function within<T>(form: Form, key: string, otherwise: T, read: (form: Form) => T): T {
  const inner = form.form(key)
  if (inner === undefined) {
    if (form.kind(key) === 'none') form.complain(key, `is missing, as in ${JSON.stringify(otherwise)}`)
    return otherwise
  }
  const found = read(inner)
  inner.close()
  return found
}

type Boards = ReadonlyMap<string, BoardConfig> | undefined

function laneOf(name: string): LaneConfig {
  return { name, rules: PASSAGE_RULES, inputs: {} }
}

function readLane(all: Form, name: string, kind: DriverConfig['driver'], boards: Boards): LaneConfig {
  const form = all.form(name)
  if (form === undefined) return laneOf(name)
  const rules = readRules(form)
  const inputs = readInputs(form, boards)
  const grant = readPulse(form, 'grant', boards)
  const red = readPulse(form, 'red', boards)
  const hold = readHold(form, boards)
  const counter = form.kind('counter') === 'none' ? undefined : form.name('counter')
  if (counter !== undefined && boards?.get(counter)?.map.kind !== 'counter') {
    form.complain('counter', `there is no board ${counter} whose map is a counter`)
  }
  if (kind !== 'sim' && counter === undefined && inputs.in === undefined && inputs['beam-a'] === undefined) {
    form.complain(
      'inputs',
      'nothing here tells of a passage: wires "in" and "out", "beam-a" and "beam-b", or a "counter"',
    )
  }
  form.close()
  return {
    name,
    rules,
    inputs,
    ...(grant === undefined ? {} : { grant }),
    ...(hold === undefined ? {} : { hold }),
    ...(red === undefined ? {} : { red }),
    ...(counter === undefined ? {} : { counter }),
  }
}

function readInputs(form: Form, boards: Boards): LaneConfig['inputs'] {
  const inputs = form.form('inputs')
  const found: Partial<Record<Signal, Wire>> = {}
  for (const signal of SIGNALS) {
    const wire = inputs && readWire(inputs, signal, boards)
    if (wire !== undefined) found[signal] = wire
  }
  inputs?.close()
  const pairs = [
    ['in', 'out'],
    ['beam-a', 'beam-b'],
  ] as const
  for (const [one, other] of pairs) {
    if ((found[one] === undefined) !== (found[other] === undefined))
      form.complain('inputs', `${one} and ${other} belong together`)
  }
  return found
}

function readWire(form: Form, key: string, boards: Boards): Wire | undefined {
  if (form.kind(key) === 'none') return undefined
  const wire = form.form(key)
  if (wire === undefined) return undefined
  const coil = placeOf(wire, boards, 'inputs')
  // PASS contacts and fire loops idle closed; buttons, key switches and light barriers idle open
  const otherwise = key === 'in' || key === 'out' || key === 'fire' ? 'closed' : 'open'
  const normally = wire.oneOf('normally', ['open', 'closed'], otherwise)
  wire.close()
  return { ...coil, normally }
}

function readHold(form: Form, boards: Boards): LaneConfig['hold'] {
  const inner = form.kind('hold') === 'none' ? undefined : form.form('hold')
  if (inner === undefined) return undefined
  const coil = placeOf(inner, boards, 'coils')
  const isLevel = inner.kind('beatMs') === 'none'
  const beatMs = isLevel ? undefined : inner.whole('beatMs', { min: 10, max: 500 })
  // a board's output is a lease already; a beat would wear its relay out
  if (beatMs !== undefined && boards !== undefined) inner.complain('beatMs', 'is for pins of the driver gpio only')
  inner.close()
  return { coil, ...(beatMs === undefined ? {} : { beatMs }) }
}

function readPulse(form: Form, key: string, boards: Boards): LaneConfig['grant'] {
  const inner = form.kind(key) === 'none' ? undefined : form.form(key)
  if (inner === undefined) return undefined
  const coil = placeOf(inner, boards, 'coils')
  const pulseMs = inner.whole('pulseMs', { min: 100, max: 10_000, otherwise: 300 })
  inner.close()
  return { coil, pulseMs }
}

/** `on` is a board of this config, or the label of a chip. */
function placeOf(form: Form, boards: Boards, of: 'inputs' | 'coils'): Coil {
  const on = form.text('on', 'name of a board, or label of a GPIO chip', text => /^[\x21-\x7e]{1,60}$/.test(text))
  const at = form.whole('at', { min: 0, max: 1023 })
  const board = boards?.get(on)
  if (boards === undefined || on === '') return { on, at }
  if (board?.map.kind !== 'relay')
    form.complain('on', `there is no board ${on} with ${of}; there are ${[...boards.keys()].join(', ')}`)
  else if (at >= board.map[of].count) form.complain('at', `board ${on} has ${of} 0 to ${board.map[of].count - 1}`)
  return { on, at }
}

/** The gate takes a passage for granted after a minute: by then the hardware must have said that nobody walked. */
const WINDOW_MS_MAX = 50_000

function readRules(form: Form): PassageRules {
  const rules = form.form('rules')
  if (rules === undefined) return PASSAGE_RULES
  const ms = (key: keyof PassageRules, max = 60_000) => rules.whole(key, { min: 1, max, otherwise: PASSAGE_RULES[key] })
  const found: PassageRules = {
    bounceMs: ms('bounceMs', 1000),
    pulseMsMin: ms('pulseMsMin', 5000),
    pulseMsMax: ms('pulseMsMax'),
    togetherMs: ms('togetherMs', 1000),
    doubleMs: ms('doubleMs', 5000),
    passageMs: ms('passageMs', 40_000),
    guardMs: ms('guardMs', 20_000),
    tailgateMs: ms('tailgateMs'),
    perMinuteMax: rules.whole('perMinuteMax', { min: 1, max: 600, otherwise: PASSAGE_RULES.perMinuteMax }),
    silentMs: rules.whole('silentMs', { min: 0, max: 86_400_000, otherwise: PASSAGE_RULES.silentMs }),
  }
  rules.close()
  const flaw = flawOf(found)
  if (flaw !== undefined) form.complain('rules', flaw)
  if (found.passageMs + found.guardMs > WINDOW_MS_MAX) {
    form.complain('rules', `passageMs and guardMs: together at most ${WINDOW_MS_MAX}`)
  }
  return found
}
