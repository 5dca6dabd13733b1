// A command of `gatemesh`: one file in tools/commands, whose exports are these. Its name is the file's name.

export interface Command {
  /** one line for the list of commands */
  readonly summary: string
  /** what `gatemesh NAME --help` prints: usage first, then what each option means */
  readonly help: string
  run(args: string[]): Promise<number>
  /** of a command with commands of its own: the help of the one that is meant */
  helpOf?(args: readonly string[]): Promise<string | undefined>
}

/** What an exit code means, for every command. */
export const EXIT = { fine: 0, no: 1, usage: 2, fault: 3 } as const

/** The command was called wrongly; the message says what was expected. */
export class Usage extends Error {}

export function wholeNumber(name: string, text: string, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new Usage(`${name} takes a whole number ${range}, not ${JSON.stringify(text)}`)
}
