// Config of building signals: what is read, where, and which limit a signal asks for.
//
// Law: there is nothing here that could be written to a building. A rule lowers the capacity and says when it is over, at
// another level than the one at which it began.

import { Fault } from '../../ledger/fault.ts'
import type { Form } from '../../mesh/form.ts'
import { type Place, parsePlace } from '../../mesh/lan/place.ts'

export const REGISTER_TYPES = ['uint16', 'int16', 'uint32', 'int32', 'float32'] as const
export type RegisterType = (typeof REGISTER_TYPES)[number]

export interface ModbusWire {
  readonly kind: 'modbus'
  readonly place: Place
  readonly unit: number
  readonly registers: 'holding' | 'input'
  readonly at: number
  readonly type: RegisterType
  /** of two registers, the one that comes first */
  readonly first: 'high' | 'low'
}

export interface BacnetWire {
  readonly kind: 'bacnet'
  readonly place: Place
  readonly object: { readonly type: number; readonly instance: number }
}

export interface SourceConfig {
  readonly name: string
  readonly wire: ModbusWire | BacnetWire
  /** a raw number of the device × times ÷ over is the value */
  readonly times: number
  readonly over: number
  /** outside of these it is the word of a broken sensor */
  readonly min: number
  readonly max: number
  /** what it is counted in, for people */
  readonly in: string
}

export interface RuleConfig {
  readonly name: string
  readonly source: string
  readonly side: 'above' | 'below'
  readonly level: number
  readonly forMs: number
  readonly clear: number
  readonly clearMs: number
  /** people, or per cent of what is scheduled when it begins */
  readonly limit: { readonly capacity: number } | { readonly perCent: number }
  /** may put a limit in force that operators signed in advance */
  readonly enact: boolean
}

export interface BmsConfig {
  readonly everyMs: number
  readonly timeoutMs: number
  /** a source that said nothing good for so long is silent */
  readonly silentMs: number
  /** UDP port of ours for BACnet; 0: any */
  readonly bacnetPort: number
  readonly sources: readonly SourceConfig[]
  readonly rules: readonly RuleConfig[]
}

export const NO_BMS: BmsConfig = {
  everyMs: 10_000,
  timeoutMs: 3000,
  silentMs: 60_000,
  bacnetPort: 0,
  sources: [],
  rules: [],
}

/** Objects of BACnet that have one present value which is a number, and the numbers of their types. */
const OBJECTS: Readonly<Record<string, number>> = {
  'analog-input': 0,
  'analog-output': 1,
  'analog-value': 2,
  'binary-input': 3,
  'binary-output': 4,
  'binary-value': 5,
  'multi-state-input': 13,
  'multi-state-output': 14,
  'multi-state-value': 19,
  'integer-value': 45,
  'large-analog-value': 46,
  'positive-integer-value': 48,
}
const OBJECT = /^([a-z-]+):(\d{1,7})$/
const INSTANCE_MAX = 4_194_302
const VALUE_MAX = 1_000_000_000
const PEOPLE_MAX = 1_000_000
const DAY_S = 86_400

/**
 * Reads `"bms": { "everySeconds"?, "timeoutMs"?, "silentSeconds"?, "bacnetPort"?, "sources": { "co2": { "modbus":
 * "10.0.0.5:502", "unit", "registers", "at", "type", "first" } or { "bacnet": "10.0.0.6:47808", "object":
 * "analog-input:3" }, with "times", "over", "min", "max", "in" }, "rules": { "air": { "source", "above" or "below",
 * "forSeconds", "clear", "clearSeconds", "capacity" or "perCent", "enact" } } }`.
 */
export function readBms(form: Form): BmsConfig {
  const fields = form.form('bms')
  if (fields === undefined) return NO_BMS
  const seconds = (key: string, ms: number) =>
    1000 * fields.whole(key, { min: 1, max: DAY_S, otherwise: Math.round(ms / 1000) })
  const everyMs = seconds('everySeconds', NO_BMS.everyMs)
  const timeoutMs = fields.whole('timeoutMs', { min: 100, max: 60_000, otherwise: NO_BMS.timeoutMs })
  const silentMs = seconds('silentSeconds', NO_BMS.silentMs)
  if (silentMs < everyMs + timeoutMs)
    fields.complain('silentSeconds', 'longer than everySeconds and timeoutMs together')
  const bacnetPort = fields.whole('bacnetPort', { min: 0, max: 65_535, otherwise: 0 })
  const sources = [...fields.named('sources', readSource).values()].filter(one => one !== undefined)
  const rules = [...fields.named('rules', readRule).values()].filter(one => one !== undefined)
  for (const { name, source } of rules) {
    if (sources.some(one => one.name === source)) continue
    fields.complain(
      `rules.${name}.source`,
      `one of the sources, ${sources.map(one => one.name).join(', ') || 'of which there are none'}`,
    )
  }
  fields.close()
  return { everyMs, timeoutMs, silentMs, bacnetPort, sources, rules }
}

