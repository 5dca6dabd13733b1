// `gatemesh audit export OUT`: evidence from an anchor, a gate or a disk, as a folder to be handed to somebody.

import { lstat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Fault } from '../../../ledger/fault.ts'
import { isName } from '../../../ledger/origin.ts'
import type { Remark } from '../../../mesh/archive/inventory.ts'
import { EXIT, Usage } from '../../command.ts'
import { answered } from '../../operator/deed.ts'
import { shownMoment } from '../../operator/moment.ts'
import { bearings, COMMON, COMMON_HELP, type CommonValues, httpUrl } from '../../operator/options.ts'
import { nameOfPerson, readKey } from '../../operator/person.ts'
import { parseEdge } from '../edge.ts'
import { type Exported, exportBundle } from '../export-bundle.ts'
import { AnchorSource } from '../sources/anchor-source.ts'
import { DiskSource, findDisk } from '../sources/disk-source.ts'
import { GateSource } from '../sources/gate-source.ts'
import { findMall } from '../sources/mall-dir.ts'
import type { Source } from '../sources/source.ts'

export const summary = 'take evidence away: ledgers, rows, policies and charter as one folder'

export const help = `
gatemesh audit export OUT (--anchor URL | --gate URL | --disk PATH … | --dir MALL_DIR)
                          [--from TIME] [--to TIME] [--gate NAME …]

  OUT              the folder to be made; one that is there is never written over
  --anchor URL     everything that this anchor has collected, with the files of closed days
  --gate URL       what a running gate has: its own ledgers, its copy of the anchor's, every row it knows. Where the
                   gate has a pass, --token is that
  --disk PATH      the data folder or the config file of a gate that does not run; may be said again for more disks.
                   It is copied first and never written to. What is damaged is shown as far as it can be believed
  --dir MALL_DIR   the folder of \`gatemesh mall\`: its anchor where the mall runs, all its disks where it does not
  --gate NAME      not an address but a gate's name: only this gate's ledgers, the anchor's, and rows of everyone; may be
                   said again (also --gate-name NAME)
  --from TIME      from the newest signed row before that on: a day (--to includes it), 2026-11-16T18:00, with Z or
                   +01:00 for another clock than this machine's, 18:00 today, or ms since 1970
  --to TIME        up to the first signed row after that
  --by NAME        who takes it away, for the custody log; the name of --key where it is not said
  --charter FILE   with --disk: where the charter is, if not beside it
${COMMON_HELP.split('\n')
  .filter(line => !/--anchor|machine only/.test(line))
  .join('\n')}

Prints the seal: write it on the receipt, and nothing in the folder can be exchanged for something else later.
Whoever gets the folder runs \`gatemesh audit verify OUT --charter-key VKEY\`, or what its README.txt says.
`

const OPTIONS = {
  ...COMMON,
  gate: { type: 'string', multiple: true },
  'gate-name': { type: 'string', multiple: true },
  disk: { type: 'string', multiple: true },
  dir: { type: 'string' },
  charter: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  by: { type: 'string' },
} as const

type Values = CommonValues & {
  readonly gate?: readonly string[] | undefined
  readonly 'gate-name'?: readonly string[] | undefined
  readonly disk?: readonly string[] | undefined
  readonly dir?: string | undefined
  readonly charter?: string | undefined
  readonly by?: string | undefined
}

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const [out, ...more] = positionals
  if (out === undefined || more.length > 0) throw new Usage('takes one folder to be made')
  const from = values.from === undefined ? null : momentOf('--from', values.from)
  const to = values.to === undefined ? null : momentOf('--to', values.to)
  if (from !== null && to !== null && from >= to) throw new Usage('--to is not after --from')
  const gates = namesOf(values)
  const by = await whoOf(values)
  const isThere = await lstat(out).catch(() => undefined)
  if (isThere !== undefined) throw new Fault('BUNDLE', `${out}: is there already, and nothing is written over`)
  const source = await sourceOf(values)
  return answered(values.json, async () => {
    const progress = new Progress()
    const onProgress = (entries: number, of: number) => progress.tell(entries, of)
    const say = (line: string) => progress.say(line)
    const warn = (line: string) => progress.warn(line)
    try {
      const done = await exportBundle(source, { out, from, to, gates, by, mall: values.mall, say, warn, onProgress })
      progress.end()
      for (const remark of done.missing) warn(shownRemark(remark))
      console.log(values.json ? JSON.stringify(jsonOf(out, done)) : shown(out, done))
      return EXIT.fine
    } catch (error) {
      progress.end()
      throw ofDisk(out, error)
    } finally {
      await source.close()
    }
  })
}

