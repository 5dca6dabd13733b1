// Anchor process: the centre of a mall whose gates live in other processes; they call its exchange.

import { Exchange } from '../house/exchange.ts'
import { type HousePlan, openAnchor } from '../house/house.ts'

const [plan] = process.argv.slice(2)
if (import.meta.main && plan !== undefined) {
  const exchange = new Exchange()
  process.send?.({ did: 'open', port: await exchange.listen() })
  const station = openAnchor(JSON.parse(plan) as HousePlan, exchange)
  process.on('disconnect', () => {
    void station.then(opened => opened.stop()).finally(() => process.exit(0))
  })
}
