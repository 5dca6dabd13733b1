// Service: the anchor as a process: it mints what operators signed, hands it out, and takes in what they bring.

import { Host, type Surroundings } from '../mesh/host.ts'
import type { Member } from '../mesh/member.ts'
import { newId } from '../mesh/real-clock.ts'
import type { Witness } from '../mesh/shell.ts'
import { limitsOf } from '../mesh/station.ts'
import { Vitals } from '../mesh/window/vitals.ts'
import { WireMetrics } from '../mesh/window/wire-metrics.ts'
import { Anchor, type AnchorEvent } from './anchor.ts'
import { Born } from './born.ts'
import type { AnchorConfig } from './config.ts'
import { anchorRoutes } from './http.ts'
import { statusOf } from './status.ts'

export interface AnchorSurroundings extends Surroundings {
  /** somebody says that this mall opens for the first time */
  readonly isBirth: boolean
}

const NOT_BORN = 'no ledger and none was born here: the very first start of a mall needs --birth'

export function startAnchor(config: AnchorConfig, surroundings: AnchorSurroundings): Promise<Host<AnchorEvent>> {
  const { name } = config
  const { clock, papers, isBirth, log } = surroundings
  const { charter, signer } = papers
  const born = new Born(config.store)
  const limits = limitsOf(charter)
  const key = signer.verifier.toString()
  return Host.start<AnchorEvent>(config, surroundings, host => {
    const wire = new WireMetrics(clock)
    const vitals = new Vitals()
    const status = () => statusOf(host.station?.shell, name, clock.now())
    const isBorn = () => {
      born.note().catch(error => host.alarm('BORN', `born: ${error.message}; no policy is taken before that is mended`))
    }
    return {
      make: () => new Anchor({ name, charter, limits, key, newId }, { birth: isBirth && !born.is }),
      witness: witnessOf(host, isBorn),
      meter: wire,
      opened: async shell => {
        // a ledger that is there was born, though the power may have gone before that was written down
        if ((await shell.store.accounts()).length > 0) await born.note()
        else if (born.is)
          log.warn('doubt', { doubt: 'born, and without a ledger: what it minted before is carried over' })
        else if (!isBirth) log.warn('doubt', { doubt: NOT_BORN })
      },
      routes: anchorRoutes({
        charter,
        status,
        report: () => host.report(),
        metrics: () => [...wire.families(), ...vitals.families()],
        me: () => ableOf(host, born, isBorn),
        decree: policy => host.station.step({ kind: 'decreed', policy }),
        command: note => host.command(note, statement => host.station.step({ kind: 'commanded', statement })),
        wall: () => clock.wall(),
      }),
      state: status,
      telemetry: () => {
        const { state, mode, balance, peers } = status()
        return { state, mode, balance, peers }
      },
    }
  })
}

/** Nothing is minted before it is on disk that this anchor was born: without that it could be born twice. */
function ableOf(host: Host<AnchorEvent>, born: Born, isBorn: () => void): Member | string {
  const anchor = host.station.shell?.core as Anchor | undefined
  if (anchor === undefined || !anchor.isJoined) return 'the anchor has not joined yet: bring it again in a moment'
  if (born.is) return anchor.me
  isBorn()
  return 'that this anchor was born is not on disk yet: bring it again in a moment'
}

function witnessOf(host: Host<AnchorEvent>, isBorn: () => void): Witness {
  return {
    wrote: body => {
      if (body.type === 'open') isBorn()
    },
    opened: () => undefined,
    answered: () => undefined,
    letOut: () => undefined,
    mode: () => undefined,
    alarm: (code, detail) => host.alarm(code, detail),
    restarted: why => host.alarm('RESTARTED', `anchor: ${why}`),
  }
}
