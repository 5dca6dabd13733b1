// Packing: texts that are sent again and again go out as gzip, made once for each.

import { gzipSync } from 'node:zlib'

export const PACKED = { 'content-encoding': 'gzip', vary: 'accept-encoding' } as const

/** `gzip;q=0` is a no, and whoever says nothing is not asked to guess. */
export function takesGzip(accepts: string | string[] | undefined): boolean {
  const coded = String(accepts ?? '')
    .split(',')
    .map(one => one.trim())
  return coded.some(one => /^gzip(\s*;\s*q=(1|0?\.[0-9]*[1-9][0-9]*|1\.0+))?$/i.test(one))
}

/** Of the same object always the same bytes. */
export function packer(): (file: { readonly text: string }) => Buffer {
  const made = new WeakMap<object, Buffer>()
  return file => {
    const bytes = made.get(file) ?? gzipSync(file.text)
    made.set(file, bytes)
    return bytes
  }
}
