// Drill: a switch that takes this gate off the network as far as asked, so that people can see what a cut does. Only a
// gate whose config says `drills` has it, and only on its machine's own loopback.
//
// Law: it takes connections away and gives them back, and nothing else. What a gate decides without them is what it
// always decides without them.

import type { LanPort } from '../mesh/station.ts'
import { type Asked, json, Refusal, type Reply, type Route } from '../mesh/window/route.ts'

export function drillRoutes(lan: () => LanPort | undefined): readonly Route[] {
  return [
    { method: 'GET', path: '/drill/cut', answer: () => json(200, { from: severedOf(lan()).severed.names }) },
    { method: 'POST', path: '/drill/cut', answer: asked => cut(severedOf(lan()), asked) },
  ]
}

type Severable = LanPort & Required<Pick<LanPort, 'severed'>>

function severedOf(lan: LanPort | undefined): Severable {
  if (lan?.severed === undefined) throw new Refusal(503, 'this gate has no network yet')
  return lan as Severable
}

/** The whole list each time: an empty one heals everything. */
async function cut(lan: Severable, asked: Asked): Promise<Reply> {
  const from = namesIn(await asked.body())
  const peers = lan.peers().map(({ name }) => name)
  const nobody = from.find(name => !peers.includes(name))
  if (nobody !== undefined) throw new Refusal(400, `from: there is no ${JSON.stringify(nobody)} beside this gate`)
  lan.severed.set(from)
  return json(200, { from: lan.severed.names })
}

function namesIn(body: string): readonly string[] {
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch (error) {
    throw new Refusal(400, 'the body is not JSON', { cause: error })
  }
  const { from } = (said ?? {}) as { from?: unknown }
  if (Array.isArray(from) && from.every(name => typeof name === 'string')) return from
  throw new Refusal(400, 'from: a list of names, as in ["anchor", "gate-02"]; an empty one heals')
}
