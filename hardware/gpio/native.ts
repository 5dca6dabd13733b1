// Native part of onoff: what to do where it does not load. It is built at install, for one Node only.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HardwareFault } from '../turnstile.ts'

export async function onoff(): Promise<typeof import('onoff')> {
  try {
    return await import('onoff')
  } catch (cause) {
    throw nativeFault(cause, dirname(dirname(process.execPath)))
  }
}

/** `home` is the folder of this Node, where its headers may be. */
export function nativeFault(cause: unknown, home: string): HardwareFault {
  const isMissing = (cause as { code?: string }).code === 'ERR_MODULE_NOT_FOUND'
  // without headers of its own at hand, the build fetches those of this Node
  const headers = existsSync(join(home, 'include', 'node', 'node.h')) ? ` --nodedir=${home}` : ''
  const what = isMissing
    ? 'is not installed: npm install --include=optional'
    : `does not load its native part (${firstLine(cause)}): npm rebuild epoll${headers}`
  return new HardwareFault('NATIVE', `onoff ${what} (in the folder of gatemesh)`, { cause })
}

function firstLine(cause: unknown): string {
  return String((cause as Error).message).split('\n', 1)[0] as string
}
