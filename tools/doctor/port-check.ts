// Port check: what the gate will ask for when it starts, tried by asking for the same and letting go at once; and whether
// those it calls are there.

import { connect, createServer } from 'node:net'
import type { MemberConfig } from '../../mesh/config.ts'
import { type Place, placeText } from '../../mesh/lan/place.ts'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'

const CALL_MS_MAX = 2000

/** Of a gate that does not run. */
export async function checkPorts(places: readonly { readonly use: string; readonly at: Place }[]): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { use, at } of places) found.push(portFinding(use, at, await taking(at)))
  return found
}

function portFinding(use: string, at: Place, code: string): Finding {
  const where = `${placeText(at)} (${use})`
  if (code === '') return fine('port', `${where} is free`)
  if (code === 'EADDRINUSE') {
    return wrong('port', `${where} is taken by another program`, `find it: ss -ltnp 'sport = :${at.port}'`)
  }
  if (code === 'EADDRNOTAVAIL') {
    return wrong('port', `${where}: this machine has no address ${at.host}`, 'put one of `ip -br addr` into the file')
  }
  if (code === 'EACCES') return wrong('port', `${where}: this user may not take it`, 'take a port above 1023')
  return wrong('port', `${where}: ${code}`, 'choose another address or port')
}

/** The code of what goes wrong, or nothing. */
function taking({ host, port }: Place): Promise<string> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('')))
  })
}

/** Whom the file names, called by whoever runs this. */
export async function checkPeers(
  { peers, mdns }: Pick<MemberConfig, 'peers' | 'mdns'>,
  others: number,
): Promise<Finding[]> {
  if (peers.size === 0) {
    if (mdns === false && others > 0) {
      const todo = 'name them in "peers", or set "mdns" to true'
      return [wrong('peers', `no addresses of the ${others} others, and multicast is off: it will find nobody`, todo)]
    }
    return [unknown('peers', 'found by multicast once the gate runs')]
  }
  const called = [...peers].map(async ([name, places]) => {
    const answers = await Promise.all(places.map(reached))
    return { name, places, isThere: answers.includes(true) }
  })
  const silent = (await Promise.all(called)).filter(({ isThere }) => !isThere)
  if (silent.length === 0) return [fine('peers', `all ${peers.size} answer: ${[...peers.keys()].join(', ')}`)]
  const named = silent.map(({ name, places }) => `${name} (${places.map(placeText).join(', ')})`).join(', ')
  const what = `${silent.length} of ${peers.size} do not answer: ${named}`
  return [doubt('peers', what, 'do they run? Are cables, switches and firewalls open for these ports (TCP)?')]
}

function reached({ host, port }: Place): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: CALL_MS_MAX })
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}
