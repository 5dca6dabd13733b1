// @ts-check
// Bytes: as text and back, and their hash. What a browser does not bring along.

/** @param {...Uint8Array} parts */
export async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
}

/** @param {string} text */
export function utf8(text) {
  return new TextEncoder().encode(text)
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  return btoa(String.fromCharCode(...bytes))
}

/** The bytes, or undefined where the text is not the one spelling of any. @param {string} text */
export function fromBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
