import assert from 'node:assert/strict'
import { Severed } from '../../mesh/lan/severed.ts'
import type { LanPort } from '../../mesh/station.ts'
import type { AnswerRoute, Asked } from '../../mesh/window/route.ts'
import { Refusal } from '../../mesh/window/route.ts'
import { drillRoutes } from '../../node/drill.ts'
import { suite } from '../suite.ts'

const test = suite('window/drill')

function rig(lan: Partial<LanPort> | undefined) {
  const [get, post] = drillRoutes(() => lan as LanPort | undefined) as AnswerRoute[]
  const asked = (body: string) => ({ query: new URLSearchParams(), body: async () => body }) as unknown as Asked
  return {
    get: async () => get?.answer(asked('')),
    post: async (body: string) => JSON.parse((await post?.answer(asked(body)))?.text ?? ''),
  }
}

test('the list is set as a whole, names who is on it, and takes only members', async () => {
  const severed = new Severed(() => undefined)
  const peers = () => ['anchor', 'gate-02'].map(name => ({ name, isUp: true, silentMs: 0, places: [] }))
  const { post, get } = rig({ peers, severed })
  assert.deepEqual(await post('{"from": ["gate-02", "anchor"]}'), { from: ['anchor', 'gate-02'] })
  assert.deepEqual(JSON.parse((await get())?.text ?? ''), { from: ['anchor', 'gate-02'] })
  const wrong: [string, RegExp][] = [
    ['{"from": ["gate-09"]}', /^from: there is no "gate-09" beside this gate$/],
    ['{"from": "gate-02"}', /^from: a list of names/],
    ['{"from": [2]}', /^from: a list of names/],
    ['null', /^from: a list of names/],
    ['from', /^the body is not JSON$/],
  ]
  for (const [body, says] of wrong) {
    await assert.rejects(
      post(body),
      error => error instanceof Refusal && error.status === 400 && says.test(error.message),
    )
  }
  assert.deepEqual(severed.names, ['anchor', 'gate-02'], 'what is refused changes nothing')
  assert.deepEqual(await post('{"from": []}'), { from: [] })
})

test('a gate without a network yet says so', async () => {
  for (const lan of [undefined, {}]) {
    await assert.rejects(rig(lan).post('{"from": []}'), error => error instanceof Refusal && error.status === 503)
  }
})

test.run()
