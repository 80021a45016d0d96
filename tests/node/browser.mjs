// Follows a stream by the EventSource of Debian's Chromium, and prints a line of JSON for whatever becomes of it.
import { chromium } from 'playwright-core'

// With a page, the stream is of another origin and its URL has a ticket.
const [url, from] = process.argv.slice(2)
const say = (what) => process.stdout.write(JSON.stringify(what) + '\n')
const browser = await chromium.launch({
  executablePath: process.env.ARB_TEST_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
})
// A page cannot give an EventSource a header; the browser adds the key to every request.
const headers = { extraHTTPHeaders: { 'x-api-key': process.env.ARB_TEST_KEY } }
// The policy of what the API answers lets no script connect; a page of somebody's own has another one.
const page = await browser.newPage({ bypassCSP: true, ...(from ? {} : headers) })
await page.exposeFunction('say', say)
// Whatever the same host answers is a page of the stream's origin.
await page.goto(from ?? new URL('/livez', url).href)
await page.evaluate((url) => {
  const stream = new EventSource(url)
  for (const type of ['snapshot', 'resync', 'lagged', 'server_restart', 'key_revoked', 'arb_window']) {
    stream.addEventListener(type, (event) => {
      const id = type === 'arb_window' ? JSON.parse(event.data).id : undefined
      window.say({ type, id })
    })
  }
  stream.onopen = () => window.say({ type: 'open' })
  stream.onerror = () => window.say({ type: stream.readyState === EventSource.CLOSED ? 'closed' : 'error' })
}, url)
