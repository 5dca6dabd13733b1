// The hash of a signed text, by which entries and other texts cite it: the leaf hash of the text without its
// signatures, last newline included.

import { toBase64 } from './base64.ts'
import { leafHash } from './tree.ts'

export function textHash(text: string): string {
  return toBase64(leafHash(text))
}
