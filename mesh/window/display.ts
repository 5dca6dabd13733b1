// Display: the sign at a door, served by the gate itself, so that it goes on when the anchor is dead.

import { type DisplayState, displayOf } from './display-state.ts'
import type { MallReport } from './mall-report.ts'
import { meshPages, type PageFile, pageReply } from './page-files.ts'
import { json, type Route } from './route.ts'

export interface DisplayAt {
  readonly mall: string
  readonly gate: string
  readonly report: () => MallReport
  /** what the gate says of itself */
  readonly state: () => string
  /** may it say about how many places are left, to whoever asks for that? */
  readonly showsPlaces: boolean
}

/** A person who reads the sign sees a change within a step or two. */
export const DISPLAY_EVERY_MS = 500

export function displayPage(): PageFile {
  return meshPages().get('display.html') as PageFile
}

/** Short, and at the address that it has at the anchor too. */
export function displayRoutes(a: DisplayAt): readonly Route[] {
  const tell = (): DisplayState => {
    const report = a.report()
    return displayOf(report, report.at, { gate: a.gate, state: a.state(), places: a.showsPlaces })
  }
  return ['/display', `/display/${a.mall}/${a.gate}`].flatMap((at): Route[] => [
    { method: 'GET', path: at, answer: () => pageReply(displayPage()) },
    { method: 'GET', path: `${at}/state`, answer: () => json(200, tell()) },
    { method: 'GET', path: `${at}/events`, everyMs: DISPLAY_EVERY_MS, tell },
  ])
}
