// Desk page: the anchor's dashboard over a rig whose mall is busy: 250 people inside, one gate silent.

import type { Page } from 'playwright-core'
import type { ApiConfig } from '../../anchor/api/config.ts'
import type { MallReport } from '../../mesh/window/mall-report.ts'
import { inRig, type Rig } from '../api/rig.ts'
import { keyOf } from '../approvals/office.ts'
import { type Visit, visiting } from '../browser.ts'

export const INSIDE = 250

/** What a real anchor would tell of it, with what the rig's own parts know. */
export function busy(rig: Rig): void {
  const { desk, office, board, alerts } = rig
  const thin = desk.report.bind(desk)
  const capacity = () => office.policy.capacities.at(-1)?.capacity ?? 0
  const report = (): MallReport => {
    const plain = thin()
    const { effective: mode } = office.modes
    const open = alerts.list({ state: 'raised' }).map(({ raisedAt, ...rest }) => ({ ...rest, at: raisedAt }))
    const gates = plain.gates.map(gate => {
      const label = board.labels().get(gate.name)?.text
      const position = board.positions().get(gate.name)
      const isReachable = gate.name === 'east'
      const said = { ...(label === undefined ? {} : { label }), ...(position === undefined ? {} : { position }) }
      const state = isReachable ? (mode === 'NORMAL' ? 'OPEN' : mode) : undefined
      return { ...gate, ...said, ...(state === undefined ? {} : { state }), ageMs: 100, isReachable, balance: 7 }
    })
    const occupancy = { count: INSIDE, atMost: INSIDE, capacity: capacity(), ageMs: 100 }
    const left = Math.max(0, capacity() - INSIDE)
    const anchor = { ...plain.anchor, policyVersion: office.policy.version, isFresh: true, ageMs: 0 }
    return { ...plain, anchor, mode, occupancy, left, gates, alerts: { open, more: 0 }, notes: board.notes() }
  }
  rig.desk = { ...desk, report, counted: () => INSIDE + 1 }
}

/** The dashboard over a rig; `enter` opens it as somebody. */
export function atDesk(
  act: (rig: Rig, a: Visit & { enter(name: string): Promise<Page> }) => Promise<void>,
  config: Partial<ApiConfig> = {},
): Promise<void> {
  return inRig(
    rig =>
      visiting(async ({ open }) => {
        rig.office.wall = Date.now()
        busy(rig)
        const enter = async (name: string) => {
          const page = await open(rig.url)
          await logIn(page, name)
          return page
        }
        await act(rig, { open, enter })
      }),
    config,
  )
}

export async function logIn(page: Page, name: string): Promise<void> {
  const buffer = Buffer.from(`${keyOf(name)}\n`)
  await page.setInputFiles('#file', { name: `${name}.key`, mimeType: 'text/plain', buffer })
  await page.getByRole('button', { name: `Log in as ${name}` }).click()
  await page.locator('#who', { hasText: `${name}, ` }).waitFor()
}

/** A control, opened. */
export async function opened(page: Page, name: string) {
  await page.getByRole('button', { name, exact: true }).click()
  return page.getByRole('dialog').last()
}

/** Gives the reason, reads what is signed, signs it; the words that were shown, and what was said afterwards. */
export async function signedIn(page: Page, reason: string, act: string) {
  const dialog = page.getByRole('dialog').last()
  await dialog.getByLabel(/^Reason/).fill(reason)
  await dialog.getByRole('button', { name: 'Read what you sign' }).click()
  await dialog.getByRole('heading', { name: 'You sign this' }).waitFor()
  const words = (await dialog.locator('.signed li').allTextContents()).join('\n')
  await dialog.getByRole('button', { name: act }).click()
  const said = await dialog.getByRole('status').innerText()
  await dialog.getByRole('button', { name: 'Close' }).click()
  return { words, said }
}
