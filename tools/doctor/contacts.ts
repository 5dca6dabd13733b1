// Contacts: key switch and fire loop, tried for real.
//
// Law: nobody raises an emergency in a whole mall by pressing Enter once too often. It is said plainly what will happen,
// the word has to be typed, and whatever else is typed skips it.

import type { Contact, TurnstileState } from '../../hardware/turnstile.ts'
import type { Mode } from '../../ledger/entry.ts'
import { severity } from '../../ledger/mode.ts'
import type { Desk } from './desk.ts'
import type { GateTalk } from './gate-talk.ts'
import { answerTo, waitFor } from './waiting.ts'

export interface ContactTested {
  readonly contact: Contact
  readonly outcome: 'ok' | 'failed' | 'skipped' | 'absent'
  readonly words: readonly string[]
}

interface Trial {
  readonly name: string
  readonly word: string
  readonly warning: string
  readonly raise: string
  readonly rest: string
  readonly mode: Mode
}

const REARM = '`gatemesh mode clear --reason TEXT --key FILE`, then `gatemesh approve ID --key FILE` by a second person'

const TRIALS = {
  key: {
    name: 'key switch',
    word: 'KEY',
    warning: `this raises EVACUATE in the WHOLE MALL: no gate lets anybody in until two people re-arm (${REARM})`,
    raise: 'turn the key switch, now',
    rest: 'turn it back',
    mode: 'EVACUATE',
  },
  fire: {
    name: 'fire loop',
    word: 'FIRE',
    warning: `this raises FIRE in the WHOLE MALL: every arm goes free, and stays so until two people re-arm (${REARM})`,
    raise: 'open the fire loop, now',
    rest: 'close it again',
    mode: 'FIRE',
  },
} as const satisfies Record<Contact, Trial>

export interface TrialOptions {
  readonly desk: Desk
  readonly talk: GateTalk
  readonly waitMs: number
  /** which contacts this gate is said to have; undefined where nobody knows */
  readonly wired: Readonly<Record<Contact, boolean>> | undefined
}

/** The key first: after the fire loop the mall is in FIRE, and the key would change nothing that can be seen. */
export async function testContacts(o: TrialOptions): Promise<ContactTested[]> {
  return [await testContact(o, 'key'), await testContact(o, 'fire')]
}

async function testContact(o: TrialOptions, contact: Contact): Promise<ContactTested> {
  const { desk, talk, wired, waitMs } = o
  const { name, word, warning } = TRIALS[contact]
  const before = await talk.turnstile()
  if (before[contact] === 'unknown') {
    const isWired = wired?.[contact] === true
    const words = [isWired ? 'it is in the config, and cannot be read' : `this gate has no ${name} that can be read`]
    desk.say(`\n${name}: ${words[0]}`)
    return { contact, outcome: isWired ? 'failed' : 'absent', words }
  }
  desk.say(`\n${name}: ${warning}`)
  const typed = await answerTo(desk, `  type ${word} to try it, Enter to skip`, waitMs)
  if (typed !== word) {
    desk.say('  skipped')
    return { contact, outcome: 'skipped', words: [] }
  }
  const words = await trial(o, contact)
  const outcome = words.length === 0 ? 'ok' : 'failed'
  desk.say(`  ${name} ${outcome === 'ok' ? 'ok' : `NOT OK: ${words.join('\n    ')}`}`)
  desk.say(`  the mall stays in ${TRIALS[contact].mode} until two people re-arm: ${REARM}`)
  return { contact, outcome, words }
}

/** What was not as it must be. */
async function trial({ desk, talk, waitMs }: TrialOptions, contact: Contact): Promise<string[]> {
  const { raise, rest, mode } = TRIALS[contact]
  const until = async (isRaised: boolean) => {
    const came = await waitFor(desk, {
      limitMs: waitMs,
      look: () => talk.turnstile(),
      isIt: state => state[contact] === isRaised,
      words: (_, leftS) => `  nothing yet, ${leftS} s left (s: give up)`,
    })
    return came.kind === 'seen'
  }
  desk.say(`  ${raise}`)
  if (!(await until(true))) return ['the gate did not see it: look at the wire and its input']
  const flaws = await shownWithin(desk, () => flawsOf(talk, contact, mode))
  desk.say(`  seen. ${rest}`)
  if (!(await until(false))) return [...flaws, 'the gate did not see it go back']
  // it must hold though its cause is gone: only people take it back
  const { mode: after } = await talk.status()
  if (severity(after) < severity(mode)) flaws.push(`the mode went back to ${after} by itself`)
  if (contact === 'fire' && !(await talk.turnstile()).isLatched) flaws.push('the latch opened by itself')
  return flaws
}

const SHOWN_MS_MAX = 2000
const AGAIN_MS = 50

/** What is said of it settles within a moment. */
async function shownWithin(desk: Desk, look: () => Promise<string[]>): Promise<string[]> {
  const until = desk.now() + SHOWN_MS_MAX
  for (;;) {
    const flaws = await look()
    if (flaws.length === 0 || desk.now() > until) return flaws
    await desk.pause(AGAIN_MS)
  }
}

async function flawsOf(talk: GateTalk, contact: Contact, mode: Mode): Promise<string[]> {
  const [state, { mode: now }] = await Promise.all([talk.turnstile(), talk.status()])
  const flaws = severity(now) < severity(mode) ? [`the gate is in ${now} and not in ${mode}`] : []
  return contact === 'fire' ? [...flaws, ...heldFlaws(state)] : flaws
}

function heldFlaws({ isLatched, lanes }: TurnstileState): string[] {
  const held = lanes.filter(lane => lane.isHeld).map(lane => lane.name)
  return [
    ...(isLatched ? [] : ['the fire loop did not latch']),
    ...(held.length === 0
      ? []
      : [`STILL HELD: ${held.join(', ')}; the arm must be free in a fire, whatever software does`]),
  ]
}
