// `gatemesh COMMAND …`: finds the command's file, and turns what goes wrong into an exit code that means something.
//
// Only the command that is called is loaded: `status` must not wait for the simulator's imports.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../ledger/fault.ts'
import { type Command, EXIT, Usage } from './command.ts'

const folder = join(import.meta.dirname, 'commands')

export function commandNames(): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.ts'))
    .map(file => file.slice(0, -3))
    .sort()
}

export async function load(name: string): Promise<Command> {
  return (await import(`./commands/${name}.ts`)) as Command
}

export async function main(argv: readonly string[]): Promise<number> {
  // A reader that has seen enough (`| head`) is not a fault of ours.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(EXIT.fine)
    throw error
  })
  const [name, ...args] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const text = await overview()
    if (name === undefined) console.error(text)
    else console.log(text)
    return name === undefined ? EXIT.usage : EXIT.fine
  }
  if (!commandNames().includes(name)) {
    const kind = name.startsWith('-') ? 'option' : 'command'
    console.error(`gatemesh: there is no ${kind} ${name}; \`gatemesh --help\` lists the commands`)
    return EXIT.usage
  }
  const command = await load(name)
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  if (options.includes('--help') || options.includes('-h')) {
    console.log(((await command.helpOf?.(args)) ?? command.help).trim())
    return EXIT.fine
  }
  try {
    return await command.run(args)
  } catch (error) {
    // of a command with commands of its own, the one that was called
    const [word = ''] = command.helpOf === undefined ? [] : args
    return explain(/^[a-z]+$/.test(word) ? `${name} ${word}` : name, error)
  }
}

async function overview(): Promise<string> {
  const names = commandNames()
  const width = Math.max(...names.map(name => name.length))
  const lines = await Promise.all(names.map(async name => `  ${name.padEnd(width)}  ${(await load(name)).summary}`))
  return [
    'gatemesh COMMAND [options]',
    '',
    ...lines,
    '',
    '`gatemesh COMMAND --help` says more. Exit codes: 0 fine, 1 the answer is no, 2 wrong use, 3 fault.',
  ].join('\n')
}

function explain(name: string, error: unknown): number {
  const code = (error as { code?: unknown }).code
  if (error instanceof Usage || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_'))) {
    console.error(`gatemesh ${name}: ${(error as Error).message}\n\`gatemesh ${name} --help\` says how it is called`)
    return EXIT.usage
  }
  if (error instanceof Fault) console.error(`gatemesh ${name}: ${error.code}: ${error.message}`)
  else console.error(`gatemesh ${name}:`, error)
  return EXIT.fault
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
