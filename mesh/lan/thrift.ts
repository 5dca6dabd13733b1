// Thrift: yamux answers every frame of data with one that says how much more may come. A row that a gate tells would cost
// two packets and two wake-ups at both ends, thirty times a second for nothing. As yamux itself recommends, and others
// do, the window is renewed once half of it is used.
//
// The library has no setting for this, so its stream is taught here, once, and left alone where it is not as we know it.

import type { Stream } from '@libp2p/interface'

interface YamuxStream {
  state: number
  recvWindow: number
  recvWindowCapacity: number
  sendWindowUpdate(): void
}

const ESTABLISHED = 3
const taught = new WeakSet<object>()

export function teachThrift(stream: Stream): void {
  const kind = Object.getPrototypeOf(stream) as YamuxStream
  if (taught.has(kind) || !isKnown(stream as unknown as Partial<YamuxStream>)) return
  taught.add(kind)
  const renew = kind.sendWindowUpdate
  kind.sendWindowUpdate = function (this: YamuxStream): void {
    const isAmple = this.recvWindowCapacity > this.recvWindow / 2
    if (this.state !== ESTABLISHED || !isAmple) renew.call(this)
  }
}

function isKnown({ state, recvWindow, recvWindowCapacity, sendWindowUpdate }: Partial<YamuxStream>): boolean {
  const numbers = [state, recvWindow, recvWindowCapacity]
  return numbers.every(Number.isSafeInteger) && typeof sendWindowUpdate === 'function'
}
