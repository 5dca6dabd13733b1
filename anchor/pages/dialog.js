// @ts-check
// Dialog: opened by a button, with a title and a place for trouble; closed, it is gone and the focus is where it was.

import { make, put } from '../../mesh/pages/dom.js'

let count = 0

/**
 * Opens a dialog when a button is pressed, once. The button keeps the focus, which comes back to it when all is over.
 * @param {(event: any) => Promise<void>} open
 * @param {(error: Error | undefined) => void} say
 */
export function opening(open, say) {
  let isOpening = false
  return async (/** @type {Event} */ event) => {
    event.preventDefault()
    if (isOpening) return
    isOpening = true
    say(undefined)
    try {
      await open(event)
    } catch (error) {
      say(/** @type {Error} */ (error))
    } finally {
      isOpening = false
    }
  }
}

/**
 * Not open yet: fill it, then `showModal`.
 * @param {string} title
 */
export function makeDialog(title) {
  count += 1
  const id = `dialog-${count}-title`
  const alert = make('p', { class: 'banner bad', role: 'alert', hidden: true })
  /** @type {HTMLDialogElement} */
  const dialog = make(
    'dialog',
    { id: `dialog-${count}`, class: 'stack', 'aria-labelledby': id },
    make('h2', { id }, title),
    alert,
  )
  const opener = /** @type {HTMLElement | null} */ (document.activeElement)
  dialog.addEventListener('close', () => {
    dialog.remove()
    opener?.focus()
  })
  document.body.append(dialog)
  const trouble = (/** @type {Error | undefined} */ error) => {
    put(alert, error?.message ?? '')
    alert.hidden = error === undefined
  }
  return { dialog, trouble, close: () => dialog.close() }
}