async function sourceOf(values: Values): Promise<Source> {
  const urls = (values.gate ?? []).filter(isUrl)
  const given = [values.anchor, urls[0], values.disk?.[0], values.dir].filter(one => one !== undefined)
  if (given.length !== 1 || urls.length > 1) {
    throw new Usage('takes exactly one of --anchor URL, --gate URL, --disk PATH, --dir MALL_DIR')
  }
  if (values.charter !== undefined && values.disk === undefined) throw new Usage('--charter goes with --disk')
  if (values.disk !== undefined) {
    const places = []
    for (const path of values.disk) places.push(await findDisk(path, values.charter))
    return new DiskSource(places)
  }
  if (urls[0] !== undefined) {
    const pass = values.token ?? process.env.GATEMESH_TOKEN
    return new GateSource({ url: httpUrl('--gate', urls[0]), pass })
  }
  if (values.dir === undefined) return new AnchorSource((await bearings(values)).client)
  const place = await findMall(values.dir)
  if ('disks' in place) return new DiskSource(place.disks, true)
  return new AnchorSource((await bearings({ ...values, anchor: place.anchor })).client)
}

function isUrl(text: string): boolean {
  return /^https?:/i.test(text)
}

function namesOf(values: Values): readonly string[] | null {
  const names = [...(values.gate ?? []).filter(one => !isUrl(one)), ...(values['gate-name'] ?? [])]
  const odd = names.find(name => !isName(name))
  if (odd !== undefined) throw new Usage(`--gate takes an address or a gate's name, not ${JSON.stringify(odd)}`)
  return names.length === 0 ? null : [...new Set(names)].sort()
}

async function whoOf({ by, key }: Values): Promise<string | null> {
  if (by !== undefined) return by
  return key === undefined ? null : nameOfPerson(await readKey(key))
}

/** As everywhere in audits; a time alone is of today, since what happened lies behind us. */
function momentOf(option: '--from' | '--to', text: string): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined) return parseEdge(option, text)
  return new Date().setHours(Number(hours), Number(minutes), 0, 0)
}

/** Long work says how far it is, once a second; short work says nothing. */
class Progress {
  readonly #isLive = process.stderr.isTTY === true
  #at = performance.now()
  #isOpen = false

  tell(entries: number, of: number): void {
    const count = (n: number) => n.toLocaleString('en')
    this.#line(`${count(entries)} of ${count(of)} entries`, 1000)
  }

  say(line: string): void {
    this.#line(line, 500)
  }

  warn(line: string): void {
    this.end()
    console.error(`gatemesh audit export: ${line}`)
  }

  end(): void {
    if (this.#isOpen) process.stderr.write('\n')
    this.#isOpen = false
  }

  #line(text: string, everyMs: number): void {
    const now = performance.now()
    if (now - this.#at < everyMs) return
    this.#at = now
    process.stderr.write(this.#isLive ? `\r\u001b[K${text}` : `${text}\n`)
    this.#isOpen = this.#isLive
  }
}

function jsonOf(out: string, { about, seal, files, bytes, entries, missing }: Exported): object {
  const { mall, source, from, to, gates, ledgers } = about
  return { out, mall, source, from, to, gates, entries, files, bytes, seal, ledgers, missing }
}

function shown(out: string, { about, seal, files, bytes, entries }: Exported): string {
  const { mall, from, to, gates, ledgers } = about
  const begin = from === null ? 'the first day' : shownMoment(from)
  const end = to === null ? `now, ${shownMoment(about.made)}` : shownMoment(to)
  const whose = gates === null ? 'everyone' : `only ${gates.join(', ')}, and the anchor`
  return [
    `${out}: ${entries.toLocaleString('en')} entries of ${ledgers.length} accounts of ${mall} (${whose})`,
    `from ${begin} to ${end}; ${files} files, ${(bytes / 1e6).toFixed(1)} MB`,
    `seal ${seal}`,
    `to be checked with: gatemesh audit verify ${out} --charter-key VKEY   (the key of the mall's owner, from elsewhere)`,
  ].join('\n')
}

function shownRemark({ what, account, from, to, seq, why, detail, file }: Remark): string {
  const where = [account, file].filter(one => one !== undefined).join(' ')
  if (what === 'missing') return `MISSING: ${where}, entries ${from} to ${Number(to) - 1}: ${why}`
  return `DAMAGED: ${where}${seq === undefined ? '' : ` from entry ${seq} on`}: ${detail}`
}

/** What our own disk said, in words. */
function ofDisk(out: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof Fault || code === undefined || !/^E[A-Z]+$/.test(code)) return error
  const what = code === 'ENOSPC' ? 'the disk is full; nothing was left behind' : message
  return new Fault('EXPORT', `${out}: ${what}`, { cause: error })
}
