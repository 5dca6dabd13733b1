// Style: how the report looks, on a screen and above all on A4. Ink on white: it is printed, copied and faxed.

import { Markup } from './markup.ts'

/** `foot` stands at the bottom of every page, where a browser can do that. */
export function style(foot: string): Markup {
  // it stands in a string of CSS, in a page
  const text = foot.replace(/[^\p{L}\p{N} .,:·/+-]/gu, '')
  return new Markup(`<style>
:root { color-scheme: light; --ink: #16191d; --soft: #4a525c; --line: #c3c9d0; --wash: #f3f5f7; --bad: #a3121f; --good: #14603a; }
@page { size: A4; margin: 15mm 14mm 17mm; @bottom-left { content: "${text}"; font: 7pt sans-serif; color: #4a525c; }
 @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 7pt sans-serif; color: #4a525c; } }
* { box-sizing: border-box; }
html { background: #fff; }
body { margin: 0 auto; padding: 8mm 6mm; max-width: 194mm; color: var(--ink); background: #fff;
 font: 9.5pt/1.45 "Source Sans 3", "Noto Sans", "Helvetica Neue", Arial, "Liberation Sans", "DejaVu Sans Condensed", sans-serif;
 font-variant-numeric: tabular-nums lining-nums; }
@media print { body { padding: 0; max-width: none; } }
h1 { font-size: 21pt; line-height: 1.15; margin: 0; font-weight: 700; letter-spacing: -.01em; }
h2 { font-size: 12.5pt; margin: 9mm 0 2mm; padding-top: 1.6mm; border-top: .5mm solid var(--ink); break-after: avoid; }
h3 { font-size: 10pt; margin: 5mm 0 1mm; break-after: avoid; }
p { margin: 1.2mm 0 2mm; max-width: 165mm; orphans: 3; widows: 3; }
.eyebrow { font-size: 8.5pt; letter-spacing: .09em; text-transform: uppercase; color: var(--soft); margin: 0 0 1.5mm; }
.sub { font-size: 10.5pt; color: var(--soft); margin: 1mm 0 5mm; max-width: none; }
.note { font-size: 8.5pt; color: var(--soft); }
code { font: .86em/1.3 "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace; overflow-wrap: anywhere; }
.verdict { border: .5mm solid var(--good); padding: 2.2mm 3.5mm; margin: 0 0 4mm; break-inside: avoid; }
.verdict strong { color: var(--good); }
.banner { border: 1.2mm solid var(--bad); padding: 4mm 5mm; margin: 0 0 5mm; break-inside: avoid; }
.banner h2 { border: 0; margin: 0 0 1.5mm; padding: 0; font-size: 17pt; line-height: 1.2; color: var(--bad); }
.banner p { font-size: 10.5pt; }
.banner ul { margin: 1mm 0 0; padding-left: 5mm; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0; margin: 0 0 4mm; border: .25mm solid var(--line);
 break-inside: avoid; }
.figures div { padding: 2.2mm 3mm; border-left: .25mm solid var(--line); }
.figures div:nth-child(4n + 1) { border-left: 0; }
.figures div:nth-child(n + 5) { border-top: .25mm solid var(--line); }
.figures dt { font-size: 8pt; color: var(--soft); }
.figures dd { margin: .3mm 0 0; font-size: 15pt; font-weight: 700; line-height: 1.2; }
.figures dd small { display: block; font-size: 8pt; font-weight: 400; color: var(--soft); }
.bad { color: var(--bad); font-weight: 700; }
figure { margin: 0 0 3mm; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 8.5pt; color: var(--soft); margin-top: 1mm; }
table { border-collapse: collapse; width: 100%; margin: 2mm 0 3.5mm; font-size: 8.5pt; line-height: 1.3; }
caption { text-align: left; font-weight: 600; padding: 1mm 0; caption-side: top; break-after: avoid; }
thead { display: table-header-group; }
tfoot { display: table-row-group; }
tr { break-inside: avoid; }
th, td { padding: .75mm 1.6mm; border-bottom: .2mm solid var(--line); vertical-align: top; text-align: left; font-weight: 400;
 overflow-wrap: anywhere; }
thead th { border-bottom: .35mm solid var(--ink); font-weight: 600; font-size: 8pt; vertical-align: bottom;
 overflow-wrap: normal; }
tfoot th, tfoot td { border-bottom: 0; border-top: .35mm solid var(--ink); font-weight: 600; }
tbody th { white-space: nowrap; overflow-wrap: normal; }
td.t { min-width: 17mm; }
td.n, td.w { white-space: nowrap; overflow-wrap: normal; }
th.n, td.n { text-align: right; }
table.wide { font-size: 7.5pt; } table.wide th, table.wide td { padding-left: .9mm; padding-right: .9mm; }
table.wide thead th { font-size: 7.5pt; }
table.matrix { font-size: 6.6pt; } table.matrix th, table.matrix td { padding: .5mm .45mm; }
table.matrix thead th { font-size: 6.6pt; }
dl.facts { display: grid; grid-template-columns: 44mm 1fr; margin: 2mm 0; font-size: 9pt; }
dl.facts dt, dl.facts dd { padding: .8mm 0; border-bottom: .2mm solid var(--line); margin: 0; break-inside: avoid; }
dl.facts dt { color: var(--soft); padding-right: 3mm; }
.sign { display: grid; grid-template-columns: repeat(3, 1fr); gap: 8mm; margin-top: 14mm; break-inside: avoid; }
.sign p { border-top: .25mm solid var(--ink); padding-top: 1mm; font-size: 8pt; color: var(--soft); margin: 0; }
</style>`)
}
