// Papers check: the gate's file, and what it names: charter, owner's word, key, and who can read them.

import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Fault } from '../../ledger/fault.ts'
import { type Papers, readPapers } from '../../mesh/papers.ts'
import { type GateConfig, readGate } from '../../node/config.ts'
import { openForm } from '../member-process.ts'
import { doubt, type Finding, fine, wrong } from './finding.ts'

export interface Read {
  readonly findings: readonly Finding[]
  /** undefined where the file cannot be used */
  readonly config?: GateConfig
  readonly papers?: Papers
}

const MEND = 'mend the file; `gatemesh charter new` writes such files whole'

export async function checkPapers(file: string): Promise<Read> {
  try {
    const form = await openForm(file)
    const config = readGate(form)
    const papers = await readPapers(form, config)
    form.check()
    if (papers === undefined) throw new Fault('CONFIG', `${file}: no papers`)
    return { findings: await readWell(file, config, papers), config, papers }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { findings: complaintsIn(error.message) }
  }
}

/** All that is wrong with a file is said at once, a line each. */
function complaintsIn(message: string): Finding[] {
  const lines = message.split('\n  ')
  return (lines.length === 1 ? lines : lines.slice(1)).map(line => wrong('config', line, todoFor(line)))
}

function todoFor(line: string): string {
  const [, command] = /: (chmod \S+ .+)$/.exec(line) ?? []
  return command ?? MEND
}

async function readWell(file: string, config: GateConfig, papers: Papers): Promise<Finding[]> {
  const { name, hardware, http, alone } = config
  const { charter, flaw, doubts, signer } = papers
  const { driver } = hardware.driver
  const lanes = hardware.lanes.length === 0 ? '' : `, lanes ${hardware.lanes.map(lane => lane.name).join(', ')}`
  const findings = [fine('config', `${basename(file)}: ${name}, turnstile ${driver}${lanes}`)]
  if (http.pass !== undefined) findings.push(...(await passFinding(file)))
  if (alone && charter.gates.length > 1) {
    const what = `alone: decides without having heard from the other ${charter.gates.length - 1} gates`
    findings.push(doubt('config', what, 'set alone to false, unless this is the only gate that runs'))
  }
  const revision = charter.revision === undefined ? '' : `, revision ${charter.revision.number}`
  findings.push(
    flaw === undefined
      ? fine('papers', `charter of ${charter.mall}${revision}, legal maximum ${charter.legalMax}, signed by its owner`)
      : wrong('papers', flaw, 'put the revision that the owner signed beside the charter, whole'),
    fine('key', `${signer.verifier.fingerprint}, only its owner can read it`),
    ...doubts.map(text => doubt('papers', text, 'look at the roster: `gatemesh roster list`')),
  )
  return findings
}

async function passFinding(file: string): Promise<Finding[]> {
  const { mode } = await stat(file)
  if ((mode & 0o007) === 0) return []
  const what = `everybody on this machine can read the pass in ${file} (mode ${(mode & 0o777).toString(8)})`
  return [doubt('config', what, `chmod 640 ${file}`)]
}
