// Refusal: what is said to whoever asked for something that cannot be done, in one shape:
// `{ error: { code, message, where? } }`.
//
// Law: whoever asks wrongly is told what was wrong and where; a fault of ours is told as ours, and not in detail.

import { Fault } from '../../ledger/fault.ts'

export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string
  /** which part of the request: `body/note`, `query/limit`, `header/idempotency-key` */
  readonly where: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    a: { readonly where?: string; readonly headers?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(message, a.cause === undefined ? {} : { cause: a.cause })
    this.name = 'ApiRefusal'
    this.status = status
    this.code = code
    this.where = a.where
    this.headers = a.headers
  }
}

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly where?: string }
}

export function errorBody(code: string, message: string, where?: string): ErrorBody {
  return { error: { code, message, ...(where === undefined ? {} : { where }) } }
}

/** The kinds of statuses that Fastify has codes of its own for. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'bad-request',
  404: 'not-found',
  413: 'too-large',
  414: 'address-too-long',
  415: 'media-type',
  429: 'too-many',
  431: 'headers-too-large',
  503: 'not-now',
}

interface Flaw {
  readonly keyword?: string
  readonly schemaPath?: string
  readonly instancePath?: string
  readonly message?: string
  readonly params?: {
    readonly additionalProperties?: readonly string[]
    readonly requiredProperties?: readonly string[]
    readonly allowedValues?: readonly unknown[]
    readonly allowedValue?: unknown
  }
}

interface Thrown {
  readonly statusCode?: number
  readonly message?: string
  readonly validation?: readonly Flaw[]
  readonly validationContext?: string
}

/** What the sender did wrong, or undefined where it was not the sender. */
export function refusalOf(error: unknown): ApiRefusal | undefined {
  if (error instanceof ApiRefusal) return error
  if (typeof error !== 'object' || error === null) return undefined
  const { validation, validationContext = 'request', statusCode = 500, message = '' } = error as Thrown
  if (validation !== undefined) return invalid(validation, PLACES[validationContext] ?? validationContext)
  if (statusCode < 400 || (statusCode >= 500 && statusCode !== 503)) return undefined
  return new ApiRefusal(statusCode, BY_STATUS[statusCode] ?? 'bad-request', message.slice(0, 300))
}

/** A fault that a core tells of what was brought to it is the sender's; `only` where it has this code. */
export function broughtWrongly(error: unknown, code: string, only?: string): never {
  if (!(error instanceof Fault) || (only !== undefined && error.code !== only)) throw error
  throw new ApiRefusal(422, code, error.message, { cause: error })
}

/** A cursor is ours to read: one that cannot be read was not told by us. */
export function ofCursor(error: unknown): never {
  if (!(error instanceof Fault) || error.code !== 'CURSOR') throw error
  throw new ApiRefusal(400, 'invalid', 'query/cursor is not one of ours', { where: 'query/cursor', cause: error })
}

const PLACES: Readonly<Record<string, string>> = { querystring: 'query', headers: 'header', params: 'path' }

function invalid(flaws: readonly Flaw[], place: string): ApiRefusal {
  const { keyword, instancePath = '', params = {}, message = 'is not as it should be' } = tellingOf(flaws)
  const [field] = keyword === 'required' ? (params.requiredProperties ?? []) : (params.additionalProperties ?? [])
  const where = shorten(`${place}${instancePath}${field === undefined ? '' : `/${field}`}`)
  if (keyword === 'required') return new ApiRefusal(400, 'invalid', `${where} is missing`, { where })
  if (keyword === 'additionalProperties') {
    return new ApiRefusal(400, 'invalid', `${where} is a field that does not belong there`, { where })
  }
  if (keyword === 'const') {
    const kinds = flaws.filter(flaw => flaw.keyword === 'const').map(flaw => flaw.params?.allowedValue)
    return new ApiRefusal(400, 'invalid', `${where} must be one of ${kinds.join(', ')}`, { where })
  }
  const allowed = params.allowedValues === undefined ? '' : `: ${params.allowedValues.join(', ')}`
  return new ApiRefusal(400, 'invalid', `${where} ${message}${allowed}`, { where })
}

/** Of all that is wrong the one to tell: about the shape that was meant, where there are several, and the deepest. */
function tellingOf(flaws: readonly Flaw[]): Flaw {
  const real = flaws.filter(({ keyword = '' }) => !['anyOf', 'not', 'boolean'].includes(keyword))
  // a shape whose `kind` is another was not meant
  const other = new Set(real.filter(({ keyword }) => keyword === 'const').map(shapeOf))
  const meant = real.filter(flaw => !other.has(shapeOf(flaw)))
  const [first = {}, ...rest] = meant.length > 0 ? meant : real.length > 0 ? real : flaws
  const depth = (flaw: Flaw) => (flaw.instancePath ?? '').split('/').length
  return rest.reduce((a, b) => (depth(b) > depth(a) ? b : a), first)
}

function shapeOf({ schemaPath = '' }: Flaw): string {
  return /^.*?\/anyOf\/\d+/.exec(schemaPath)?.[0] ?? ''
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
