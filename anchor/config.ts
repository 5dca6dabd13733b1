// Config of the anchor: what every member says, under the one name there is for it.

import { ANCHOR } from '../ledger/account.ts'
import { type MemberConfig, readMember } from '../mesh/config.ts'
import type { Form } from '../mesh/form.ts'

export type AnchorConfig = MemberConfig

export function readAnchor(form: Form): AnchorConfig {
  const member = readMember(form)
  form.close()
  if (member.name !== '' && member.name !== ANCHOR) form.complain('name', `"${ANCHOR}", not "${member.name}"`)
  return member
}
