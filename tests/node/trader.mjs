// A bettor at the board, in Debian's Chromium: a filter is saved and tells of a window that comes; its stake is copied and the book opens; a bet is placed, the
// row is pinned, and it becomes a hedge when the other leg worsens. It fails where a stake is another one than the model's, where something is told of twice, or
// where the page says less than it knows.
import assert from 'node:assert/strict'
import { serve } from './frozen.mjs'
import { keptEntry, keptScores } from './market.mjs'
import { browser, check, moveTo, open, opener, rows, say, until, wrong } from './page-checks.mjs'

const [dist] = process.argv.slice(5)
const COUNT = 24
const entryOf = (number, turn) => keptEntry(number, turn, Date.now())
const hedges = []
const hedge = ({ placed }) => {
  hedges.push(placed)
  const { id, legs } = latest
  return {
    id, sequence: latest.sequence, currency: 'USD', total_stake: 97.5, worst_profit: -1.25,
    legs: legs.map(({ outcome, side, book, price }) => {
      const bet = placed.find((bet) => bet.book === book && bet.outcome === outcome)
      return { outcome, side, book, price, placed: bet !== undefined, stake: bet?.stake ?? 47.5, liability: null }
    }),
    results: [{ legs: ['won', 'lost'], profit: -1.25 }, { legs: ['lost', 'won'], profit: 0.4 }],
  }
}
/** A window of two bets that comes while the page is open, above all others. */
const fresh = { ...entryOf(200, 0), id: 'f'.repeat(32), market: 'h2h', line: null, verified: true, failed_checks: [], score: 9, margin: 0.0721, total_stake_max: 5_000, currency: 'USD' }
fresh.event = { ...fresh.event, id: 'fresh', home: 'Newhaven Terns', away: 'Old Quay', in_play: false, commence_time: new Date(Date.now() + 6.2 * 3_600_000).toISOString() }
const made = (outcome, book, price) => ({ ...fresh.legs[0], outcome, side: 'back', book, operator: book, price, effective_price: price, limit: 250, link: `https://books.example/${book}` })
fresh.legs = [made('home', 'alderbet', 2.2), made('away', 'elmwager', 2.1)]
let latest = fresh
/** A window of the reader's own books, which the server does not follow. */
const own = { ...fresh, id: 'd'.repeat(32), event: { ...fresh.event, id: 'own', home: 'Sandwick Auks' } }
/** The score of one event in play, by a source that names its sides the other way round, and one of another that is too old. */
const scores = () => {
  const { as_of: asOf, scores: [young, old] } = keptScores(COUNT, Date.now())
  const turned = { home: young.away, away: young.home, home_points: 0, away_points: 1, period: 'h2' }
  return { as_of: asOf, scores: [{ ...young, ...turned }, { ...old, expires_at: asOf }] }
}
const usage = {
  plan: 'pro', quota: 10, used: 0, remaining: 10, period_start: '2026-11-01T00:00:00Z', period_end: '2026-12-01T00:00:00Z', reset: '2026-12-01T00:00:00Z', routes: {}, days: {}, keys: {},
  forfeited: 0, open_leases: 0, open_streams: 0, beyond_quota: 0,
}
const more = { '/session/scores': scores, '/session/arbs': () => ({ as_of: new Date().toISOString(), stale: false, polls: [], arbs: [own], next_cursor: null }), [`/session/arbs/${fresh.id}/hedge`]: hedge, 'PUT /session/bankroll': (body) => body, '/session/usage': usage }
const server = await serve(dist, COUNT, 0, { more, entryOf })
moveTo(server.url)
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
await context.grantPermissions(['clipboard-read', 'clipboard-write', 'notifications'], { origin: server.url })
// The book is another site, which this machine does not reach.
await context.route('https://books.example/**', (route) => route.fulfill({ contentType: 'text/html', body: 'the book' }))
const page = await open(context)
await page.addInitScript(() => {
  window.notified = []
  window.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted'; constructor(title, { tag }) { window.notified.push(`${tag} ${title}`) } }
})
await page.goto(`${server.url}/#/board`)
await rows(page).first().waitFor()

// As many rows as are promised at 1440x900: none is taller than 22 pixels a leg, nothing above them more than 108.
const sizes = await rows(page).evaluateAll((rows) => rows.map((row) => [row.querySelectorAll('.leg').length, row.getBoundingClientRect().height]))
for (const [legs, height] of sizes) assert.equal(height, Math.max(44, legs * 22), `a row of ${legs} legs`)
assert.ok(await page.locator('.rows').evaluate((rows) => rows.getBoundingClientRect().top) <= 108)
assert.deepEqual(await page.locator('.grid').evaluate((grid) => [grid.getAttribute('aria-rowcount'), grid.querySelectorAll('[tabindex="0"]').length]), [String(COUNT + 1), 1])
say('a grid')

