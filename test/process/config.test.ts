import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type MallConfig, readAnchor } from '../../anchor/config.ts'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { Form } from '../../mesh/form.ts'
import { readPapers } from '../../mesh/papers.ts'
import { type GateConfig, readGate } from '../../node/config.ts'
import { keyPath } from '../../tools/founding.ts'
import { memberFilePath } from '../../tools/member-file.ts'
import { suite } from '../suite.ts'
import { BIN, change, founded, inFolder } from './members.ts'

const test = suite('process/config')

const GOOD = {
  name: 'gate-01',
  charter: 'charter.note',
  owner: 'owner.vkey',
  key: 'keys/gate-01.key',
  store: 'gate-01',
  listen: ['0.0.0.0:4501'],
  peers: { anchor: ['10.0.0.2:4500'] },
  mdns: { interface: '10.0.0.11' },
  http: { host: '127.0.0.1', port: 8081 },
  turnstile: { driver: 'soft' },
  alone: false,
  log: { level: 'info' },
}

function read(config: object): GateConfig {
  const form = Form.read(JSON.stringify(config), { file: 'gate.json', dir: '/etc/gatemesh' })
  const gate = readGate(form)
  form.check()
  return gate
}

function wrongs(config: object): string {
  try {
    read(config)
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'CONFIG', String(error))
    return error.message
  }
  assert.fail('nothing was found wrong')
}

test('the config of the documentation is read as it is meant, with paths from its folder', () => {
  const { charter, key, store, listen, peers, mdns, http, alone, log } = read(GOOD)
  assert.deepEqual([charter, key], ['/etc/gatemesh/charter.note', '/etc/gatemesh/keys/gate-01.key'])
  assert.equal(store, '/etc/gatemesh/gate-01')
  assert.equal(read({ ...GOOD, store: '/var/lib/gatemesh/gate' }).store, '/var/lib/gatemesh/gate')
  assert.deepEqual(listen, [{ host: '0.0.0.0', port: 4501 }])
  assert.deepEqual([...peers], [['anchor', [{ host: '10.0.0.2', port: 4500 }]]])
  assert.deepEqual(
    [mdns, http, alone, log],
    [{ interface: '10.0.0.11' }, { host: '127.0.0.1', port: 8081 }, false, 'info'],
  )
  assert.deepEqual([read({ ...GOOD, mdns: true }).mdns, read({ ...GOOD, mdns: false }).mdns], [{}, false])
})

test('what may be left out has a value that suits a real gate', () => {
  const { mdns: _, peers: _p, turnstile: _t, alone: _a, log: _l, ...needed } = GOOD
  const { mdns, peers, hardware, alone, log, http } = read({ ...needed, http: { port: 1 } })
  assert.deepEqual(
    [mdns, peers.size, hardware.driver.driver, alone, log, http.host],
    [{}, 0, 'soft', false, 'info', '127.0.0.1'],
  )
})

