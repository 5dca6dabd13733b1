// Second: the verifier that lies in every bundle, called from tests. It is plain JavaScript and has no types of its own.

import type { Told } from './agreed.ts'

interface SecondVerifier {
  verify(dir: string, vkey: string): Told | Promise<Told>
}

const SECOND = new URL('../../tools/audit/bundle/verify.mjs', import.meta.url)

export async function second(dir: string, vkey: string, file: URL = SECOND): Promise<Told> {
  const { verify } = (await import(file.href)) as SecondVerifier
  return verify(dir, vkey)
}
