// Drives the page by Debian's Chromium as its reader would, and prints a line of JSON for each step; it fails at the first that goes wrong.
import assert from 'node:assert/strict'
import {
  axeFinds, browser, check, checked, demonstration, descriptions, EMAIL, isLive, menu, NAME, open, opener, PASSWORD, PATIENCE, rows, say, status, streams, until,
  url, view, wrong,
} from './page-checks.mjs'
import { webhook } from './page-webhooks.mjs'

async function signUp(page) {
  await page.goto(url)
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await descriptions(page)
  await axeFinds(page)
  await check(page, 'log-in')
  await page.getByRole('button', { name: 'Create one' }).click()
  await check(page, 'sign-up')
  await page.getByLabel('E-mail', { exact: true }).fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Board', exact: true }).waitFor()
  await descriptions(page)
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

const keyRows = (page) => page.getByRole('region', { name: 'Keys' }).getByRole('row').filter({ has: page.getByRole('rowheader') })

/** Takes the key of the dialog that shows it once. */
async function shownOnce(page) {
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = await dialog.locator('code').first().textContent()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  return key
}

async function revokeRow(page, row) {
  await row.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await until('one key is left', async () => (await keyRows(page).count()) === 1)
}

/** Another key takes the place of one, which is good until it is revoked. Beside them a test key sees its own market. */
async function rotateKey(page, former) {
  await page.getByRole('button', { name: /^Rotate/ }).click()
  await page.getByLabel('The old key ends', { exact: true }).selectOption({ label: 'In an hour' })
  await check(page, 'keys-rotate')
  await page.getByRole('button', { name: 'Rotate key' }).click()
  const key = await shownOnce(page)
  await until('both are good', async () => (await status(key)) === 200 && (await status(former)) === 200)
  await revokeRow(page, keyRows(page).filter({ hasText: 'being replaced' }))
  await until('the old one is refused', async () => (await status(former)) === 401)
  assert.equal(await status(key), 200)
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('try')
  await page.getByLabel('Mode', { exact: true }).selectOption({ label: 'Test' })
  await page.getByRole('button', { name: 'Create key' }).click()
  const test = await shownOnce(page)
  assert.match(test, /^arb_test_/)
  await until('the test key is good', async () => (await status(test)) === 200)
  await revokeRow(page, keyRows(page).filter({ hasText: 'try' }))
  say('rotated the key')
  return key
}

/** The form of all filters, with what is done in it. */
async function filters(page, work) {
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await work(page.getByRole('dialog', { name: 'Filters' }))
  await page.getByRole('button', { name: 'Done' }).click()
}

async function board(page) {
  await view(page, 'Board')
  await isLive(page)
  await rows(page).first().waitFor()
  const ages = () => page.locator('.rows .age').allTextContents()
  const before = await ages()
  await until('ages tick', async () => (await ages()).join() !== before.join())
  await opener(page).click()
  await page.getByLabel('Total', { exact: true }).fill('200')
  await page.getByRole('status').getByText(/^At risk (199\.9|200\.0)/).waitFor()
  await check(page, 'board')
  await opener(page).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused:').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  // Filters are in the URL, and hold for what is shown.
  await page.getByRole('button', { name: 'Verified', exact: true }).click()
  assert.ok(page.url().endsWith('#/board?verified=true'), page.url())
  await page.mouse.move(0, 0)
  await page.evaluate(() => document.activeElement?.blur())
  await until('only verified ones', async () => (await page.locator('.rows .icon-warn').count()) === 0)
  await filters(page, async (form) => {
    await form.getByLabel('Least margin, %', { exact: true }).fill('99')
    await form.getByLabel('Least margin, %', { exact: true }).blur()
  })
  await page.getByRole('heading', { name: 'No entry matches the filters' }).waitFor()
  await filters(page, (form) => form.getByRole('button', { name: 'Clear filters' }).click())
  await rows(page).first().waitFor()
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
  for (const tab of pages) await rows(tab).first().waitFor({ state: 'attached' })
  await until('one stream', async () => (await streams(last)) === 1)
  await pages.shift().close()
  await until('one stream again', async () => (await streams(last)) === 1)
  await isLive(last)
  const asOf = () => last.locator('.counts time').getAttribute('datetime')
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
  assert.ok((await rows(page).count()) > 0, 'what was known is shown on')
  await check(page, 'board-lost')
  await isLive(page)
  const last = asked.at(-1)
  assert.ok((await last.allHeaders())['last-event-id'] || last.url().includes('last_event_id='), 'it goes on by id')
  await until('the board moves on', async () => {
    const before = await page.locator('.counts time').getAttribute('datetime')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    return (await page.locator('.counts time').getAttribute('datetime')) !== before
  })
  say('connected again')
}

/** What the checks of an open entry compared: all nine, and an entry is verified where none fails. */
async function evidence(page) {
  const compared = page.getByRole('region', { name: 'What the checks compared' })
  await compared.waitFor()
  await page.getByRole('region', { name: 'Spans of the legs' }).waitFor()
  const look = async () => [
    await compared.getByRole('rowheader').allTextContents(), await compared.getByText('fails', { exact: true }).count(),
    await page.getByText(/^Decided/).textContent(), await page.locator('.head .badge', { hasText: /^verified$/ }).count(),
  ]
  // The entry may change while it is read: what counts is what was the same twice.
  let seen
  await until('the entry stands still', async () => {
    const before = JSON.stringify(await look())
    seen = await look()
    return JSON.stringify(seen) === before
  })
  const [checks, fails, sentence, verified] = seen
  assert.equal(new Set(checks).size, 9, checks.join())
  const isSame = !sentence.includes('for an earlier or later transition')
  if (isSame && verified > 0) assert.equal(fails, 0, 'a verified entry fails no check')
  await page.getByText(/^All \d+ prices of the line$/).click()
  assert.ok((await page.getByRole('region', { name: 'Prices of the line' }).getByRole('rowheader').count()) >= 2)
  say('evidence')
}

/** By the keyboard alone: past the navigation, into a row, out of a dialog, which gives the focus back, and to another view, which takes it. */
async function keyboard(page) {
  await page.goto(`${url}/#/board`)
  await page.reload()
  await isLive(page)
  await rows(page).first().waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'content')
  const focused = () => page.evaluate(() => document.activeElement.textContent)
  const to = async (text) => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab')
      if (text.test(await focused())) return
    }
    assert.fail(`${text} is not reached by Tab`)
  }
  await to(/^My books/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'My books' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'My books' }).waitFor({ state: 'hidden' })
  await until('the focus is given back', async () => /^My books/.test(await focused()))
  // The grid is one tab stop: the next one is beyond it.
  const inGrid = () => page.evaluate(() => document.activeElement.matches('.rows .row'))
  for (let presses = 0; presses < 20 && !await inGrid(); presses++) await page.keyboard.press('Tab')
  assert.ok(await inGrid(), 'the grid is reached by Tab')
  const name = () => page.evaluate(() => document.activeElement.dataset.row)
  const first = await name()
  await page.keyboard.press('j')
  await until('the next row has the focus', async () => ![first, undefined].includes(await name()))
  await page.keyboard.press('k')
  await until('the first row has it again', async () => (await name()) === first)
  await page.keyboard.press('Enter')
  await page.locator('.details').first().waitFor()
  assert.equal(await name(), first)
  await page.keyboard.press('Enter')
  await page.locator('.details').first().waitFor({ state: 'hidden' })
  await page.keyboard.press('ArrowRight')
  assert.ok(await page.evaluate(() => document.activeElement.matches('.match[aria-expanded="false"]')), 'controls of a row are reached by arrows')
  await page.keyboard.press('Tab')
  assert.ok(!await page.evaluate(() => document.activeElement.closest('.grid') !== null), 'one tab stop')
  await page.getByRole('navigation').getByRole('link', { name: 'Signals', exact: true }).focus()
  await page.keyboard.press('Enter')
  await until('the focus is in the new view', () => page.evaluate(() => document.activeElement.id === 'content'))
  say('keyboard')
}

