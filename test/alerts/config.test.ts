import assert from 'node:assert/strict'
import { QUIET_ALERTS, readAlerts } from '../../anchor/alerts/config.ts'
import { Form } from '../../mesh/form.ts'
import { suite } from '../suite.ts'

const test = suite('alerts/config')

function read(alerts: unknown) {
  const form = Form.read(JSON.stringify({ alerts }), { file: 'anchor.json', dir: '/etc/gatemesh' })
  const config = readAlerts(form)
  form.close()
  form.check()
  return config
}

test('all of it may be left out', () => {
  assert.deepEqual(read(undefined), QUIET_ALERTS)
  assert.deepEqual(read({}), QUIET_ALERTS)
})

test('everything that can be said is understood, paths from the folder of the file', () => {
  const config = read({
    webhooks: [{ url: 'https://pager.example/hook?k=1', secretFile: 'hook.secret', caFile: '/ca.pem' }],
    mqtt: { url: 'mqtts://broker.example:8883', prefix: 'site/gm', user: 'mall', passwordFile: 'mqtt.password' },
    repeatMinutes: 5,
    levels: { warn: 80, high: 90 },
  })
  assert.deepEqual(config, {
    webhooks: [{ url: 'https://pager.example/hook?k=1', secretFile: '/etc/gatemesh/hook.secret', caFile: '/ca.pem' }],
    mqtt: {
      url: 'mqtts://broker.example:8883',
      prefix: 'site/gm',
      user: 'mall',
      passwordFile: '/etc/gatemesh/mqtt.password',
    },
    repeatMinutes: 5,
    levels: { warn: 80, high: 90 },
  })
})

const hook = { url: 'https://a.example/', secretFile: 's' }
for (const [what, alerts, complaint] of [
  ['no list', { webhooks: hook }, /alerts\.webhooks: a list of objects in braces/],
  ['no secret', { webhooks: [hook, { url: 'https://b.example/' }] }, /alerts\.webhooks\[1\]\.secretFile: is missing/],
  ['a password in it', { webhooks: [{ ...hook, url: 'https://a:b@c/' }] }, /webhooks\[0\]\.url: an address/],
  ['another kind of address', { webhooks: [{ ...hook, url: 'ftp://c/' }] }, /webhooks\[0\]\.url: an address/],
  ['twice the same', { webhooks: [hook, hook] }, /alerts\.webhooks: https:\/\/a\.example\/ is there twice/],
  ['a slip', { webhooks: [{ ...hook, secretfile: 's' }] }, /webhooks\[0\]\.secretfile: .*did you mean secretFile/],
  ['a wildcard', { mqtt: { url: 'mqtt://b', prefix: 'a/#' } }, /alerts\.mqtt\.prefix: words for topics/],
  ['no broker', { mqtt: { url: 'http://b', prefix: 'a' } }, /alerts\.mqtt\.url: an address/],
  ['levels that cross', { levels: { warn: 95, high: 90 } }, /alerts\.levels: warn is below high/],
  ['no pause', { repeatMinutes: 0 }, /alerts\.repeatMinutes: a whole number from 1 to 1440/],
] as const) {
  test(`${what} is refused, and the field is named`, () => {
    assert.throws(() => read(alerts), complaint)
  })
}

test.run()
