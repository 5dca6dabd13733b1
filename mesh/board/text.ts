// Text that strangers wrote and people will read: one line, of bounded length, well-formed.

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

export function cutText(text: string, max: number): string {
  // twice the length first, so that a megabyte is not searched for what is cut anyway
  return text
    .slice(0, 2 * max)
    .replace(CONTROL, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed()
}
