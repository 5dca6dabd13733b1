// Options that every command of an operator takes: which anchor, which mall, who I am.

import { readFile } from 'node:fs/promises'
import { Fault } from '../../ledger/fault.ts'
import type { SignerKey } from '../../ledger/key.ts'
import { isName } from '../../ledger/origin.ts'
import { Usage } from '../command.ts'
import { AnchorClient } from './anchor-client.ts'
import { mallOfKey, readKey } from './person.ts'

const ANCHOR_URL = 'http://127.0.0.1:8080'

export const COMMON = {
  anchor: { type: 'string' },
  mall: { type: 'string' },
  token: { type: 'string' },
  key: { type: 'string' },
  ca: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

export const SIGNING = {
  ...COMMON,
  reason: { type: 'string' },
  out: { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const

export const COMMON_HELP = `
  --anchor URL     where the anchor's API is; or GATEMESH_ANCHOR, otherwise ${ANCHOR_URL}. Plain http is for this
                   machine only
  --mall ID        which mall; the key's or the token's where it is not said
  --key FILE       your secret key: signs, and logs in where no token is given
  --token TOKEN    a token to read with; or GATEMESH_TOKEN
  --ca FILE        trust this certificate (PEM) for https
  --json           print what came of it as JSON`

export const SIGNING_HELP = `
  --reason TEXT    why, for whoever signs next and whoever reads it in years
  --out FILE       write the signed note there and send nothing; \`gatemesh approve FILE\` goes on with it
  --yes            do not ask before signing
${COMMON_HELP.slice(1)}`

export interface CommonValues {
  readonly anchor?: string | undefined
  readonly mall?: string | undefined
  readonly token?: string | undefined
  readonly key?: string | undefined
  readonly ca?: string | undefined
  readonly json: boolean
}

export interface Bearings {
  readonly client: AnchorClient
  readonly key: SignerKey | undefined
  readonly json: boolean
}

/** Reads the key, if any, and finds the way to the anchor. Nothing is sent yet. */
export async function bearings(values: CommonValues): Promise<Bearings> {
  const key = values.key === undefined ? undefined : await readKey(values.key)
  const mall = values.mall ?? (key === undefined ? undefined : mallOfKey(key))
  if (mall !== undefined && !isName(mall)) throw new Usage(`--mall takes a mall's name, not ${JSON.stringify(mall)}`)
  if (key !== undefined && mall !== mallOfKey(key)) {
    throw new Usage(`--mall: ${values.key} is a key of ${mallOfKey(key)}, not of ${mall}`)
  }
  const token = values.token ?? process.env.GATEMESH_TOKEN
  const ca = values.ca === undefined ? undefined : await readPem(values.ca)
  const url = anchorUrl(values.anchor ?? process.env.GATEMESH_ANCHOR ?? ANCHOR_URL)
  const client = new AnchorClient({
    url,
    ...(mall === undefined ? {} : { mall }),
    ...(token === undefined ? {} : { token }),
    ...(ca === undefined ? {} : { ca }),
    ...(key === undefined ? {} : { key }),
  })
  return { client, key, json: values.json }
}

/** The same for what cannot be done without a key. */
export async function signingBearings(values: CommonValues): Promise<Bearings & { readonly key: SignerKey }> {
  if (values.key === undefined) throw new Usage('--key takes the file with your secret key')
  const found = await bearings(values)
  return { ...found, key: found.key as SignerKey }
}

export function reasonOf(reason: string | undefined): string {
  if (reason !== undefined && reason !== '') return reason
  throw new Usage('--reason takes a text: why, for whoever signs next and whoever reads it in years')
}

/** A token that travels in the open is anybody's. */
export function anchorUrl(text: string): URL {
  const url = httpUrl('--anchor', text)
  if (url.protocol === 'https:' || isHere(url.hostname)) return url
  throw new Usage(`--anchor: ${text} is not this machine: it takes https, for what is sent there must stay secret`)
}

export function httpUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new Usage(`${option} takes an address, as in https://anchor.example:8443, not ${JSON.stringify(text)}`)
}

function isHere(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

async function readPem(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Fault('CA', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
