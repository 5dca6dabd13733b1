// Prometheus: measures as text that its scrapers read (exposition format 0.0.4).

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface Sample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
  /** of a histogram: `_bucket`, `_sum`, `_count` */
  readonly suffix?: string
}

export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export function prometheusText(families: readonly Family[]): string {
  const lines: string[] = []
  for (const { name, help, type, samples } of families) {
    if (samples.length === 0) continue
    lines.push(`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`)
    for (const sample of samples)
      lines.push(`${name}${sample.suffix ?? ''}${labelText(sample)} ${number(sample.value)}`)
  }
  return `${lines.join('\n')}\n`
}

/** A family of one number. */
export function single(type: 'counter' | 'gauge', name: string, help: string, value: number): Family {
  return { name, help, type, samples: [{ value }] }
}

/** A family with one number per value of a label. */
export function tallied(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  a: { readonly by: string; readonly values: Iterable<readonly [string, number]> },
): Family {
  const samples = Array.from(a.values, ([label, value]) => ({ value, labels: { [a.by]: label } }))
  return { name, help, type, samples }
}

function labelText({ labels = {} }: Sample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
