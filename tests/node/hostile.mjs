// The views of what feeds, bots and operators name, with names as hostile as they may be, and the same views without anything to show, in Debian's
// Chromium. The answers are the examples of the OpenAPI document, each name in them replaced. It fails where a name is run or is not shown as it is, and where
// a rule of axe does not hold.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { HOSTILE, serve } from './frozen.mjs'
import { browser, check, checked, moveTo, open, say, until, wrong } from './page-checks.mjs'

// After those of page-checks.mjs, which are empty: the server is this one's own.
const [dist, document] = process.argv.slice(5)
const { paths } = JSON.parse(readFileSync(document, 'utf8'))
const example = (path) => structuredClone(paths[path].get.responses['200'].content['application/json'].example)
/** Fields whose text comes from outside; what else a text means, the page chooses by it. */
const NAMES = new Set(['home', 'away', 'league', 'book', 'operator', 'sport', 'reason', 'sentence', 'rule', 'says', 'source', 'currency'])

/** The value with each name replaced, a number as it is: a team's score has a team's name. */
function hostile(value) {
  if (Array.isArray(value)) return value.map(hostile)
  if (value === null || typeof value !== 'object') return value
  const replaced = Object.entries(value).map(([field, of]) => [field, NAMES.has(field) && typeof of === 'string' ? HOSTILE[(field.length + of.length) % HOSTILE.length] : hostile(of)])
  return Object.fromEntries(replaced)
}

const session = (path) => path.replace('/v1/', '/session/')
const [window, bot] = [example('/v1/arbs/history').windows[0].id, example('/v1/bots/{id}').bot]
const READ = {
  '/v1/picks': '/v1/picks', '/v1/bots': '/v1/bots', '/v1/bots/{id}': `/v1/bots/${bot}`, '/v1/arbs/{id}': `/v1/arbs/${window}`,
  '/v1/arbs/{id}/prices': `/v1/arbs/${window}/prices`, '/v1/arbs/history': '/v1/arbs/history', '/v1/books': '/v1/books',
}
const named = Object.fromEntries(Object.entries(READ).map(([path, asked]) => [session(asked), hostile(example(path))]))
const nothing = { '/session/picks': { ...example('/v1/picks'), picks: [], next_cursor: null }, '/session/bots': { bots: [] }, '/session/bots/none': { ...example('/v1/bots/{id}'), bot: 'none', records: [] } }

/** A page of a market with what is given. */
async function shown(entries, given, look) {
  const server = await serve(dist, entries, 0, given)
  moveTo(server.url)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await open(context)
  await look(page, (path) => page.goto(`${server.url}/#/${path}`))
  await context.close()
  server.close()
}

/** At least one of them is on the page as the text that it is, and none was run. */
async function asText(page, view) {
  await until(`${view} shows a name as it is`, async () => {
    const text = await page.locator('main').textContent()
    return HOSTILE.some((name) => text.includes(name))
  })
  assert.equal(await page.locator('main img, main script').count(), 0, `${view} made markup of a name`)
  await check(page, view)
  assert.notEqual(await page.title(), '1', `${view} ran a name`)
}

await shown(6, { signals: hostile(example('/v1/signals').signals), more: named }, async (page, go) => {
  await go('signals')
  await page.getByRole('button', { name: /^More evidence of/ }).first().click()
  await asText(page, 'signals')
  await go('picks')
  await page.getByRole('button', { name: /^More evidence of/ }).first().click()
  await asText(page, 'picks')
  for (const [path, view] of [[`bots/${bot}`, 'bot'], [`arb/${window}`, 'entry'], ['feeds', 'feeds'], ['board', 'board']]) {
    await go(path)
    await asText(page, view)
  }
  say('hostile names')
})
await shown(0, { more: nothing }, async (page, go) => {
  for (const [path, heading] of [['signals', 'No open signals'], ['picks', 'No picks'], [`arb/${window}`, 'No such window'], ['bots/none', 'No picks yet'], ['board', 'No open arb windows now']]) {
    await go(path)
    await page.locator('main').getByRole('heading', { name: heading }).first().waitFor()
    await check(page, `empty-${path.split('/')[0]}`)
  }
  say('nothing to show')
})
assert.deepEqual(wrong, [])
assert.equal(checked.size, 11)
say('done')
await browser.close()
