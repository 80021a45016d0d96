// A developer, in Debian's Chromium: signs up, finds keys behind the account's menu, makes one that no slip of a finger loses, sees its first request, and finds
// why a webhook is sent nothing. It fails where a key that is shown once can be lost, or where the circuit of an endpoint is not explained.
import assert from 'node:assert/strict'
import { answers } from './answers.mjs'
import { serve } from './frozen.mjs'
import { keptEntry } from './market.mjs'
import { browser, check, menu, moveTo, open, rows, say, until, view, wrong } from './page-checks.mjs'

const [dist, document] = process.argv.slice(5)
const now = Date.now()
const time = (at) => new Date(at).toISOString()
const KEY = `arb_live_${'7'.repeat(46)}`
let [isSigned, keys, tests] = [false, [], 0]
const session = { email: 'developer@example.com', plan: 'free', bankroll: null, csrf_token: 'x', expires_at: time(now + 86_400_000) }
const given = answers(document, now)
const more = {
  ...given.more,
  'GET /session': () => (isSigned ? session : undefined), 'POST /session/signup': () => ({ email: session.email, plan: session.plan }), 'POST /session': () => { isSigned = true; return session },
  'GET /session/keys': () => ({ keys }),
  'POST /session/keys': (body) => {
    const key = { kid: 'k1', prefix: KEY.slice(0, 14), name: body.name, mode: body.mode, scopes: body.scopes, expires_at: null, cidrs: [], monthly_cap: null, created_at: time(Date.now()), replaced_by: null, last_used_at: null }
    keys = [key]
    return { ...key, key: KEY }
  },
  'POST /session/webhooks/e1/test': () => { tests++; return { webhook_id: 'msg_test' } },
}
const server = await serve(dist, 10, 0, { more, signals: given.signals, entryOf: (number, turn) => keptEntry(number, turn, Date.now()) })
moveTo(server.url)
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
const page = await open(context)

// Before an account: what verified means, what to do first, and the truth of the feed.
await page.goto(server.url)
await page.getByText(/nine checks held when a row was written/).waitFor()
await page.getByText(/choose your books and your bankroll/).waitFor()
await page.getByText(/create a key under the account menu/).waitFor()
await page.getByRole('link', { name: 'how much of the feed was real' }).click()
await page.getByRole('heading', { name: 'Truth' }).waitFor()
await page.getByRole('region', { name: 'By phase' }).waitFor()
await check(page, 'truth-without-account')
await page.getByRole('link', { name: 'Log in or sign up' }).click()
await page.getByRole('button', { name: 'Create one' }).click()
await page.getByLabel('E-mail', { exact: true }).fill(session.email)
await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
await page.getByRole('button', { name: 'Create account' }).click()
await rows(page).first().waitFor()
say('signed up')

// The places of a bettor are in sight, those of a developer are in the menu; what belongs to operators says so.
const places = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents()
assert.deepEqual(places, ['Board', 'Signals', 'Picks', 'Truth'])
await menu(page)
const items = await page.getByRole('navigation', { name: 'Account' }).getByRole('link').allTextContents()
assert.deepEqual(items, ['Keys', 'Usage', 'Webhooks', 'Account', 'Docs', 'Feeds'])
await page.getByText('For operators').waitFor()
await check(page, 'menu')
await page.keyboard.press('Escape')
await page.getByRole('navigation', { name: 'Account' }).waitFor({ state: 'hidden' })
// A view never scrolls the navigation away.
await page.mouse.wheel(0, 600)
await view(page, 'Keys')
await until('the navigation is in sight', () => page.evaluate(() => document.querySelector('.top').getBoundingClientRect().top === 0 && scrollY === 0))
await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
say('menu')

await page.getByRole('button', { name: 'Create a key' }).click()
await page.getByLabel('Name', { exact: true }).fill('my bot')
await page.getByRole('button', { name: 'Create key' }).click()
const made = page.getByRole('dialog', { name: 'Your new key' })
await made.getByText(KEY, { exact: true }).waitFor()
// Escape never loses what is shown once, however often.
for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
await page.waitForTimeout(300)
assert.ok(await made.getByText(KEY, { exact: true }).isVisible(), 'the key is still shown')
await made.getByText(`curl -s -H 'Authorization: Bearer ${KEY}' '${server.url}/v1/arbs?limit=3'`).waitFor()
await check(page, 'key-made')
await made.getByRole('button', { name: 'I have copied it' }).click()
await made.waitFor({ state: 'hidden' })
await page.getByRole('rowheader').getByText('my bot').waitFor()
say('key')

await view(page, 'Webhooks')
await page.getByText('7 attempts in a row have failed; 31 events wait.').waitFor()
await page.getByText('held back', { exact: true }).waitFor()
await page.getByText(/Nothing is sent until .* but a test event at once/).waitFor()
await page.getByRole('region', { name: 'Deliveries' }).getByText('upstream is down').first().waitFor()
await page.getByRole('button', { name: 'Send a test event' }).click()
await until('a test event is sent', async () => tests === 1)
await check(page, 'circuit')
say('webhook')
assert.deepEqual(wrong, [])
say('done')
await context.close()
server.close()
await browser.close()
