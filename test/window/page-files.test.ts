import assert from 'node:assert/strict'
import { meshPages, pageRoutes, readPageFiles } from '../../mesh/window/page-files.ts'
import { suite } from '../suite.ts'

const test = suite('window/page-files')

test('pages that cannot be read are told, and leave the rest of the window as it is', () => {
  const told: unknown[] = []
  const gone = () => readPageFiles('/nowhere/at/all')
  assert.deepEqual(
    pageRoutes('/pages', gone, error => told.push(error)),
    [],
  )
  assert.match(String(told), /ENOENT.*nowhere/)
  assert.throws(() => pageRoutes('/pages', gone), { code: 'ENOENT' })
})

test('every file has an address, the chart library too, and nothing else has', () => {
  const paths = pageRoutes('/mesh/pages', meshPages).map(({ path }) => path)
  for (const name of ['mall.html', 'view.js', 'theme.css', 'display.html', 'uplot.js', 'uplot.css']) {
    assert.ok(paths.includes(`/mesh/pages/${name}`), name)
  }
  assert.ok(paths.every(path => /^\/mesh\/pages\/[a-z0-9-]+\.(html|js|css)$/.test(path)))
})

test.run()
