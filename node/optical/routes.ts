// Where optical counters push to: POST /optical/NAME, one address each.
//
// Law: whoever pushes here can make people be counted as inside, so where the gate has a pass they show it: as Bearer,
// or, for devices that know only name and password, as the password with any name.

import { HardwareFault } from '../../hardware/turnstile.ts'
import { json, Refusal, type Route } from '../../mesh/window/route.ts'
import { shows } from '../pass.ts'

/** With a picture in it that nobody looks at. */
const BODY_BYTES_MAX = 1024 * 1024
const NO_PASS = 'this gate has a pass: send it as "Authorization: Bearer PASS", or as a password with any name'

export interface PushPlace {
  readonly name: string
  readonly pass: string | undefined
  /** Throws a HardwareFault where the message cannot be read. */
  readonly hear: (text: string) => void
  readonly isReady: () => boolean
}

export function pushRoute({ name, pass, hear, isReady }: PushPlace): Route {
  return {
    method: 'POST',
    path: `/optical/${name}`,
    bodyBytesMax: BODY_BYTES_MAX,
    answer: async asked => {
      if (!mayPush(asked.authorization, pass)) {
        const challenge = 'Basic realm="gatemesh gate", Bearer realm="gatemesh gate"'
        return { ...json(401, { error: NO_PASS }), headers: { 'www-authenticate': challenge } }
      }
      const text = await asked.body()
      if (!isReady()) throw new Refusal(503, 'this gate is still starting: send it again')
      try {
        hear(text)
      } catch (error) {
        if (!(error instanceof HardwareFault)) throw error
        throw new Refusal(400, `${name}: ${error.message}`, { cause: error })
      }
      return json(200, { counter: name })
    },
  }
}

function mayPush(authorization: string | undefined, pass: string | undefined): boolean {
  if (shows(authorization, pass)) return true
  const [, packed = ''] = /^basic +([a-z0-9+/=]+) *$/i.exec(authorization ?? '') ?? []
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(packed, 'base64').toString('utf8')) ?? []
  return shows(`Bearer ${password}`, pass)
}
