// Endpoints: all of the API.

import type { Endpoint } from '../endpoint.ts'
import { ACCESS } from './access.ts'
import { ALERTS } from './alerts.ts'
import { APPROVALS } from './approvals.ts'
import { AUDIT } from './audit.ts'
import { BRINGING } from './bringing.ts'
import { EVENTS } from './events.ts'
import { OCCUPANCY } from './occupancy.ts'
import { OPENAPI } from './openapi.ts'
import { POLICY } from './policy.ts'

export const ENDPOINTS: readonly Endpoint[] = [
  ...OPENAPI,
  ...ACCESS,
  ...OCCUPANCY,
  ...EVENTS,
  ...POLICY,
  ...BRINGING,
  ...APPROVALS,
  ...ALERTS,
  ...AUDIT,
]
