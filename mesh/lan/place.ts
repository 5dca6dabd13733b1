// Place: where a member can be reached, as people write it: `host:port`.

import { Fault } from '../../ledger/fault.ts'

export interface Place {
  readonly host: string
  readonly port: number
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/** `10.0.0.7:4501`. Addresses only: a name server is one more thing that can be away. */
export function parsePlace(text: string): Place {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, Math.max(0, at))
  const port = Number(text.slice(at + 1))
  const isPort = /^\d{1,5}$/.test(text.slice(at + 1)) && port <= 65_535
  if (!IPV4.test(host) || !isPort) throw new Fault('PLACE', `not an IPv4 address and port: ${JSON.stringify(text)}`)
  return { host, port }
}

export function placeText({ host, port }: Place): string {
  return `${host}:${port}`
}

export function isLoopback({ host }: Place): boolean {
  return host.startsWith('127.')
}
