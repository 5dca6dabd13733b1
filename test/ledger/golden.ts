// Golden files: bytes on disk that another language can read. Tests read them and never write them.

import { readFileSync } from 'node:fs'

export function goldenBytes(name: string): Buffer {
  return readFileSync(new URL(`../golden/${name}`, import.meta.url))
}

export function goldenText(name: string): string {
  return goldenBytes(name).toString('utf8')
}

export function goldenJson<T>(name: string): T {
  return JSON.parse(goldenText(name)) as T
}

interface GoldenKey {
  readonly what: string
  readonly verifier: string
  readonly signer?: string
}

/** All keys of `keys.json`, by name. */
export function goldenKeys(): Map<string, GoldenKey> {
  const keys = goldenJson<GoldenKey[]>('keys.json')
  return new Map(keys.map(key => [key.verifier.slice(0, key.verifier.indexOf('+')), key]))
}
