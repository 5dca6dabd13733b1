// Page files: what browsers are given, read once from the folders beside the code, and given as it stands: there is no
// build. Their types are in comments that the compiler checks (mesh/pages/tsconfig.json).
//
// Law: what is asked for is a name among these, never a path. A page runs only what comes from the same address.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packer } from './packing.ts'
import type { Reply, Route } from './route.ts'

export interface PageFile {
  readonly name: string
  readonly type: string
  readonly text: string
}

export type PageFiles = ReadonlyMap<string, PageFile>

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
const FILE = /^[a-z][a-z0-9-]*\.(html|js|css|svg)$/

/** What a browser may do with them: only what is of this very address, and nothing inline. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function readPageFiles(dir: string): PageFiles {
  const files = new Map<string, PageFile>()
  for (const name of readdirSync(dir)) {
    const [, kind = ''] = FILE.exec(name) ?? []
    const type = TYPES[kind]
    if (type === undefined) continue
    files.set(name, { name, type, text: readFileSync(join(dir, name), 'utf8') })
  }
  return files
}

let mesh: PageFiles | undefined

/** What gates and the anchor have in common, served below /mesh/pages/; with the library that draws the charts. */
export function meshPages(): PageFiles {
  mesh ??= new Map([...readPageFiles(join(import.meta.dirname, '../pages')), ...chartFiles()])
  return mesh
}

/** The chart library as a module: as it comes it leaves a variable, which one line more exports. */
function chartFiles(): [string, PageFile][] {
  const dist = join(createRequire(import.meta.url).resolve('uplot'), '..')
  const script = `${readFileSync(join(dist, 'uPlot.iife.min.js'), 'utf8')}\nexport default uPlot\n`
  const style = readFileSync(join(dist, 'uPlot.min.css'), 'utf8')
  return [
    ['uplot.js', { name: 'uplot.js', type: TYPES.js as string, text: script }],
    ['uplot.css', { name: 'uplot.css', type: TYPES.css as string, text: style }],
  ]
}

/** As gzip: what all pages are made of goes to phones over radio. */
export const packedPage = packer()

export function pageReply(file: PageFile): Reply {
  const { type, text } = file
  const headers = { 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' }
  return { status: 200, type, text, packed: () => packedPage(file), headers }
}

/**
 * A route for each, below `at`. Where they cannot be read and somebody is there to be told, there are none: a file for a
 * browser that is missing must not keep a gate from opening its door.
 */
export function pageRoutes(at: string, files: () => PageFiles, blurred?: (error: unknown) => void): Route[] {
  return [...filesOr(files, blurred).values()].map(file => ({
    method: 'GET',
    path: `${at}/${file.name}`,
    answer: () => pageReply(file),
  }))
}

function filesOr(files: () => PageFiles, blurred?: (error: unknown) => void): PageFiles {
  try {
    return files()
  } catch (error) {
    if (blurred === undefined) throw error
    blurred(error)
    return new Map()
  }
}
