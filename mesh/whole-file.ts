// Whole file: small files that are either written to their end or not there, also when the power goes.

import { chmod, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  // the mask of this user may have taken bits away
  await chmod(draft, mode)
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
