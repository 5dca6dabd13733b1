// Exit id: the same exit of a counter has the same id whenever it is told, also where nothing could be written down in
// between. In the shape of a UUIDv7, because that is what ids in a ledger are; its time is when the count began.

import { createHash } from 'node:crypto'

export function exitId(a: { readonly device: string; readonly since: number; readonly value: number }): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([a.device, a.since, a.value]))
    .digest('hex')
  const time = Math.max(0, a.since).toString(16).padStart(12, '0').slice(-12)
  const variant = (8 + (Number.parseInt(hex.charAt(3), 16) & 3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}
