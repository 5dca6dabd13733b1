import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { tidy } from '../../tools/tidy.ts'
import { suite } from '../suite.ts'

const test = suite('tools/tidy')

/** What tidy says about a made-up tree, as `path:line what`. */
function said(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'tidy-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return tidy(root).map(({ path, line, what }) => `${path}:${line} ${what}`)
  } finally {
    rmSync(root, { recursive: true })
  }
}

function fires(files: Record<string, string>, ...expected: RegExp[]): void {
  const found = said(files)
  assert.equal(found.length, expected.length, found.join('\n'))
  expected.forEach((pattern, k) => {
    assert.match(found[k] ?? '', pattern)
  })
}

test('a tidy tree gets no complaint', () => {
  fires({
    'ledger/tree.ts': "import { createHash } from 'node:crypto'\nexport const x = new Date(5).getTime()\n",
    'mesh/gossip.ts': "import { x } from '../ledger/tree.ts'\nexport const y = x\n",
    'tools/run.ts': "import { y } from '../mesh/gossip.ts'\nimport fs from 'node:fs'\nconsole.log(y, Date.now(), fs)\n",
    'node_modules/utils/index.ts': 'Date.now()',
    '.git/x': '',
  })
})

const WRONG_WAY = [
  ['hardware', 'ledger'],
  ['ledger', 'mesh'],
  ['ledger', 'hardware'],
  ['mesh', 'node'],
  ['mesh', 'anchor'],
  ['node', 'anchor'],
  ['anchor', 'node'],
  ['hardware', 'mesh'],
  ['node', 'test'],
  ['ledger', 'tools'],
] as const

test('an import against the direction is named with its line', () => {
  for (const [from, to] of WRONG_WAY) {
    fires(
      { [`${from}/a.ts`]: `// law\n\nimport { b } from '../${to}/b.ts'\n`, [`${to}/b.ts`]: 'export const b = 1\n' },
      new RegExp(`^${from}/a.ts:3 imports ../${to}/b.ts: ${from} may import`),
    )
  }
})

test('an import is seen in every form it can take', () => {
  const text = [
    "import '../mesh/b.ts'",
    "import type { B } from '../mesh/b.ts'",
    "export * from '../mesh/b.ts'",
    "const b = await import('../mesh/b.ts')",
    "import {\n  c,\n} from '../mesh/b.ts'",
  ]
  for (const line of text) fires({ 'ledger/a.ts': line, 'mesh/b.ts': '' }, /^ledger\/a.ts:\d imports/)
})

test('a circle of files is shown as the way round it', () => {
  fires(
    {
      'ledger/a.ts': "import './b.ts'\n",
      'ledger/b.ts': "import './c.ts'\n",
      'ledger/c.ts': "import './a.ts'\n",
      'ledger/d.ts': "import './a.ts'\n",
    },
    /^ledger\/c.ts:1 a circle: ledger\/a.ts → ledger\/b.ts → ledger\/c.ts → ledger\/a.ts$/,
  )
})

test('a clock, a timer or chance in a pure file is refused', () => {
  const calls = [
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'performance.now()',
    'Math.random()',
    'setTimeout(f, 5)',
    'globalThis.setInterval(f, 5)',
    'setImmediate(f)',
    'queueMicrotask(f)',
    'process.nextTick(f)',
    'process.env.HOME',
    'fetch(url)',
    'console.log(1)',
    'randomUUID()',
    'crypto.randomBytes(8)',
    'crypto.getRandomValues(a)',
  ]
  for (const folder of ['ledger', 'mesh', 'node', 'anchor']) {
    for (const call of calls) {
      fires({ [`${folder}/a.ts`]: `// law\nexport const x = ${call}\n` }, /:2 .* in a pure file: /)
    }
  }
})

/** `${…}` as it stands in a source. */
const hole = (inner: string) => `$\{${inner}}`

test('a word in a comment, a string or a pattern is not a call', () => {
  const quiet = [
    '// Date.now() is not for us',
    '/* Math.random()\n * fetch(x) */',
    "const a = 'Date.now()'",
    `const b = \`Date.now() ${hole('1')} process.env\``,
    'const c = /Date.now\\(\\)/.test("x")',
    'clock.setTimeout(5); this.#fetch(x); peer.fetch(x); new Date(at)',
    'const process = 1 / 2 / 3',
  ]
  fires({ 'ledger/a.ts': `${quiet.join('\n')}\n` })
  fires({ 'ledger/a.ts': `const b = \`at ${hole('Date.now()')}\`\n` }, /:1 Date.now in a pure file/)
})

test('only a shell imports disks, sockets and stores', () => {
  for (const module of ['node:fs', 'node:net', 'node:timers/promises', 'fs', 'level', 'libp2p']) {
    fires({ 'ledger/a.ts': `import x from '${module}'\n` }, /:1 imports .*: this file is not a shell/)
    fires({ 'ledger/level-store.ts': `import x from '${module}'\n` })
  }
})

test('a key maker may draw keys and nothing else', () => {
  fires({ 'ledger/key.ts': 'randomBytes(32)\nDate.now()\n' }, /:2 Date.now in a pure file/)
})

test('a file too long and a line too wide are counted', () => {
  fires({ 'tools/a.ts': 'x\n'.repeat(400) })
  fires({ 'tools/a.ts': 'x\n'.repeat(401) }, /^tools\/a.ts:0 401 lines/)
  fires({ 'tools/a.ts': `\n${'x'.repeat(130)}\n` })
  fires({ 'tools/a.ts': `\n${'x'.repeat(131)}\n` }, /^tools\/a.ts:2 131 characters wide/)
})

test('a barrel, a file that names nothing, and files and folders nobody agreed on are refused', () => {
  fires({ 'mesh/index.ts': '' }, /a barrel/)
  for (const name of ['mesh/utils.ts', 'mesh/helpers/a.ts', 'tools/common.ts']) fires({ [name]: '' }, /names nothing/)
  fires({ 'scripts/readme.md': '' }, /^scripts:0 a top-level folder beyond/)
  fires({ 'isolate-v8.log': '' }, /^isolate-v8.log:0 a top-level file beyond/)
})

test('work left open carries the name of who will do it', () => {
  const word = 'TODO'
  fires({ 'tools/a.ts': `x\n// ${word}: later\n` }, /^tools\/a.ts:2 TODO without an owner/)
  fires({ 'tools/a.ts': `// ${word}(ada): later\nconst s = '${word}'\n` })
})

test('a test that leaves others out, or uvu without its fence, is refused', () => {
  fires({ 'test/a.test.ts': "test.only('x', f)\n" }, /:1 .only leaves/)
  fires({ 'test/a.test.ts': "import { test } from 'uvu'\n" }, /:1 imports uvu/)
  fires({ 'test/a.test.ts': "import * as a from 'uvu/assert'\n" }, /:1 imports uvu\/assert/)
  fires({ 'test/suite.ts': "import { suite } from 'uvu'\n" })
})

test('an expected error is named', () => {
  fires({ 'test/a.test.ts': 'assert.throws(() => f(1, 2))\n' }, /:1 assert.throws that takes any error/)
  fires({ 'test/a.test.ts': "await assert.rejects(f({ a: [1, 2] }),\n 'text')\n" }, /:1 assert.rejects that takes any/)
  fires({ 'test/a.test.ts': 'assert.throws(() => f(1, 2), /text, more/)\nassert.throws(f, { code: "X" })\n' })
})

test.run()
