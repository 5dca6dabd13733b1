// Page: the mall live in a browser. One file, no build, nothing from elsewhere; it only shows what /events says, and
// says so when that stops.

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Mall</title>
<style>
  :root {
    --ground: light-dark(#f4f5f2, #14171a); --card: light-dark(#fff, #1e2327); --ink: light-dark(#1b2226, #e8ecee);
    --soft: light-dark(#5d6a70, #97a4ab); --line: light-dark(#dde2df, #2e363b); --good: light-dark(#1e7d4f, #57c48c);
    --warn: light-dark(#9a5b00, #f0b04a); --bad: light-dark(#b3261e, #ff8a80);
  }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: 1.5rem; max-width: 70rem; background: var(--ground); color: var(--ink);
    font: 16px/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums }
  header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; justify-content: space-between }
  h1 { font-size: 1.1rem; margin: 0 }
  #mode { font-weight: 600; padding: .15rem .7rem; border-radius: 1rem; border: 1px solid currentColor; color: var(--good) }
  #mode.bad { color: var(--bad) }
  #numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(6.5rem, 1fr)); gap: 1rem; margin: 1rem 0 }
  #numbers div, .gate { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem }
  .big { display: block; font-size: 2.6rem; line-height: 1.1; font-weight: 650 }
  .label, small { color: var(--soft); font-size: .85rem }
  meter-bar { display: block; height: .6rem; border-radius: .3rem; background: var(--line); overflow: hidden }
  meter-bar i { display: block; height: 100%; width: 0; background: var(--good); transition: width .4s }
  meter-bar i.full { background: var(--warn) }
  #gates { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; margin-top: 1rem }
  .gate h2 { display: flex; justify-content: space-between; font-size: 1rem; margin: 0 0 .5rem }
  .state { font-size: .8rem; font-weight: 600; color: var(--good) }
  .state.warn { color: var(--warn) } .state.bad { color: var(--bad) }
  dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: .3rem; margin: 0 0 .5rem }
  dt { color: var(--soft); font-size: .75rem } dd { margin: 0; font-weight: 600 }
  dl div { display: flex; flex-direction: column }
  .last { font-size: .85rem; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
  #stale { display: none; padding: .6rem 1rem; border-radius: .6rem; margin: 1rem 0; color: var(--bad);
    border: 1px solid currentColor; font-weight: 600 }
  body.stale #stale { display: block }
  body.stale #numbers, body.stale #gates, body.stale meter-bar { opacity: .45; filter: grayscale(1) }
  @media (prefers-reduced-motion: reduce) { meter-bar i { transition: none } }
</style>
<header><h1 id="name">Mall</h1><span id="mode" role="status">…</span></header>
<p id="stale" role="alert">No word from the mall: what is below is old.</p>
<section id="numbers" aria-label="Occupancy">
  <div><span class="big" id="count">–</span><span class="label">inside</span></div>
  <div><span class="big" id="capacity">–</span><span class="label">limit</span></div>
  <div><span class="big" id="left">–</span><span class="label">places left <span id="age"></span></span></div>
</section>
<meter-bar aria-hidden="true"><i id="bar"></i></meter-bar>
<section id="gates" aria-label="Gates"></section>
<script>
  const el = id => document.getElementById(id)
  const put = (node, text) => { if (node.textContent !== String(text)) node.textContent = text }
  const WARN = ['JOINING', 'DEGRADED', 'EXHAUSTED']
  const WORDS = { ADMIT: 'let in', EXIT: 'out', REJECT_AT_CAPACITY: 'turned away: full',
    REJECT_NO_HEADROOM: 'turned away: no token in reach', REJECT_EMERGENCY: 'turned away: emergency',
    REJECT_FAULT: 'turned away: fault' }
  const tiles = new Map()
  let heardAt = 0

  function tile(name) {
    const node = document.createElement('article')
    node.className = 'gate'
    const h2 = node.appendChild(document.createElement('h2'))
    h2.append(name)
    const state = h2.appendChild(document.createElement('span'))
    const dl = node.appendChild(document.createElement('dl'))
    const cells = ['tokens', 'in', 'out', 'refused'].map(word => {
      const div = dl.appendChild(document.createElement('div'))
      div.appendChild(document.createElement('dt')).textContent = word
      return div.appendChild(document.createElement('dd'))
    })
    const last = node.appendChild(document.createElement('div'))
    last.className = 'last'
    el('gates').append(node)
    return { state, cells, last }
  }

  function show(r) {
    const { count, atMost, capacity, ageMs } = r.occupancy
    put(el('name'), 'Mall “' + r.mall + '”, ' + r.gates.length + ' gates')
    put(el('mode'), r.mode)
    el('mode').className = r.mode === 'NORMAL' ? '' : 'bad'
    put(el('count'), atMost > count ? count + '–' + atMost : count)
    put(el('capacity'), capacity)
    put(el('left'), r.left)
    put(el('age'), '(' + (ageMs / 1000).toFixed(1) + ' s old)')
    const share = capacity > 0 ? Math.min(100, count * 100 / capacity) : 0
    el('bar').style.width = share + '%'
    el('bar').className = share >= 97 ? 'full' : ''
    for (const gate of r.gates) {
      if (!tiles.has(gate.name)) tiles.set(gate.name, tile(gate.name))
      const { state, cells, last } = tiles.get(gate.name)
      put(state, gate.fault ? gate.state + ': ' + gate.fault : gate.state)
      state.className = 'state ' + (gate.state === 'NORMAL' ? '' : WARN.includes(gate.state) ? 'warn' : 'bad')
      const { admitted, forced, lapsed } = gate.counters
      const seen = gate.sinceStart
      const values = [gate.balance, admitted + forced - lapsed, gate.counters.exited, seen.rejected]
      values.forEach((value, i) => put(cells[i], value))
      const what = seen.last && (WORDS[seen.last.what] || seen.last.what)
      const ago = seen.last && Math.max(0, Math.round((r.at - seen.last.at) / 1000))
      put(last, what ? what + (seen.last.reason ? ' (' + seen.last.reason + ')' : '') + ', ' + ago + ' s ago' : 'nobody yet')
    }
  }

  new EventSource('/events').onmessage = event => {
    heardAt = Date.now()
    document.body.classList.remove('stale')
    show(JSON.parse(event.data))
  }
  const opened = Date.now()
  setInterval(() => document.body.classList.toggle('stale', Date.now() - (heardAt || opened) > 3000), 500)
</script>
`
