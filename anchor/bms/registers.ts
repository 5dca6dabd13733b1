// Registers: 16-bit words of a Modbus device as the number that they mean.

import { never } from '../../ledger/fault.ts'
import type { ModbusWire, RegisterType } from './config.ts'

const WORDS = { uint16: 1, int16: 1, uint32: 2, int32: 2, float32: 2 } as const satisfies Record<RegisterType, number>

export function wordsOf(type: RegisterType): number {
  return WORDS[type]
}

/** NaN where the device sends one, or too few words. */
export function numberIn(words: readonly number[], { type, first }: Pick<ModbusWire, 'type' | 'first'>): number {
  if (words.length !== wordsOf(type)) return Number.NaN
  const bytes = Buffer.alloc(2 * words.length)
  for (const [i, word] of (first === 'high' ? words : words.toReversed()).entries()) bytes.writeUInt16BE(word, 2 * i)
  switch (type) {
    case 'uint16':
      return bytes.readUInt16BE()
    case 'int16':
      return bytes.readInt16BE()
    case 'uint32':
      return bytes.readUInt32BE()
    case 'int32':
      return bytes.readInt32BE()
    case 'float32':
      return bytes.readFloatBE()
    default:
      return never(type)
  }
}
