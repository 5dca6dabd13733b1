// Impostor: whoever took a member's key and address, and nothing else of it. It says what a test tells it to say.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCharter } from '../../ledger/charter-note.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { Lan } from '../../mesh/lan/lan.ts'
import { parsePlace } from '../../mesh/lan/place.ts'
import type { Lane } from '../../mesh/lane.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { keyPath } from '../../tools/founding.ts'
import { memberFilePath } from '../../tools/member-file.ts'

export class Impostor {
  readonly #lan: Lan

  private constructor(lan: Lan) {
    this.#lan = lan
  }

  /** Resolves once it is connected to all of these. */
  static async start(dir: string, name: string, wanted: readonly string[]): Promise<Impostor> {
    const owner = VerifierKey.parse(readFileSync(join(dir, 'owner.vkey'), 'utf8').trim())
    const { charter, hash: charterHash } = openCharter(readFileSync(join(dir, 'charter.note'), 'utf8'), owner)
    const config = JSON.parse(readFileSync(memberFilePath(dir, name), 'utf8'))
    const quiet = () => undefined
    const lan = await Lan.start({
      name,
      charter,
      charterHash,
      signer: SignerKey.parse(readFileSync(keyPath(dir, name), 'utf8').trim()),
      roster: () => charter.gates,
      isBanned: () => false,
      listen: config.listen.map(parsePlace),
      peers: new Map(Object.entries<string[]>(config.peers).map(([peer, at]) => [peer, at.map(parsePlace)])),
      mdns: false,
      clock: REAL_CLOCK,
      log: { info: quiet, warn: quiet, error: quiet },
      ears: { hear: () => 'accept', meet: quiet },
      board: { meet: quiet, hear: quiet, part: quiet },
      ledgers: { accounts: async () => [], size: async () => undefined, range: async function* () {} },
    })
    const impostor = new Impostor(lan)
    while (!wanted.every(peer => impostor.isUp(peer))) await sleep(20)
    return impostor
  }

  isUp(peer: string): boolean {
    return this.#lan.peers().some(({ name, isUp }) => name === peer && isUp)
  }

  send(to: string, message: object, lane: Lane = 'rows'): void {
    this.#lan.send(to, JSON.stringify(message), lane)
  }

  stop(): Promise<void> {
    return this.#lan.stop()
  }
}
