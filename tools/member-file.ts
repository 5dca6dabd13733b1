// Member file: the config of a gate or the anchor as it is written for a mall that was just founded.

import { join } from 'node:path'
import { ANCHOR } from '../ledger/account.ts'
import { writeWhole } from '../mesh/whole-file.ts'

export interface MemberPlaces {
  /** where the mesh reaches it, as `host:port` */
  readonly listen: string
  /** `open`, of the anchor only: whoever reaches its port reads, as on a machine of one's own */
  readonly http: { readonly host: string; readonly port: number; readonly access?: 'open' | 'tokens' }
  /** the folder of its ledger; called as it is, unless said */
  readonly store?: string
  /** addresses of others by name, for malls that block multicast */
  readonly peers?: Readonly<Record<string, readonly string[]>>
  readonly mdns?: boolean | { readonly interface: string }
  /** of gates only: they may be cut off from others, to see what happens */
  readonly drills?: boolean
  /** of gates only: what stands at the door; a soft one unless said */
  readonly turnstile?: object
  /** what anyone may know */
  readonly public?: object
}

export function memberFilePath(dir: string, name: string): string {
  return join(dir, `${name}.json`)
}

/** Paths as they are in the folder of the founding; on its own machine a member has the same files side by side. */
export async function writeMemberFile(dir: string, name: string, a: MemberPlaces): Promise<string> {
  const config = {
    name,
    charter: 'charter.note',
    owner: 'owner.vkey',
    key: `keys/${name}.key`,
    store: a.store ?? name,
    listen: [a.listen],
    peers: a.peers ?? {},
    mdns: a.mdns ?? true,
    http: a.http,
    ...(name === ANCHOR ? {} : { turnstile: a.turnstile ?? { driver: 'soft' }, alone: false }),
    ...(name === ANCHOR || a.drills !== true ? {} : { drills: true }),
    ...(a.public === undefined ? {} : { public: a.public }),
    log: { level: 'info' },
  }
  const path = memberFilePath(dir, name)
  await writeWhole(path, `${JSON.stringify(config, null, 2)}\n`, 0o644)
  return path
}
