// `gatemesh ask`: one call of the anchor's API, by somebody who logs in with a key.

import { parseArgs } from 'node:util'
import { EXIT, Usage } from '../command.ts'
import { answered } from '../operator/deed.ts'
import { bearings, COMMON, COMMON_HELP } from '../operator/options.ts'

export const summary = 'call the API of the anchor: read, acknowledge an alert, put a hold on a day'

export const help = `
gatemesh ask PATH [--post JSON | --delete]

  PATH             below /api/v1/malls/MALL/, as in alerts?state=raised, reconciliation, events?gate=g1&type=fault;
                   URL/api/v1/openapi.json has all of them
  --post JSON      send this: it changes something
  --delete         end or withdraw what is at PATH
${COMMON_HELP.replace(/^ {2}--json.*$/m, '').trimEnd()}

  gatemesh ask alerts/ID/acknowledgements --post '{"note": "on my way"}' --key FILE
  gatemesh ask holds --post '{"from": 1794787200000, "to": 1794873600000, "reason": "inquiry"}' --key FILE

Prints the answer, as JSON where it is JSON.
`

export async function run(args: string[]): Promise<number> {
  const options = { ...COMMON, post: { type: 'string' }, delete: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [path = '', ...rest] = positionals
  if (path === '' || path.startsWith('/') || rest.length > 0) {
    throw new Usage('one PATH below /api/v1/malls/MALL/, as in alerts?state=raised')
  }
  if (values.post !== undefined && values.delete) throw new Usage('--post or --delete, not both')
  const body = values.post === undefined ? undefined : bodyFrom(values.post)
  const { client } = await bearings(values)
  return answered(values.json, async () => {
    if (body === undefined && !values.delete) console.log(shown(await client.text(path)))
    else
      console.log(
        JSON.stringify(body === undefined ? await client.delete(path) : await client.post(path, body), null, 2),
      )
    return EXIT.fine
  })
}

function bodyFrom(text: string): object {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch {
    // said below
  }
  throw new Usage(`--post takes a JSON object, not ${text}`)
}

/** Notes are text. */
function shown(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text.trimEnd()
  }
}
