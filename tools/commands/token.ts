// `gatemesh token`: tokens with which programs read the anchor's API.

import { parseArgs } from 'node:util'
import { ROLES } from '../../ledger/charter.ts'
import { isName } from '../../ledger/origin.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { answered } from '../operator/deed.ts'
import { shownMoment } from '../operator/moment.ts'
import { bearings, COMMON, COMMON_HELP } from '../operator/options.ts'
import { table } from '../table.ts'

export const summary = 'make, list and revoke tokens for programs'

const PROGRAM_ROLES = ROLES.filter(role => role !== 'marshal')
const DAY_MS = 86_400_000

export const help = `
gatemesh token new NAME --role ROLE [--days N]
gatemesh token list
gatemesh token revoke ID

  new NAME         prints the token, this once; only its hash is kept
  --role ROLE      what it may do: ${PROGRAM_ROLES.join(', ')}
  --days N         it ends by itself after so many days; otherwise when it is revoked
${COMMON_HELP}

Only a marshal does these.
`

interface TokenTold {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly kind: string
  readonly at: number
  readonly by: string
  readonly expiresAt?: number
}

export async function run(args: string[]): Promise<number> {
  const options = { ...COMMON, role: { type: 'string' }, days: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [what = '', whom = '', ...rest] = positionals
  if (!['new', 'list', 'revoke'].includes(what)) {
    throw new Usage(`what to do with tokens is new, list or revoke, not ${JSON.stringify(what)}`)
  }
  if (rest.length > 0 || (what === 'list') !== (whom === '')) {
    throw new Usage(`token ${what} takes ${{ new: 'one NAME', revoke: 'one ID', list: 'nothing more' }[what as 'new']}`)
  }
  const body = what === 'new' ? wantedFrom(whom, values.role, values.days) : {}
  const { client, json } = await bearings(values)
  return answered(json, async () => {
    if (what === 'list') {
      const { tokens } = await client.get<{ tokens: readonly TokenTold[] }>('tokens')
      if (json) console.log(JSON.stringify({ tokens }))
      else console.log(tokens.length === 0 ? 'no tokens' : table(tokens.map(rowOf)))
    } else if (what === 'revoke') {
      const revoked = await client.delete<TokenTold>(`tokens/${encodeURIComponent(whom)}`)
      console.log(json ? JSON.stringify(revoked) : `${whom} is revoked`)
    } else {
      const made = await client.post<TokenTold & { token: string }>('tokens', body)
      console.log(json ? JSON.stringify(made) : `${made.token}\n`.trimEnd())
      if (!json) console.error(`this is the only time that it is shown; its id is ${made.id}`)
    }
    return EXIT.fine
  })
}

function wantedFrom(name: string, role: string | undefined, days: string | undefined): object {
  if (!isName(name)) throw new Usage(`token new takes a name in small letters, digits and dashes, not ${name}`)
  if (!PROGRAM_ROLES.some(known => known === role)) throw new Usage(`--role takes one of ${PROGRAM_ROLES.join(', ')}`)
  if (days === undefined) return { name, role }
  return { name, role, expiresAt: Date.now() + wholeNumber('--days', days, 1, 3650) * DAY_MS }
}

function rowOf({ id, name, role, kind, by, expiresAt }: TokenTold): Record<string, string> {
  return { id, name, role, kind, by, until: expiresAt === undefined ? 'revoked' : shownMoment(expiresAt) }
}