/** A theme that is chosen holds against the system's and is kept; afterwards the system's holds again. */
async function theme(page) {
  await page.emulateMedia({ colorScheme: 'light' })
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const choose = async (name) => {
    const box = page.getByRole('combobox', { name: 'Theme', exact: true })
    if (!await box.isVisible()) await menu(page)
    await box.selectOption(name)
  }
  const light = await paper()
  await choose('dark')
  await until('it is dark', async () => (await paper()) !== light)
  await page.reload()
  await until('it is dark still', async () => (await paper()) !== light)
  await choose('system')
  await until('it is light again', async () => (await paper()) === light)
  say('theme')
}

/** From the board to the page of an entry, by way of a hedge. */
async function openEntry(page) {
  await view(page, 'Board')
  await isLive(page)
  // The oldest one: its history is stored.
  await filters(page, (form) => form.getByLabel('Order', { exact: true }).selectOption({ label: 'Longest to live' }))
  await rows(page).first().waitFor()
  const more = opener(page)
  await more.hover()
  await more.click()
  await page.getByLabel(/^Stake placed on/).first().fill('50')
  await page.getByRole('button', { name: 'Compute the hedge' }).click()
  await page.getByRole('region', { name: 'Results of the hedge' }).waitFor()
  await page.getByText(/the worst result pays/).waitFor()
  await page.getByRole('link', { name: /^Prices, transitions/ }).click()
  await page.getByRole('heading', { name: 'How such windows ended before' }).waitFor()
}

