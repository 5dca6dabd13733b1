/** For closing what has already failed, or waiting for what may be cut off. */
export async function quietly(promise: Promise<unknown> | undefined): Promise<void> {
  await promise?.catch(() => undefined)
}