const WRONG: [config: object, says: string][] = [
  [{ http: { port: 'x' } }, 'gate.json: http.port: a whole number from 0 to 65535, not "x"'],
  [{ http: { port: 65_536 } }, 'gate.json: http.port: a whole number from 0 to 65535, not 65536'],
  [{ http: { host: 'localhost', port: 1 } }, 'gate.json: http.host: an IPv4 address, as in 10.0.0.11, not "localhost"'],
  [{ http: [] }, 'gate.json: http: an object in braces, not []'],
  [{ http: { port: 1, prot: 2 } }, 'gate.json: http.prot: there is no such field; did you mean port?'],
  [
    { name: 'Gate 1' },
    'gate.json: name: a name: a small letter, then up to 30 small letters, digits or dashes, not "Gate 1"',
  ],
  [{ name: 'anchor', peers: {} }, 'gate.json: name: a gate cannot be called anchor'],
  [{ charter: '' }, 'gate.json: charter: a path, absolute or from the folder of this file, not ""'],
  [{ store: 7 }, 'gate.json: store: a path, absolute or from the folder of this file, not 7'],
  [{ listen: [] }, 'gate.json: listen: a list of one or more addresses with ports, as in ["10.0.0.11:4501"], not []'],
  [
    { listen: ['0.0.0.0:4501', 'x:1'] },
    'gate.json: listen: a list of one or more addresses with ports, as in ["10.0.0.11:4501"], not "x:1"',
  ],
  [
    { peers: { anchor: '10.0.0.2:4500' } },
    'gate.json: peers.anchor: a list of one or more addresses with ports, as in ["10.0.0.11:4501"], not "10.0.0.2:4500"',
  ],
  [{ peers: { 'Gate 2': ['10.0.0.2:1'] } }, 'gate.json: peers.Gate 2: not a name: small letters, digits and dashes'],
  [{ peers: { 'gate-01': ['10.0.0.2:1'] } }, 'gate.json: peers.gate-01: this is the member itself'],
  [{ mdns: 'yes' }, 'gate.json: mdns: true, false or {"interface": "10.0.0.11"}, not "yes"'],
  [{ mdns: { interface: 'eth0' } }, 'gate.json: mdns.interface: an IPv4 address, as in 10.0.0.11, not "eth0"'],
  [{ turnstile: { driver: 'rs486' } }, 'gate.json: turnstile.driver: one of soft, modbus, gpio, sim, not "rs486"'],
  [{ alone: 'no' }, 'gate.json: alone: true or false, not "no"'],
  [{ log: { level: 'loud' } }, 'gate.json: log.level: one of debug, info, warn, error, not "loud"'],
  [{ lisen: [] }, 'gate.json: lisen: there is no such field; did you mean listen?'],
  [
    { __proto__2: 1 },
    'gate.json: __proto__2: there is no such field; there are name, charter, owner, key, store, listen, peers, mdns, ' +
      'log, http, optical, turnstile, public, alone, drills',
  ],
  // a pass that is wrong is still somebody's secret
  [{ http: { port: 1, pass: 'hunter2' } }, 'gate.json: http.pass: 8 to 100 characters without spaces'],
  [{ public: { places: 'few' } }, 'gate.json: public.places: true or false, not "few"'],
  [{ drills: 1 }, 'gate.json: drills: true or false, not 1'],
  [
    { drills: true, http: { host: '10.0.0.11', port: 8081 } },
    'gate.json: drills: false: 10.0.0.11 can be reached from elsewhere, and drills are for 127.0.0.1',
  ],
]

for (const [change, says] of WRONG) {
  test(`it says: ${says.slice(0, 110)}`, () => {
    assert.equal(wrongs({ ...GOOD, ...change }), says)
  })
}

test('every field that is needed and missing is named, all at once', () => {
  const said = wrongs({ alone: 1, turnstyle: {} }).split('\n')
  assert.equal(said[0], '9 things to mend')
  for (const field of ['name', 'charter', 'owner', 'key', 'store', 'listen', 'http']) {
    assert.ok(
      said.some(line => line.startsWith(`  gate.json: ${field}: is missing: `)),
      `${field} in ${said.join('\n')}`,
    )
  }
  assert.ok(said.includes('  gate.json: turnstyle: there is no such field; did you mean turnstile?'))
})

test('what is no JSON object is refused as a whole', () => {
  for (const [text, says] of [
    ['{', /^gate\.json: not JSON: /],
    ['[1]', /^gate\.json: a JSON object, not \[1\]$/],
    ['null', /^gate\.json: a JSON object, not null$/],
  ] as const) {
    assert.throws(
      () => Form.read(text, { file: 'gate.json', dir: '/' }),
      (error: Error) => says.test(error.message),
    )
  }
})

test('the anchor has one name and no turnstile', () => {
  const { turnstile: _t, alone: _a, ...member } = GOOD
  const complaints = (config: object) => {
    const form = Form.read(JSON.stringify(config), { file: 'anchor.json', dir: '/' })
    readAnchor(form)
    assert.throws(() => form.check(), Fault)
    return form
  }
  complaints({ ...member, peers: {} })
  complaints({ ...member, name: 'anchor', peers: {}, alone: true })
  const form = Form.read(JSON.stringify({ ...member, name: 'anchor', peers: {} }), { file: 'a', dir: '/' })
  assert.equal(readAnchor(form).mall?.name, 'anchor')
  form.check()
})

async function papersOf(dir: string, name: string): Promise<{ doubts: readonly string[] }> {
  const path = memberFilePath(dir, name)
  const form = Form.read(readFileSync(path, 'utf8'), { file: basename(path), dir: dirname(path) })
  const papers = await readPapers(form, name === 'anchor' ? (readAnchor(form).mall as MallConfig) : readGate(form))
  form.check()
  assert.ok(papers)
  return papers
}

