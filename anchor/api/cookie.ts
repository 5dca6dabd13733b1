// Cookie: how a browser carries a token: out of reach of scripts, and never sent along from another site.
//
// Law: a cookie alone changes nothing. Changes carry a header that a page from elsewhere cannot set.

export function cookieName(mall: string): string {
  return `gatemesh-${mall}`
}

export function cookieOf(
  mall: string,
  secret: string,
  a: { readonly maxAgeS: number; readonly isSecure: boolean },
): string {
  const secure = a.isSecure ? '; Secure' : ''
  return `${cookieName(mall)}=${secret}; Path=/; Max-Age=${a.maxAgeS}; HttpOnly; SameSite=Strict${secure}`
}

/** Every `gatemesh-` cookie of a `Cookie` header, by mall. */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const [, mall, value] = /^\s*gatemesh-([a-z][a-z0-9-]{0,30})=([^\s]+)\s*$/.exec(part) ?? []
    if (mall !== undefined && value !== undefined) found.set(mall, value)
  }
  return found
}
