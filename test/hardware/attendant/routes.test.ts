// What is asked of a gate about its hardware over HTTP, and checks that become entries.

import assert from 'node:assert/strict'
import { Server } from '../../../mesh/window/server.ts'
import { hardwareRoutes } from '../../../node/hardware-routes.ts'
import { suite } from '../../suite.ts'
import { inRig, type Rig } from '../../window/rig.ts'
import { Scripted } from './scripted.ts'

const test = suite('hardware/routes')

const CHECK = {
  ...{ what: 'walk', lane: 'north', by: 'Jo, technician' },
  ...{ truthIn: 10, truthOut: 10, seenIn: 9, seenOut: 10, ok: false },
}

async function served(rig: Rig, pass: string | undefined, act: (url: string) => Promise<void>): Promise<void> {
  const state = () => new Scripted().state()
  const routes = hardwareRoutes({ door: rig.door, state, ...(pass === undefined ? {} : { pass }) })
  const server = new Server({ routes, onFault: error => assert.fail(String(error)) })
  await server.listen({ host: '127.0.0.1', port: 0 }, false)
  try {
    await act(server.url)
  } finally {
    await server.close()
  }
}

async function post(url: string, body: unknown, headers = {}): Promise<{ status: number; said: string }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await fetch(`${url}/turnstile/check`, { method: 'POST', body: text, headers })
  return { status: reply.status, said: await reply.text() }
}

test('a check is an entry once it is answered', async () => {
  await inRig(rig =>
    served(rig, undefined, async url => {
      assert.equal((await post(url, CHECK)).status, 200)
      const {
        seq: _,
        prev: _p,
        id: _i,
        at: _a,
        ...entry
      } = (await rig.entries).at(-1) as Record<string, unknown> & {
        type: string
      }
      assert.deepEqual(entry, { type: 'check', ...CHECK })
      assert.deepEqual(rig.door.passages, { in: 0, out: 0 }, 'it counts nobody')
    }),
  )
})

test('a gate with a pass takes checks from those who have it', async () => {
  await inRig(rig =>
    served(rig, 'opensesame', async url => {
      assert.equal((await post(url, CHECK)).status, 401)
      assert.equal((await post(url, CHECK, { authorization: 'Bearer opensesame' })).status, 200)
    }),
  )
})

const BAD: readonly [body: unknown, says: RegExp][] = [
  ['{', /not JSON/],
  ['null', /what: one of direction, walk, count/],
  [{ ...CHECK, what: 'look' }, /what: one of/],
  [{ ...CHECK, truthIn: -1 }, /truthIn: a whole number/],
  [{ ...CHECK, seenOut: 1.5 }, /seenOut: a whole number/],
  [{ ...CHECK, by: '' }, /by: 1 to 60 characters/],
  [{ ...CHECK, lane: 'a\nb' }, /lane: 1 to 60 characters/],
  [{ ...CHECK, ok: 'yes' }, /ok: true or false/],
]

test('what no entry can hold is refused, by the name of the field', async () => {
  await inRig(rig =>
    served(rig, undefined, async url => {
      for (const [body, says] of BAD) {
        const { status, said } = await post(url, body)
        assert.equal(status, 400)
        assert.match(said, says)
      }
      assert.ok(!(await rig.entries).some(({ type }) => type === 'check'))
    }),
  )
})

test('the state of the hardware is there for whoever looks', async () => {
  await inRig(rig =>
    served(rig, undefined, async url => {
      const state = (await (await fetch(`${url}/turnstile/state`)).json()) as object
      assert.deepEqual(state, new Scripted().state())
    }),
  )
})

test.run()
