// @ts-check
// Drill: one thing that is done to the running mall, and how everyone is after it. Both are asked of `gatemesh mall`, which
// answers also while the anchor is down.

/** @typedef {import('../demo-state.ts').DemoState} DemoState */
/** @typedef {import('../demo-state.ts').MemberState} MemberState */

const LOOK_EVERY_MS = 1000

/** What was done, in words; what could not be done is an error in words. @param {Record<string, unknown>} wish */
export async function act(wish) {
  const reply = await fetch('/demo/act', { method: 'POST', body: JSON.stringify(wish) }).catch(() => undefined)
  if (reply === undefined) throw new Error('the mall does not answer: has it been stopped?')
  const { said, error } = await reply.json()
  if (!reply.ok) throw new Error(String(error))
  return String(said)
}

/** @param {string} address @returns {Promise<any>} undefined while nobody answers */
export async function look(address) {
  try {
    const reply = await fetch(address)
    return reply.ok ? await reply.json() : undefined
  } catch {
    return undefined
  }
}

/**
 * Told at once and every second while somebody looks; undefined while the mall does not answer.
 * @param {{ isWanted: () => boolean, hear: (state: DemoState | undefined) => void }} a
 * @returns {() => Promise<void>} tells it now
 */
export function watchState({ isWanted, hear }) {
  const now = async () => hear(await look('/demo/state'))
  setInterval(() => {
    if (document.visibilityState === 'visible' && isWanted()) void now()
  }, LOOK_EVERY_MS)
  void now()
  return now
}
