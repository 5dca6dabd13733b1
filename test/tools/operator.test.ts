import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseNote, signNote } from '../../ledger/note.ts'
import { scheduled } from '../../ledger/policy.ts'
import { formatPolicy } from '../../ledger/policy-note.ts'
import { inRig, type Rig } from '../api/rig.ts'
import { keyOf, MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { gatemesh, type Said, withKeys } from './clerk.ts'

const test = suite('tools/operator')
const PEOPLE = ['ann', 'bob', 'cat', 'vic', 'east']

interface Desk {
  readonly rig: Rig
  readonly path: (file: string) => string
  /** as this person, with `--yes` where something is signed */
  readonly as: (name: string, ...args: string[]) => Promise<Said>
}

function atDesk(act: (desk: Desk) => Promise<void>): Promise<void> {
  return withKeys(PEOPLE, path =>
    inRig(async rig => {
      rig.office.wall = Date.now()
      const as = (name: string, ...args: string[]) =>
        gatemesh(...args, '--anchor', rig.url, '--key', path(`${name}.key`))
      await act({ rig, path, as })
    }),
  )
}

const capacityOf = (rig: Rig) => scheduled(rig.office.policy, rig.office.wall)

test('one person changes the capacity by a little', () =>
  atDesk(async ({ rig, as }) => {
    const { code, out, err } = await as('bob', 'capacity', 'set', '280', '--reason', 'rain', '--yes')
    assert.deepEqual([code, err], [0, ''])
    assert.match(
      out,
      /^you sign:\n {2}policy 2, standing on policy 1\n {2}capacity: 280; it was 300\n {2}reason: rain\n/,
    )
    assert.match(out, /policy 2 is in force, signed by bob$/)
    assert.equal(capacityOf(rig), 280)
  }))

test('a large change waits, is listed, shown in words and signed by a second person', () =>
  atDesk(async ({ rig, as }) => {
    const first = await as('bob', 'capacity', 'set', '100', '--reason', 'exit blocked', '--yes', '--json')
    assert.equal(first.code, 0)
    assert.deepEqual([first.json.outcome, first.json.missing], ['pending', 'one more signature'])
    const list = await as('cat', 'approve')
    assert.match(list.out, new RegExp(`^${first.json.id.slice(0, 12)}  bob .*capacity: 100; it was 300`, 'm'))
    assert.equal(capacityOf(rig), 300)
    const second = await as('cat', 'approve', first.json.id.slice(0, 8), '--yes')
    assert.equal(second.code, 0, second.err)
    assert.match(
      second.out,
      /capacity: 100; it was 300\n {2}reason: exit blocked\n {2}signed so far in the name of bob/,
    )
    assert.match(second.out, /policy 2 is in force, signed by bob and cat$/)
    assert.deepEqual([capacityOf(rig), rig.office.policy.signers], [100, ['bob', 'cat']])
    assert.equal((await as('cat', 'approve')).out, 'nothing waits')
  }))

test('nothing is signed without a yes, and no terminal is no yes', () =>
  atDesk(async ({ rig, as }) => {
    const { code, out, err } = await as('bob', 'capacity', 'set', '280', '--reason', 'rain')
    assert.equal(code, 2)
    assert.match(out, /you sign:/)
    assert.match(err, /--yes signs without asking/)
    assert.equal(rig.office.policy.version, 1)
  }))

test('a step for later, a schedule, a margin and a share are signed the same way', () =>
  atDesk(async ({ rig, as }) => {
    const yes = ['--reason', 'r', '--yes', '--json']
    const later = await as('bob', 'capacity', 'set', '250', '--from', '2099-01-01T10:00Z', ...yes)
    assert.equal(later.json.outcome, 'enacted', later.out)
    assert.deepEqual(rig.office.policy.capacities.at(-1), { from: Date.UTC(2099, 0, 1, 10), capacity: 250 })
    const steps = ['2026-01-01T10:00Z=290', '2099-01-01T10:00Z=260']
    assert.equal((await as('bob', 'capacity', 'schedule', ...steps, ...yes)).json.outcome, 'enacted')
    assert.equal((await as('bob', 'capacity', 'margin', '20', ...yes)).json.outcome, 'enacted')
    assert.equal(capacityOf(rig), 284)
    assert.equal((await as('bob', 'capacity', 'share', '300', ...yes)).json.outcome, 'enacted')
    assert.equal(rig.office.policy.maxSharePerMille, 300)
  }))

test('a head count takes two, and its residual is kept', () =>
  atDesk(async ({ rig, as }) => {
    const counts = ['--counted', '251', '--reclaim', 'west/1=18']
    const first = await as('bob', 'recount', '240', ...counts, '--reason', 'closing', '--yes', '--json')
    assert.equal(first.json.outcome, 'pending', first.out)
    assert.match(first.err, /240 people found, 251 were counted \(residual −11\)/)
    assert.equal((await as('ann', 'approve', first.json.id, '--yes')).code, 0)
    const { correction, recount, reclaimed } = rig.office.policy
    assert.deepEqual([correction, recount?.actual, reclaimed], [-11, 240, [{ account: 'west/1', amount: 18 }]])
  }))

test('a gate is added by its key, with the fingerprint shown, listed, and taken off by two', () =>
  atDesk(async ({ rig, as }) => {
    const key = keyOf('south').verifier
    const added = await as('bob', 'roster', 'add', key.toString(), '--reason', 'new door', '--yes')
    assert.match(added.out, new RegExp(`gate south is added, with the key ${key.fingerprint}`))
    assert.ok(rig.office.policy.gates.some(({ name }) => name === 'south'))
    const { out } = await as('bob', 'roster', 'list')
    assert.match(out, /^gate .*fingerprint$/m)
    const removal = await as('bob', 'roster', 'remove', 'south', '--reason', 'stolen', '--yes', '--json')
    assert.equal(removal.json.outcome, 'pending')
    assert.equal((await as('cat', 'approve', removal.json.id, '--yes')).code, 0)
    assert.ok(!rig.office.policy.gates.some(({ name }) => name === 'south'))
  }))

test('what cannot be is answered with no, and names why', () =>
  atDesk(async ({ rig, as }) => {
    const yes = ['--reason', 'r', '--yes']
    const table: [name: string, args: string[], why: RegExp][] = [
      ['bob', ['capacity', 'set', '501', ...yes], /from 0 to 500/],
      ['bob', ['capacity', 'set', '300', ...yes], /would change nothing/],
      ['vic', ['capacity', 'set', '280', ...yes], /vic signed it and may not: the role is viewer/],
      ['bob', ['roster', 'remove', 'moon', ...yes], /moon is not on the roster/],
      ['bob', ['mode', 'clear', ...yes], /nothing to clear/],
      ['bob', ['approve', 'abcdef', '--yes'], /nothing that waits has an id that begins with abcdef/],
      ['bob', ['token', 'list'], /.+/],
    ]
    for (const [name, args, why] of table) {
      const { code, err } = await as(name, ...args)
      assert.equal(code, 1, `${args.join(' ')}: ${err}`)
      assert.match(err, why)
      const asJson = await as(name, ...args, '--json')
      assert.deepEqual([asJson.code, asJson.json.outcome], [1, 'refused'])
    }
    assert.equal(rig.office.policy.version, 1)
  }))

test('wrong use is told as such before anything is asked or signed', () =>
  withKeys(['bob'], async path => {
    const key = ['--key', path('bob.key')]
    const away = ['--anchor', 'http://127.0.0.1:1']
    const table: [args: string[], why: RegExp][] = [
      [['capacity'], /set, schedule, standby, margin or share/],
      [['capacity', 'set', 'many', '--reason', 'r', ...key], /whole number/],
      [['capacity', 'set', '9', '--reason', 'r'], /--key takes the file/],
      [['capacity', 'set', '9', ...key], /--reason takes a text/],
      [['capacity', 'set', '9', '--from', 'noon', '--reason', 'r', ...key], /--from takes a time/],
      [['capacity', 'schedule', '9', '--reason', 'r', ...key], /TIME=N/],
      [['capacity', 'set', '9', '--reason', 'r', '--mall', 'south', ...key], /is a key of north, not of south/],
      [['capacity', 'set', '9', '--reason', 'r', ...key, '--anchor', 'http://10.0.0.9'], /it takes https/],
      [['capacity', 'set', '9', '--reason', 'r', ...key, '--anchor', 'ftp://x'], /takes an address/],
      [['recount', '--reason', 'r', ...key], /whole number/],
      [['recount', '9', '--reclaim', 'x', '--reason', 'r', ...key], /--reclaim takes an account/],
      [['roster', 'burn', ...key], /list, add, rotate or remove/],
      [['mode', 'raise', 'party', '--reason', 'r', ...key], /fire, evacuate or lockdown/],
      [['mode', 'lower'], /mode raise MODE/],
      [['approve', 'nothing', ...key], /no file, and no ID/],
      [['token', 'new', 'shop', '--role', 'marshal', ...key], /--role takes one of viewer, operator, auditor/],
      [['token', 'burn'], /new, list or revoke/],
      [['key', 'show'], /--key takes/],
    ]
    for (const [args, why] of table) {
      const { code, err } = await gatemesh(...args)
      assert.equal(code, 2, `${args.join(' ')}: ${err}`)
      assert.match(err, why)
    }
    const unreached = await gatemesh('capacity', 'set', '9', '--reason', 'r', ...key, ...away, '--yes')
    assert.deepEqual([unreached.code, unreached.out], [3, ''])
    assert.match(unreached.err, /UNREACHED: no answer from http:\/\/127\.0\.0\.1:1/)
  }))

test('a key that others can read is refused, and none of it is repeated', () =>
  withKeys(['bob'], async path => {
    const file = path('bob.key')
    const secret = readFileSync(file, 'utf8').trim().split('+').at(-1) as string
    chmodSync(file, 0o644)
    const open = await gatemesh('capacity', 'set', '9', '--reason', 'r', '--key', file)
    assert.equal(open.code, 3)
    assert.match(open.err, /others can read .*chmod 600/)
    writeFileSync(path('bad.key'), readFileSync(file, 'utf8').replace('+01', '+02').slice(0, -6), { mode: 0o600 })
    const bad = await gatemesh('key', 'show', '--key', path('bad.key'))
    assert.equal(bad.code, 3)
    assert.ok(!`${bad.err}${open.err}`.includes(secret.slice(0, 20)))
    assert.match((await gatemesh('key', 'show', '--key', path('no.key'))).err, /there is no file/)
    chmodSync(file, 0o600)
    const shown = await gatemesh('key', 'show', '--key', file, '--json')
    assert.deepEqual(shown.json, {
      name: 'gatemesh/north/bob',
      vkey: keyOf('bob').verifier.toString(),
      fingerprint: keyOf('bob').verifier.fingerprint,
      file,
    })
  }))

test('off line: one writes a half-signed note, another signs the file and brings it', () =>
  atDesk(async ({ rig, as, path }) => {
    const wrote = await as('bob', 'capacity', 'set', '100', '--reason', 'r', '--yes', '--out', path('half.note'))
    assert.match(wrote.out, /nothing was sent/)
    assert.deepEqual(rig.office.approvals.waiting(), [])
    const both = await as('cat', 'approve', path('half.note'), '--yes', '--out', path('both.note'))
    assert.equal(both.code, 0)
    assert.deepEqual(
      parseNote(readFileSync(path('both.note'), 'utf8')).signatures.map(({ name }) => name),
      ['gatemesh/north/bob', 'gatemesh/north/cat'],
    )
    const brought = await as('cat', 'approve', path('both.note'), '--yes')
    assert.equal(brought.code, 0, brought.err)
    assert.match(brought.out, /capacity: 100; it was 300/)
    assert.equal(capacityOf(rig), 100)
    const again = await as('cat', 'approve', path('both.note'), '--yes')
    assert.equal(again.code, 1)
    assert.match(again.err, /does not stand on what is in force: policy 2 is in force/)
    writeFileSync(path('junk'), 'hello\n')
    const junk = await as('cat', 'approve', path('junk'), '--yes')
    assert.deepEqual([junk.code, /neither a note nor a text/.test(junk.err)], [3, true])
  }))

test('who signed takes it back; somebody else cannot', () =>
  atDesk(async ({ as }) => {
    const { json } = await as('bob', 'capacity', 'set', '100', '--reason', 'r', '--yes', '--json')
    const other = await as('cat', 'approve', json.id, '--withdraw')
    assert.equal(other.code, 1)
    assert.match(other.err, /only who signed can withdraw/)
    assert.match((await as('bob', 'approve', json.id, '--withdraw')).out, /is withdrawn/)
    const gone = await as('cat', 'approve', json.id, '--yes')
    assert.equal(gone.code, 1)
    assert.match(gone.err, /withdrawn by bob/)
  }))

test('an anchor that shows another text than was asked for, or a false past, gets no signature', () =>
  atDesk(async ({ rig, as }) => {
    const { json } = await as('bob', 'capacity', 'set', '100', '--reason', 'r', '--yes', '--json')
    const { approvals } = rig.office
    const real = approvals.get.bind(approvals)
    approvals.get = async id => {
      const found = await real(id)
      return found && { ...found, text: found.text.replace(/(capacity \d+) 100/, '$1 500') }
    }
    const lied = await as('cat', 'approve', json.id, '--yes')
    assert.equal(lied.code, 3)
    assert.match(lied.err, /another text than the one of this id/)
    const other = rig.office.note({ kind: 'capacity', capacity: 500 }, ['bob'], 'r')
    approvals.get = async id => {
      const found = await real(id)
      return found && { ...found, note: other }
    }
    const swapped = await as('cat', 'approve', json.id, '--yes')
    assert.equal(swapped.code, 3)
    assert.match(swapped.err, /on another text: nothing was signed/)
    approvals.get = real
    const { signers: _s, hash: _h, note: _n, ...same } = rig.office.policy
    const past = { ...same, gates: [] }
    const note = signNote(
      formatPolicy(past, MALL),
      ['anchor', 'ann', 'bob'].map(name => keyOf(name)),
    )
    const policies = rig.desk.policies.bind(rig.desk)
    rig.desk.policies = () => policies().map(policy => ({ ...policy, note }))
    const fooled = await as('cat', 'approve', json.id, '--yes')
    assert.equal(fooled.code, 1)
    assert.match(fooled.err, /does not stand on what is in force/)
    assert.equal(rig.office.policy.version, 1)
  }))

test('an alarm is raised by one and ended by two, one of them a marshal', () =>
  atDesk(async ({ rig, as }) => {
    const raised = await as('bob', 'mode', 'raise', 'evacuate', '--reason', 'smoke', '--yes')
    assert.deepEqual([raised.code, raised.err], [0, ''])
    assert.match(raised.out, /raise EVACUATE in epoch 0: entries are rejected, exits are free/)
    assert.equal(rig.office.modes.effective, 'EVACUATE')
    const clear = await as('bob', 'mode', 'clear', '--reason', 'over', '--yes', '--json')
    assert.deepEqual([clear.json.outcome, clear.json.missing], ['pending', 'a marshal’s signature'])
    const armed = await as('ann', 'approve', clear.json.id.slice(0, 6), '--yes')
    assert.match(armed.out, /re-arm: EVACUATE of epoch 0 ends/)
    assert.equal(rig.office.modes.effective, 'NORMAL')
  }))

test('tokens for programs are made by a marshal, listed, and revoked', () =>
  atDesk(async ({ rig, as }) => {
    const made = await as('ann', 'token', 'new', 'display', '--role', 'viewer', '--days', '30', '--json')
    assert.equal(made.code, 0, made.err)
    const read = () => gatemesh('status', '--anchor', rig.url, '--mall', MALL, '--token', made.json.token, '--json')
    assert.equal((await read()).json.mall, MALL)
    assert.match((await as('ann', 'token', 'list')).out, /display {2}viewer/)
    assert.match((await as('ann', 'token', 'revoke', made.json.id)).out, /is revoked/)
    const after = await read()
    assert.equal(after.code, 1)
    assert.match(after.json.why, /--key to log in/)
  }))

test('status tells how full the mall is and how its gates are', () =>
  atDesk(async ({ as }) => {
    const { code, out } = await as('vic', 'status')
    assert.equal(code, 0)
    assert.match(out, /^north: 0 inside of \d+, \d+ left; NORMAL/)
    assert.match(out, /^east +silent/m)
  }))

test('people who keep their own keys found a mall without showing them', () =>
  withKeys([], async path => {
    for (const name of ['ann', 'bob']) {
      const own = path(`${name}.key`)
      const made = await gatemesh('key', 'new', '--name', `gatemesh/north/${name}`, '--out', own)
      writeFileSync(path(`${name}.vkey`), made.out)
    }
    const bob = keyLine(readFileSync(path('bob.vkey'), 'utf8'))
    const found = ['charter', 'new', '--mall', 'north', '--legal-max', '500', '--capacity', '400', '--gates', 'g1']
    const who = ['--operators', `ann,bob:operator=${bob},cat`, '--operator-keys', path('ann.vkey')]
    const { code, out, err } = await gatemesh(...found, ...who, '--out', path('mall'))
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /give keys\/cat\.key to cat/)
    assert.ok(!existsSync(path('mall/keys/ann.key')) && !existsSync(path('mall/keys/bob.key')))
    assert.ok(!existsSync(path('mall/policies/1.note')))
    const sign = (name: string, file: string, to: string) =>
      gatemesh('approve', path(file), '--key', path(`${name}.key`), '--out', path(to), '--yes')
    const first = await sign('ann', 'mall/policies/1.text', '1.half')
    assert.match(first.out, /policy 1, told in full\n {2}capacity: 400/)
    assert.equal((await sign('bob', '1.half', '1.note')).code, 0)
    assert.equal(parseNote(readFileSync(path('1.note'), 'utf8')).signatures.length, 2)
    const wrong: [args: string[], why: RegExp][] = [
      [['--operators', 'ann,cat', '--operator-keys', path('bob.vkey')], /bob is not among --operators/],
      [['--operators', `ann,cat:operator=${bob}`], /the key is called gatemesh\/north\/bob/],
      [['--operators', 'ann,bob', '--operator-keys', path('ann.key')], /holds a secret key/],
      [['--operators', 'ann,bob', '--operator-keys', path('nobody')], /cannot be read/],
    ]
    for (const [args, why] of wrong) {
      const refused = await gatemesh(...found, ...args, '--out', path('other'))
      assert.equal(refused.code, 2)
      assert.match(refused.err, why)
    }
  }))

function keyLine(text: string): string {
  return /gatemesh\/\S+/.exec(text)?.[0] ?? ''
}

test.run()
