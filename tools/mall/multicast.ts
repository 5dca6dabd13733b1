// Multicast: does what is said to a group on this interface come back here? Containers and some kernels say no.

import { createSocket } from 'node:dgram'

/** The group of mDNS, on a port of our own: nobody else is disturbed by the question. */
const GROUP = '224.0.0.251'
const ASKED_AGAIN_MS = 50
const ANSWER_MS_MAX = 500

export function hearsMulticast(address: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    const word = `gatemesh ${process.pid} ${Math.random()}`
    let again: NodeJS.Timeout | undefined
    const done = (heard: boolean) => {
      clearInterval(again)
      clearTimeout(limit)
      socket.removeAllListeners('error').on('error', () => undefined)
      socket.close()
      resolve(heard)
    }
    const limit = setTimeout(() => done(false), ANSWER_MS_MAX)
    socket.on('error', () => done(false))
    socket.on('message', message => {
      if (message.toString() === word) done(true)
    })
    socket.bind(0, () => {
      try {
        socket.addMembership(GROUP, address)
        socket.setMulticastInterface(address)
        socket.setMulticastLoopback(true)
        const { port } = socket.address()
        const ask = () => socket.send(word, port, GROUP, error => error && done(false))
        again = setInterval(ask, ASKED_AGAIN_MS)
        ask()
      } catch {
        done(false)
      }
    })
  })
}
