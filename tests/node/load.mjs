// Measures the board with many entries and updates in Debian's Chromium: tasks above 50 ms, by the browser's own PerformanceObserver, once the first
// view is drawn; while it is filtered, a row is open and it is scrolled. Prints a line of JSON. It fails only where the page shows something wrong.
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'
import { serve } from './frozen.mjs'

// The built files, entries, updates a second, and for how many seconds.
const [dist, entries = '500', perSecond = '50', seconds = '20'] = process.argv.slice(2)
const server = await serve(dist, Number(entries), Number(perSecond))
const browser = await chromium.launch({ executablePath: process.env.ARB_TEST_CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
const wrong = []
page.on('pageerror', (error) => wrong.push(error.message))
page.on('console', (line) => { if (line.type() === 'error' && !line.text().startsWith('Failed to load')) wrong.push(line.text()) })
await page.addInitScript(() => {
  window.tasks = []
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => ({ at: task.startTime, ms: task.duration })))).observe({ type: 'longtask', buffered: true })
})
await page.goto(server.url)
await page.locator('.entry').nth(Number(entries) - 1).waitFor({ state: 'attached' })
await new Promise((resolve) => setTimeout(resolve, 2_000))
const from = await page.evaluate(() => performance.now())
const before = server.sent()
const first = () => page.locator('.entry .margin strong').allTextContents()
const shown = (await first()).join()
const end = Date.now() + Number(seconds) * 1_000
await page.getByRole('button', { name: /^More details of/ }).nth(3).click()
for (let turn = 0; Date.now() < end; turn++) {
  await page.mouse.wheel(0, turn % 2 === 0 ? 900 : -900)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
const tasks = (await page.evaluate(() => window.tasks)).filter((task) => task.at >= from)
await page.mouse.move(0, 0)
await page.evaluate(() => document.activeElement?.blur())
await new Promise((resolve) => setTimeout(resolve, 1_000))
assert.notEqual((await first()).join(), shown, 'updates are shown')
assert.equal(await page.locator('.entry').count(), Number(entries))
assert.equal(await page.evaluate(() => document.title), 'Board · Arbitrage Board', 'a name was run')
assert.deepEqual(wrong, [])
const updates = server.sent() - before
process.stdout.write(JSON.stringify({
  entries: Number(entries), updates, seconds: Number(seconds), tasks_above_50_ms: tasks.length, longest_ms: Math.round(Math.max(0, ...tasks.map((task) => task.ms))),
}) + '\n')
await browser.close()
server.close()
