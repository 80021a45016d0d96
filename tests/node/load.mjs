// Measures the board with many entries and updates in Debian's Chromium: tasks above 50 ms, by the browser's own PerformanceObserver, once the first
// view is drawn; while it is filtered, a row is open and it is scrolled. Prints a line of JSON. It fails where the page shows something wrong: a name that is
// run or is not shown, a link that is none, a row, seen or not, that shows another state than what was sent; and, where most is given, at more tasks above 50 ms.
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'
import { HOSTILE, serve } from './frozen.mjs'

// The built files, entries, updates a second, for how many seconds, and how many tasks above 50 ms there may be.
const [dist, entries = '500', perSecond = '50', seconds = '20', most = 'Infinity'] = process.argv.slice(2)
/** How long a fact may take to come true on a slow machine, in milliseconds. */
const PATIENCE = 180_000
const server = await serve(dist, Number(entries), Number(perSecond))
const browser = await chromium.launch({ executablePath: process.env.ARB_TEST_CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
page.setDefaultTimeout(PATIENCE)
const wrong = []
page.on('pageerror', (error) => wrong.push(error.message))
page.on('console', (line) => { if (line.type() === 'error' && !line.text().startsWith('Failed to load')) wrong.push(line.text()) })
await page.addInitScript(() => {
  window.tasks = []
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => ({ at: task.startTime, ms: task.duration })))).observe({ type: 'longtask', buffered: true })
})
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const now = () => page.evaluate(() => performance.now())
const tasks = async (from) => (await page.evaluate(() => window.tasks)).filter((task) => task.at >= from)

async function until(what, condition) {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    if (await condition()) return
    await pause(250)
  }
  assert.fail(what)
}

const longest = (tasks) => Math.round(Math.max(0, ...tasks.map((task) => task.ms)))

/** A long task is seen: else a measurement that has none would say nothing. */
async function observes() {
  const from = await now()
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => {
    const end = performance.now() + 80
    while (performance.now() < end);
    resolve()
  }, 0)))
  await until('a task of 80 ms is observed', async () => (await tasks(from)).length > 0)
}

/** What each row in the document says: its name, and whether it is verified. */
const shown = () => page.locator('.rows .row').evaluateAll((rows) => rows.map((row) => [row.querySelector('.match').textContent, row.querySelector('.c-state .unseen').textContent]))

/** Whether what is seen is drawn, and each row shows the state that was sent last. Where the page has just been scrolled some rows are still to be drawn. */
async function isUpToDate() {
  const [sent, rows] = [server.latest(), await shown()]
  const isRight = ([name, state]) => {
    assert.ok(sent.has(name), `${name} was sent`)
    return (state === 'verified') === sent.get(name).verified
  }
  return rows.length >= 12 && rows.length < 60 && rows.every(isRight)
}

/** Each row comes to show what was sent last, wherever it is, while no update makes good for one that is left behind. */
async function allAreShown() {
  server.hold(true)
  for (const part of [0, 0.5, 1]) {
    await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), part)
    await until('each row shows what was sent, and only rows near what is seen are in the document', isUpToDate)
  }
  server.hold(false)
}

await page.goto(server.url)
await page.locator(`.grid[aria-rowcount="${Number(entries) + 1}"]`).waitFor()
await observes()
await pause(2_000)
const from = await now()
const before = server.sent()
const first = () => page.locator('.rows .c-margin strong').allTextContents()
const margins = (await first()).join()
const end = Date.now() + Number(seconds) * 1_000
await page.locator('.rows .row .match').nth(3).click()
await page.locator('.details').waitFor()
for (let turn = 0; Date.now() < end; turn++) {
  await page.mouse.wheel(0, turn % 2 === 0 ? 900 : -900)
  await pause(1_000)
}
const long = await tasks(from)
const updates = server.sent() - before
await allAreShown()
// All at once, ten times as many as are promised: no row is left behind. How long that takes is printed alone.
const flipped = await now()
for (const isVerified of [false, true]) {
  server.flip(isVerified)
  await allAreShown()
}
const ofFlips = await tasks(flipped)
await page.mouse.move(0, 0)
await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0) })
await pause(1_000)
assert.notEqual((await first()).join(), margins, 'updates are shown')
const links = []
for (const name of HOSTILE) {
  await page.getByRole('searchbox', { name: 'Find' }).fill(name)
  await until(`${name} is found`, async () => (await page.locator('.rows .row').count()) <= 2)
  assert.ok((await page.locator('.rows').getByText(name, { exact: false }).count()) > 0, `${name} is shown as it is`)
  links.push(...await page.locator('.rows .row a').evaluateAll((links) => links.map((link) => [link.getAttribute('href'), link.rel, link.target])))
}
assert.deepEqual([...new Set(links.map(String))], ['https://book.example/bet?a=1&b=%222%22,noopener noreferrer,_blank'], 'http and https alone')
assert.equal(await page.evaluate(() => document.title), 'Board · Arbitrage Board', 'a name was run')
assert.deepEqual(wrong, [])
process.stdout.write(JSON.stringify({
  entries: Number(entries), updates, seconds: Number(seconds), tasks_above_50_ms: long.length, longest_ms: longest(long),
  tasks_above_50_ms_when_all_change: ofFlips.length, longest_ms_when_all_change: longest(ofFlips),
}) + '\n')
await browser.close()
server.close()
assert.ok(long.length <= Number(most), `${long.length} tasks above 50 ms: ${long.map(({ ms }) => Math.round(ms))}`)
