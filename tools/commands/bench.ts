// `gatemesh bench`: measures, and prints a table for people or JSON for programs, both with the machine it was measured on;
// and draws.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Measured } from '../bench.ts'
import { EXIT, Usage } from '../command.ts'
import { inWords, type Machine, machine } from '../machine.ts'
import { table } from '../table.ts'

const folder = join(import.meta.dirname, '../bench')

export type Result = Measured & { readonly machine: Machine }

export const summary = 'measure decisions beside central counters, scarcity, growth, fires, cuts, stores, pages, audits'

export const help = `
gatemesh bench [NAME…] [--quick] [--json] [--plot DIR]
gatemesh bench verify [--entries N,N,…] [--dir DIR] [--seed N]

  NAME         ${names().join(', ')}; all of them unless named
  --quick      a fraction of the time, for a first look; not for quoting
  --json       the figures as JSON, one object per row, and the machine they were measured on
  --plot DIR   write what a bench draws there, as SVG; some draw nothing

  emergency         FIRE at one gate of 6 and of 30, anchor dead, until all are in it
  growth            what one gate costs among 5, 30 and 60: processor, memory, bytes sent; about ten minutes
  healing           halves of a mall cut apart for 5, 29 and 150 s: noticed, and healed; needs root
  idle, memory      a mall at rest; a gate after 100,000 decisions
  scarcity          few places left: the mesh beside an all-knowing counter, in virtual time

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
      plot: { type: 'string' },
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
  if (values.plot === '') throw new Usage('--plot takes a folder')
  const results: Result[] = []
  for (const name of positionals.length > 0 ? positionals : known) {
    const { bench } = (await import(`../bench/${name}.ts`)) as { bench: Bench }
    const on = machine()
    const result = { ...(await bench(values)), machine: on }
    results.push(result)
    if (!values.json) console.log(readable(result))
    if (values.plot !== undefined) draw(result, values.plot)
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

export function readable({ name, title, rows, notes = [], skipped, machine: on }: Result): string {
  if (skipped !== undefined) return `${name}: skipped: ${skipped}\n`
  return [title, '', table(rows), ...[...notes, inWords(on)].map(note => `\n${note}`), ''].join('\n')
}

/** One bench prints its own object; several are told apart by their names. */
export function forPrograms(results: readonly Result[]): unknown {
  const [only] = results
  return results.length === 1 && only ? shape(only) : Object.fromEntries(results.map(r => [r.name, shape(r)]))
}

function shape({ title, rows, notes, scenarios, skipped, machine: on }: Result): object {
  if (skipped !== undefined) return { title, skipped, rows, machine: on }
  return scenarios ? { scenarios, machine: on } : { title, rows, notes, machine: on }
}

function draw({ name, plots = {} }: Result, folder: string): void {
  if (Object.keys(plots).length === 0) console.error(`${name} draws nothing`)
  mkdirSync(folder, { recursive: true })
  for (const [file, svg] of Object.entries(plots)) {
    writeFileSync(join(folder, file), svg)
    console.error(`drawn: ${join(folder, file)}`)
  }
}
