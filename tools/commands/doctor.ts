// `gatemesh doctor`: what is wrong with a gate, and what to do about it; commissioning; accuracy by hand.

import { parseArgs } from 'node:util'
import { Fault } from '../../ledger/fault.ts'
import { isText } from '../../ledger/line.ts'
import { placeText } from '../../mesh/lan/place.ts'
import type { GateConfig } from '../../node/config.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { commission } from '../doctor/commission.ts'
import { commissionWords } from '../doctor/commission-report.ts'
import { type Desk, Stopped } from '../doctor/desk.ts'
import { examine } from '../doctor/examine.ts'
import { findingLines, summaryLine } from '../doctor/finding.ts'
import { GateTalk } from '../doctor/gate-talk.ts'
import { countWords, handCount } from '../doctor/hand-count.ts'
import { WHOLE_GATE } from '../doctor/lane-eye.ts'
import { checkPapers, type Read } from '../doctor/papers-check.ts'
import { Terminal } from '../doctor/terminal.ts'
import { answerTo } from '../doctor/waiting.ts'
import { answered } from '../operator/deed.ts'
import { httpUrl } from '../operator/options.ts'

export const summary = 'say what is wrong with a gate and what to do; commission its lanes; check its counts by hand'

export const help = `
gatemesh doctor [--config FILE] [--gate URL] [--token PASS] [--json]
gatemesh doctor --commission --by NAME [--lane NAME] [--people 10] [--wait 60] …
gatemesh doctor --count --by NAME [--lane NAME] [--minutes 15] …

  --config FILE    the gate's file: it, its papers, keys, disk, store, ports, peers, serial port or chips are looked at
  --gate URL       the running gate, which is asked how it is; where the file says, that is known already
  --token PASS     where the gate has a pass and no --config says it; or GATEMESH_TOKEN
  --json           print what came of it as JSON; questions go to standard error

Works with the gate running and stopped, and opens nothing that the gate would miss. One line for each thing: ok, doubt,
WRONG, or ? for what cannot be looked at from here, with what to do about it. Exit code 1: something is wrong.

  --commission     one lane after the other: one person in and one out, told apart or not; a walk of a known count each
                   way; then key switch and fire loop, which raise an emergency in the WHOLE MALL and are skipped unless
                   you type the word. Exit code 0: accepted
  --count          count one lane by hand in business, and see how far the gate is off. Keys: i in, o out, u undo, q done;
                   or two numbers at the end
  --by NAME        who walks or counts; it is kept with the result
  --lane NAME      one lane; --commission takes all without it
  --people N       who walk each way (1 to 500)
  --wait SECONDS   for each person at the arm, and for answers
  --minutes N      how long to count

People who walk through are ordinary visitors to the gate and are counted. Each test is kept as an entry of the gate's
ledger when it is done; \`gatemesh audit query --type check\` finds it, and reports show the last of each gate. A script
answers by lines on standard input: Enter, a number, s to skip, FIRE or KEY. Ctrl-C ends it; what was done is kept.
`

const OPTIONS = {
  config: { type: 'string' },
  gate: { type: 'string' },
  token: { type: 'string' },
  json: { type: 'boolean', default: false },
  commission: { type: 'boolean', default: false },
  count: { type: 'boolean', default: false },
  by: { type: 'string' },
  lane: { type: 'string' },
  people: { type: 'string' },
  wait: { type: 'string' },
  minutes: { type: 'string' },
} as const

type Values = ReturnType<typeof parse>

const PEOPLE = 10
const WAIT_S = 60
const MINUTES = 15
/** Longer than the double-fire window and the slowest poll of a counter. */
const SETTLE_MS = 2000
/** Before the end of a count by hand: nobody is in an arm for longer. */
const IN_THE_ARM_MS = 1000
const NAME_MAX = 60

export async function run(args: string[]): Promise<number> {
  const values = parse(args)
  if (values.config === undefined && values.gate === undefined) {
    throw new Usage('--config takes the file of a gate, or --gate the address of one that runs')
  }
  if (values.commission && values.count) throw new Usage('--commission or --count, one at a time')
  refuseStrays(values)
  const read = values.config === undefined ? undefined : await checkPapers(values.config)
  const talk = talkTo(values, read?.config)
  if (!values.commission && !values.count) return looked(values, read, talk)
  if (talk === undefined) throw new Usage('--gate takes the address of the gate: the file does not say its port')
  return answered(values.json, () => atDesk(values, desk => tried(values, desk, talk, read)))
}

