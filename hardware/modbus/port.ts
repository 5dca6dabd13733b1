// Port: the link that a configured path means.

import type { ModbusConfig } from '../config.ts'
import type { Link } from './link.ts'
import { SerialLink } from './serial-link.ts'
import { TcpLink } from './tcp-link.ts'

/** host:port, [v6]:port; a serial port has a slash in it, or no colon */
const GATEWAY = /^(?:\[([^\]/]+)\]|([^:/\\]+)):(\d{1,5})$/

export function linkTo(config: ModbusConfig): Link {
  const gateway = GATEWAY.exec(config.path)
  const host = gateway?.[1] ?? gateway?.[2]
  if (!host) return new SerialLink(config)
  return new TcpLink({ host, port: Number(gateway?.[3]) })
}
