// How the page names bets, in Debian's Chromium: a walk through all views that name one, over a board with every kind of leg. What each bet is to be called
// is in api/dashboard/src/model/bets.json. It fails where a bet is shown without its side, its team or its own line.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entry, serve } from './frozen.mjs'
import { browser, moveTo, open, say, until, wrong } from './page-checks.mjs'

// After those of page-checks.mjs, which are empty: the server is this one's own.
const [dist, document] = process.argv.slice(5)
const { paths, components } = JSON.parse(readFileSync(document, 'utf8'))
const example = (path, method = 'get') => structuredClone(paths[path][method].responses['200'].content['application/json'].example)
const NAMES = { home: 'Inverlee Anchors', away: 'Lowmarsh Kites' }
const MATCH = `${NAMES.home} – ${NAMES.away}`
const BOOKS = ['alderbet', 'brambleodds', 'crestline', 'dunwager']

/** The outcomes that the server has; names of others are for tests of the texts alone. */
const OUTCOMES = components.schemas.Leg.properties.outcome.enum
/** What each bet is called: as programs read it, with the page's one minus sign. */
const shown = (text) => text.replaceAll(/ -(?=\d)/g, ' −')
const TABLE = JSON.parse(readFileSync(join(dist, '../src/model/bets.json'), 'utf8'))
  .filter(({ outcome }) => OUTCOMES.includes(outcome)).map((row) => ({ ...row, bet: shown(row.bet) }))
const kindOf = ({ market, line }) => `${market} ${line}`
/** Its rows by market and line: one entry each. */
const CASES = [...new Set(TABLE.map(kindOf))].map((kind) => TABLE.filter((row) => kindOf(row) === kind))
const textsOf = (rows) => rows.map(({ bet }) => bet)
/** The rows as bets, each at a book of its own, with the fields that a view reads beside. */
const betsOf = (rows, fields = {}) => rows.map(({ outcome, side }, index) => ({ ...fields, outcome, side, book: BOOKS[index] }))

function entryOf(number, turn, now) {
  const [made, rows] = [entry(number + 100, turn, now), CASES[number]]
  const { market, line } = rows[0]
  return { ...made, event: { ...made.event, ...NAMES }, market, line, legs: betsOf(rows, made.legs[0]) }
}

const [OPEN, CLOSED] = [(number) => entryOf(number, 0, Date.now()).id, (number) => `closed${number}`]

/** The answers of an entry's page: of one on the board, and of one that has closed. */
function answersOf(rows, number) {
  const [found, prices, hedge] = [example('/v1/arbs/{id}'), example('/v1/arbs/{id}/prices'), example('/v1/arbs/{id}/hedge', 'post')]
  const { market, line } = rows[0]
  const evidence = { ...found.evidence, legs: betsOf(rows, found.evidence.legs[0]), quotes: betsOf(rows, found.evidence.quotes[0]) }
  const window = { ...example('/v1/arbs/history').windows[0], event: { ...found.open.event, ...NAMES }, market, line, legs: betsOf(rows, { price: 2, stake_share: 0.5 }) }
  const transitions = found.transitions.map((it) => ({ ...it, legs: it.legs.length > 0 ? window.legs : [] }))
  const legs = betsOf(rows, prices.legs[0])
  const hedged = { ...hedge, id: OPEN(number), legs: betsOf(rows, hedge.legs[1]), results: [{ legs: rows.map(() => 'won'), profit: 2 }] }
  return [[OPEN(number), evidence], [CLOSED(number), null]].flatMap(([id, evidence]) => [
    [`/session/arbs/${id}`, { ...found, open: null, evidence, window: { ...window, id }, transitions }],
    [`/session/arbs/${id}/prices`, { ...prices, legs }], [`/session/arbs/${id}/hedge`, hedged],
  ])
}

const quote = (outcome, line, side = 'back') => ({ ...example('/v1/signals').signals[0].bets[0], outcome, line, side })
/** Signals of each kind, with what they are called. Bets of a middle are on two lines. */
const SIGNALS = [
  ['value', 'spreads', 'away', 3, [quote('away', 3)], 'Lowmarsh Kites −3'],
  ['value', 'h2h', 'away', null, [quote('away', null, 'lay')], 'Lay Lowmarsh Kites'],
  ['low_hold', 'h2h', null, null, [quote('home', null), quote('home', null, 'lay')], 'Inverlee Anchors / Lay Inverlee Anchors'],
  ['middle', 'totals', null, 55.5, [quote('over', 55.5), quote('under', 59.5)], 'Over 55.5 / Under 59.5'],
  ['middle', 'spreads', null, 3, [quote('home', 3), quote('away', 1)], 'Inverlee Anchors +3 / Lowmarsh Kites −1'],
  ['steam', 'spreads', 'away', -1.5, [], 'Lowmarsh Kites +1.5'],
  ['stale_price', 'totals', 'over', 2.25, [quote('over', 2.25)], 'Over 2.25'],
  ['odds_drop', 'h2h_3_way', 'draw', null, [], 'Draw'],
]
const signals = SIGNALS.map(([kind, market, outcome, line, bets], index) => ({
  ...example('/v1/signals').signals[0], id: `signal${index}`, kind, market, outcome, line, bets, event: { ...example('/v1/signals').signals[0].event, ...NAMES },
  evidence: bets.length > 0 ? [] : [quote(outcome, line)], opened_at: new Date(Date.UTC(2026, 0, 1, 12 - index)).toISOString(),
}))

