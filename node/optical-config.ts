// Optical config: what the gate's file says of one optical counter.

import type { JsonMap, JsonPath, OpticalConfig } from '../hardware/optical/config.ts'
import type { Form } from '../mesh/form.ts'

export const FORMATS = ['axis', 'axis-3d', 'xovis', 'milesight', 'json'] as const

const URL_WORDS = 'an address, as in http://10.0.0.31/local/tvpc/.api?live-sum.json'
const PATH_WORDS = 'names and numbers joined by dots, as in data.0.in'

export function readOptical(all: Form, name: string): OpticalConfig {
  const form = all.form(name)
  if (form === undefined) return { name, format: 'axis', isSwapped: false }
  const format = form.oneOf('format', FORMATS, 'axis')
  const pull = readPull(form)
  const counterIds = format === 'xovis' ? readIds(form) : undefined
  const map = format === 'json' ? readMap(form) : undefined
  const isSwapped = form.flag('swapped', false)
  const judges = form.flag('judges', true)
  const silentMs = form.kind('silentMs') === 'none' ? undefined : form.whole('silentMs', { min: 1000, max: 86_400_000 })
  const walkMs = form.kind('walkMs') === 'none' ? undefined : form.whole('walkMs', { min: 1000, max: 600_000 })
  if (pull === undefined && (format === 'axis' || format === 'axis-3d')) {
    form.complain('pull', `is missing: ${format} counters are asked, as in {"url": "…"}`)
  }
  form.close()
  return {
    name,
    format,
    ...(pull === undefined ? {} : { pull }),
    ...(counterIds === undefined ? {} : { counterIds }),
    ...(map === undefined ? {} : { map }),
    isSwapped,
    judges,
    ...(silentMs === undefined ? {} : { silentMs }),
    ...(walkMs === undefined ? {} : { walkMs }),
  }
}

function readPull(form: Form): OpticalConfig['pull'] {
  const pull = form.kind('pull') === 'none' ? undefined : form.form('pull')
  if (pull === undefined) return undefined
  const url = pull.secret('url', URL_WORDS, text => /^https?:$/.test(URL.parse(text)?.protocol ?? '')) ?? ''
  if (pull.kind('url') === 'none') pull.complain('url', `is missing: ${URL_WORDS}`)
  const found = {
    url,
    everyMs: pull.whole('everyMs', { min: 200, max: 600_000, otherwise: 5000 }),
    timeoutMs: pull.whole('timeoutMs', { min: 100, max: 60_000, otherwise: 3000 }),
  }
  pull.close()
  return found
}

function readIds(form: Form): OpticalConfig['counterIds'] {
  const ids = form.form('counterIds')
  if (ids === undefined) {
    form.complain(
      'counterIds',
      'is missing: which counters of the device are in and out, as in {"in": "1", "out": "2"}',
    )
    return undefined
  }
  const list = (key: string) =>
    ids
      .text(key, 'numbers of counters, joined by commas', text => /^\d{1,9}(,\d{1,9})*$/.test(text))
      .split(',')
      .map(Number)
  const found = { in: list('in'), out: list('out') }
  ids.close()
  return found
}

function readMap(form: Form): JsonMap | undefined {
  const map = form.form('map')
  if (map === undefined) {
    form.complain(
      'map',
      'is missing: where in the JSON the counts stand, as in {"in": "data.0.in", "out": "data.0.out"}',
    )
    return undefined
  }
  const found: JsonMap = {
    in: readPath(map, 'in'),
    out: readPath(map, 'out'),
    ...(map.kind('device') === 'none' ? {} : { device: readPath(map, 'device') }),
    ...(map.kind('id') === 'none' ? {} : { id: readPath(map, 'id') }),
    counts: map.oneOf('counts', ['cumulative', 'interval'], 'cumulative'),
  }
  map.close()
  if (found.counts === 'interval' && found.id === undefined) {
    form.complain('map.id', 'is missing: without it the same interval told twice would count twice')
  }
  return found
}

function readPath(form: Form, key: string): JsonPath {
  const text = form.text(key, PATH_WORDS, path => /^[^.\s]{1,60}(\.[^.\s]{1,60}){0,9}$/.test(path))
  return text.split('.').map(part => (/^\d{1,6}$/.test(part) ? Number(part) : part))
}
