import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { DIALLER } from '../../mesh/lan/dialler.ts'
import { Severed } from '../../mesh/lan/severed.ts'
import { suite } from '../suite.ts'
import { everyoneUp, type Neighbour, onStreet, until } from './street.ts'

const test = suite('lan/severed')

const NAMES = ['anchor', 'east', 'west'] as const

test('the list is the last one that was set, and everyone on it is dropped', () => {
  const dropped: string[] = []
  const severed = new Severed(name => dropped.push(name))
  severed.set(['west', 'east'])
  severed.set(['west', 'west'])
  assert.deepEqual([severed.names, severed.has('west'), severed.has('east')], [['west'], true, false])
  severed.set([])
  assert.deepEqual([severed.names, dropped], [[], ['west', 'east', 'west', 'west']])
})

for (const keeper of ['anchor', 'west'] as const) {
  const other = keeper === 'anchor' ? 'west' : 'anchor'
  test(`${keeper} alone keeps the list: nothing passes between it and ${other}, both meet the third, and healed each other`, () =>
    onStreet(NAMES, async street => {
      const all = await street.startAll(NAMES)
      const [anchor, east, west] = all as [Neighbour, Neighbour, Neighbour]
      const [one, two] = keeper === 'anchor' ? [anchor, west] : [west, anchor]
      one.lan.severed.set([two.name])
      await until(() => !one.isUp(two.name) && !two.isUp(one.name), 'both know that it is cut')
      const met = one.met.length + two.met.length
      for (const each of [one, two]) each.heard.length = 0
      // whoever calls has called again, in vain
      const dials = () => anchor.lan.traffic().dials
      const before = dials()
      if (keeper === 'west') await until(() => dials() >= before + 3, 'it is called again and again')
      else await sleep(2 * DIALLER.pauseMsMax)
      assert.ok(keeper === 'west' || dials() === before, 'who keeps the list does not call')
      one.lan.send(two.name, 'no', 'steal')
      two.lan.send(one.name, 'no', 'rows')
      east.lan.send('*', 'to all', 'rows')
      await until(() => one.texts('east').length > 0 && two.texts('east').length > 0, 'the third is heard')
      assert.deepEqual([one.isUp(two.name), two.isUp(one.name)], [false, false])
      assert.deepEqual([one.texts(two.name), two.texts(one.name), one.met.length + two.met.length], [[], [], met])
      one.lan.severed.set([])
      await everyoneUp(all)
      one.lan.send(two.name, 'yes', 'steal')
      await until(() => two.texts(one.name).includes('yes'), 'they talk again')
    }))
}

test.run()
