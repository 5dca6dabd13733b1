// @ts-check
// Dom: elements made in one line, and changed only where they differ: a page that is told everything twice a second must
// not rebuild itself as often, or nobody could select a word or keep the focus.

/** @typedef {Record<string, string | number | boolean | undefined | ((event: any) => void)>} Props */

/**
 * `make('button', { class: 'main', onclick: act, 'aria-label': 'Close' }, 'Close')`. Functions become listeners, false and
 * undefined leave an attribute out, true makes it empty.
 * @param {string} tag
 * @param {Props} [props]
 * @param {...(Node | string | undefined)} children
 * @returns {any}
 */
export function make(tag, props = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') node.addEventListener(name.replace(/^on/, ''), value)
    else if (value === true) node.setAttribute(name, '')
    else if (value !== undefined && value !== false) node.setAttribute(name, String(value))
  }
  for (const child of children) if (child !== undefined) node.append(child)
  return node
}

/** @param {string} id @returns {any} */
export function byId(id) {
  return document.getElementById(id)
}

/** @param {Node} node @param {string | number} text */
export function put(node, text) {
  if (node.textContent !== String(text)) node.textContent = String(text)
}

/** @param {Element} node @param {string} name @param {string | number | undefined} value */
export function attribute(node, name, value) {
  if (value === undefined) node.removeAttribute(name)
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value))
}

/**
 * Children of `parent` that stand for `items`, in their order; those that stay keep their node.
 * @template T
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {{ key: (item: T) => string, make: (item: T) => Element, show?: (node: any, item: T) => void }} a
 */
export function keep(parent, items, a) {
  /** @type {Map<string, Element>} */
  const there = new Map()
  for (const child of parent.children) there.set(child.getAttribute('data-key') ?? '', child)
  let before = parent.firstElementChild
  for (const item of items) {
    const key = a.key(item)
    let node = there.get(key)
    there.delete(key)
    if (node === undefined) {
      node = a.make(item)
      node.setAttribute('data-key', key)
    }
    a.show?.(node, item)
    if (node === before) before = before.nextElementSibling
    else parent.insertBefore(node, before)
  }
  for (const node of there.values()) node.remove()
}

/** `12 s ago`, as short as people say it. @param {number | null | undefined} ms */
export function ago(ms) {
  if (ms === null || ms === undefined) return 'never heard'
  return ms < 1500 ? 'now' : `${span(ms)} ago`
}

/** @param {number} ms */
export function span(ms) {
  const s = Math.round(ms / 1000)
  if (s < 120) return `${s} s`
  return s < 7200 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`
}

/** Hours and minutes of the reader's own clock, with seconds where asked. @param {number} ms @param {boolean} [seconds] */
export function clock(ms, seconds = false) {
  return new Date(ms).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(seconds ? { second: '2-digit' } : {}),
  })
}

/**
 * What goes wrong in `act` is told by `say`, and its button rests meanwhile.
 * @param {(event: any) => unknown} act
 * @param {(error: Error | undefined) => void} say
 */
export function doing(act, say) {
  return async (/** @type {any} */ event) => {
    const button = event?.submitter ?? event?.currentTarget
    const hadFocus = button !== undefined && document.activeElement === button
    if (button instanceof HTMLButtonElement) button.disabled = true
    say(undefined)
    try {
      await act(event)
    } catch (error) {
      say(/** @type {Error} */ (error))
    } finally {
      if (button instanceof HTMLButtonElement) button.disabled = false
      // a button that rests loses the focus; whoever works by keyboard would begin again at the top of the page
      if (hadFocus && button.isConnected && document.activeElement === document.body) button.focus()
    }
  }
}
