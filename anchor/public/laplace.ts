// Laplace: the discrete kind (two-sided geometric), drawn exactly.
//
// Law: P(y) is in proportion to e^(−|y|·den/num), so two counts that differ by one give any answer with chances that
// differ by a factor of e^(den/num) at most. Only whole numbers are used: what a floating-point sampler cannot reach would
// tell the count that it started from.
//
// Canonne, Kamath, Steinke: The Discrete Gaussian for Differential Privacy (2020), algorithms 1 and 2.

/** A whole number from 0 to n − 1, each as likely as the others. */
export type Below = (n: number) => number

/** The scale, num/den: about the mean distance from zero. */
export interface Scale {
  readonly num: number
  readonly den: number
}

export function drawLaplace({ num, den }: Scale, below: Below): number {
  for (;;) {
    const rest = below(num)
    if (!isDrawn(rest, num, below)) continue
    let wholes = 0
    while (isDrawn(1, 1, below)) wholes++
    const size = Math.floor((rest + num * wholes) / den)
    const isNegative = below(2) === 1
    // zero has no sign: with both it would be drawn twice as often as it should
    if (isNegative && size === 0) continue
    return isNegative ? -size : size
  }
}

/** True with the chance e^(−num/den), for num ≤ den. */
function isDrawn(num: number, den: number, below: Below): boolean {
  let k = 1
  while (below(den * k) < num) k++
  return k % 2 === 1
}

/** The least distance that at least 95 in 100 draws are within. */
export function error95({ num, den }: Scale): number {
  const p = Math.exp(-den / num)
  // P(|y| > k) = 2·p^(k+1) / (1+p)
  return Math.max(0, Math.ceil(Math.log((0.05 * (1 + p)) / 2) / Math.log(p)) - 1)
}
