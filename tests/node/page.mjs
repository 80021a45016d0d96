// Drives the page by Debian's Chromium as its reader would, and prints a line of JSON for each step; it fails at the first that goes wrong.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

// The address of the server, that of the demonstration account, and where screenshots go.
const [url, demonstration, shots] = process.argv.slice(2)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const EMAIL = `reader-${Date.now()}@example.com`
const PASSWORD = 'correct horse battery'
// As hostile as a name may be: whatever the page made of it would be run.
const NAME = `<img src=x onerror="document.title='run'"> & "ci"`
// Views of which the documents show a picture, drawn when the folder of the pictures is named.
const IMAGES = new Set(['board', 'entry', 'signals', 'picks', 'bot', 'truth', 'keys', 'usage', 'webhooks', 'feeds'])
const say = (step, more = {}) => process.stdout.write(JSON.stringify({ step, ...more }) + '\n')

const browser = await chromium.launch({
  executablePath: process.env.ARB_TEST_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const wrong = []

async function open(context) {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`))
  page.on('console', (line) => {
    // A request that is refused is part of the test; a policy that is violated is not.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) wrong.push(`console: ${line.text()}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) wrong.push(`another origin: ${request.url()}`)
  })
  return page
}

/** Rules of WCAG 2.2 AA and best practice, in both themes. */
async function check(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (shots) await page.screenshot({ path: `${shots}/${name}-${colorScheme}.png` })
    if (process.env.ARB_TEST_IMAGES && IMAGES.has(name) && colorScheme === 'light') await page.screenshot({ path: `${process.env.ARB_TEST_IMAGES}/${name}.png` })
    await page.evaluate(axe)
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }))
    const violations = found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`)
    assert.deepEqual(violations, [], `${name}, ${colorScheme}`)
    assert.ok(found.passes.length > 5, 'rules were applied')
  }
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }))
  assert.ok(scroll <= width, `${name} is ${scroll} wide in ${width}`)
  say('checked', { view: name })
}

const view = (page, name) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const isLive = (page) => page.getByRole('status').getByText('live', { exact: true }).waitFor()
const streams = (page) => page.evaluate(async () => (await (await fetch('/session/usage')).json()).open_streams)
const status = async (key) => (await fetch(`${url}/v1/arbs?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status

