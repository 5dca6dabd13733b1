// Log: what a process tells those who run it. One line per change of state, never one per heartbeat.

export interface Log {
  info(event: string, fields?: object): void
  warn(event: string, fields?: object): void
  error(event: string, fields?: object): void
}

export const NO_LOG: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
