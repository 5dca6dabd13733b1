// Traffic: how much went over the wire since the start, in numbers that only grow.

export interface LanTraffic {
  bytesIn: number
  bytesOut: number
  framesIn: number
  framesOut: number
  dials: number
  /** frames not sent because the far end does not read, and frames not looked at because it sent too many */
  drops: number
}

export function noTraffic(): LanTraffic {
  return { bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0, dials: 0, drops: 0 }
}
