// `gatemesh bench`: measures, and prints a table for people or JSON for programs.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Measured } from '../bench.ts'
import { EXIT, Usage } from '../command.ts'
import { table } from '../table.ts'

const folder = join(import.meta.dirname, '../bench')

export const summary =
  'measure how close the mesh comes to a central counter, what the store can take, how fast audits are'

export const help = `
gatemesh bench [NAME…] [--quick] [--json]
gatemesh bench verify [--entries N,N,…] [--dir DIR] [--seed N]

  NAME      ${names().join(', ')}; all of them unless named
  --quick   a fraction of the time, for a first look; not for quoting
  --json    the figures as JSON, one object per row

  --entries N,N,…   how large the years are that \`verify\` checks (1000000,2000000,5000000: about 2 GB)
  --dir DIR         keep them there, or take those that are there already
  --seed N          which years (1)
`

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      entries: { type: 'string' },
      dir: { type: 'string' },
      seed: { type: 'string' },
    },
  })
  const known = names()
  for (const name of positionals) {
    if (!known.includes(name)) throw new Usage(`there is no bench ${name}; there are ${known.join(', ')}`)
  }
  for (const option of ['entries', 'dir', 'seed'] as const) {
    if (values[option] !== undefined && !(positionals.length === 1 && positionals[0] === 'verify'))
      throw new Usage(`--${option} is for \`bench verify\` alone`)
  }
  const results: Measured[] = []
  for (const name of positionals.length > 0 ? positionals : known) {
    const { bench } = (await import(`../bench/${name}.ts`)) as { bench: Bench }
    const result = await bench(values)
    results.push(result)
    if (!values.json) console.log(readable(result))
  }
  if (values.json) console.log(JSON.stringify(forPrograms(results), null, 2))
  return EXIT.fine
}

function names(): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.ts'))
    .map(file => file.slice(0, -3))
    .sort()
}

function readable({ title, rows, notes = [] }: Measured): string {
  return [title, '', table(rows), ...notes.map(note => `\n${note}`), ''].join('\n')
}

/** One bench prints its own object; several are told apart by their names. */
function forPrograms(results: readonly Measured[]): unknown {
  const shape = ({ title, rows, notes, scenarios }: Measured) => (scenarios ? { scenarios } : { title, rows, notes })
  const [only] = results
  return results.length === 1 && only ? shape(only) : Object.fromEntries(results.map(r => [r.name, shape(r)]))
}