const BACKED = TABLE.filter(({ side }) => side === 'back')
const pick = example('/v1/picks').picks[0]
const picks = BACKED.map(({ market, line, outcome }, index) => ({ ...pick, id: `pick${index}`, event: { ...pick.event, ...NAMES }, market, line, outcome }))

const more = Object.fromEntries([
  ...CASES.flatMap(answersOf), ['/session/picks', { ...example('/v1/picks'), picks, next_cursor: null }], ['/session/bots', { bots: [] }],
  ['/session/arbs/history', { windows: [], next_cursor: null }],
])
const server = await serve(dist, CASES.length, 0, { signals, more, entryOf })
moveTo(server.url)
const context = await browser.newContext({ viewport: { width: 1280, height: 2400 } })
const page = await open(context)
const go = (path) => page.goto(`${server.url}/#/${path}`)

/** Names no bet but these, and each of them: what is left of the text has no team, outcome or side. */
async function names(place, bets, what) {
  let text = (await place.textContent()).replaceAll(MATCH, '').replaceAll(/Back(?= )/g, '')
  for (const bet of bets.toSorted((a, b) => b.length - a.length)) {
    assert.ok(text.includes(bet), `${what} does not name ${bet}: ${text}`)
    text = text.replaceAll(bet, '|')
  }
  const rest = /.{0,30}(Inverlee|Lowmarsh|[Hh]ome|Away|Over|Under|Draw(?!down)|Lay|Back|Total \d|Handicap [-−+\d]).{0,30}/.exec(text.replaceAll(/Winner or draw|Draw no bet/g, ''))
  assert.equal(rest, null, `${what} names another bet: ${rest?.[0]}`)
}

/** The bets of a table, in the order of its rows. */
async function rowsOf(name, bets) {
  const heads = page.getByRole('region', { name, exact: true }).first().getByRole('rowheader')
  await heads.first().waitFor()
  const found = (await heads.allTextContents()).map((text) => text.replace(/ (placed)$/, '').trim())
  assert.deepEqual(found, bets, name)
}

await go('board')
await page.locator('.rows .row').nth(CASES.length - 1).waitFor()
/** The bets of a row, each with its side. */
const betsIn = async (row) => (await row.locator('.leg .outcome').allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())
const sided = (text) => (text.startsWith('Lay ') ? text : `Back ${text}`)
for (const rows of CASES) {
  const texts = textsOf(rows)
  const all = await Promise.all((await page.locator('.rows .entry').all()).map(async (row) => (await betsIn(row)).join(' / ')))
  const at = all.indexOf(texts.map(sided).join(' / '))
  assert.ok(at >= 0, `${texts} is a row of ${all.join('; ')}`)
  const row = page.locator('.rows .entry').nth(at)
  await row.locator('.match').click()
  await rowsOf('Legs', texts)
  await rowsOf('Stakes', texts)
  await page.getByLabel(/^Stake placed on/).first().fill('50')
  await page.getByRole('button', { name: 'Compute the hedge' }).click()
  await rowsOf('Hedge', texts)
  await rowsOf('Results of the hedge', [texts.map((text) => `${text} won`).join(', ')])
  await names(row, texts, 'the entry')
  await row.locator('.match').click()
  await row.locator('.details').waitFor({ state: 'hidden' })
}
say('board')

for (const [number, rows] of CASES.entries()) {
  const texts = textsOf(rows)
  await go(`arb/${OPEN(number)}`)
  await page.getByText(/^All \d+ prices of the line$/).click()
  for (const table of ['Legs', 'Stakes', 'Spans of the legs', 'Prices of the line']) await rowsOf(table, texts)
  for (const text of texts) await page.getByRole('heading', { name: text, exact: true }).waitFor()
  await names(page.locator('main'), texts, 'the page of an entry')
  await go(`arb/${CLOSED(number)}`)
  await rowsOf('Legs as it opened', texts)
  await page.getByRole('region', { name: 'Transitions' }).waitFor()
  for (const text of texts) await page.getByRole('heading', { name: text, exact: true }).waitFor()
  await names(page.locator('main'), texts, 'the page of a closed entry')
}
say('entries')

await go('signals')
await page.locator('.entry').nth(SIGNALS.length - 1).waitFor()
for (const [index, [kind, , , , bets, title]] of SIGNALS.entries()) {
  const row = page.locator('.entry').nth(index)
  await row.getByText(`: ${title}`, { exact: false }).first().waitFor()
  const texts = title.split(' / ')
  if (bets.length > 0) assert.deepEqual(await row.locator('.legs .outcome').allTextContents(), texts, kind)
  await row.getByRole('button', { name: /^More evidence of/ }).click()
  await row.locator('.details').waitFor()
  await names(row, texts, kind)
}
say('signals')

await go('picks')
await page.locator('.entry').nth(picks.length - 1).waitFor()
for (const [index, { bet }] of BACKED.entries()) {
  const row = page.locator('.entry').nth(index)
  await until(`the pick is ${bet}`, async () => (await row.locator('.what strong').textContent()) === bet)
  await row.getByRole('button', { name: /^More evidence of/ }).click()
  await row.locator('.details').waitFor()
  await names(row, [bet], 'a pick')
}
say('picks')
assert.deepEqual(wrong, [])
say('done')
await context.close()
server.close()
await browser.close()
