// Validator: holds what came in against its schema.
//
// Law: a value has one spelling. A body is JSON and says what is a number; in an address everything is text, and a number
// there is its digits and nothing else. What is not understood is refused, never bent until it fits.

import type { TLocalizedValidationError } from 'typebox/error'
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'

/** Of a choice between ten shapes every one complains, and the one that was meant may be the last. */
Settings.Set({ maxErrors: 64 })

const WHOLE = /^(0|-?[1-9][0-9]{0,15})$/

interface Checked {
  readonly value?: unknown
  readonly error?: readonly TLocalizedValidationError[]
}

/** What Fastify asks for: of a schema, and of which part of a request it is. */
export function validatorOf({
  schema,
  httpPart,
}: {
  readonly schema: unknown
  readonly httpPart?: string | undefined
}) {
  // when it is first asked: of a hundred addresses a start waits for none
  let check: ReturnType<typeof Compile> | undefined
  const numbers = httpPart === 'body' ? [] : numbersIn(schema)
  return (said: unknown): Checked => {
    const value = numbers.length === 0 ? said : withNumbers(said as Record<string, unknown>, numbers)
    check ??= Compile(schema as object)
    return check.Check(value) ? { value } : { error: check.Errors(value)[1] }
  }
}

function numbersIn(schema: unknown): readonly string[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  return Object.keys(properties).filter(name => properties[name]?.type === 'integer')
}

function withNumbers(said: Readonly<Record<string, unknown>>, numbers: readonly string[]): Record<string, unknown> {
  const value = { ...said }
  for (const name of numbers) {
    const text = value[name]
    if (typeof text === 'string' && WHOLE.test(text)) value[name] = Number(text)
  }
  return value
}
