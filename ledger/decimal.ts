// Decimal whole numbers, one spelling only. Number() and BigInt() also take '', ' 7', '0x10', '1e3', '07' and '+7';
// a signed text that may be spelled two ways is two texts.

const COUNT = /^(?:0|[1-9][0-9]{0,15})$/
const SIGNED = /^(?:0|-?[1-9][0-9]{0,15})$/

/** 0 or more, exactly representable; undefined where `text` is not the one spelling of such a number. */
export function parseCount(text: string): number | undefined {
  return COUNT.test(text) ? exact(text) : undefined
}

/** Like `parseCount`, below zero too; `-0` is no number. */
export function parseSigned(text: string): number | undefined {
  return SIGNED.test(text) ? exact(text) : undefined
}

function exact(text: string): number | undefined {
  const n = Number(text)
  return Number.isSafeInteger(n) ? n : undefined
}
