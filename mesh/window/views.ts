// Views: what a gate and the anchor both show of the mall: the live page with its files, the report, the report again and
// again, and the day so far.

import type { MallReport, Trend } from './mall-report.ts'
import { meshPages, type PageFile, pageReply, pageRoutes } from './page-files.ts'
import { json, type Route } from './route.ts'

/** Often enough that a page looks alive, seldom enough that a few of them cost nothing. */
const TELL_EVERY_MS = 500

/** Without a trend the page draws the day from when it was opened. `blurred` is told of pages that cannot be read. */
export function viewRoutes(
  report: () => MallReport,
  trend?: () => Trend,
  blurred?: (error: unknown) => void,
): readonly Route[] {
  return [
    { method: 'GET', path: '/', answer: () => pageReply(meshPages().get('mall.html') as PageFile) },
    ...pageRoutes('/mesh/pages', meshPages, blurred),
    { method: 'GET', path: '/mall', isPrivate: true, answer: () => json(200, report()) },
    { method: 'GET', path: '/events', isPrivate: true, everyMs: TELL_EVERY_MS, tell: report },
    ...(trend === undefined ? [] : [trendRoute(trend)]),
  ]
}

function trendRoute(trend: () => Trend): Route {
  return { method: 'GET', path: '/trend', isPrivate: true, answer: () => json(200, trend()) }
}
