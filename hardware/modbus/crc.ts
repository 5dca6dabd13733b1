// CRC-16 of Modbus: polynomial 0xA001 reflected, beginning with 0xFFFF, low byte first on the wire.

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  return crc
})

export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) crc = (crc >> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number)
  return crc
}
