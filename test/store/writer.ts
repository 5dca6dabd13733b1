// Writer: a process to be stopped in the middle of its work. Appends for ever and says on its output, a line each, what
// was acknowledged; whoever reads that is out of reach of the disk that is about to fail.

import { account } from '../../ledger/account.ts'
import { CHARTER, Lines, NAME } from './lines.ts'
import { below, openAt, random } from './ordeal.ts'

const [dir, seed] = process.argv.slice(2) as [string, string]
const draw = random(Number(seed))
const store = await openAt(dir)
if (store.found.kind === 'blank') await store.begin(account(NAME, 1), CHARTER)
const lines = new Lines(store.end)
console.log(`found ${store.found.kind} ${lines.size}`)
for (;;) {
  const sizes = lines.take(1 + below(draw, 40)).map(line => store.append(line))
  console.log(`acknowledged ${await sizes.at(-1)}`)
}
