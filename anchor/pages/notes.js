// @ts-check
// Notes: what people tell each other on the board, which hangs at every gate for a day.

import { clock, doing, make } from '../../mesh/pages/dom.js'
import { makeDialog } from './dialog.js'

/** @param {import('./deed.js').Bench} bench */
export async function openNotes(bench) {
  const { dialog, trouble, close } = makeDialog('Notes on the board')
  const text = make('input', { required: true, maxlength: 500, autocomplete: 'off' })
  const said = make('p', { class: 'banner good', role: 'status', hidden: true })
  const list = make('ul', { class: 'hung' })
  dialog.append(
    make('p', { class: 'soft' }, 'Everyone sees it, at every gate, under your name, for a day.'),
    make(
      'form',
      { class: 'stack', onsubmit: doing(hang, trouble) },
      make('label', {}, 'Note', text),
      said,
      make(
        'div',
        { class: 'row end' },
        make('button', { type: 'button', class: 'quiet', onclick: close }, 'Close'),
        make('button', { type: 'submit', class: 'main' }, 'Hang it up'),
      ),
    ),
    list,
  )
  show()
  dialog.addEventListener('close', bench.onReport(show))
  dialog.showModal()

  function show() {
    const notes = bench.report()?.notes ?? []
    const seen = notes.map(({ id }) => id).join()
    if (list.dataset.seen === seen) return
    list.dataset.seen = seen
    list.replaceChildren(
      ...notes.map(note =>
        make('li', {}, note.text, make('span', { class: 'soft' }, ` ${note.by}, ${clock(note.at)}`)),
      ),
    )
  }

  /** @param {Event} event */
  async function hang(event) {
    event.preventDefault()
    said.hidden = true
    const note = await bench.session.ask('POST', 'notes', { text: text.value.trim() })
    text.value = ''
    said.textContent = `It hangs: “${note.text}”`
    said.hidden = false
    bench.changed()
  }
}
