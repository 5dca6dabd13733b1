// @ts-check
// Key: a played operator's key, put into this browser, where the page finds it as if its owner had brought the file.

/** Not known to the compiler: the anchor serves it at this address. */
const SIGNING = '/pages/signing.js'

/** @param {string} operator @returns {Promise<string>} what was done */
export async function takeKey(operator) {
  const reply = await fetch(`/demo/keys/${operator}`)
  if (!reply.ok) throw new Error(`there is no key of ${operator} here`)
  const { importPerson, keepPerson } = await import(SIGNING)
  const person = await importPerson(await reply.text())
  await keepPerson(person)
  window.dispatchEvent(new CustomEvent('gatemesh:key', { detail: { name: person.name } }))
  return `the key of ${operator} is in this browser: log in with it at the top of the page`
}
