// Endpoints: all of the API.

import type { Endpoint } from '../endpoint.ts'
import { ACCESS } from './access.ts'
import { ALERTS } from './alerts.ts'
import { APPROVALS } from './approvals.ts'
import { AUDIT } from './audit.ts'
import { BOARD } from './board.ts'
import { BRINGING } from './bringing.ts'
import { EVENTS } from './events.ts'
import { EVIDENCE } from './evidence.ts'
import { EXPORT } from './export.ts'
import { OCCUPANCY } from './occupancy.ts'
import { OPENAPI } from './openapi.ts'
import { POLICY } from './policy.ts'
import { PROOFS } from './proofs.ts'
import { SIGNALS } from './signals.ts'

export const ENDPOINTS: readonly Endpoint[] = [
  ...OPENAPI,
  ...ACCESS,
  ...OCCUPANCY,
  ...EVENTS,
  ...EXPORT,
  ...PROOFS,
  ...POLICY,
  ...SIGNALS,
  ...BRINGING,
  ...APPROVALS,
  ...ALERTS,
  ...BOARD,
  ...AUDIT,
  ...EVIDENCE,
]
