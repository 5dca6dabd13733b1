// `gatemesh audit check PROOF`: does a proof of one event hold? Needs no network.

import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Checked, type CheckOptions, checkEventProof } from '../../../ledger/audit/proof-check.ts'
import { Fault } from '../../../ledger/fault.ts'
import { fromUtf8 } from '../../../ledger/utf8.ts'
import { EXIT, Usage } from '../../command.ts'
import { printable } from '../../operator/anchor-client.ts'
import { readOwner } from '../owner.ts'
import { type Meaning, meaningOf } from '../proofs/proof-words.ts'

export const summary = 'check a proof of one event, trusting only the key that is given'

export const help = `
gatemesh audit check PROOF --charter-key VKEY [--json]

  PROOF                a file that \`gatemesh audit prove\`, or an anchor, has made; - reads it from standard input
  --charter-key VKEY   the key of the mall's owner, or a file that holds it; known by other means than the proof
  --json               print what was found as JSON

Exit code 0 only where every step holds; 1 with what does not, and where.
`

/** The largest holds two lines, a few notes and all revisions of a charter. */
const PROOF_BYTES_MAX = 32 << 20

export async function run(args: string[]): Promise<number> {
  const options = { 'charter-key': { type: 'string' }, json: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new Usage('takes one proof')
  const owner = await readOwner(values['charter-key'])
  const checked = checkProofText(await readProof(file), { owner })
  const { holds, proof, entry, steps } = checked
  const meaning = holds && proof && entry ? meaningOf(proof, entry, checked) : undefined
  if (values.json) {
    const event = holds && entry ? { account: proof?.account, entry } : undefined
    console.log(JSON.stringify({ format: 'gatemesh/proof-check/1', ok: holds, steps, event, ...meaning }, undefined, 1))
  } else console.log(report(file, checked, meaning))
  return holds ? EXIT.fine : EXIT.no
}

/** What came as bytes from anybody. */
export function checkProofText(bytes: Uint8Array, options: CheckOptions): Checked {
  const refused = (words: string): Checked => {
    return {
      holds: false,
      steps: [{ title: 'The form', holds: false, words }],
      proof: undefined,
      entry: undefined,
      signers: [],
    }
  }
  if (bytes.length > PROOF_BYTES_MAX) return refused(`longer than ${PROOF_BYTES_MAX} bytes`)
  const text = fromUtf8(bytes)
  if (text === undefined) return refused('not valid UTF-8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refused(`not JSON: ${(error as Error).message}`)
  }
  return checkEventProof(value, options)
}

function report(file: string, { holds, steps, proof }: Checked, meaning: Meaning | undefined): string {
  const lines = steps.map(({ title, holds, words }) => `  ${holds ? '✓' : '✗'} ${title}. ${printable(words)}`)
  if (meaning === undefined) {
    const failed = steps.filter(step => step.holds === false).map(({ title }) => title)
    return [`${file}: this is no proof`, ...lines, '', `It does not hold: ${failed.join(', ')}.`].join('\n')
  }
  const list = (words: readonly string[]) => words.map(one => `  - ${one}`)
  const { means, not } = meaning
  const said = [
    '',
    'The line:',
    `  ${proof?.line}`,
    '',
    'This means:',
    ...list(means),
    '',
    'It does not show:',
    ...list(not),
  ]
  return [`${file}: ${holds ? 'the proof holds' : 'this is no proof'}`, ...lines, ...said].join('\n')
}

async function readProof(path: string): Promise<Uint8Array> {
  try {
    if (path !== '-') return await readUpTo(path)
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of process.stdin as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes <= PROOF_BYTES_MAX + 1) parts.push(part)
    }
    return Buffer.concat(parts)
  } catch (error) {
    throw new Fault('PROOF', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** One byte more than may be, at most: enough to say that it is too long. */
async function readUpTo(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.min(size, PROOF_BYTES_MAX + 1))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