function parse(args: string[]) {
  return parseArgs({ args, options: OPTIONS }).values
}

function refuseStrays({ commission, count, by, lane, people, wait, minutes }: Values): void {
  const both = commission || count
  const strays = [
    [by, 'by', both, '--commission or --count'],
    [lane, 'lane', both, '--commission or --count'],
    [wait, 'wait', both, '--commission or --count'],
    [people, 'people', commission, '--commission'],
    [minutes, 'minutes', count, '--count'],
  ] as const
  for (const [value, name, isWanted, owner] of strays) {
    if (value !== undefined && !isWanted) throw new Usage(`--${name} goes with ${owner}`)
  }
}

function talkTo(values: Values, config: GateConfig | undefined): GateTalk | undefined {
  const pass = values.token ?? config?.http.pass ?? process.env.GATEMESH_TOKEN
  if (values.gate !== undefined) return new GateTalk(httpUrl('--gate', values.gate), pass)
  if (config === undefined || config.http.port === 0) return undefined
  const { host, port } = config.http
  return new GateTalk(new URL(`http://${placeText({ host: host === '0.0.0.0' ? '127.0.0.1' : host, port })}`), pass)
}

async function looked(values: Values, read: Read | undefined, talk: GateTalk | undefined): Promise<number> {
  const findings = await examine({ read, talk, mustRun: values.gate !== undefined })
  const ok = !findings.some(({ verdict }) => verdict === 'wrong')
  if (values.json) console.log(JSON.stringify({ ok, findings }))
  else console.log([...findingLines(findings), summaryLine(findings)].join('\n'))
  return ok ? EXIT.fine : EXIT.no
}

/** With somebody at the terminal, which is left as it was however this ends. */
async function atDesk(values: Values, act: (desk: Desk) => Promise<number>): Promise<number> {
  const desk = new Terminal({ aside: values.json })
  try {
    return await act(desk)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    desk.say(error.message)
    if (values.json) console.log(JSON.stringify({ ok: false, stopped: error.message }))
    return EXIT.no
  } finally {
    desk.close()
  }
}

async function tried(values: Values, desk: Desk, talk: GateTalk, read: Read | undefined): Promise<number> {
  const waitMs = wholeNumber('--wait', values.wait ?? String(WAIT_S), 1, 3600) * 1000
  const people = wholeNumber('--people', values.people ?? String(PEOPLE), 1, 500)
  const minutes = wholeNumber('--minutes', values.minutes ?? String(MINUTES), 1, 480)
  const by = await nameOf(values, desk, waitMs)
  if (values.count) {
    const lane = await laneOf(values, talk)
    const times = { forMs: minutes * 60_000, answerMs: 10 * waitMs, settleMs: IN_THE_ARM_MS }
    const counted = await handCount({ desk, talk, by, lane, ...times })
    if (values.json) console.log(JSON.stringify(counted))
    else desk.say(countWords(counted))
    return counted.ok ? EXIT.fine : EXIT.no
  }
  const hardware = read?.config?.hardware
  const options = { desk, talk, by, people, waitMs, settleMs: SETTLE_MS, lane: values.lane, hardware }
  const report = await commission(options, Date.now())
  if (values.json) console.log(JSON.stringify(report))
  else desk.say(commissionWords(report))
  return report.ok ? EXIT.fine : EXIT.no
}

async function nameOf({ by }: Values, desk: Desk, waitMs: number): Promise<string> {
  const name =
    by ?? (process.stdin.isTTY ? await answerTo(desk, 'who are you? The name is kept with the result', waitMs) : '')
  if (name !== undefined && name !== '' && name.length <= NAME_MAX && isText(name)) return name
  throw new Usage(`--by takes the name of who walks or counts, of up to ${NAME_MAX} characters`)
}

async function laneOf({ lane }: Values, talk: GateTalk): Promise<string> {
  const names = (await talk.turnstile()).lanes.map(({ name }) => name)
  if (lane !== undefined && (names.includes(lane) || (names.length === 0 && lane === WHOLE_GATE))) return lane
  if (lane !== undefined)
    throw new Fault('LANE', `the gate has no lane ${lane}; there are ${names.join(', ') || 'none'}`)
  const [only = WHOLE_GATE, ...more] = names
  if (more.length > 0) throw new Usage(`--lane takes one of ${names.join(', ')}`)
  return only
}
