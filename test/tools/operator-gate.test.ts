import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Charters } from '../../ledger/charters.ts'
import { Keyring } from '../../mesh/keyring.ts'
import type { Member } from '../../mesh/member.ts'
import { ModeKeeper } from '../../mesh/modekeeper.ts'
import { command } from '../../mesh/window/command.ts'
import { json, type Route } from '../../mesh/window/route.ts'
import { Server } from '../../mesh/window/server.ts'
import { inRig } from '../api/rig.ts'
import { CHARTER, Office, signed } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { gatemesh, withKeys } from './clerk.ts'

const test = suite('tools/operator-gate')
/** Nobody listens there. */
const DEAD = 'http://127.0.0.1:1'

/** A gate as a guard with a note meets it: its window, its keyring and its rules for modes. */
async function atGate(act: (modes: ModeKeeper, url: string) => Promise<void>, tellsEpoch = false): Promise<void> {
  const modes = new ModeKeeper('east', CHARTER)
  const ring = new Keyring(Charters.unrevised(CHARTER), () => CHARTER.gates)
  const hear: Parameters<typeof command>[1]['hear'] = statement => void modes.hear(statement, () => false)
  const take = (note: string) => command(note, { me: { modes } as unknown as Member, ring, hear })
  const epoch = () => (tellsEpoch ? { modeEpoch: modes.statement.epoch } : {})
  const routes: Route[] = [
    { method: 'GET', path: '/modes', answer: () => json(200, { mode: modes.effective, ...epoch() }) },
    {
      method: 'POST',
      path: '/modes',
      isOpen: true,
      answer: async asked => {
        const { isNews, mode, epoch } = take(await asked.body())
        return json(isNews ? 200 : 409, { mode, epoch })
      },
    },
  ]
  const faults: unknown[] = []
  const server = new Server({ routes, onFault: error => faults.push(error) })
  await server.listen({ host: '127.0.0.1', port: 0 }, false)
  try {
    await act(modes, server.url)
    assert.deepEqual(faults, [])
  } finally {
    await server.close()
  }
}

/** Brings the gate to a later epoch, as the mall's history would. */
async function rearmed(modes: ModeKeeper): Promise<void> {
  const office = await Office.open()
  const ring = new Keyring(Charters.unrevised(CHARTER), () => CHARTER.gates)
  for (const [wish, signers] of [
    [{ kind: 'raise', mode: 'LOCKDOWN' }, ['bob']],
    [{ kind: 'clear' }, ['bob', 'ann']],
  ] as const) {
    const note = office.modeNote(wish, signers)
    assert.equal((await office.approvals.bring(note)).outcome, 'enacted')
    assert.equal(
      modes.hear(ring.mode(note), () => false),
      'new',
    )
  }
}

test('without the anchor an alarm goes to a gate, in whatever epoch that is', () =>
  withKeys(['bob'], async path => {
    for (const tellsEpoch of [false, true]) {
      await atGate(async (modes, url) => {
        await rearmed(modes)
        const where = ['--anchor', DEAD, '--gate', url, '--key', path('bob.key')]
        const { code, out } = await gatemesh('mode', 'raise', 'fire', '--reason', 'smoke', '--yes', ...where)
        assert.equal(code, 0)
        assert.match(out, /the anchor has it not from here: no answer/)
        assert.match(out, new RegExp(`^${url} has it$`, 'm'))
        assert.deepEqual([modes.effective, modes.statement.epoch, modes.statement.by], ['FIRE', 1, ['bob']])
      }, tellsEpoch)
    }
  }))

test('with both in reach both have it, and one that is away delays nobody', () =>
  withKeys(['bob'], path =>
    inRig(rig =>
      atGate(async (modes, url) => {
        rig.office.wall = Date.now()
        const where = ['--anchor', rig.url, '--gate', DEAD, '--gate', url, '--key', path('bob.key'), '--json']
        const { code, json: said } = await gatemesh('mode', 'raise', 'fire', '--reason', 'smoke', '--yes', ...where)
        assert.equal(code, 0)
        assert.deepEqual([modes.effective, rig.office.modes.effective], ['FIRE', 'FIRE'])
        assert.deepEqual(
          said.places.map(({ place, why }: { place: string; why?: string }) => [place, why === undefined]),
          [
            ['the anchor', true],
            [DEAD, false],
            [url, true],
          ],
        )
      }),
    ),
  ))

test('an alarm that reached nobody is a fault', () =>
  withKeys(['bob'], async path => {
    const where = ['--anchor', DEAD, '--gate', DEAD, '--key', path('bob.key')]
    const { code, out } = await gatemesh('mode', 'raise', 'fire', '--reason', 'smoke', '--yes', ...where)
    assert.equal(code, 3)
    assert.equal(out.match(/no answer from/g)?.length, 2)
  }))

test('without the anchor two people re-arm by a file that one signs and the other brings to a gate', () =>
  withKeys(['ann', 'bob', 'cat'], path =>
    atGate(async (modes, url) => {
      const office = await Office.open()
      const ring = new Keyring(Charters.unrevised(CHARTER), () => CHARTER.gates)
      modes.hear(ring.mode(office.modeNote({ kind: 'raise', mode: 'FIRE' }, ['bob'])), () => false)
      const as = (name: string, ...args: string[]) =>
        gatemesh(...args, '--anchor', DEAD, '--gate', url, '--key', path(`${name}.key`), '--yes')
      const file = path('clear.note')
      const first = await as('bob', 'mode', 'clear', '--reason', 'over', '--out', file)
      assert.equal(first.code, 0, first.err)
      const wrong = await as('cat', 'approve', file)
      assert.equal(wrong.code, 1)
      assert.match(wrong.err, /may not say NORMAL/)
      assert.equal(modes.effective, 'FIRE')
      const second = await as('ann', 'approve', file)
      assert.equal(second.code, 0, second.err)
      assert.match(second.out, /re-arm: FIRE of epoch 0 ends/)
      assert.equal(modes.effective, 'NORMAL')
      const again = await as('ann', 'approve', file)
      assert.equal(again.code, 1)
    }, true),
  ))

test('a policy is not brought to a gate', () =>
  withKeys(['bob'], async path => {
    const office = await Office.open()
    const note = office.note({ kind: 'capacity', capacity: 100 }, ['ann'])
    writeFileSync(path('p.note'), signed(note.slice(0, note.lastIndexOf('\n\n') + 1), ['ann']))
    const args = ['approve', path('p.note'), '--gate', DEAD, '--key', path('bob.key'), '--yes']
    const { code, err } = await gatemesh(...args)
    assert.equal(code, 2)
    assert.match(err, /takes mode notes/)
  }))

test.run()
