// Views: what a gate and the anchor both show of the mall: the live page, the report, and the report again and again.

import type { MallReport } from './mall-report.ts'
import { PAGE, PAGE_POLICY } from './page.ts'
import { json, type Route } from './route.ts'

/** Often enough that a page looks alive, seldom enough that a few of them cost nothing. */
const TELL_EVERY_MS = 500

const PAGE_REPLY = {
  status: 200,
  type: 'text/html; charset=utf-8',
  text: PAGE,
  headers: { 'content-security-policy': PAGE_POLICY },
} as const

export function viewRoutes(report: () => MallReport): readonly Route[] {
  return [
    { method: 'GET', path: '/', answer: () => PAGE_REPLY },
    { method: 'GET', path: '/mall', answer: () => json(200, report()) },
    { method: 'GET', path: '/events', everyMs: TELL_EVERY_MS, tell: report },
  ]
}
