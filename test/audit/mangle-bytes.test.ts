import { type About, parseAbout } from '../../ledger/audit/about.ts'
import type { BundleContent } from '../../tools/audit/bundle-writer.ts'
import { suite } from '../suite.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'
import { Mangler } from './mangling.ts'
import { type TurnOptions, turned } from './turned.ts'

const evidence = evidenceMall()
const day = { from: evidence.morning, to: evidence.evening }

const SIGNED: TurnOptions = { forgers: ['careful'], most: 40 }
const EVERY_BYTE: TurnOptions = { forgers: ['careful'] }
/** Signed by nobody: only a hash can tell. */
const HASHED: TurnOptions = { forgers: ['clumsy'], most: 8, before: 1024 }
const LABEL: TurnOptions = { forgers: ['clumsy'], most: 40 }

bytes('whole', contentOf(evidence), {
  'data/charter.note': SIGNED,
  'data/charter.2.note': SIGNED,
  'data/policies/3.note': SIGNED,
  'data/rows/east/1.16.note': EVERY_BYTE,
  'data/ledgers/west/1.jsonl': { ...SIGNED, most: 100 },
  'data/bundle.json': { ...SIGNED, most: 100 },
  'bagit.txt': EVERY_BYTE,
  'bag-info.txt': LABEL,
  'manifest-sha256.txt': LABEL,
  'tagmanifest-sha256.txt': LABEL,
  'data/README.txt': HASHED,
  'data/FORMAT.md': HASHED,
  'data/verify.mjs': HASHED,
  'data/custody.jsonl': HASHED,
})

bytes('of a day', contentOf(evidence, day), {
  'data/starts/east/1.json': EVERY_BYTE,
  'data/rows/east/1.10.note': SIGNED,
  'data/bundle.json': SIGNED,
})

function bytes(name: string, content: BundleContent, files: Readonly<Record<string, TurnOptions>>): void {
  const test = suite(`audit/mangle bytes, ${name}`)
  const mangler = new Mangler(test, content, evidence.mall.owner.verifier)
  for (const [file, options] of Object.entries(files)) {
    const how = options.forgers.includes('careful') ? ', though the manifests fit' : ''
    const isOpen = (text: string) => file === 'data/bundle.json' && saysTheSame(content.about, text)
    const spoil = () => mangler.all(turned(mangler.copy, file, { ...options, isOpen }))
    test(`a byte of ${file} turned over is found${how}`, spoil, { timeoutMs: 900_000 })
  }
  test.run()
}

/** Spaces do not matter; when and from where it was made, and which time was asked for, its maker alone can know. */
function saysTheSame(is: About, text: string): boolean {
  const signed = ({ mall, gates, ledgers, from, to }: About) =>
    JSON.stringify([mall, gates, ledgers, from === null, to === null])
  try {
    return signed(parseAbout(text)) === signed(is)
  } catch {
    return false
  }
}
