// At once: tests that wait far more than they work, all begun together; each still passes or fails by itself.

import type { Suite } from '../suite.ts'

export function atOnce(test: Suite): (name: string, act: () => Promise<void>) => void {
  const starts: (() => void)[] = []
  test.before(() => {
    for (const start of starts) start()
  })
  return (name, act) => {
    let done: Promise<void> | undefined
    starts.push(() => {
      done = act()
      // whoever awaits it hears of its failure; until then it is not unhandled
      done.catch(() => undefined)
    })
    test(name, () => done)
  }
}
