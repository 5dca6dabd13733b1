// @ts-check
// Colours: those of the theme as they are now, for what is painted rather than styled. A variable alone says only what it
// could be, by day or by night.

const changed = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)'].map(query => matchMedia(query))
/** @type {Map<string, string>} */
const known = new Map()
const probe = document.createElement('span')
probe.hidden = true
for (const query of changed) query.addEventListener('change', () => known.clear())

/** @param {string} name such as `--good` */
export function colour(name) {
  const was = known.get(name)
  if (was !== undefined) return was
  if (!probe.isConnected) document.body.append(probe)
  probe.style.color = `var(${name})`
  const now = getComputedStyle(probe).color
  known.set(name, now)
  return now
}

/** Told after the colours have changed. @param {() => void} act */
export function onColours(act) {
  for (const query of changed) query.addEventListener('change', act)
}
