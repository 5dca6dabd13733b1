// @ts-check
// Steps: what the tour shows, in the order in which it is understood.

/** @typedef {Record<string, unknown>} Wish */
/**
 * @typedef {{
 *   title: string,
 *   parts: readonly string[],
 *   text: (gate: string) => string,
 *   acts: (gate: string, gates: readonly string[]) => readonly Wish[],
 *   undoes: (gate: string) => readonly Wish[],
 *   undoWords?: string,
 * }} Step
 */

const RUSH = 40
const SIDE = 12
const NUMBERS = ['[data-part="numbers"]', '.numbers']

/** @type {readonly Step[]} */
export const STEPS = [
  {
    title: 'One number, and its proof',
    parts: NUMBERS,
    text: gate =>
      'Every free place is a token, and each gate holds some of them. To let somebody in, a gate spends one that it ' +
      'holds; nobody can make more. So the limit holds whatever fails. “Proved” is what the gates’ signed words add up ' +
      `to: exact while all are heard, from … to … while one is not. Somebody is just coming in at ${gate}.`,
    acts: gate => [{ do: 'rush', gate, people: 1 }],
    undoes: () => [],
  },
  {
    title: 'Tokens go where the people are',
    parts: ['[data-part="plan"]', '.plan', '[data-part="gates"]'],
    text: gate =>
      `${RUSH} people come to ${gate} within four seconds. It spends what it holds and fetches more from the other gates, ` +
      'in a few milliseconds and without asking a centre: see them flow. When none are left, people wait.',
    acts: gate => [{ do: 'rush', gate, people: RUSH }],
    undoes: () => [],
  },
  {
    title: 'The anchor may go',
    parts: NUMBERS,
    text: () =>
      'The anchor makes the tokens, keeps the audit and shows this page. It was just killed. Entries and exits go on, ' +
      'and this page lives on through a gate. Only a new limit would have to wait.',
    acts: gate => [
      { do: 'kill', gate: 'anchor' },
      { do: 'rush', gate, people: SIDE },
    ],
    undoes: () => [{ do: 'start', gate: 'anchor' }],
    undoWords: 'Start it again',
  },
  {
    title: 'A network in two halves',
    parts: ['[data-part="gates"]', '[data-part="plan"]', ...NUMBERS],
    text: () =>
      'Half of the gates hear nothing of the rest. Each side lets in only what it holds, so both together stay within ' +
      'the limit. After three seconds the interval widens: what the far side holds it may have used. Healed, it closes.',
    acts: (_gate, gates) => [
      { do: 'halve' },
      { do: 'rush', gate: gates[0], people: SIDE },
      { do: 'rush', gate: gates.at(-1), people: SIDE },
    ],
    undoes: () => [{ do: 'heal' }],
    undoWords: 'Heal it',
  },
  {
    title: 'Fire',
    parts: ['[data-part="emergency"]', ...NUMBERS],
    text: gate =>
      `The fire contact at ${gate} closed. Exits are free everywhere, and nobody is let in: each gate decides that by ` +
      'itself. That the contact opens again ends nothing. Two people sign the re-arm, one of them a marshal.',
    acts: gate => [{ do: 'trip', gate }],
    undoes: gate => [{ do: 'release', gate }, { do: 'rearm' }],
    undoWords: 'Release it, and re-arm',
  },
]