/** Opens entries until one stays open for as long as its evidence is read: with a window that closes goes what its checks compared. */
async function evidenceOfAnOpenEntry(page) {
  for (;;) {
    await openEntry(page)
    page.setDefaultTimeout(PATIENCE / 4)
    try {
      return await evidence(page)
    } catch (error) {
      if (await page.locator('.head .badge', { hasText: /^closed$/ }).count() === 0) throw error
    } finally {
      page.setDefaultTimeout(PATIENCE)
    }
  }
}

/** The page of an entry: its margin, transitions, prices and what became of such windows; and the hedge of one leg. */
async function entryPage(page) {
  await evidenceOfAnOpenEntry(page)
  await until('the history is stored', async () => {
    if (await page.getByRole('region', { name: 'Transitions' }).count() > 0 && await page.locator('figure .plot canvas').count() > 0) return true
    await page.reload()
    await page.waitForTimeout(2_000)
    return false
  })
  await page.mouse.move(0, 0)
  await check(page, 'entry')
  say('entry')
  await page.getByRole('link', { name: 'All prices of the event' }).click()
  await page.getByText('best', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: /^Show the history/ }).first().click()
  await page.locator('figure .plot canvas').first().waitFor()
  await page.getByRole('region', { name: 'Windows of the event' }).waitFor()
  await page.mouse.move(0, 0)
  await check(page, 'event')
  say('event')
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
  const asked = page.waitForResponse((response) => response.url().includes('/session/stream?books='))
  await dialog.getByRole('button', { name: 'Show my board' }).click()
  const answer = await asked
  assert.equal(answer.status(), 200)
  assert.match(page.url(), /#\/board\?books=.*&commissions=.*%3A2\.5/)
  await page.getByText('Computed for your books as prices change.').waitFor()
  await page.getByRole('button', { name: 'All books' }).click()
  await rows(page).first().waitFor()
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
  // How far each role is behind comes with the second answer.
  const lag = (role) => page.getByRole('region', { name: 'Roles' }).getByRole('row').filter({ has: page.getByRole('rowheader', { name: role, exact: true }) }).getByRole('cell').last()
  for (const role of ['process', 'sink', 'accounts', 'deliver', 'settle']) await until(`the lag of ${role}`, async () => /^[\d,.]+$/.test(await lag(role).textContent()))
  await check(page, 'feeds')
  await view(page, 'Account')
  await page.getByRole('main').getByText(EMAIL).waitFor()
  await check(page, 'account')
  await view(page, 'Usage')
  await page.getByRole('rowheader', { name: '/v1/arbs', exact: true }).waitFor()
  // What the page read by its session spends nothing.
  assert.equal(await page.getByRole('rowheader', { name: '/session/' }).count(), 0)
  await page.locator('.plot canvas').waitFor()
  await check(page, 'usage')
  say('views')
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

/** A session that has ended elsewhere leads to the log-in; who logs in again, by the keyboard, sees the board live. */
async function expires(page) {
  await view(page, 'Board')
  await isLive(page)
  await page.evaluate(async () => {
    const { csrf_token } = await (await fetch('/session')).json()
    await fetch('/session', { method: 'DELETE', headers: { 'x-csrf-token': csrf_token } })
  })
  await page.getByText('Your session has ended. Log in again.').waitFor()
  await check(page, 'log-in-ended')
  await page.getByLabel('E-mail', { exact: true }).fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Board', exact: true }).waitFor()
  await isLive(page)
  await rows(page).first().waitFor()
  say('ended')
}

async function narrow() {
  const context = await browser.newContext({ viewport: { width: 360, height: 780 } })
  const page = await open(context)
  await page.goto(demonstration)
  await rows(page).first().waitFor()
  assert.equal(page.url(), `${url}/#/board`, 'the password is not in the address any more')
  await check(page, 'board-narrow')
  await opener(page).click()
  await check(page, 'board-narrow-open')
  await context.close()
  say('demonstration')
}

const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
let page = await open(context)
await signUp(page)
// Every view of the navigation, by its address.
await menu(page)
const VIEWS = await page.getByRole('navigation').getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')).filter((path) => path.startsWith('#/')).map((path) => path.slice(2)))
await page.keyboard.press('Escape')
assert.ok(VIEWS.length >= 9, VIEWS.join())
const key = await rotateKey(page, await createKey(page))
await board(page)
page = await tabs(context, page)
await lost(page)
await entryPage(page)
await keyboard(page)
await theme(page)
await ownBooks(page)
await picks(page)
await others(page)
if (process.env.ARB_TEST_RECEIVER) await webhook(page)
await revoke(page, key)
await expires(page)
await narrow()
assert.deepEqual(wrong, [])
for (const of of VIEWS) assert.ok(checked.has(of), `${of} was not checked`)
say('done')
await browser.close()
// It may still be read from.
process.stdin.destroy()
