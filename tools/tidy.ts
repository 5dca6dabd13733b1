// Tidy: the rules about this code that neither the compiler nor the linter can know.
//
// Law: imports point one way, and a pure file decides without clock, chance, disk or network. The simulator runs the
// same objects as the mall only while that holds.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { argumentsAt, lineAt, readSource, type Source } from './source.ts'

/** The files that touch the world, per folder. Everything else in these folders is pure. */
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  ledger: [
    'audit/file-desk.ts',
    'audit/folder.ts',
    'audit/head-store.ts',
    'audit/line-file.ts',
    'audit/manifest.ts',
    'audit/pool.ts',
    'audit/worker.ts',
    'level-folder.ts',
    'level-store.ts',
    'mark.ts',
  ],
  mesh: [
    'real-clock.ts',
    'whole-file.ts',
    'station.ts',
    'sd-notify.ts',
    'restoration.ts',
    'pino-log.ts',
    'papers.ts',
    'lan/discovery.ts',
    'lan/gater.ts',
    'lan/gossip.ts',
    'lan/inbox.ts',
    'lan/lan.ts',
    'lan/ledger-window.ts',
    'lan/line.ts',
    'lan/link.ts',
    'lan/node.ts',
    'lan/roll.ts',
    'lan/switchboard.ts',
    'lan/thrift.ts',
    'archive/level-cabinet.ts',
    'board/board.ts',
    'board/hearsay.ts',
    'board/sheet.ts',
    'board/shelf.ts',
    'window/diary.ts',
    'window/packing.ts',
    'window/page-files.ts',
    'window/server.ts',
    'window/vitals.ts',
    'window/watchers.ts',
  ],
  node: ['optical/memory-file.ts'],
  hardware: [
    'counting/memory-file.ts',
    'gpio/dead-man.ts',
    'gpio/keeper.ts',
    'gpio/monitor.ts',
    'gpio/native.ts',
    'gpio/open-gpio.ts',
    'gpio/sysfs.ts',
    'gpio/sysfs-line.ts',
    'gpio/tools.ts',
    'modbus/serial-link.ts',
    'modbus/tcp-link.ts',
    'optical/pull.ts',
  ],
  anchor: [
    'alerts/broker.ts',
    'alerts/webhook.ts',
    'bms/bacnet-wire.ts',
    'born.ts',
    'retention/segment-file.ts',
    'retention/segment-folder.ts',
    'api/app.ts',
    'api/binding.ts',
    'api/pages.ts',
    'api/reader.ts',
    'api/streams.ts',
    'api/visitors.ts',
    'api/windows.ts',
    'mall.ts',
    'office.ts',
    'service.ts',
  ],
}

/** May draw random keys, and are pure otherwise. */
const KEY_MAKERS = ['ledger/ed25519.ts', 'ledger/key.ts']

