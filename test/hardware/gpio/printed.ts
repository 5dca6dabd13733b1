// Printed: claims that run in another process, or under another kernel, told over its output, one line each.

import { inspect } from 'node:util'
import type { Bench } from './bench.ts'
import { CLAIMS } from './claims.ts'

/** The claims about this way to pins. */
export const claimsOf = (backend: Bench['backend']) =>
  CLAIMS.filter(({ only }) => only === undefined || only === backend)

/** Each on a bench of its own. */
export async function printClaims(way: string, backend: Bench['backend'], bench: () => Bench): Promise<void> {
  for (const { name, run } of claimsOf(backend)) {
    try {
      const figures = await run(bench())
      console.log(`OK ${way}: ${name}${figures === undefined ? '' : ` # ${figures}`}`)
    } catch (error) {
      console.log(`FAILED ${way}: ${name}: ${inspect(error).replaceAll('\n', ' | ')}`)
    }
  }
}

/** What became of one of them: its figures, if it has some. Throws where it failed, or was never come to. */
export function verdictOf(said: string, way: string, name: string): string | undefined {
  const start = `${way}: ${name}`
  const lines = said.split('\n')
  const failed = lines.find(line => line.startsWith(`FAILED ${start}: `))
  if (failed !== undefined) throw new Error(failed)
  const passed = lines.find(line => line === `OK ${start}` || line.startsWith(`OK ${start} # `))
  if (passed === undefined) throw new Error(`never come to; the last words were: ${said.trim().slice(-1500)}`)
  return passed.split(' # ')[1]
}
