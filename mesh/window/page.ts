// Page: the mall live in a browser, at any gate and at the anchor. One file, no build, nothing from elsewhere; it only
// shows what /events says, and says so when that stops.
//
// Law: the browser runs what is written here and nothing else: script and style are allowed by their hashes.

import { createHash } from 'node:crypto'

const STYLE = `
  :root {
    --ground: light-dark(#f4f5f2, #14171a); --card: light-dark(#fff, #1e2327); --ink: light-dark(#1b2226, #e8ecee);
    --soft: light-dark(#5d6a70, #97a4ab); --line: light-dark(#dde2df, #2e363b); --good: light-dark(#1e7d4f, #57c48c);
    --warn: light-dark(#8a5200, #f0b04a); --bad: light-dark(#b3261e, #ff8a80);
  }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; background: var(--ground); color: var(--ink);
    font: 16px/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums }
  header { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline; justify-content: space-between }
  h1 { font-size: 1.15rem; margin: 0 }
  #view { color: var(--soft); font-weight: 400 }
  #mode { font-weight: 600; padding: .15rem .7rem; border-radius: 1rem; border: 1px solid currentColor; color: var(--good) }
  #mode.bad { color: var(--bad) }
  #numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 1rem 0 .8rem }
  #numbers div, .gate { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem }
  .big { display: block; font-size: 2.6rem; line-height: 1.1; font-weight: 650 }
  .label, #facts { color: var(--soft); font-size: .85rem }
  #facts { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .7rem 0 1rem }
  #track { height: .6rem; border-radius: .3rem; background: var(--line); overflow: hidden; display: flex }
  #bar { background: var(--good); width: 0; transition: width .4s } #bar.full { background: var(--warn) }
  #doubt { background: var(--soft); width: 0; transition: width .4s }
  #gates { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem }
  .gate h2 { display: flex; gap: .5rem; justify-content: space-between; font-size: 1rem; margin: 0 0 .5rem }
  .state { font-size: .8rem; font-weight: 600; color: var(--good) }
  .state.warn { color: var(--warn) } .state.bad { color: var(--bad) }
  dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: .3rem; margin: 0 0 .5rem }
  dt { color: var(--soft); font-size: .75rem } dd { margin: 0; font-weight: 600 }
  .gate p { margin: 0; font-size: .85rem; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
  .gate.old { border-style: dashed } .gate.old dl { opacity: .5 } .gate.old p { color: var(--warn) }
  #stale { display: none; padding: .6rem 1rem; border-radius: .6rem; margin: 1rem 0; color: var(--bad);
    border: 1px solid currentColor; font-weight: 600 }
  body.stale #stale { display: block }
  body.stale :is(#numbers, #track, #facts, #gates) { opacity: .45; filter: grayscale(1) }
  @media (prefers-reduced-motion: reduce) { #bar, #doubt { transition: none } }
`

