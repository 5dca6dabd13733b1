// `gatemesh gate`: one gate, as it runs at its door.

import { readGate } from '../../node/config.ts'
import { startGate } from '../../node/controller.ts'
import { memberWishes, runMember } from '../member-process.ts'

export const summary = 'run one gate'

export const help = `
gatemesh gate --config FILE [--restored] [--with-parent]

  --config FILE    what \`gatemesh charter new\` wrote for this gate; paths in it are relative to the file
  --restored       the store is a copy that was put back by hand: its ledger is given up and the next epoch opened.
                   Say it once; from then on the gate remembers
  --with-parent    stop when standard input ends

People get out from the moment its port is open, whatever else fails. Entries are decided once the store is open and
the gate has heard from the anchor or from most other gates.

Says what happens as JSON lines on standard output: "listening", "store", "lan", "state" and "mode" when they change,
"alarm" once a minute of each kind. SIGTERM or Ctrl-C: entries stop, tokens go to a peer, the disk catches up, exit
code 0. A second Ctrl-C ends it at once, which is as safe as a power cut.
`

export function run(args: string[]): Promise<number> {
  return runMember(memberWishes(args, { birth: false }), readGate, startGate)
}
