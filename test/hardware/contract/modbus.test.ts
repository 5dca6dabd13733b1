// quiet
import { needs } from '../../debian.ts'
import { suite } from '../../suite.ts'
import { claims } from './claims.ts'
import { modbusRig } from './modbus-rig.ts'

const test = suite('hardware/contract/modbus')

const missing = await needs('socat', 'socat')
if (missing === undefined) {
  const parts = { asks: true, locks: true, leases: true, contacts: true, cable: true }
  claims(test, () => modbusRig('contacts'), parts)
} else test.skip('boards with relays and contacts', missing)

test.run()