const refuses = (dir: string, name: string, says: RegExp) =>
  assert.rejects(papersOf(dir, name), (error: Error) => {
    assert.match(error.message, says)
    return true
  })

test('papers must be there, be private, belong together, and be those of this member', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1', 'g2'], 40)
    assert.deepEqual((await papersOf(dir, 'g1')).doubts, [])
    assert.deepEqual((await papersOf(dir, 'anchor')).doubts, [])
    chmodSync(keyPath(dir, 'g1'), 0o640)
    const key = keyPath(dir, 'g1')
    await refuses(dir, 'g1', new RegExp(`^g1.json: key: others can read ${key} \\(mode 640\\): chmod 600 ${key}$`))
    chmodSync(keyPath(dir, 'g1'), 0o600)
    change(dir, 'g1', { key: 'keys/g2.key' })
    await refuses(
      dir,
      'g1',
      /^g1\.json: key: is the key of gatemesh\/m\/g2; this member is gatemesh\/m\/g1 by name and charter$/,
    )
    change(dir, 'g1', { key: 'keys/none.key', owner: 'none.vkey', charter: 'none.note' })
    await refuses(
      dir,
      'g1',
      /^3 things to mend\n.*owner: there is no file .*\n.*charter: there is no file .*\n.*key: there is no/,
    )
    change(dir, 'g1', { key: 'charter.note', owner: 'charter.note', charter: 'owner.vkey' })
    chmodSync(join(dir, 'charter.note'), 0o600)
    await refuses(dir, 'g1', /owner: .*charter\.note: .*\n.*key: .*charter\.note: a signer key starts with/)
  })
})

test('a charter that the owner did not sign, and one of another mall, are refused', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const note = readFileSync(join(dir, 'charter.note'), 'utf8')
    const owner = VerifierKey.parse(readFileSync(join(dir, 'owner.vkey'), 'utf8').trim())
    const { charter } = openCharter(note, owner)
    writeFileSync(join(dir, 'charter.note'), note.replace('legal-max 40', 'legal-max 4000'))
    await refuses(dir, 'g1', /^g1\.json: charter: /)
    writeFileSync(
      join(dir, 'charter.note'),
      signCharter({ ...charter, legalMax: 4000 }, SignerKey.generate(owner.name)),
    )
    await refuses(dir, 'g1', /^g1\.json: charter: /)
  })
})

test("a gate that the charter does not know may have been added since: a doubt; the anchor's key cannot change", async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    for (const name of ['g1', 'anchor']) {
      writeFileSync(keyPath(dir, name), `${SignerKey.generate(`gatemesh/m/${name}`)}\n`)
    }
    assert.match((await papersOf(dir, 'g1')).doubts.join(), /another key in the charter/)
    await refuses(dir, 'anchor', /^anchor\.json: key: is not the anchor's key in the charter of m$/)
    change(dir, 'g1', { name: 'g9', peers: { g7: ['10.0.0.1:1'] } })
    writeFileSync(keyPath(dir, 'g1'), `${SignerKey.generate('gatemesh/m/g9')}\n`)
    const { doubts } = await papersOf(dir, 'g1')
    assert.match(doubts.join('\n'), /g9 is not in the charter.*\npeers\.g7 is not in the charter/)
  })
})

test('the command says all of it on stderr and exits with 3; without a config it is wrong use', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const run = (...args: string[]) =>
      new Promise<{ code: number; out: string; err: string }>(resolve => {
        execFile(process.execPath, [BIN, ...args], (error, out, err) => {
          resolve({ code: error ? Number(error.code) : 0, out, err })
        })
      })
    change(dir, 'g1', { http: { port: 'x' }, lisen: 1 })
    const bad = await run('gate', '--config', memberFilePath(dir, 'g1'))
    assert.deepEqual([bad.code, bad.out], [3, ''])
    assert.match(
      bad.err,
      /^gatemesh gate: CONFIG: 2 things to mend\n {2}g1\.json: http\.port: .*\n {2}g1\.json: lisen: .*\n$/,
    )
    rmSync(memberFilePath(dir, 'g1'))
    const none = await run('gate', '--config', memberFilePath(dir, 'g1'))
    assert.deepEqual([none.code, /CONFIG: .*g1\.json cannot be read/.test(none.err)], [3, true])
    for (const args of [['gate'], ['anchor'], ['gate', '--birth'], ['anchor', '--fast']]) {
      const { code, err } = await run(...args)
      assert.equal(code, 2, err)
    }
  })
})

test.run()
