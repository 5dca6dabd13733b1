// What Prometheus is told of building signals.

import type { Family } from '../../mesh/window/prometheus.ts'
import type { BmsState } from './state.ts'

export function familiesOf({ sources, rules }: BmsState, mall: string): Family[] {
  return [
    {
      name: 'gatemesh_signal',
      help: 'Signals of the building, as last read; none while silent',
      type: 'gauge',
      samples: sources.flatMap(({ name, value }) =>
        value === undefined ? [] : [{ value, labels: { mall, source: name } }],
      ),
    },
    {
      name: 'gatemesh_signal_silent',
      help: 'Signals of the building that nobody hears',
      type: 'gauge',
      samples: sources.map(({ name, isSilent }) => ({ value: isSilent ? 1 : 0, labels: { mall, source: name } })),
    },
    {
      name: 'gatemesh_signal_limit',
      help: 'People that a rule asks for at most; none while it asks for nothing',
      type: 'gauge',
      samples: rules.flatMap(({ name, demand }) =>
        demand === undefined ? [] : [{ value: demand.atMost, labels: { mall, rule: name } }],
      ),
    },
  ]
}