async function until(what, condition) {
  for (let tries = 0; tries < 240; tries++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  assert.fail(what)
}

async function signUp(page) {
  await page.goto(url)
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await check(page, 'log-in')
  await page.getByRole('button', { name: 'Create one' }).click()
  await check(page, 'sign-up')
  await page.getByLabel('E-mail', { exact: true }).fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Board', exact: true }).waitFor()
  say('signed up')
}

async function createKey(page) {
  await view(page, 'Keys')
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await check(page, 'keys-empty')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name', { exact: true }).fill(NAME)
  await page.getByLabel('Expires', { exact: true }).selectOption({ label: 'In 30 days' })
  await check(page, 'keys-create')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = await dialog.locator('code').first().textContent()
  assert.match(key, /^arb_live_[0-9A-Za-z]{46}$/)
  await check(page, 'keys-made')
  const lines = await dialog.locator('code').allTextContents()
  assert.ok(lines.includes(`curl -s -H 'Authorization: Bearer ${key}' '${url}/v1/arbs?limit=3'`), lines.join('\n'))
  assert.equal(await status(key), 200)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('rowheader').getByText(NAME).waitFor()
  assert.ok(!(await page.content()).includes(key), 'it is shown once')
  await check(page, 'keys')
  say('key')
  return key
}

async function board(page) {
  await view(page, 'Board')
  await isLive(page)
  await page.locator('.entry').first().waitFor()
  const age = page.locator('.entry .age').first()
  const before = await page.locator('.entry .age').allTextContents()
  await until('ages tick', async () => (await page.locator('.entry .age').allTextContents()).join() !== before.join())
  await age.waitFor()
  await page.getByRole('button', { name: /^More details of/ }).first().click()
  await page.getByLabel('Total', { exact: true }).fill('200')
  await page.getByRole('status').getByText(/^At risk (199\.9|200\.0)/).waitFor()
  await check(page, 'board')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused:').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  // Filters are in the URL, and hold for what is shown.
  await page.getByLabel('Verified', { exact: true }).selectOption({ label: 'Yes' })
  assert.ok(page.url().endsWith('#/board?verified=true'), page.url())
  await page.mouse.move(0, 0)
  await page.evaluate(() => document.activeElement?.blur())
  // A row that is far below the window is drawn again when it comes near.
  await until('only verified ones', () => page.evaluate(() => [...document.querySelectorAll('.entry .badge.warn')]
    .every((badge) => badge.getBoundingClientRect().top > innerHeight + 600)))
  await page.getByLabel('Least margin, %', { exact: true }).fill('99')
  await page.getByLabel('Least margin, %', { exact: true }).blur()
  await page.getByRole('heading', { name: 'No entry matches the filters' }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.locator('.entry').first().waitFor()
  say('board')
}

/** Seven tabs have one stream, and the next tab takes it over. */
async function tabs(context, page) {
  const pages = [page]
  while (pages.length < 7) {
    const next = await open(context)
    await next.goto(`${url}/#/board`)
    pages.push(next)
  }
  const last = pages.at(-1)
  for (const tab of pages) await tab.locator('.entry').first().waitFor({ state: 'attached' })
  await until('one stream', async () => (await streams(last)) === 1)
  await pages.shift().close()
  await until('one stream again', async () => (await streams(last)) === 1)
  await isLive(last)
  const asOf = () => last.locator('.head time').getAttribute('datetime')
  const before = await asOf()
  await until('the board moves on', async () => (await asOf()) !== before)
  for (const tab of pages.slice(0, -1)) await tab.close()
  say('tabs')
  return last
}

/** The server is killed and started again: the page says so, and goes on where it was. */
async function lost(page) {
  const asked = []
  page.on('request', (request) => { if (request.url().includes('/session/stream')) asked.push(request) })
  say('lose the connection')
  await page.getByRole('status').getByText('connection lost').waitFor()
  assert.ok((await page.locator('.entry').count()) > 0, 'what was known is shown on')
  await isLive(page)
  const last = asked.at(-1)
  assert.ok((await last.allHeaders())['last-event-id'] || last.url().includes('last_event_id='), 'it goes on by id')
  await until('the board moves on', async () => {
    const before = await page.locator('.head time').getAttribute('datetime')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    return (await page.locator('.head time').getAttribute('datetime')) !== before
  })
  say('connected again')
}

/** The page of an entry: its margin, transitions, prices and what became of such windows; and the hedge of one leg. */
async function entryPage(page) {
  await view(page, 'Board')
  await isLive(page)
  // The oldest one: its history is stored.
  await page.getByLabel('Order', { exact: true }).selectOption({ label: 'Longest to live' })
  await page.locator('.entry').first().waitFor()
  const more = page.getByRole('button', { name: /^More details of/ }).first()
  await more.hover()
  await more.click()
  await page.getByLabel('Placed stake', { exact: true }).fill('50')
  await page.getByRole('button', { name: 'Compute the hedge' }).click()
  await page.getByRole('region', { name: 'Results of the hedge' }).waitFor()
  await page.getByText(/the worst result pays/).waitFor()
  await page.getByRole('link', { name: /^Prices, transitions/ }).click()
  await page.getByRole('heading', { name: 'How such windows ended before' }).waitFor()
  await until('the history is stored', async () => {
    if (await page.getByRole('region', { name: 'Transitions' }).count() > 0 && await page.locator('figure .plot canvas').count() > 0) return true
    await page.reload()
    await page.waitForTimeout(2_000)
    return false
  })
  await page.mouse.move(0, 0)
  await check(page, 'entry')
  say('entry')
}

/** The board of two books, with a commission: the server computes it, and the address has the choice. */
async function ownBooks(page) {
  await page.goto(`${url}/#/board`)
  await isLive(page)
  await page.getByRole('button', { name: 'My books' }).click()
  const dialog = page.getByRole('dialog', { name: 'My books' })
  const boxes = dialog.getByRole('checkbox')
  await boxes.first().waitFor()
  await check(page, 'own-books')
  const count = await boxes.count()
  for (let box = 0; box < count; box++) await boxes.nth(box).check()
  await dialog.getByRole('spinbutton').first().fill('2.5')
  const asked = page.waitForResponse((response) => response.url().includes('/session/arbs?books='))
  await dialog.getByRole('button', { name: 'Show my board' }).click()
  const answer = await asked
  assert.equal(answer.status(), 200, await answer.text())
  assert.match(page.url(), /#\/board\?books=.*&commissions=.*%3A2\.5/)
  await page.getByText(/Computed for your books/).waitFor()
  await page.getByRole('button', { name: 'All books' }).click()
  await page.locator('.entry').first().waitFor()
  say('own books')
}

/** Picks of bots with their evidence, the record of one, and the truth of the feed. */
async function picks(page) {
  await view(page, 'Picks')
  await page.locator('.cards .card').nth(3).waitFor()
  await page.getByRole('button', { name: /^More evidence of/ }).first().click()
  await page.getByRole('heading', { name: 'Why' }).waitFor()
  assert.ok((await page.locator('.badge', { hasText: 'simulated' }).count()) > 0, 'the feed is labelled')
  await check(page, 'picks')
  // A bot without a pick has no record.
  await page.locator('.margin a[href^="#/bots/"]').first().click()
  await page.locator('.facts').first().waitFor()
  await page.locator('.sentence').first().waitFor()
  await check(page, 'bot')
  await view(page, 'Truth')
  await page.getByRole('region', { name: 'By phase' }).waitFor()
  await page.getByLabel('Time', { exact: true }).selectOption({ label: 'The last hour' })
  assert.ok(page.url().endsWith('#/truth?hours=1'), page.url())
  await page.getByRole('region', { name: 'By phase' }).waitFor()
  await check(page, 'truth')
  say('picks')
}

async function others(page) {
  await view(page, 'Signals')
  await page.getByRole('heading', { name: 'Signals' }).waitFor()
  const evidence = page.getByRole('button', { name: /^More evidence of/ }).first()
  await evidence.click()
  await page.getByText('Confidence').first().waitFor()
  await check(page, 'signals')
  await view(page, 'Webhooks')
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  await check(page, 'webhooks-empty')
  await view(page, 'Feeds')
  await page.getByRole('region', { name: 'Books' }).waitFor()
  await check(page, 'feeds')
  await view(page, 'Account')
  await page.getByText(EMAIL).waitFor()
  await check(page, 'account')
  await view(page, 'Usage')
  await page.getByRole('rowheader', { name: '/v1/arbs', exact: true }).waitFor()
  // What the page read by its session is charged as for a key.
  for (const route of ['stream', 'picks', 'truth', 'arbs/{id}', 'arbs/{id}/prices', 'arbs/{id}/hedge']) await page.getByRole('rowheader', { name: `/session/${route}`, exact: true }).waitFor()
  await page.locator('.plot canvas').waitFor()
  await check(page, 'usage')
  say('views')
}

async function webhook(page) {
  await view(page, 'Webhooks')
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  await page.getByLabel('URL', { exact: true }).fill(process.env.ARB_TEST_RECEIVER)
  await check(page, 'webhooks-create')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const secret = await page.getByRole('dialog', { name: 'The secret of the endpoint' }).locator('code').first().textContent()
  assert.match(secret, /^whsec_/)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('active', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByRole('rowheader').getByText('endpoint.test').waitFor()
  await page.getByText('Delivered', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('paused', { exact: true }).waitFor()
  await check(page, 'webhooks')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete endpoint' }).click()
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  say('webhook')
}

async function revoke(page, key) {
  await view(page, 'Keys')
  await page.getByRole('button', { name: /^Revoke/ }).click()
  await check(page, 'keys-revoke')
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await status(key), 200)
  await page.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await until('it is refused', async () => (await status(key)) === 401)
  assert.notEqual(await page.title(), 'run')
  say('revoked')
}

/** A session that has ended elsewhere leads to the log-in, and the stream ends. */
async function expires(context, page) {
  await view(page, 'Board')
  await isLive(page)
  await page.evaluate(async () => {
    const { csrf_token } = await (await fetch('/session')).json()
    await fetch('/session', { method: 'DELETE', headers: { 'x-csrf-token': csrf_token } })
  })
  await page.getByText('Your session has ended. Log in again.').waitFor()
  say('ended')
}

async function narrow() {
  const context = await browser.newContext({ viewport: { width: 360, height: 780 } })
  const page = await open(context)
  await page.goto(demonstration)
  await page.locator('.entry').first().waitFor()
  assert.equal(page.url(), `${url}/#/board`, 'the password is not in the address any more')
  await page.getByRole('button', { name: /^More details of/ }).first().click()
  await check(page, 'board-narrow')
  await context.close()
  say('demonstration')
}

const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
let page = await open(context)
await signUp(page)
const key = await createKey(page)
await board(page)
page = await tabs(context, page)
await lost(page)
await entryPage(page)
await ownBooks(page)
await picks(page)
await others(page)
if (process.env.ARB_TEST_RECEIVER) await webhook(page)
await revoke(page, key)
await expires(context, page)
await narrow()
assert.deepEqual(wrong, [])
say('done')
await browser.close()
