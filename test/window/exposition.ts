// Exposition: a strict reader of Prometheus' text format 0.0.4, which knows nothing of how ours is written.

import assert from 'node:assert/strict'

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`)
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`)
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?[0-9.eE+-]+|NaN|[+-]Inf)$`)
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y

export class Exposition {
  readonly #values = new Map<string, number>()
  readonly types = new Map<string, string>()

  constructor(text: string) {
    assert.ok(text.endsWith('\n'), 'the last line ends too')
    let family = ''
    let helped = ''
    for (const line of text.slice(0, -1).split('\n')) {
      const help = HELP.exec(line)
      const type = TYPE.exec(line)
      if (help) helped = help[1] as string
      else if (type) {
        family = type[1] as string
        assert.equal(helped, family, 'help, then type')
        assert.ok(!this.types.has(family), `${family} twice`)
        this.types.set(family, type[2] as string)
      } else this.#sample(line, family)
    }
    for (const [name, type] of this.types) {
      if (type === 'counter') assert.match(name, /_total$/)
      if (type === 'histogram') this.#checkHistogram(name)
    }
  }

  /** `name` or `name{a="b"}` exactly as written. */
  value(series: string): number {
    const value = this.#values.get(series)
    assert.ok(value !== undefined, `there is no ${series}`)
    return value
  }

  #sample(line: string, family: string): void {
    const [, name = '', labels, value = ''] = SAMPLE.exec(line) ?? assert.fail(`not a sample: ${line}`)
    const suffix = this.types.get(family) === 'histogram' ? '(_bucket|_sum|_count)' : ''
    assert.match(name, new RegExp(`^${family}${suffix}$`), `a sample of ${family}`)
    if (labels !== undefined) checkLabels(labels)
    const series = labels === undefined ? name : `${name}{${labels}}`
    assert.ok(!this.#values.has(series), `${series} twice`)
    const number = Number(value.replace('Inf', 'Infinity'))
    assert.ok(!Number.isNaN(number), line)
    this.#values.set(series, number)
  }

  #checkHistogram(name: string): void {
    const groups = new Map<string, [le: number, count: number][]>()
    for (const [series, count] of this.#values) {
      const [, labels, le] = new RegExp(`^${name}_bucket\\{(.*?),?le="([^"]+)"\\}$`).exec(series) ?? []
      if (labels === undefined) continue
      groups.set(labels, [...(groups.get(labels) ?? []), [Number(le?.replace('Inf', 'Infinity')), count]])
    }
    assert.ok(groups.size > 0, `${name} has buckets`)
    for (const [labels, buckets] of groups) {
      buckets.forEach(([le, count], i) => {
        const [below, fewer] = buckets[i - 1] ?? [Number.NEGATIVE_INFINITY, 0]
        assert.ok(le > below && count >= fewer, `${name}: buckets rise`)
      })
      const [top, all] = buckets.at(-1) ?? []
      assert.equal(top, Number.POSITIVE_INFINITY)
      const of = labels === '' ? '' : `{${labels}}`
      assert.equal(this.value(`${name}_count${of}`), all)
      assert.ok(this.value(`${name}_sum${of}`) >= 0)
    }
  }
}

function checkLabels(labels: string): void {
  for (LABEL.lastIndex = 0; LABEL.lastIndex < labels.length; ) assert.ok(LABEL.test(labels), `labels: ${labels}`)
}
