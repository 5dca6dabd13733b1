// @ts-check
// Drawing: SVG elements made in one line, as dom.js makes those of HTML.

const SVG = 'http://www.w3.org/2000/svg'

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [props]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function draw(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, String(value))
  node.append(...children)
  return node
}
