// Pages: files for a browser, from anchor/pages. They hold no data: what they show they ask for, as whoever is logged in.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ApiRefusal } from './refusal.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
const FILE = /^[a-z][a-z0-9-]*\.(html|js|css|svg)$/

export const PAGES_DIR = join(import.meta.dirname, '../pages')

/** What the browser may do with them: only what is of this very address, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Page {
  readonly type: string
  readonly bytes: Buffer
}

/** All of them are read at the start: what is asked for is a name among these, never a path. */
export async function addPages(app: FastifyInstance, dir = PAGES_DIR): Promise<void> {
  const pages = await readPages(dir)
  app.get<{ Params: { file: string } }>('/pages/:file', { schema: { hide: true } }, (request, reply) => {
    const page = pages.get(request.params.file)
    if (page === undefined) throw new ApiRefusal(404, 'not-found', 'there is no such page')
    return reply
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .type(page.type)
      .send(page.bytes)
  })
}

async function readPages(dir: string): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>()
  for (const name of await readdir(dir)) {
    const [, kind = ''] = FILE.exec(name) ?? []
    const type = TYPES[kind]
    if (type !== undefined) pages.set(name, { type, bytes: await readFile(join(dir, name)) })
  }
  return pages
}