// An event in play has its score, with its source and its age, in the place of the words; one whose score is too old has the words.
await page.getByRole('button', { name: 'In play', exact: true }).click()
const playing = rows(page).locator('.playing')
await until('a young score is shown', async () => (await playing.allTextContents()).toSorted().join('; ') === 'In play; In play, h2 1–0')
assert.match(await playing.filter({ hasText: 'h2' }).getAttribute('title'), /^Kingsmere United 1–0 Vale of Orrin, 2nd half: as simulated confirmed it \d+ s ago\. Began /)
assert.ok((await rows(page).evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height % 22))).every((rest) => rest === 0), 'no row is taller for it')
await check(page, 'in-play')
await page.getByRole('button', { name: 'In play', exact: true }).click()
await until('all rows are there again', async () => (await page.locator('.grid').getAttribute('aria-rowcount')) === String(COUNT + 1))
say('in play')

// A bankroll, rounded to whole units: the account's, and the page says so.
await page.getByRole('button', { name: /^Bankroll/ }).click()
const bankroll = page.getByRole('dialog', { name: 'Bankroll' })
await bankroll.getByText('Every browser of your account').waitFor()
await bankroll.getByRole('spinbutton', { name: 'Bankroll' }).fill('400')
await bankroll.getByLabel('Round stakes to', { exact: true }).selectOption('1')
await check(page, 'bankroll')
await bankroll.getByRole('button', { name: 'Save' }).click()
await bankroll.waitFor({ state: 'hidden' })
say('bankroll')

// A filter with a name, whose alerts are off until they are switched on.
await page.getByRole('button', { name: 'Verified', exact: true }).click()
await page.getByRole('button', { name: 'Filters', exact: true }).click()
await page.getByLabel('Least margin, %', { exact: true }).fill('6')
await page.getByRole('button', { name: 'Done' }).click()
await page.getByRole('button', { name: 'Alerts', exact: true }).click()
const saved = page.getByRole('dialog', { name: 'Saved filters and alerts' })
await saved.getByLabel('Save the present filters as').fill('Six')
await saved.getByRole('button', { name: 'Save', exact: true }).click()
await saved.getByText('It ends with the last tab').waitFor()
const [sound, notification] = ['Sound for Six', 'Notification for Six'].map((name) => saved.getByRole('checkbox', { name }))
assert.deepEqual(await Promise.all([sound.isChecked(), notification.isChecked()]), [false, false], 'off by default')
await notification.check()
await check(page, 'saved')
await saved.getByRole('button', { name: 'Done' }).click()
await page.getByRole('button', { name: /^≥ 6.00 %/ }).click()
await page.getByRole('button', { name: 'Verified', exact: true }).click()
say('filter')

// While the pointer is among the rows they stay where they are, and what comes is counted. The alert fires once, in one tab.
await rows(page).first().hover()
const names = () => rows(page).locator('.match').allTextContents()
const before = await names()
await page.waitForTimeout(1_200)
server.send('arb_window', { ...fresh, change: 'opened' })
await page.getByRole('button', { name: '1 new' }).waitFor()
assert.deepEqual(await names(), before, 'rows stay where they are')
await until('the alert fires', async () => (await page.evaluate(() => window.notified)).length === 1)
await page.getByRole('status').getByText(/Newhaven Terns – Old Quay.*\(Six\)/).waitFor()
server.send('arb_window', { ...fresh, sequence: 2, change: 'updated' })
await page.waitForTimeout(2_500)
assert.deepEqual(await page.evaluate(() => window.notified), [`${fresh.id} 7.21 % Newhaven Terns – Old Quay`])
await page.getByRole('button', { name: '1 new' }).click()
await until('the new row is the first', async () => (await names())[0] === 'Newhaven Terns – Old Quay')
say('alert')

// One click copies the stake and opens the book. 400 at 2.2 and 2.1 is 195.35 and 204.65.
const row = rows(page).first()
assert.deepEqual(await row.locator('.stake').evaluateAll((stakes) => stakes.map((stake) => stake.firstChild.textContent)), ['195.00', '205.00'])
const [book] = await Promise.all([context.waitForEvent('page'), row.locator('.stake').first().click()])
assert.equal(book.url(), 'https://books.example/alderbet')
await page.bringToFront()
assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '195.00')
await book.close()
// The key copies leg by leg.
await row.focus()
await page.keyboard.press('c')
await page.keyboard.press('c')
await until('the second stake is copied', async () => (await page.evaluate(() => navigator.clipboard.readText())) === '205.00')
say('copied')

