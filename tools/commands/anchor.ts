// `gatemesh anchor`: the one place that mints what operators signed, for one mall or for many.

import { type MallConfig, readAnchor, readMall } from '../../anchor/config.ts'
import { startService } from '../../anchor/service.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Form } from '../../mesh/form.ts'
import { type Papers, readPapers } from '../../mesh/papers.ts'
import { memberWishes, openForm, runProcess } from '../member-process.ts'

export const summary = 'run the anchor of a mall, or of many'

export const help = `
gatemesh anchor --config FILE [--birth] [--restored] [--with-parent]

  --config FILE    what \`gatemesh charter new\` wrote for the anchor; paths in it are relative to the file. For several
                   malls: { "http": {"host", "port"}, "store": DIR, "malls": { "north": "north/anchor.json", … } }
  --birth          the mall opens for the very first time. Only then may an anchor without a ledger mint; once it has
                   opened one the file \`born\` beside its store says so, and this option does nothing any more
  --restored       the store is a copy that was put back by hand: its ledger is given up and the next epoch opened
  --with-parent    stop when standard input ends

After a lost disk: start it without --birth. It opens the next epoch, mints nothing twice, and reads its old ledger back
from the gates. See anchor/RUNBOOK.md.

  gatemesh approve policies/1.note --anchor URL      bring it a policy that operators signed
  URL/api/v1/openapi.json                            what programs can call

Says what happens as JSON lines on standard output. SIGTERM or Ctrl-C stops it cleanly; the mall runs on without it.
`

export async function run(args: string[]): Promise<number> {
  const wishes = memberWishes(args, { birth: true })
  const form = await openForm(wishes.file)
  const { service, mall, files } = readAnchor(form)
  const malls = mall === undefined ? [] : [await tenantOf(form, mall)]
  form.check()
  for (const [name, file] of files) {
    const own = await openForm(file)
    const tenant = await tenantOf(own, readMall(own))
    if (tenant !== undefined && tenant.papers.charter.mall !== name) {
      own.complain('charter', `is of ${tenant.papers.charter.mall}, and ${wishes.file} calls this mall ${name}`)
    }
    own.check()
    malls.push(tenant)
  }
  const tenants = malls.filter(tenant => tenant !== undefined)
  if (tenants.length < malls.length) throw new Fault('CONFIG', `${wishes.file}: no papers`)
  const { isBirth, isRestored } = wishes
  return runProcess(wishes, { name: 'anchor', log: service.log }, around =>
    startService(service, { ...around, tenants, isBirth, isRestored }),
  )
}

async function tenantOf(form: Form, config: MallConfig): Promise<{ config: MallConfig; papers: Papers } | undefined> {
  const papers = await readPapers(form, config)
  return papers && { config, papers }
}
