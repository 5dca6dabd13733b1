// Packages: source of a kernel and the tools' other version, from where apt on this computer fetches, unpacked and not installed.

import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
const APT = 'apt-get -o APT::Sandbox::User=root'

export const sh = (command: string, cwd: string) =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', command], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

export interface Fetched {
  /** archive of the kernel's source */
  readonly source: string
  /** folder of the gpiod tools of the other version, or why there is none */
  readonly second: { readonly folder: string; readonly libraries: string } | { readonly why: string }
}

/** All of them unpacked in `dir`, where what was fetched before is used again. */
export function fetchPackages(dir: string): Fetched {
  const done = join(dir, 'fetched.json')
  if (existsSync(done)) return JSON.parse(readFileSync(done, 'utf8')) as Fetched
  mkdirSync(dir, { recursive: true })
  const [, name] = /Depends: (linux-source-\S+)/.exec(sh('apt-cache depends linux-source', dir)) ?? []
  if (name === undefined) throw new Error('no source of a kernel: apt-get update, then apt-cache depends linux-source')
  sh(`${APT} download ${name}`, dir)
  sh(`dpkg-deb -x ${name}_*.deb .`, dir)
  const fetched = { source: join(dir, `usr/src/${name}.tar.xz`), second: fetchSecond(dir) }
  writeFileSync(done, JSON.stringify(fetched))
  return fetched
}

/** Version 2 of the tools is in the backports of a Debian that has version 1. Looked for there only: apt's own state stays. */
function fetchSecond(dir: string): Fetched['second'] {
  const said = sh('gpiodetect --version', dir)
  if (!/ v1\./.test(said)) return { why: `this Debian has ${said.split('\n')[0]}, and no other version beside it` }
  const origins = sh(`apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages'`, dir).split('\n')
  // those of updates and security have a dash
  const [mirror, codename] = origins.map(line => line.split(' ')).find(([, name]) => name && !name.includes('-')) ?? []
  if (mirror === undefined) return { why: 'apt of this computer has no release with backports' }
  const own = join(dir, 'backports')
  for (const folder of ['lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(own, folder), { recursive: true })
  writeFileSync(join(own, 'status'), '')
  writeFileSync(join(own, 'list'), `deb [signed-by=${KEYS}] ${mirror} ${codename}-backports main\n`)
  const settings = [
    `Dir::Etc::sourcelist=${own}/list`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${own}/lists`,
    `Dir::State::status=${own}/status`,
    `Dir::Cache=${own}/cache`,
  ]
  const apt = [APT, ...settings.map(setting => `-o ${setting}`)].join(' ')
  try {
    sh(`${apt} -o APT::Update::Error-Mode=any update && ${apt} download gpiod libgpiod3`, own)
    for (const file of globSync('*.deb', { cwd: own })) sh(`dpkg-deb -x ${file} root`, own)
  } catch (error) {
    const [last] = ((error as { stderr?: string }).stderr ?? String(error)).trim().split('\n').slice(-1)
    return { why: `${codename}-backports cannot be had from the mirror of this computer: ${last}` }
  }
  return { folder: join(own, 'root/usr/bin'), libraries: join(own, 'root/usr/lib/x86_64-linux-gnu') }
}
