// Gate event: all that can happen to a gate. Time is one of them, and so is what its shell answers.

import type { Opened } from '../ledger/books.ts'
import type { ForcedWhy } from '../ledger/entry.ts'
import type { Message } from '../mesh/message.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import type { Boot } from './boot.ts'
import type { Note } from './uncontrolled.ts'

export type GateEvent =
  | { readonly kind: 'booted'; readonly boot: Boot }
  | { readonly kind: 'begun'; readonly opened: Opened }
  | { readonly kind: 'asked'; readonly id: string; readonly confidence: number }
  | { readonly kind: 'left'; readonly id: string; readonly confidence: number }
  | { readonly kind: 'passed'; readonly id: string }
  | { readonly kind: 'lapsed'; readonly id: string }
  | { readonly kind: 'intruded'; readonly id: string; readonly count: number; readonly why: ForcedWhy }
  | { readonly kind: 'noted'; readonly note: Note }
  | { readonly kind: 'heard'; readonly from: string; readonly message: Message }
  | { readonly kind: 'met'; readonly peer: string }
  | { readonly kind: 'durable'; readonly size: number }
  | { readonly kind: 'disk'; readonly state: 'ok' | 'failed' }
  | { readonly kind: 'withdrawn'; readonly id: string }
  | { readonly kind: 'contact'; readonly contact: Contact; readonly closed: boolean }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'ticked' }
