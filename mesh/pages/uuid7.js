// @ts-check
// UUID version 7 made in a browser: `crypto.randomUUID` is another version, and is not there on a page without TLS.

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  let time = Date.now()
  for (let i = 5; i >= 0; i--) {
    bytes[i] = time % 256
    time = Math.floor(time / 256)
  }
  bytes[6] = 0x70 | (Number(bytes[6]) & 0x0f)
  bytes[8] = 0x80 | (Number(bytes[8]) & 0x3f)
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
