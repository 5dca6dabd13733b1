import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { commandNames, load } from '../../tools/gatemesh.ts'
import { table } from '../../tools/table.ts'
import { suite } from '../suite.ts'

const test = suite('tools/cli')
const bin = join(import.meta.dirname, '../../tools/gatemesh.mjs')

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

function gatemesh(...args: string[]): Promise<Said> {
  return new Promise(resolve => {
    execFile(process.execPath, [bin, ...args], (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

test('help lists every command and ends well', async () => {
  const { code, out } = await gatemesh('--help')
  assert.equal(code, 0)
  for (const name of commandNames()) assert.match(out, new RegExp(`^ {2}${name} +\\S`, 'm'))
})

test('every command says what it does and how it is called', async () => {
  assert.ok(commandNames().includes('bench'))
  for (const name of commandNames()) {
    const command = await load(name)
    assert.match(command.summary, /^[^\n]{10,100}$/)
    assert.match(command.help, new RegExp(`^\\s*gatemesh ${name}\\b`))
    const { code, out, err } = await gatemesh(name, '--help')
    assert.deepEqual({ code, out, err }, { code: 0, out: `${command.help.trim()}\n`, err: '' })
  }
})

test('a call without a command is wrong use and shows the list', async () => {
  const { code, out, err } = await gatemesh()
  assert.deepEqual([code, out], [2, ''])
  assert.match(err, /^gatemesh COMMAND/)
})

test('what does not exist is wrong use, named, with where to look', async () => {
  const wrong: [args: string[], says: RegExp][] = [
    [['moll'], /no command moll.*--help/],
    [['--moll'], /no option --moll/],
    [['../command'], /no command/],
    [['bench', '--fast'], /^gatemesh bench: .*--fast.*\n.*gatemesh bench --help/],
    [['bench', 'nothing'], /^gatemesh bench: there is no bench nothing; there are /],
  ]
  for (const [args, says] of wrong) {
    const { code, out, err } = await gatemesh(...args)
    assert.deepEqual([code, out], [2, ''], args.join(' '))
    assert.match(err, says)
  }
})

test('every command refuses a flag it does not have', async () => {
  for (const name of commandNames()) {
    const { code, err } = await gatemesh(name, '--no-such-flag')
    assert.equal(code, 2, `${name}: ${err}`)
    assert.match(err, /--no-such-flag/)
  }
})

test('a table lines up words to the left and numbers to the right', () => {
  const rows = [
    { name: 'a', count: 1234, note: 'x' },
    { name: 'long', count: 5 },
  ]
  assert.equal(table(rows), ['name  count  note', 'a     1,234  x', 'long      5'].join('\n'))
})

test.run()
