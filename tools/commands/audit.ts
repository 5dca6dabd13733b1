// `gatemesh audit …`: evidence. One file in tools/audit/commands for each of its words.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Usage } from '../command.ts'

export const summary = 'export evidence, verify it, prove one event, search, report'

const folder = join(import.meta.dirname, '../audit/commands')

export const help = `
gatemesh audit WORD …

${names()
  .map(name => `  gatemesh audit ${name} --help`)
  .join('\n')}

\`verify\` and \`check\` need no network and trust nothing but the key they are given.
`

export async function run(args: string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || !names().includes(name))
    throw new Usage(`takes one of ${names().join(', ')} as its first word, not ${name ?? 'nothing'}`)
  return (await load(name)).run(rest)
}

/** What `gatemesh audit WORD --help` prints; undefined for help on `audit` itself. */
export async function helpOf(args: readonly string[]): Promise<string | undefined> {
  const name = args.find(arg => names().includes(arg))
  return name === undefined ? undefined : (await load(name)).help
}

function names(): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.ts'))
    .map(file => file.slice(0, -3))
    .sort()
}

async function load(name: string): Promise<Command> {
  return (await import(`../audit/commands/${name}.ts`)) as Command
}
