// What the steps of page.mjs share: the browser, what is checked on every view, and waiting.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

// The address of the server, that of the demonstration account, and where screenshots go.
export const [, demonstration, shots] = process.argv.slice(2)
export let [url] = process.argv.slice(2)
/** From now on the server is another one. */
export const moveTo = (address) => { url = address }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const EMAIL = `reader-${Date.now()}@example.com`
export const PASSWORD = 'correct horse battery'
// As hostile as a name may be: whatever the page made of it would be run.
export const NAME = `<img src=x onerror="document.title='run'"> & "ci"`
export const say = (step, more = {}) => process.stdout.write(JSON.stringify({ step, ...more }) + '\n')

export const browser = await chromium.launch({
  executablePath: process.env.ARB_TEST_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
export const wrong = []
// How long a fact may take to come true on a slow machine, in milliseconds.
export const PATIENCE = 180_000

export async function open(context) {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE)
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

// The size of a target is a rule of WCAG 2.2 AA that axe applies only where it is asked to.
const RULES = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }
const WIDTHS = [360, 1280, 3840]
export const checked = new Set()

/** A fault that is put on the page is found: else a check that finds none would say nothing. */
export async function axeFinds(page) {
  await page.evaluate(() => document.querySelector('main').append(Object.assign(document.createElement('button'), { id: 'fault' })))
  await page.evaluate(axe)
  const found = await page.evaluate((rules) => axe.run(document, rules), RULES)
  assert.ok(found.violations.some(({ id }) => id === 'button-name'), 'a button without a name is found')
  await page.evaluate(() => document.getElementById('fault').remove())
}

/** Rules of WCAG 2.2 AA and best practice, in both themes; nothing is wider than the window, from a telephone to 4K. */
export async function check(page, name) {
  checked.add(name)
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (shots) await page.screenshot({ path: `${shots}/${name}-${colorScheme}.png` })
    await page.evaluate(axe)
    const found = await page.evaluate((rules) => axe.run(document, rules), RULES)
    const violations = found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`)
    assert.deepEqual(violations, [], `${name}, ${colorScheme}`)
    assert.ok(found.passes.length > 5, 'rules were applied')
  }
  const size = page.viewportSize()
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: size.height })
    const scroll = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(scroll <= width, `${name} is ${scroll} wide in ${width}`)
  }
  await page.setViewportSize(size)
  say('checked', { view: name })
}

/** Opens the menu of the account. */
export const menu = (page) => page.getByRole('button', { name: /account menu$/ }).click()
const PLACES = ['Board', 'Signals', 'Picks', 'Truth']
export async function view(page, name) {
  const link = page.getByRole('navigation').getByRole('link', { name, exact: true })
  if (!PLACES.includes(name)) {
    // The page of a session takes the place of the log-in, with a menu of its own that is closed.
    await until(`the menu shows ${name}`, async () => {
      if (await link.count() === 0) await menu(page)
      return (await link.count()) > 0
    })
  }
  await link.click()
}
/** Rows of the board that are in the document, and what opens one. */
export const rows = (page) => page.locator('.rows .row')
export const opener = (page, at = 0) => rows(page).nth(at).locator('.match')
export const isLive = (page) => page.getByRole('status').getByText('live', { exact: true }).waitFor()
export const streams = (page) => page.evaluate(async () => (await (await fetch('/session/usage')).json()).open_streams)
/** By a key; not while the server does not know at the moment whether keys are valid. */
export async function status(key) {
  for (;;) {
    const { status } = await fetch(`${url}/v1/arbs?limit=1`, { headers: { authorization: `Bearer ${key}` } })
    if (status !== 503) return status
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

export async function until(what, condition, patience = PATIENCE) {
  for (const end = Date.now() + patience; Date.now() < end;) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  assert.fail(what)
}

/** What describes the API is a click away, before and after signing in. */
export async function descriptions(page) {
  const links = page.getByRole('contentinfo').getByRole('link')
  const paths = await links.evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  assert.deepEqual(paths, ['/docs', '/openapi.json', '/llms.txt'])
  for (const path of paths) assert.equal((await fetch(`${url}${path}`)).status, 200, path)
}
