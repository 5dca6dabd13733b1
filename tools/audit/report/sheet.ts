// Sheet: the report as one HTML file that needs nothing else: no script, no picture, no font from anywhere.

import { checkSection } from './check-section.ts'
import { ClockFace } from './clock-face.ts'
import { cover, kindOf, levelSection, siteSection, titleOf } from './cover.ts'
import { emergencySection, recountSection, rulingSection } from './deed-sections.ts'
import { gateSection, meshSection, outageSection } from './gate-sections.ts'
import { html } from './markup.ts'
import type { Report } from './report.ts'
import { style } from './style.ts'
import { driftSection, limitSection, lossSection, verificationSection } from './trust-sections.ts'

export function sheet(report: Report): string {
  const face = new ClockFace(report.period)
  const title = `${kindOf(report)}: ${titleOf(report)}`
  const seal = report.evidence.seal?.slice(0, 16)
  const verdict = report.verdict.ok ? 'verified' : 'NOT VERIFIED'
  const foot = `${title} · ${verdict}${seal === undefined ? '' : ` · seal ${seal}`}`
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>${style(foot)}</head><body>
<main>${cover(report, face)}
${siteSection(report, face)}
${levelSection(report, face)}
${gateSection(report)}
${meshSection(report)}
${outageSection(report, face)}
${emergencySection(report, face)}
${rulingSection(report, face)}
${recountSection(report, face)}
${driftSection(report)}
${checkSection(report, face)}
${lossSection(report, face)}
${verificationSection(report, face)}
${limitSection()}
<div class="sign"><p>Handed over by (name, date, signature)</p><p>Received by (name, date,
signature)</p><p>Remarks</p></div></main>
</body></html>
`
  return page.text
}
