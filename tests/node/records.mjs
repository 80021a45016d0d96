// The records of a bot on the page, in Debian's Chromium: without an interval below ten match days, and with the line of equity above its band where there
// is one. It fails where a number is shown that the record has not, or where the band hides the line.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { serve } from './frozen.mjs'
import { browser, moveTo, open, say, until, wrong } from './page-checks.mjs'

// After those of page-checks.mjs, which are empty: the server is this one's own.
const [dist, document] = process.argv.slice(5)
const { paths } = JSON.parse(readFileSync(document, 'utf8'))
const bot = paths['/v1/bots/{id}'].get.responses['200'].content['application/json'].example
const COUNT = 40
/** The sum of profits is flat, in the middle of its band. */
const equity = (isBanded) => Array.from({ length: COUNT }, (_, index) => ({ bets: index + 1, profit: 2, interval: isBanded && index >= 9 ? [-8, 12] : null }))
const record = (version, interval) => ({ ...bot.records[0], version, bets: COUNT, return: 0.05, standard_error: 0.1, interval, equity: equity(interval !== null) })
const more = { '/session/bots/sharp': { ...bot, bot: 'sharp', records: [record(1, null), record(2, [-0.2, 0.3])] } }

const server = await serve(dist, 0, 0, { more })
moveTo(server.url)
const page = await open(await browser.newContext({ viewport: { width: 1280, height: 900 } }))
await page.goto(`${server.url}/#/bots/sharp`)
const [few, many] = [1, 2].map((version) => page.getByRole('region', { name: new RegExp(`^Version ${version},`) }))
await few.getByText('from 10 match days on', { exact: true }).waitFor()
await few.getByText(/it has an interval from 10 match days on$/).waitFor()
await many.getByText('−20.0 % to +30.0 %', { exact: true }).waitFor()
say('intervals')

/** How many points of the first plot have the colour of a custom property. */
const painted = (place, name) => place.locator('figure').first().locator('canvas').evaluate((canvas, name) => {
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.color = `var(--${name})`
  const [red, green, blue] = getComputedStyle(probe).color.match(/\d+/g).map(Number)
  probe.remove()
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let count = 0
  for (let at = 0; at < data.length; at += 4) count += Number(data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255)
  return count
}, name)
for (const place of [few, many]) await place.locator('figure canvas').first().waitFor()
await until('the band is drawn', async () => (await painted(many, 'band')) > 10_000)
assert.equal(await painted(few, 'band'), 0, 'a band without an interval')
const lines = await Promise.all([few, many].map((place) => painted(place, 'accent')))
assert.ok(lines[0] > 300 && lines[1] >= lines[0] * 0.9, `the band hides the line: ${lines.join()} points`)
say('equity')
assert.deepEqual(wrong, [])
say('done')
server.close()
await browser.close()