// Placed: the row is pinned with leg and price.
await row.getByRole('button', { name: 'placed at alderbet' }).click()
const pinned = page.getByRole('region', { name: 'Placed bets' })
await pinned.getByText('kept in this browser alone').waitFor()
assert.equal(await pinned.getByLabel('Stake placed on Newhaven Terns').inputValue(), '195')
await check(page, 'placed')
assert.equal(hedges.length, 0, 'nothing is to be hedged yet')
// The other leg gets better: nothing to hedge. It gets worse: the hedge, by the server.
latest = { ...fresh, legs: [fresh.legs[0], { ...fresh.legs[1], price: 2.14 }], sequence: 3 }
server.send('arb_window', { ...latest, change: 'updated' })
await pinned.getByText('better now').waitFor()
latest = { ...fresh, legs: [fresh.legs[0], { ...fresh.legs[1], price: 1.98 }], sequence: 4 }
server.send('arb_window', { ...latest, change: 'updated' })
await pinned.getByText('worse now').waitFor()
await pinned.getByText('Hedge:').waitFor()
const taken = { book: 'alderbet', outcome: 'home', stake: 195, price: 2.2 }
assert.deepEqual(hedges.at(-1), [taken])
await pinned.getByText('−1.25').first().waitFor()
await check(page, 'hedge')
// The other leg is placed too, at a price that its book did not offer: what both pay, by the server.
await row.getByRole('button', { name: 'placed at elmwager' }).click()
await pinned.getByLabel('Decimal odds taken on Old Quay').fill('1.9')
await pinned.getByLabel('Decimal odds taken on Old Quay').press('Tab')
await until('both are asked about', async () => hedges.at(-1).length === 2 && hedges.at(-1)[1].price === 1.9)
assert.deepEqual(hedges.at(-1)[0], taken)
await pinned.getByText('Worst result').waitFor()
assert.equal(await pinned.getByText('Hedge:').count(), 0, 'nothing is left to be staked')
await row.getByRole('button', { name: 'placed at elmwager' }).click()
await pinned.getByText('Hedge:').waitFor()
// A pin is the browser's: it is there again.
await page.reload()
await pinned.getByText('worse now').waitFor()
// It is live again before the window closes, so that the stream tells of the end.
await until('the stream has begun', async () => (await names())[0] === 'Newhaven Terns – Old Quay')
// The window closes: what is at risk is said, and that no hedge is known.
server.send('close_signal', { id: fresh.id, reason: 'price_moved' })
await pinned.getByText('At risk 195.00.').waitFor()
await pinned.getByText(/no hedge is computed/).waitFor()
await pinned.getByRole('button', { name: /^Unpin/ }).click()
await pinned.waitFor({ state: 'hidden' })
say('hedge')

// An event is hidden by a key, with a way back, and stands in the list.
const idOf = () => rows(page).evaluateAll((rows) => rows.map((row) => row.dataset.row))
const [first] = await idOf()
await rows(page).first().focus()
await page.keyboard.press('h')
await until('it is gone', async () => !(await idOf()).includes(first))
await page.getByRole('button', { name: 'Undo' }).click()
await until('it is there again', async () => (await idOf()).includes(first))
await opener(page).click()
await page.locator('.details').waitFor()
await check(page, 'opened')
await page.getByRole('button', { name: /^Hide (?!this event)[a-z]+ with/ }).click()
await page.getByRole('button', { name: '1 hidden' }).click()
await check(page, 'hidden')
await page.getByRole('button', { name: /^Show again/ }).click()
await page.getByText('Nothing is hidden.').waitFor()
await page.getByRole('button', { name: 'Done' }).click()
await page.keyboard.press('?')
await page.getByRole('dialog', { name: 'Keys of the board' }).waitFor()
await check(page, 'keys-of-board')
await page.getByRole('checkbox', { name: 'Single keys do something' }).uncheck()
await page.getByRole('button', { name: 'Done' }).click()
await page.evaluate(() => document.activeElement.blur())
await page.keyboard.press('p')
assert.equal(await page.getByText('Paused:').count(), 0, 'keys are off')
say('hidden')

// The server follows no more boards: that of the reader's books is asked for each minute, and the page says so.
await page.goto(`${server.url}/#/board?books=alderbet%2Celmwager`)
await page.getByText('Computed for your books each minute: the server follows no more boards now.').waitFor()
await rows(page).getByText('Sandwick Auks', { exact: false }).first().waitFor()
await page.getByRole('button', { name: 'All books' }).click()
say('own books')
assert.deepEqual(wrong.filter((text) => !/books\.example|session\/stream\?books/.test(text)), [])
say('done')
await context.close()
server.close()
await browser.close()
