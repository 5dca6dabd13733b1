// Pages: files for a browser. They hold no data: what they show they ask for, as whoever is logged in.

import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PACKED, takesGzip } from '../../mesh/window/packing.ts'
import {
  meshPages,
  PAGE_POLICY,
  type PageFile,
  type PageFiles,
  packedPage,
  readPageFiles,
} from '../../mesh/window/page-files.ts'
import { say } from './binding.ts'
import { ApiRefusal } from './refusal.ts'

let own: PageFiles | undefined

/** The anchor's own, below /pages/. */
export function anchorPages(): PageFiles {
  own ??= readPageFiles(join(import.meta.dirname, '../pages'))
  return own
}

export function addPages(app: FastifyInstance): void {
  const shelves = { '/pages': anchorPages(), '/mesh/pages': meshPages() }
  for (const [at, files] of Object.entries(shelves)) {
    app.get<{ Params: { file: string } }>(`${at}/:file`, { schema: { hide: true } }, (request, reply) => {
      const file = files.get(request.params.file)
      if (file === undefined) throw new ApiRefusal(404, 'not-found', 'there is no such page')
      return say(reply, pageAnswer(file, request))
    })
  }
}

export function pageAnswer(file: PageFile, { headers: { 'accept-encoding': accepts } }: FastifyRequest) {
  const headers = { 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache', 'content-type': file.type }
  if (!takesGzip(accepts)) return { status: 200, body: file.text, headers }
  return { status: 200, body: packedPage(file), headers: { ...headers, ...PACKED } }
}
