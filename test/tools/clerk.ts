// Clerk: the command line, called in this process, with what it printed and how it ended.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeKey } from '../../tools/founding.ts'
import { main } from '../../tools/gatemesh.ts'
import { keyOf } from '../approvals/office.ts'

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
  // biome-ignore lint/suspicious/noExplicitAny: what was printed is looked at field by field
  readonly json: any
}

/** One at a time: what is printed meanwhile is its words. */
export async function gatemesh(...args: string[]): Promise<Said> {
  const { log, error } = console
  const [out, err]: [string[], string[]] = [[], []]
  console.log = (...words) => out.push(words.join(' '))
  console.error = (...words) => err.push(words.join(' '))
  try {
    const code = await main(args)
    const text = out.join('\n')
    return { code, out: text, err: err.join('\n'), json: text.startsWith('{') ? JSON.parse(text) : undefined }
  } finally {
    Object.assign(console, { log, error })
  }
}

/** A folder with the keys of these people in it. */
export async function withKeys(
  names: readonly string[],
  act: (path: (file: string) => string) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'clerk-'))
  try {
    for (const name of names) await writeKey(join(dir, `${name}.key`), keyOf(name))
    await act(file => join(dir, file))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
