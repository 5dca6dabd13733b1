// Scale: from figures to places on a drawing, and the round figures at which to write them down.

export type Scale = (value: number) => number

export interface Span {
  readonly from: number
  readonly to: number
}

export function linear(values: Span, places: Span): Scale {
  const step = (places.to - places.from) / (values.to - values.from || 1)
  return value => places.from + (value - values.from) * step
}

/** Each tenfold is as wide as the next. Figures are positive. */
export function logarithmic(values: Span, places: Span): Scale {
  const even = linear({ from: Math.log10(values.from), to: Math.log10(values.to) }, places)
  return value => even(Math.log10(value))
}

/** Each further nine is as high as the one before: 90 %, 99 %, 99.9 %. That is where what people complain of is. */
export function nines(to: number, places: Span): Scale {
  const even = linear({ from: 0, to: depth(to) }, places)
  return share => even(depth(share))
}

/** How many nines a share has: 0.9 has one, 0.99 two. */
export function depth(share: number): number {
  return -Math.log10(1 - share)
}

/** 0, and round steps, to the first that is at or above the largest figure. */
export function stepsTo(most: number, count = 4): number[] {
  const rough = (most > 0 ? most : 1) / count
  const unit = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(times => times * unit).find(it => it >= rough * 0.999) as number
  const steps = Math.ceil((most > 0 ? most : 1) / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** 1, 2, 5, 10, 20 … around these figures; tenfolds alone where that would be too many. */
export function stepsBetween({ from, to }: Span, countMax = 10): number[] {
  for (const digits of [[1, 2, 5], [1]]) {
    const all: number[] = []
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++)
      all.push(...digits.map(digit => Number((digit * 10 ** power).toPrecision(12))))
    const first = all.findLastIndex(step => step <= from)
    const last = all.findIndex(step => step >= to)
    const steps = all.slice(Math.max(0, first), Math.max(last, first + 1) + 1)
    if (steps.length <= countMax || digits.length === 1) return steps
  }
  return []
}
