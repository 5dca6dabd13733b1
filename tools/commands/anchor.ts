// `gatemesh anchor`: the one place that mints what operators signed.

import { readAnchor } from '../../anchor/config.ts'
import { startAnchor } from '../../anchor/service.ts'
import { memberWishes, runMember } from '../member-process.ts'

export const summary = 'run the anchor of a mall'

export const help = `
gatemesh anchor --config FILE [--birth] [--restored] [--with-parent]

  --config FILE    what \`gatemesh charter new\` wrote for the anchor; paths in it are relative to the file
  --birth          the mall opens for the very first time. Only then may an anchor without a ledger mint; once it has
                   opened one the file \`born\` beside its store says so, and this option does nothing any more
  --restored       the store is a copy that was put back by hand: its ledger is given up and the next epoch opened
  --with-parent    stop when standard input ends

  curl --data-binary @policies/1.note URL/policy     bring it a policy that operators signed
  curl --data-binary @mode.note URL/modes            bring it a mode note (any gate takes one too)

Says what happens as JSON lines on standard output. SIGTERM or Ctrl-C stops it cleanly; the mall runs on without it.
`

export function run(args: string[]): Promise<number> {
  const wishes = memberWishes(args, { birth: true })
  const { isBirth } = wishes
  return runMember(wishes, readAnchor, (config, surroundings) => startAnchor(config, { ...surroundings, isBirth }))
}
