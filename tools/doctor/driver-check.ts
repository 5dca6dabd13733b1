// Driver check: what the configured driver needs of this machine: native modules, serial ports, chips, system tools.
//
// Law: only what is configured is loaded, and nothing is opened: a port that somebody opens twice is closed to the gate.

import { execFile } from 'node:child_process'
import { access, constants, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import type { GpioConfig, HardwareConfig, ModbusConfig } from '../../hardware/config.ts'
import { type Chip, chipOf } from '../../hardware/gpio/chips.ts'
import { detected, dialectOf } from '../../hardware/gpio/dialect.ts'
import type { Pin } from '../../hardware/gpio/pins.ts'
import { HardwareFault } from '../../hardware/turnstile.ts'
import { type Finding, fine, unknown, wrong } from './finding.ts'

const ASK_MS_MAX = 3000
const SYSFS = '/sys/class/gpio'

export async function checkDriver(hardware: HardwareConfig): Promise<Finding[]> {
  const { driver } = hardware
  switch (driver.driver) {
    case 'modbus':
      return checkModbus(driver)
    case 'gpio':
      return checkGpio(driver, hardware)
    case 'sim':
      return [fine('driver', 'sim: a model of a turnstile, no hardware')]
    case 'soft':
      return [fine('driver', 'soft: people and programs tell of passages, no hardware')]
  }
}

async function checkModbus({ path, baud }: ModbusConfig): Promise<Finding[]> {
  const [, host, port] = /^([^/]+):(\d+)$/.exec(path) ?? []
  if (host !== undefined) return [await gateway(host, Number(port))]
  return [await native('serialport', () => import('serialport'), 'serialport'), await serialPort(path, baud)]
}

function gateway(host: string, port: number): Promise<Finding> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: ASK_MS_MAX })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    const todo = 'look at its power, its cable and its address'
    socket.once('connect', () => end(fine('bus', `the gateway ${host}:${port} answers`)))
    socket.once('timeout', () => end(wrong('bus', `no answer from the gateway ${host}:${port}`, todo)))
    socket.once('error', error => end(wrong('bus', `the gateway ${host}:${port}: ${error.message}`, todo)))
  })
}

async function serialPort(path: string, baud: number): Promise<Finding> {
  try {
    const { gid, isPort } = await stat(path).then(s => ({ gid: s.gid, isPort: s.isCharacterDevice() }))
    if (!isPort)
      return wrong('serial', `${path} is no serial port`, 'put one of `ls -l /dev/serial/by-id` into the file')
    const isOurs = await access(path, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    )
    if (!isOurs) {
      const group = (await groupName(gid)) ?? String(gid)
      return wrong('serial', `this user may not use ${path}`, `sudo usermod -aG ${group} $USER, then log in again`)
    }
    return fine('serial', `${path} is there, ${baud} baud`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') return wrong('serial', `${path}: ${message}`, 'look at the adapter: `dmesg | tail`')
    const others = await readdir('/dev/serial/by-id').catch(() => [])
    const there = others.length === 0 ? 'there are none at all' : `there are ${others.join(', ')} in /dev/serial/by-id`
    return wrong('serial', `there is no ${path}; ${there}`, 'plug the adapter in, or name the right one')
  }
}

async function groupName(gid: number): Promise<string | undefined> {
  const groups = await readFile('/etc/group', 'utf8').catch(() => '')
  return groups
    .split('\n')
    .map(line => line.split(':'))
    .find(([, , id]) => Number(id) === gid)?.[0]
}

/** Is it there, and made for this Node? */
async function native(name: string, load: () => Promise<unknown>, rebuilt: string): Promise<Finding> {
  const { version, versions } = process
  try {
    await load()
    return fine('native', `${name} loads in Node ${version} (ABI ${versions.modules})`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const [first = ''] = message.split('\n')
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    const node = dirname(dirname(await realpath(process.execPath)))
    const hasHeaders = await access(join(node, 'include/node/node.h')).then(
      () => true,
      () => false,
    )
    const rebuild = `npm rebuild ${rebuilt}${hasHeaders ? ` --nodedir=${node}` : ''}`
    const mend = isMissing ? 'npm install --include=optional' : rebuild
    const what = isMissing ? `${name} is not installed` : `${name} does not load: ${first}`
    return wrong('native', what, `${mend} (in the folder of gatemesh)`)
  }
}

async function checkGpio({ backend }: GpioConfig, hardware: HardwareConfig): Promise<Finding[]> {
  const chips = { sysfs: await sysfsChips(), chardev: await chardevChips() }
  // the driver's own choice: the character device, where it is there
  const isSysfs = chips.chardev.length === 0 && chips.sysfs.length > 0
  const way = backend !== 'auto' ? backend : isSysfs ? 'sysfs' : 'chardev'
  const found = way === 'sysfs' ? chips.sysfs : chips.chardev
  const look = way === 'sysfs' ? `grep . ${SYSFS}/gpiochip*/label` : 'gpiodetect'
  const tools = way === 'sysfs' ? await native('onoff', () => import('onoff'), 'epoll') : await gpiodTools()
  const wires = pinsOf(hardware).flatMap(pin => flawOf(found, pin, look))
  const named = found.map(({ name, label, lines }) => `${name} [${label}] ${lines} lines`).join(', ')
  const listed = fine('chips', `through ${way}: ${named}`)
  return [tools, ...(wires.length > 0 ? wires : [listed])]
}

function flawOf(chips: readonly Chip[], pin: Pin, look: string): Finding[] {
  try {
    chipOf(chips, pin, look)
    return []
  } catch (error) {
    if (!(error instanceof HardwareFault)) throw error
    return [wrong('chips', error.message, 'put the label and offset of the chip that is wired into the file')]
  }
}

function pinsOf({ lanes, fire, key }: HardwareConfig): Pin[] {
  const wires = lanes.flatMap(({ inputs, grant, hold, red }) => [
    ...Object.values(inputs),
    ...[grant, hold, red].map(output => output?.coil),
  ])
  return [...wires, fire, key].filter(pin => pin !== undefined)
}

async function gpiodTools(): Promise<Finding> {
  const said = await output('gpiodetect', ['--version'])
  if (said === undefined) return wrong('native', 'the gpiod tools are not installed', 'apt install gpiod')
  try {
    return fine('native', `gpiod tools, version ${dialectOf(said).major}`)
  } catch (error) {
    if (!(error instanceof HardwareFault)) throw error
    return unknown('native', error.message)
  }
}

async function chardevChips(): Promise<readonly Chip[]> {
  return detected((await output('gpiodetect', [])) ?? '')
}

async function sysfsChips(): Promise<readonly Chip[]> {
  const names = await readdir(SYSFS).catch(() => [])
  const chips = names
    .filter(name => name.startsWith('gpiochip'))
    .map(async name => {
      const read = async (file: string) => (await readFile(join(SYSFS, name, file), 'utf8').catch(() => '')).trim()
      return { name, label: await read('label'), lines: Number(await read('ngpio')), base: Number(await read('base')) }
    })
  return Promise.all(chips)
}

function output(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile(command, args, { timeout: ASK_MS_MAX }, (error, out) => resolve(error ? undefined : out))
  })
}
