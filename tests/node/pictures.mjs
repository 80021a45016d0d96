// Pictures of all views, of a kept market with the clock frozen and the page's own letters, in Debian's Chromium. It fails where a view differs from the kept
// picture in more than one of a thousand pixels, or a picture is larger than 150 kB. With ARB_TEST_IMAGES they are drawn into that folder instead.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import { answers, ENTRY, EVENT } from './answers.mjs'
import { serve } from './frozen.mjs'
import { indexed } from './indexed.mjs'
import { keptEntry, keptScores, SEEN } from './market.mjs'
import { browser, moveTo, open, rows, say, until, wrong } from './page-checks.mjs'

const [dist, document, kept] = process.argv.slice(5)
const folder = process.env.ARB_TEST_IMAGES ?? null
const MOST_BYTES = 150_000
const MOST_PART = 0.001
const SIZES = { '': [1440, 900], '-phone': [390, 844] }
const given = answers(document, SEEN)
let isSigned = true
const session = () => (isSigned ? { email: 'reader@example.com', plan: 'pro', bankroll: null, csrf_token: 'x', expires_at: new Date(SEEN + 86_400_000).toISOString() } : undefined)
const more = { ...given.more, '/session/scores': keptScores(40), 'GET /session': session, 'DELETE /session': () => { isSigned = false; return {} } }
const server = await serve(dist, 40, 0, { ...given, more, entryOf: (number, turn) => keptEntry(number, turn, SEEN), clock: () => SEEN })
moveTo(server.url)
const bot = Object.keys(given.more).find((path) => path.startsWith('/session/bots/')).split('/').at(-1)
const VIEWS = {
  board: ['board', async (page) => { await rows(page).nth(4).waitFor() }],
  signals: ['signals', async (page) => { await page.locator('.entry').nth(3).waitFor() }],
  picks: ['picks', async (page) => { await page.locator('.entry').nth(3).waitFor() }],
  bot: [`bots/${bot}`, async (page) => { await page.locator('.facts').first().waitFor() }],
  truth: ['truth', async (page) => { await page.getByRole('region', { name: 'By phase' }).waitFor() }],
  // Of these a telephone has no picture.
  entry: [`arb/${ENTRY}`, async (page) => { await page.getByRole('region', { name: 'Transitions' }).waitFor() }, false],
  event: [`events/${EVENT}`, async (page) => {
    await page.getByRole('button', { name: 'Show the history' }).first().click()
    await page.locator('.plot canvas').nth(1).waitFor()
  }],
  keys: ['keys', async (page) => { await page.getByRole('rowheader').first().waitFor() }, false],
  usage: ['usage', async (page) => { await page.locator('.plot canvas').waitFor() }, false],
  webhooks: ['webhooks', async (page) => { await page.getByText(/attempts in a row have failed/).waitFor() }, false],
  feeds: ['feeds', async (page) => { await page.getByRole('region', { name: 'Books' }).waitFor() }, false],
  account: ['account', async (page) => { await page.getByRole('button', { name: 'Change password' }).waitFor() }, false],
  'own-books': ['board', async (page) => {
    await page.getByRole('button', { name: 'My books' }).click()
    await page.getByRole('checkbox').first().waitFor()
  }, false],
  'log-in': ['truth', async (page) => {
    await page.evaluate(() => fetch('/session', { method: 'DELETE' }))
    await page.goto(`${server.url}/?#/`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  }, false],
}

/** How many pixels differ, of all. */
function compare(name, bytes) {
  const path = join(kept, `${name}.png`)
  assert.ok(existsSync(path), `${path} is not kept: draw it with ARB_WRITE_IMAGES=1`)
  const [was, is] = [PNG.sync.read(readFileSync(path)), PNG.sync.read(bytes)]
  assert.deepEqual([is.width, is.height], [was.width, was.height], name)
  const differ = pixelmatch(was.data, is.data, null, is.width, is.height, { threshold: 0.1 })
  return differ / (is.width * is.height)
}

const found = []
for (const [size, [width, height]] of Object.entries(SIZES)) {
  for (const [name, [path, ready, isNarrow = true]] of Object.entries(VIEWS)) {
    if (size !== '' && !isNarrow) continue
    // The clock is that of a context.
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' })
    const page = await open(context)
    // Neither the time nor what passes moves on; timers do.
    await page.clock.setFixedTime(SEEN)
    await page.addInitScript(() => { performance.now = () => 0 })
    await page.goto(`${server.url}/#/${path}`)
    await ready(page)
    if (isSigned) await page.getByRole('status').getByText('live', { exact: true }).waitFor()
    isSigned = true
    await page.evaluate(() => document.fonts.ready)
    // What is drawn next is drawn from the same numbers.
    let [before, bytes] = [null, await page.screenshot({ animations: 'disabled' })]
    await until(`${name} stands still`, async () => {
      before = bytes
      bytes = await page.screenshot({ animations: 'disabled' })
      return before.equals(bytes)
    })
    const title = `${name}${size}`
    bytes = indexed(PNG.sync.read(bytes))
    assert.ok(bytes.length <= MOST_BYTES, `${title} has ${bytes.length} bytes`)
    if (folder !== null) writeFileSync(join(folder, `${title}.png`), bytes)
    else found.push([title, compare(title, bytes)])
    say('drawn', { view: title, bytes: bytes.length })
    await context.close()
  }
}
for (const [title, part] of found) assert.ok(part <= MOST_PART, `${title}: ${(part * 100).toFixed(3)} % of pixels differ`)
assert.deepEqual(wrong, [])
say('done')
server.close()
await browser.close()