/** Which of our folders a folder may import. Those not named here may import anything. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  hardware: [],
  ledger: [],
  mesh: ['ledger'],
  node: ['mesh', 'ledger', 'hardware'],
  anchor: ['mesh', 'ledger', 'hardware'],
}

const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'LICENSE']
const FOLDERS = ['node', 'mesh', 'ledger', 'hardware', 'anchor', 'test', 'tools']
const PURE_MODULES = [
  'node:crypto',
  'node:buffer',
  'node:util',
  'node:path',
  '@noble/ed25519',
  'typebox',
  'typebox/schema',
  'typebox/error',
  'typebox/system',
]
const VAGUE = /^(utils?|helpers?|common|misc|shared|lib)(\.ts)?$/
const LINES_MAX = 400
const COLUMNS_MAX = 130

const call = (names: string) => new RegExp(`(?:(?<![\\w.$#])|globalThis\\.)(?:${names})\\s*\\(`, 'g')
const BANNED: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /\bDate\.now\b/g, why: 'time comes in as an argument' },
  {
    pattern: /\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<![\w.$#])(?<!new )Date\(/g,
    why: 'time comes in as an argument',
  },
  { pattern: /(?<![\w.$#])performance\b/g, why: 'time comes in as an argument' },
  { pattern: /\bMath\.random\b/g, why: 'chance comes in as an argument' },
  { pattern: call('setTimeout|setInterval|setImmediate|queueMicrotask'), why: 'time is an event that comes in' },
  { pattern: /\bprocess\.nextTick\b/g, why: 'time is an event that comes in' },
  { pattern: /(?<![\w.$#])process\.(?!nextTick)/g, why: 'the process belongs to the shell' },
  { pattern: /(?<![\w.$#])console\./g, why: 'what to say is returned, the shell says it' },
  { pattern: call('fetch'), why: 'the network belongs to the shell' },
]
const RANDOM =
  /\b(randomUUID|randomBytes|randomInt|randomFill(Sync)?|getRandomValues|generateKeyPair(Sync)?|randomSecretKey)\b/g

export interface Complaint {
  readonly path: string
  readonly line: number
  readonly what: string
}

export function tidy(root: string): Complaint[] {
  const complaints: Complaint[] = []
  const sources: Source[] = []
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile() && !entry.name.startsWith('.') && !FILES.includes(entry.name)) {
      complaints.push({ path: entry.name, line: 0, what: `a top-level file beyond ${FILES.join(', ')}` })
    }
    if (!entry.isDirectory() || entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (!FOLDERS.includes(entry.name)) {
      complaints.push({ path: entry.name, line: 0, what: `a top-level folder beyond ${FOLDERS.join(', ')}` })
    }
    for (const path of filesUnder(root, entry.name)) {
      if (path.endsWith('.ts') || path.endsWith('.js'))
        sources.push(readSource(path, readFileSync(join(root, path), 'utf8')))
    }
  }
  for (const source of sources) {
    for (const rule of [names, lengths, words, directions, purity, testing]) {
      rule(source, (line, what) => complaints.push({ path: source.path, line, what }))
    }
  }
  return [...complaints, ...cycles(sources)].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
}

type Say = (line: number, what: string) => void

function names({ path }: Source, say: Say): void {
  if (path.endsWith('/index.ts')) say(0, 'a barrel: import from the file that has the thing')
  const vague = path.split('/').find(part => VAGUE.test(part))
  if (vague) say(0, `"${vague}" names nothing: a file is one noun`)
}

function lengths({ text }: Source, say: Say): void {
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length > LINES_MAX) say(0, `${lines.length} lines, more than ${LINES_MAX}: two nouns live here`)
  lines.forEach((line, k) => {
    if (line.length > COLUMNS_MAX) say(k + 1, `${line.length} characters wide, more than ${COLUMNS_MAX}`)
  })
}

function words(source: Source, say: Say): void {
  for (const { index, 0: word } of source.comments.matchAll(/\b(TODO|FIXME|XXX)\b(?!\(\w)/g)) {
    say(lineAt(source.text, index), `${word} without an owner: who will, as in ${word}(name)?`)
  }
}

function directions(source: Source, say: Say): void {
  const own = source.path.split('/')[0] as string
  const may = IMPORTS[own]
  if (!may) return
  for (const { from, line } of source.imports) {
    const target = resolve(source, from)?.split('/')[0]
    if (target === undefined || target === own || may.includes(target)) continue
    say(line, `imports ${from}: ${own} may import ${may.length > 0 ? may.join(', ') : 'nothing of ours'}`)
  }
}

function purity(source: Source, say: Say): void {
  const [folder, ...rest] = source.path.split('/')
  // what runs in a browser has that for its world
  if (rest.includes('pages')) return
  const shells = SHELLS[folder as string]
  if (!shells || shells.includes(rest.join('/'))) return
  for (const { from, line } of source.imports) {
    if (!from.startsWith('.') && !PURE_MODULES.includes(from)) say(line, `imports ${from}: this file is not a shell`)
  }
  for (const { pattern, why } of BANNED) {
    for (const { index, 0: found } of source.code.matchAll(pattern)) {
      say(lineAt(source.text, index), `${found.replace(/\s*\($/, '')} in a pure file: ${why}`)
    }
  }
  if (KEY_MAKERS.includes(source.path)) return
  for (const { index, 0: found } of source.code.matchAll(RANDOM)) {
    say(lineAt(source.text, index), `${found} in a pure file: chance comes in as an argument`)
  }
}

function testing(source: Source, say: Say): void {
  for (const { from, line } of source.imports) {
    const fenced = source.path === 'test/suite.ts'
    if (/^uvu(\/|$)/.test(from) && !fenced)
      say(line, `imports ${from}: tests go through test/suite.ts, which fences it`)
  }
  if (!source.path.startsWith('test/')) return
  for (const { index } of source.code.matchAll(/\.only\s*\(/g)) {
    say(lineAt(source.text, index), '.only leaves the other tests out')
  }
  for (const { index, 0: found } of source.code.matchAll(/\bassert\.(throws|rejects)\s*\(/g)) {
    const [, expected] = argumentsAt(source.code, index + found.length - 1)
    if (expected && !/^['"`]/.test(expected)) continue
    say(lineAt(source.text, index), `${found.slice(0, -1)} that takes any error: say which one`)
  }
}

function cycles(sources: readonly Source[]): Complaint[] {
  const graph = new Map(sources.map(source => [source.path, source]))
  const done = new Set<string>()
  const complaints: Complaint[] = []
  const visit = (source: Source, trail: readonly string[]) => {
    if (done.has(source.path)) return
    for (const { from, line } of source.imports) {
      const target = graph.get(resolve(source, from) ?? '')
      if (!target) continue
      const path = [...trail, source.path]
      const at = path.indexOf(target.path)
      if (at === -1) visit(target, path)
      else
        complaints.push({ path: source.path, line, what: `a circle: ${[...path.slice(at), target.path].join(' → ')}` })
    }
    done.add(source.path)
  }
  for (const source of sources) visit(source, [])
  return complaints
}

function resolve(source: Source, from: string): string | undefined {
  return from.startsWith('.') ? posix.join(dirname(source.path), from) : undefined
}

function filesUnder(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = posix.join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(root, path) : [path]
  })
}

if (import.meta.main) {
  const complaints = tidy(join(import.meta.dirname, '..'))
  for (const { path, line, what } of complaints) console.error(`${path}${line > 0 ? `:${line}` : ''}: ${what}`)
  process.exitCode = complaints.length > 0 ? 1 : 0
}
