// `gatemesh mall`: a whole mall on this machine, with people in it and a page to watch them on.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Fault } from '../../ledger/fault.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { CROWDS, Crowd, type CrowdKind } from '../mall/crowd.ts'
import { Home } from '../mall/home.ts'
import { Mall } from '../mall/mall.ts'
import { reportOf } from '../mall/report.ts'
import { MallServer } from '../mall/server.ts'

export const summary = 'run a whole mall on this machine: an anchor, its gates, a crowd and a live page'

const GATES_MAX = 64
const CAPACITY_MAX = 1_000_000

export const help = `
gatemesh mall [--gates 6] [--capacity 300] [--port 8080] [--dir DIR] [--crowd steady|rush|evening|off]
              [--for SECONDS] [--seed N]

  --gates N        how many gates a new mall gets (6); a mall keeps the gates it was founded with
  --capacity N     people allowed inside (300); the first start makes it the legal maximum as well, a later start
                   may lower it, or raise it back up to that
  --port N         where the page and the doors are (8080, or the next free one); 0 takes any free port
  --dir DIR        where charter, keys and ledgers live (.mall); started again on the same DIR, the mall resumes
  --crowd KIND     who comes: steady, rush (more than fit), evening (going home), off (only you)
  --for SECONDS    stop by itself after so long
  --seed N         who comes when (1)

As of now anchor and gates run in ONE process, and messages cross an in-process wire instead of libp2p. All else is
real: the state machines, one store on disk per member, clocks and timers, ed25519 signatures that every receiver checks.

  curl -X POST URL/gates/gate-01/turnstile/entry -d '{}'     someone wants in
  curl -X POST URL/gates/gate-01/turnstile/exit -d '{}'      someone leaves
  curl URL/status        curl URL/gates/gate-01/status        curl -N URL/events

DIR/mall.json says where the running mall is. Ctrl-C stops it cleanly.
`

interface Wishes {
  readonly gates: number | undefined
  readonly capacity: number | undefined
  readonly port: number | undefined
  readonly dir: string
  readonly crowd: CrowdKind
  readonly forMs: number
  readonly seed: number
}

export async function run(args: string[]): Promise<number> {
  const wishes = wishesOf(args)
  const say = (line: string) => console.log(line)
  say('gatemesh mall: anchor and gates in one process on an in-process wire (libp2p is not in yet); all else is real')
  const home = await openHome(wishes, say)
  const alarm = (line: string) => console.error(`alarm: ${line}`)
  const stop = stopSignal()
  const mall = new Mall({ home, capacity: wishes.capacity, say, alarm, isWanted: () => stop.asked === undefined })
  const server = new MallServer(mall)
  let crowd: Crowd | undefined
  try {
    await mall.start()
    const { port = 8080 } = wishes
    await server.listen(port, wishes.port === undefined)
    if (port !== 0 && server.port !== port) say(`port ${port} is taken, so this mall is on ${server.port}`)
    await home.writePlace(placeOf(mall, server.url))
    const { occupancy } = reportOf(mall)
    const { capacity, count } = occupancy
    crowd = new Crowd({ clock: mall.clock, doors: mall.doors, capacity, kind: wishes.crowd, seed: wishes.seed })
    say(`${count} of ${capacity} people inside, ${mall.doors.length} gates, crowd: ${wishes.crowd}`)
    say(`mall ready: ${server.url}`)
    crowd.start(count)
    const timer = Number.isFinite(wishes.forMs) ? setTimeout(() => stop.resolve('time is up'), wishes.forMs) : undefined
    say(`stopping: ${await stop.promise}`)
    clearTimeout(timer)
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'STOPPED')) throw error
  } finally {
    // doors first: whoever is on the way out is still counted
    crowd?.stop()
    await server.close()
    const last = await mall.stop()
    await home.removePlace()
    stop.release()
    say(last === undefined ? 'stopped' : `stopped with ${last.count} of ${last.capacity} people inside`)
  }
  return EXIT.fine
}

function wishesOf(args: string[]): Wishes {
  const { values } = parseArgs({
    args,
    options: {
      gates: { type: 'string' },
      capacity: { type: 'string' },
      port: { type: 'string' },
      dir: { type: 'string', default: '.mall' },
      crowd: { type: 'string', default: 'steady' },
      for: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const crowd = CROWDS.find(kind => kind === values.crowd)
  if (crowd === undefined) throw new Usage(`--crowd takes ${CROWDS.join(', ')}, not ${JSON.stringify(values.crowd)}`)
  if (values.dir === '') throw new Usage('--dir takes a folder')
  const number = (name: string, text: string | undefined, min: number, max: number) =>
    text === undefined ? undefined : wholeNumber(name, text, min, max)
  return {
    gates: number('--gates', values.gates, 1, GATES_MAX),
    capacity: number('--capacity', values.capacity, 1, CAPACITY_MAX),
    port: number('--port', values.port, 0, 65_535),
    dir: resolve(values.dir),
    crowd,
    forMs: (number('--for', values.for, 1, 2_000_000) ?? Number.POSITIVE_INFINITY) * 1000,
    seed: wholeNumber('--seed', values.seed, 0),
  }
}

async function openHome({ dir, gates, capacity }: Wishes, say: (line: string) => void): Promise<Home> {
  if (!Home.exists(dir)) {
    say(`a new mall in ${dir}: charter and keys`)
    await Home.found(dir, { gates: gates ?? 6, legalMax: capacity ?? 300 })
  } else say(`going on with the mall in ${dir}`)
  const home = await Home.open(dir)
  const { charter } = home
  if (gates !== undefined && gates !== charter.gates.length) {
    throw new Usage(`the mall in ${dir} has ${charter.gates.length} gates, not ${gates}; another --dir makes a new one`)
  }
  if (capacity !== undefined && capacity > charter.legalMax) {
    throw new Usage(
      `the charter in ${dir} allows ${charter.legalMax} people, not ${capacity}; another --dir makes a new mall`,
    )
  }
  return home
}

function placeOf(mall: Mall, url: string): object {
  const { pid } = process
  const gates = mall.doors.map(({ name }) => ({ name, pid, url: `${url}/gates/${name}` }))
  return { url, anchor: { pid, url }, gates }
}

interface Stop {
  readonly promise: Promise<string>
  readonly asked: string | undefined
  resolve(why: string): void
  release(): void
}

/** Ctrl-C and its kin. A second one while stopping is for those in a hurry, and as safe as a power cut. */
function stopSignal(): Stop {
  const { promise, resolve } = Promise.withResolvers<string>()
  let asked: string | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked !== undefined && signal === 'SIGINT') process.exit(130)
    asked = signal
    resolve(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    promise,
    resolve,
    get asked() {
      return asked
    },
    release: () => {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
