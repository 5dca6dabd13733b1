// `gatemesh mall`: a whole mall on this machine, a process per member, with people in it and a page to watch them on.

import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Fault } from '../../ledger/fault.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { CROWDS, Crowd, type CrowdKind } from '../mall/crowd.ts'
import { demoRoutes, PANEL } from '../mall/demo.ts'
import { Drills } from '../mall/drills.ts'
import { Front } from '../mall/front.ts'
import { Home } from '../mall/home.ts'
import { Lock } from '../mall/lock.ts'
import { Mall } from '../mall/mall.ts'
import { hearsMulticast } from '../mall/multicast.ts'
import { makePlan, type Plan } from '../mall/plan.ts'
import { HOST } from '../mall/ports.ts'
import { Street } from '../mall/street.ts'

export const summary = 'run a whole mall on this machine: an anchor, its gates, a crowd, and a page to try things on'

const GATES_MAX = 64
const CAPACITY_MAX = 1_000_000
const PORT = 8080

export const help = `
gatemesh mall [--gates 6] [--capacity 300] [--port 8080] [--dir DIR] [--crowd steady|rush|evening|off]
              [--for SECONDS] [--seed N] [--no-multicast] [--no-restart]

  --gates N        how many gates a new mall gets (6); a mall keeps the gates it was founded with
  --capacity N     people allowed inside (300); the first start makes it the legal maximum as well, a later start
                   may lower it, or raise it back up to that
  --port N         where the mall's page is (8080, or the next free one); 0 takes any free port
  --dir DIR        where charter, keys and ledgers live (.mall); started again on the same DIR, the mall resumes
  --crowd KIND     who comes: steady, rush (more than fit), evening (going home), off (only you)
  --for SECONDS    stop by itself after so long
  --seed N         who comes when (1)
  --no-multicast   members are told each other's addresses instead of finding each other by mDNS
  --no-restart     a member that dies stays down; otherwise it is started again after a second

What is real: the anchor and every gate are processes of their own, as \`gatemesh anchor\` and \`gatemesh gate\` run them, with
a store on disk each, talking libp2p with each other over loopback and finding each other by mDNS (where multicast does not
work here, by fixed addresses, and that is said). What is played: the people, by this process; the arms and contacts that
they walk through, in each gate (driver \`sim\`: arms move, contacts bounce, and the gate knows what its sensors said); and
the two operators, whose keys lie in DIR/keys with all others.

  GATE=$(node -p 'JSON.parse(fs.readFileSync(".mall/mall.json")).gates[0].url')
  curl -X POST $GATE/turnstile/sim -d '{"do":"in"}'   someone walks up, or out, tailgate, turn: {"do":"out"} …
  curl -X POST $GATE/turnstile/entry -d '{}'          someone is counted in by hand      curl $GATE/status
  curl -X POST $GATE/turnstile/exit -d '{}'           and out                            curl -N $GATE/events

The page at --port is the anchor's, and while the anchor is down a gate's, so that you see the mall go on. It has a demo
panel, with a tour of five steps: send a rush to a gate, follow somebody in, cut the arms' power, kill and restart anyone,
cut gates off and heal them, trip a fire contact, cut the capacity. Every gate has a page of its own too, and below it
/clicker for a guard with a phone.

DIR/mall.json says where everyone is, DIR/logs what they said. Kill any of them: the mall goes on. Ctrl-C stops all cleanly.
`

interface Wishes {
  readonly gates: number | undefined
  readonly capacity: number | undefined
  readonly port: number | undefined
  readonly dir: string
  readonly crowd: CrowdKind
  readonly forMs: number
  readonly seed: number
  readonly multicast: boolean
  readonly restart: boolean
}

const say = (line: string) => console.log(line)
const alarm = (line: string) => console.error(`alarm: ${line}`)

export async function run(args: string[]): Promise<number> {
  const wishes = wishesOf(args)
  const lock = await Lock.take(wishes.dir, say)
  try {
    const home = await openHome(wishes)
    await live(home, lock, wishes)
  } finally {
    await lock.release()
  }
  return EXIT.fine
}

async function live(home: Home, lock: Lock, wishes: Wishes): Promise<void> {
  const plan = await planFor(home, wishes)
  const stop = stopSignal()
  const mall = new Mall({
    home,
    lock,
    plan,
    capacity: wishes.capacity,
    mayRestart: wishes.restart,
    say,
    alarm,
    isWanted: () => stop.asked === undefined,
  })
  const street = new Street({
    doors: mall.gates,
    pause: ms => sleep(ms, undefined, { ref: false }),
    now: REAL_CLOCK.now,
  })
  let crowd: Crowd | undefined
  let drills: Drills | undefined
  const front = new Front({
    mall: home.charter.mall,
    anchor: mall.anchor,
    gates: mall.gates,
    routes: demoRoutes(home, () => drills),
    head: PANEL,
    onFault: error => alarm(`the page: ${(error as Error).stack}`),
  })
  try {
    await front.listen(plan.front)
    await mall.start()
    const { capacity = 0, count = 0 } = (await mall.occupancy()) ?? {}
    const { seed } = wishes
    crowd = new Crowd({ clock: REAL_CLOCK, doors: street, capacity, kind: wishes.crowd, seed })
    const usual = { capacity: wishes.capacity ?? home.charter.legalMax, clock: REAL_CLOCK, seed }
    drills = new Drills({ home, anchor: mall.anchor, gates: mall.gates, doors: street, crowd, ...usual })
    say(`${count} of ${capacity} people inside, ${mall.gates.length} gates, crowd: ${wishes.crowd}`)
    const [gate] = mall.gates
    say(`${gate?.name} has a page too: ${gate?.url}, and a clicker: ${gate?.url}/clicker; mall.json has the others`)
    say(`mall ready: ${front.url}`)
    crowd.start(count)
    const timer = Number.isFinite(wishes.forMs) ? setTimeout(() => stop.resolve('time is up'), wishes.forMs) : undefined
    say(`stopping: ${await stop.promise}`)
    clearTimeout(timer)
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'STOPPED')) throw error
  } finally {
    crowd?.stop()
    await front.close()
    await drills?.close()
    street.close()
    const last = await mall.stop()
    stop.release()
    say(last === undefined ? 'stopped' : `stopped with ${last.count} of ${last.capacity} people inside`)
  }
}

async function planFor(home: Home, { port, multicast }: Wishes): Promise<Plan> {
  const discovery = multicast && (await hearsMulticast(HOST)) ? 'multicast' : 'static'
  const plan = await makePlan(home, { port: port ?? PORT, mayMove: port === undefined, discovery })
  if (port === undefined && plan.front !== PORT) say(`port ${PORT} is taken, so this mall is on ${plan.front}`)
  if (discovery === 'multicast') say(`members find each other by mDNS on ${HOST}`)
  else say(`${multicast ? 'multicast does not work here: ' : ''}members are told each other's addresses on ${HOST}`)
  return plan
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
      'no-multicast': { type: 'boolean', default: false },
      'no-restart': { type: 'boolean', default: false },
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
    multicast: !values['no-multicast'],
    restart: !values['no-restart'],
  }
}

async function openHome({ dir, gates, capacity }: Wishes): Promise<Home> {
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
