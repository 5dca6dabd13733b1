// Demo: what `gatemesh mall` answers by itself, below /demo/: the panel's files, its state, its drills, and the keys of
// the two played operators, so that one person can try what takes two.

import { join } from 'node:path'
import { pageRoutes, readPageFiles } from '../../mesh/window/page-files.ts'
import { type Asked, json, plain, Refusal, type Route } from '../../mesh/window/route.ts'
import type { Drills, Wish } from './drills.ts'
import { type Home, OPERATORS } from './home.ts'

const PAGES = '/demo/pages'

/** For the head of the mall's page: the panel comes with it. */
export const PANEL = [
  `<link rel="stylesheet" href="${PAGES}/panel.css">`,
  `<link rel="stylesheet" href="${PAGES}/tour.css">`,
  `<script type="module" src="${PAGES}/panel.js"></script>`,
].join('')

export function demoRoutes(home: Home, drills: () => Drills | undefined): readonly Route[] {
  const running = () => {
    const there = drills()
    if (there === undefined) throw new Refusal(503, 'the mall is still starting')
    return there
  }
  return [
    ...pageRoutes(PAGES, () => readPageFiles(join(import.meta.dirname, 'pages'))),
    { method: 'GET', path: '/demo/state', answer: async () => json(200, await running().state()) },
    {
      method: 'POST',
      path: '/demo/act',
      answer: async asked => json(200, { said: await running().act(await wishIn(asked)) }),
    },
    ...OPERATORS.map(({ name }) => ({
      method: 'GET' as const,
      path: `/demo/keys/${name}`,
      answer: () => plain(`${home.key(name)}\n`),
    })),
  ]
}

async function wishIn(asked: Asked): Promise<Wish> {
  let said: unknown
  try {
    said = JSON.parse(await asked.body())
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(400, 'the body is not JSON', { cause: error })
  }
  if (typeof said === 'object' && said !== null && !Array.isArray(said)) return said as Wish
  throw new Refusal(400, 'the body is no JSON object, as in {"do": "rush", "gate": "gate-01"}')
}
