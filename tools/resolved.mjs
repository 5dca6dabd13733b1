// Resolved: where every import of ours leads, looked up once for all processes of a test run.
//
// A gate loads eight hundred modules, and Node spends a third of its start on asking the disk where each of them is; tests
// start gates and anchors by the hundred. So `npm test` begins with one process that loads everything and writes down what
// Node answered, and all others are told. What was not asked then is asked of Node, as ever.
//
//     GATEMESH_RESOLVED=FILE node --import tools/resolved.mjs …            is told, if there is such a file
//     GATEMESH_RESOLVED=FILE node tools/resolved.mjs MODULE …              loads these, and writes it

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as module from 'node:module'
import { pathToFileURL } from 'node:url'

/** CommonJS looks for itself, in other ways. */
const FORMATS = ['builtin', 'module', 'module-typescript']
const file = process.env.GATEMESH_RESOLVED
const isAsImport = ({ conditions }) => conditions.includes('import')

// a Node that cannot be told (tests start an old one too) looks for itself
if (file !== undefined && module.registerHooks !== undefined) {
  if (import.meta.main) await record(process.argv.slice(2))
  else tell(read())
}

function tell(known) {
  module.registerHooks({
    resolve(specifier, context, next) {
      const found = known[context.parentURL]?.[specifier]
      if (found === undefined || !isAsImport(context)) return next(specifier, context)
      return { url: found[0], format: found[1], shortCircuit: true }
    },
  })
}

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return {}
  }
}

async function record(modules) {
  const known = {}
  module.registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const { parentURL } = context
      if (parentURL !== undefined && isAsImport(context) && FORMATS.includes(found.format)) {
        known[parentURL] ??= {}
        known[parentURL][specifier] = [found.url, found.format]
      }
      return found
    },
  })
  for (const path of modules) await import(path.startsWith('/') ? pathToFileURL(path).href : path)
  // whoever reads it meanwhile reads all of it or nothing
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(known))
  renameSync(`${file}.${process.pid}`, file)
}
