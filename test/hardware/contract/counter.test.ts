// quiet
import { needs } from '../../debian.ts'
import { suite } from '../../suite.ts'
import { claims } from './claims.ts'
import { modbusRig } from './modbus-rig.ts'

const test = suite('hardware/contract/counter')

const missing = await needs('socat', 'socat')
if (missing === undefined) {
  const parts = { asks: false, locks: true, leases: false, contacts: true, cable: true }
  claims(test, () => modbusRig('counter'), parts)
} else test.skip('turnstiles that count by themselves', missing)

test.run()