const SCRIPT = `
  const el = id => document.getElementById(id)
  const put = (node, text) => { if (node.textContent !== String(text)) node.textContent = text }
  const add = (parent, tag, text) => {
    const node = parent.appendChild(document.createElement(tag))
    if (text !== undefined) node.textContent = text
    return node
  }
  const WARN = ['JOINING', 'DEGRADED', 'ISOLATED', 'EXHAUSTED']
  const tiles = new Map()
  let heardAt = 0

  function ago(ms) {
    if (ms === null) return 'never heard'
    if (ms < 1500) return 'now'
    const s = Math.round(ms / 1000)
    return (s < 120 ? s + ' s' : s < 7200 ? Math.round(s / 60) + ' min' : Math.round(s / 3600) + ' h') + ' ago'
  }

  function tile(name) {
    const node = add(el('gates'), 'article')
    const h2 = add(node, 'h2')
    const title = add(h2, 'span', name)
    const state = add(h2, 'span')
    const dl = add(node, 'dl')
    const cells = ['tokens', 'in', 'out', 'waiting'].map(word => {
      const div = add(dl, 'div')
      add(div, 'dt', word)
      return add(div, 'dd')
    })
    return { node, title, state, cells, note: add(node, 'p') }
  }

  function showGate(gate, me) {
    if (!tiles.has(gate.name)) tiles.set(gate.name, tile(gate.name))
    const { node, title, state, cells, note } = tiles.get(gate.name)
    const word = gate.isBanned ? 'BANNED' : !gate.isRostered ? 'OFF ROSTER' : gate.isReachable ? gate.state || 'HEARD' : 'SILENT'
    node.className = gate.isReachable ? 'gate' : 'gate old'
    put(title, gate.label ? gate.name + ' · ' + gate.label : gate.name)
    put(state, word)
    const isGood = word === 'NORMAL' || word === 'HEARD'
    state.className = 'state' + (isGood ? '' : WARN.includes(word) || word === 'SILENT' ? ' warn' : ' bad')
    const { admitted, forced, lapsed, exited } = gate.counters
    const values = [gate.balance, admitted + forced - lapsed, exited, gate.waiting === undefined ? '–' : gate.waiting]
    values.forEach((value, i) => put(cells[i], value))
    const rate = gate.rate === undefined ? '' : ', ' + gate.rate + ' in/min'
    put(note, gate.name === me ? 'this gate' + rate : 'heard ' + ago(gate.ageMs) + rate)
  }

  function show(r) {
    const { count, atMost, capacity, ageMs } = r.occupancy
    document.title = count + ' / ' + capacity + ' · ' + r.mall
    put(el('name'), 'Mall “' + r.mall + '”')
    put(el('view'), 'as ' + (r.me === 'anchor' ? 'the anchor' : r.me) + ' sees it')
    put(el('mode'), r.mode)
    el('mode').className = r.mode === 'NORMAL' ? '' : 'bad'
    put(el('count'), count)
    put(el('capacity'), capacity)
    put(el('left'), r.left)
    put(el('proved'), atMost > count ? 'proved: ' + count + ' to ' + atMost + ' inside' : 'proved: exactly ' + count + ' inside')
    put(el('age'), 'oldest word: ' + ago(ageMs))
    const anchor = r.anchor.ageMs === null ? 'never heard' : r.anchor.isFresh ? 'there' : 'away, heard ' + ago(r.anchor.ageMs)
    put(el('anchor'), 'anchor: ' + anchor + ', ' + r.anchor.balance + ' tokens, policy ' + r.anchor.policyVersion)
    const reach = r.gates.filter(gate => gate.isReachable).length
    put(el('reach'), reach + ' of ' + r.gates.length + ' gates heard')
    const share = n => capacity > 0 ? Math.max(0, Math.min(100, n * 100 / capacity)) : 0
    el('bar').style.width = share(count) + '%'
    el('doubt').style.width = Math.min(100 - share(count), share(atMost - count)) + '%'
    el('bar').className = share(count) >= 97 ? 'full' : ''
    for (const gate of r.gates) showGate(gate, r.me)
    for (const [name, { node }] of tiles) {
      if (r.gates.some(gate => gate.name === name)) continue
      node.remove()
      tiles.delete(name)
    }
  }

  function listen() {
    const events = new EventSource('events')
    events.onmessage = event => {
      heardAt = Date.now()
      document.body.classList.remove('stale')
      show(JSON.parse(event.data))
    }
    // a browser gives up for good after some errors (a server that was full): begin anew
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000)
    }
  }

  const opened = Date.now()
  setInterval(() => {
    const silentMs = Date.now() - (heardAt || opened)
    document.body.classList.toggle('stale', silentMs > 3000)
    put(el('stale'), 'No word for ' + Math.round(silentMs / 1000) + ' s: what is below is old.')
  }, 500)
  listen()
`

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Mall</title>
<style>${STYLE}</style>
<header><h1><span id="name">Mall</span> <span id="view"></span></h1><span id="mode" role="status">…</span></header>
<p id="stale" role="alert"></p>
<section id="numbers" aria-label="Occupancy">
  <div><span class="big" id="count">–</span><span class="label">inside</span></div>
  <div><span class="big" id="capacity">–</span><span class="label">limit</span></div>
  <div><span class="big" id="left">–</span><span class="label">places left</span></div>
</section>
<div id="track" aria-hidden="true"><i id="bar"></i><i id="doubt"></i></div>
<p id="facts"><span id="proved"></span><span id="age"></span><span id="anchor"></span><span id="reach"></span></p>
<section id="gates" aria-label="Gates"></section>
<script>${SCRIPT}</script>
`

/** What the browser may do with this page. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
