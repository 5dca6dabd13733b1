// @ts-check
// Places: where on the plan a gate stands, 0 to 1000 both ways, from the left and from the top.
//
// Law: a gate that nobody has placed stands on the outer wall, at a spot that depends on the names of the gates alone: it
// must not wander when another one is placed or falls silent.

/** @typedef {{ x: number, y: number }} Place */

export const SIDE = 1000
/** Doors do not stand in corners. */
const CORNER = 60

/**
 * @param {readonly { name: string, position?: Place }[]} gates
 * @param {number} wide how much wider than high the plan is drawn
 * @returns {Map<string, Place>}
 */
export function placesOf(gates, wide) {
  const names = gates.map(({ name }) => name).sort()
  return new Map(
    gates.map(({ name, position }) => [name, position ?? onWall((names.indexOf(name) + 0.5) / names.length, wide)]),
  )
}

/** Clockwise from the upper left corner. @param {number} share of the way around @param {number} wide @returns {Place} */
function onWall(share, wide) {
  const way = share * 2 * (wide + 1)
  const along = (/** @type {number} */ part) => Math.round(CORNER + part * (SIDE - 2 * CORNER))
  if (way < wide) return { x: along(way / wide), y: 0 }
  if (way < wide + 1) return { x: SIDE, y: along(way - wide) }
  if (way < 2 * wide + 1) return { x: along(1 - (way - wide - 1) / wide), y: SIDE }
  return { x: 0, y: along(1 - (way - 2 * wide - 1)) }
}

/** @param {Place} place @returns {Place} */
export function within({ x, y }) {
  const clamped = (/** @type {number} */ n) => Math.round(Math.max(0, Math.min(SIDE, n)))
  return { x: clamped(x), y: clamped(y) }
}

/** What all names begin with, up to a dash: `gate-` of gate-01 and gate-02. @param {readonly string[]} names */
export function commonStart(names) {
  const [first = '', ...others] = names
  if (others.length === 0) return ''
  let length = first.length
  for (const name of others) {
    let same = 0
    while (same < length && name[same] === first[same]) same++
    length = same
  }
  return first.slice(0, first.lastIndexOf('-', length - 1) + 1)
}