function readSource(all: Form, name: string): SourceConfig | undefined {
  const form = all.form(name)
  if (form === undefined) return undefined
  const isBacnet = form.kind('bacnet') !== 'none'
  if (isBacnet && form.kind('modbus') !== 'none') form.complain('bacnet', 'modbus or bacnet, not both')
  const wire = isBacnet ? readBacnet(form) : readModbus(form)
  const source = {
    name,
    wire,
    times: form.whole('times', { min: 1, max: 1_000_000, otherwise: 1 }),
    over: form.whole('over', { min: 1, max: 1_000_000, otherwise: 1 }),
    min: form.whole('min', { min: -VALUE_MAX, max: VALUE_MAX, otherwise: -VALUE_MAX }),
    max: form.whole('max', { min: -VALUE_MAX, max: VALUE_MAX, otherwise: VALUE_MAX }),
    in:
      form.kind('in') === 'none' ? '' : form.text('in', 'a word, as in "ppm"', text => /^[^\p{C}]{1,20}$/u.test(text)),
  }
  if (source.min >= source.max) form.complain('min', 'below max')
  form.close()
  return source
}

function readModbus(form: Form): ModbusWire {
  return {
    kind: 'modbus',
    place: readPlace(form, 'modbus', '10.0.0.5:502'),
    unit: form.whole('unit', { min: 0, max: 255, otherwise: 1 }),
    registers: form.oneOf('registers', ['holding', 'input'], 'input'),
    at: form.whole('at', { min: 0, max: 65_535 }),
    type: form.oneOf('type', REGISTER_TYPES, 'uint16'),
    first: form.oneOf('first', ['high', 'low'], 'high'),
  }
}

function readBacnet(form: Form): BacnetWire {
  const place = readPlace(form, 'bacnet', '10.0.0.6:47808')
  const kinds = Object.keys(OBJECTS).join(', ')
  const text = form.text('object', `an object and its number, as in "analog-input:3", one of ${kinds}`, isObject)
  const [, type = '', instance = '0'] = OBJECT.exec(text) ?? []
  return { kind: 'bacnet', place, object: { type: OBJECTS[type] ?? 0, instance: Number(instance) } }
}

function isObject(text: string): boolean {
  const [, type = '', instance = ''] = OBJECT.exec(text) ?? []
  return Object.hasOwn(OBJECTS, type) && Number(instance) <= INSTANCE_MAX
}

function readPlace(form: Form, key: string, example: string): Place {
  const text = form.text(key, `an IPv4 address with a port, as in "${example}"`, isPlace)
  return isPlace(text) ? parsePlace(text) : { host: '0.0.0.0', port: 0 }
}

function isPlace(text: string): boolean {
  try {
    return parsePlace(text).port > 0
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

function readRule(all: Form, name: string): RuleConfig | undefined {
  const form = all.form(name)
  if (form === undefined) return undefined
  const side = form.kind('below') === 'none' ? 'above' : 'below'
  if (side === 'below' && form.kind('above') !== 'none') form.complain('below', 'above or below, not both')
  const level = form.whole(side, { min: -VALUE_MAX, max: VALUE_MAX })
  const clear = form.whole('clear', { min: -VALUE_MAX, max: VALUE_MAX })
  if (side === 'above' ? clear > level : clear < level) {
    form.complain('clear', `the level at which it is over, not ${side} ${level}`)
  }
  const rule = {
    name,
    source: form.name('source'),
    side,
    level,
    forMs: 1000 * form.whole('forSeconds', { min: 0, max: DAY_S, otherwise: 300 }),
    clear,
    clearMs: 1000 * form.whole('clearSeconds', { min: 0, max: DAY_S, otherwise: 600 }),
    limit: readLimit(form),
    enact: form.flag('enact', false),
  } as const
  form.close()
  return rule
}

function readLimit(form: Form): RuleConfig['limit'] {
  if (form.kind('perCent') === 'none') return { capacity: form.whole('capacity', { min: 0, max: PEOPLE_MAX }) }
  if (form.kind('capacity') !== 'none') form.complain('perCent', 'capacity or perCent, not both')
  return { perCent: form.whole('perCent', { min: 0, max: 100 }) }
}
