// Kept answers of all views, for pictures and walks: the examples of the OpenAPI document where they have enough in them, else made of numbers.
import { readFileSync } from 'node:fs'
import { keptEntry, SEEN } from './market.mjs'

/** The window whose page is shown, which is one of the board. */
export const ENTRY = keptEntry(0).id
/** Its event. */
export const EVENT = keptEntry(0).event.id
const time = (at) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
const KINDS = ['value', 'middle', 'steam', 'low_hold', 'stale_price', 'odds_drop']
const MATCHES = [['Inverlee Anchors', 'Lowmarsh Kites'], ['FC Stonebridge', 'Real Almendra'], ['Coldwater Bears', 'Redhill Pilots'], ['Kingsmere United', 'Vale of Orrin']]

function signal(example, index, now) {
  const kind = KINDS[index % KINDS.length]
  const [home, away] = MATCHES[index % MATCHES.length]
  const isMovement = ['steam', 'odds_drop'].includes(kind)
  const bet = { ...example.bets[0], outcome: 'over', side: 'back', line: 55.5, price: 2.04 + index / 50, book: 'crestline', last_seen_at: time(now - 9_000 - index * 2_000) }
  return {
    ...example, id: `signal${index}`, kind, league: 'americanfootball_ncaaf', market: 'totals', line: 55.5, outcome: 'over', strength: 0.021 + index / 400, event: { ...example.event, home, away, commence_time: time(now + (index + 2) * 5_400_000) },
    bets: isMovement ? [] : kind === 'middle' ? [bet, { ...bet, outcome: 'under', line: 59.5, book: 'fernbet', price: 1.96 }] : [bet], opened_at: time(now - 40_000 * (index + 1)), expires_at: time(now + 600_000),
  }
}

const BOOKS = ['alderbet', 'brambleodds', 'crestline', 'dunwager', 'elmwager', 'fernbet']

/** The prices of an event of the board: at some books, the best first. */
function eventOdds(example, { event, league }, now) {
  const quote = example.lines[0].quotes[0]
  const line = (market, number, outcomes) => ({
    market, period: 'full_time', line: number,
    quotes: outcomes.flatMap((outcome, side) => BOOKS.map((book, index) => ({
      ...quote, outcome, book, side: 'back', price: 2.05 - ((index + 2 * side) % 6) / 50, status: index === 2 ? 'suspended' : 'on_offer', is_best: (index + 2 * side) % 6 === 0, last_seen_at: time(now - 9_000), age_seconds: 9,
    }))),
  })
  return { ...example, as_of: time(now), event: { ...example.event, ...event, league }, lines: [line('h2h', null, ['home', 'away']), line('totals', 2.5, ['over', 'under'])] }
}

function oddsHistory({ lines: [{ quotes, ...line }] }, now) {
  const points = (price) => Array.from({ length: 12 }, (_, hour) => ({ at: time(now - (12 - hour) * 3_600_000), price: price + Math.sin(hour) / 40 }))
  const bets = ['home', 'away'].map((outcome) => ({ outcome, side: 'back', books: quotes.filter((quote) => quote.outcome === outcome).map(({ book, price }) => ({ book, points: points(price) })) }))
  return { ...line, event: 'e', since: time(now - 86_400_000), until: time(now), bets }
}

/** What `serve` of frozen.mjs is given, at a time. */
export function answers(document, now = SEEN) {
  const { paths } = JSON.parse(readFileSync(document, 'utf8'))
  const example = (path) => structuredClone(paths[path].get.responses['200'].content['application/json'].example)
  const picks = example('/v1/picks')
  const truth = example('/v1/truth')
  const pick = picks.picks[0]
  const made = Array.from({ length: 6 }, (_, index) => {
    const [home, away] = MATCHES[index % MATCHES.length]
    const [bot, outcome, book] = [['consensus', 'over', 'alderbet'], ['sharp', 'under', 'dunwager'], ['steam', 'over', 'fernbet']][index % 3]
    const isOver = index > 2
    const result = isOver ? { ...pick.result, settlement: index === 4 ? 'lost' : 'won', profit: index === 4 ? -1 : 0.94 + index / 100 } : null
    return {
      ...pick, id: `pick${index}`, bot, league: 'basketball_nba', line: 219.5, outcome, book, price: 1.94 + index / 100, event: { ...pick.event, home, away }, starts_at: time(now + (isOver ? -(index + 2) : index + 1) * 3_600_000),
      published_at: time(now - (isOver ? (index + 3) * 3_600_000 : (index + 1) * 600_000)), result, grades: result === null ? [] : [result], closing: isOver ? pick.closing : null,
    }
  })
  const record = example('/v1/bots/{id}')
  const [BETS, START] = [180, 9]
  const equity = Array.from({ length: BETS }, (_, index) => {
    const spread = 1.96 * Math.sqrt(index + 1)
    const profit = (index + 1) * 0.031 + 3 * Math.sin(index / 11) + 1.2 * Math.sin(index / 3)
    return { bets: index + 1, profit, interval: index < START ? null : [-spread * 0.9, spread * 0.9] }
  })
  const calibration = [0.15, 0.25, 0.35, 0.45, 0.55, 0.65].map((stated, index) => ({ stated, won: stated + [0.02, -0.03, 0.01, 0.04, -0.02, 0.03][index], bets: 14 + index * 9 }))
  const whole = { ...record.records[0], bets: BETS, picks: 188, open: 3, without_result: 5, return: 0.031, standard_error: 0.07, interval: [-0.09, 0.15], equity, calibration, drawdown: 6.4, undisputed: { bets: BETS, return: 0.031, standard_error: 0.07 },
    sentence: 'Luck explains this record: of 100 bots that only guess, 33 do better.' }
  const usage = { plan: 'pro', quota: 100_000, used: 4_213, remaining: 95_787, forfeited: 0, open_streams: 1, open_leases: 0, beyond_quota: 0, period_start: '2026-11-01T00:00:00Z', period_end: '2026-12-01T00:00:00Z', reset: '2026-12-01T00:00:00Z',
    days: Object.fromEntries(Array.from({ length: 27 }, (_, day) => [`2026-11-${String(day + 1).padStart(2, '0')}`, 40 + (day * 37) % 290])), keys: { k1: 3_900, k2: 313 }, routes: { '/v1/arbs': 3_120, '/v1/stream': 81, '/v1/picks': 1_012 } }
  const key = (kid, name, mode, used) => ({ kid, prefix: `arb_${mode}_${kid}Qz`, name, mode, scopes: ['board:read', 'stream:read', 'usage:read'], expires_at: null, cidrs: [], monthly_cap: null, created_at: time(now - 864_000_000), last_used_at: used, replaced_by: null })
  const window = { ...example('/v1/arbs/history').windows[0], id: ENTRY }
  const shown = example('/v1/arbs/{id}')
  const open = keptEntry(0, 0, now)
  const odds = eventOdds(example('/v1/events/{id}/odds'), open, now)
  const circuit = { failures: 7, open_until: time(now + 240_000), waiting: 31 }
  const endpoint = {
    id: 'e1', url: 'https://receiver.example/arbs', description: 'my bot', events: ['arb_window'], filters: {}, policy: 'durable', ordered: false, rate_limit: null, paused: false, state: 'active', reason: null,
    previous_secret_until: null, circuit, created_at: time(now - 86_400_000),
  }
  const delivery = (attempt) => ({
    webhook_id: 'msg_2f6c', type: 'arb_window', subject: 'w', attempt, outcome: 'failed', status: 503, latency_seconds: 0.12, answer: 'upstream is down', at: time(now - 60_000 * (8 - attempt)),
    next_attempt_at: attempt === 7 ? time(now + 240_000) : null, event_read_at: time(now - 500_000),
  })
  return {
    endpoint, delivery,
    signals: Array.from({ length: 9 }, (_, index) => signal(example('/v1/signals').signals[0], index, now)),
    more: {
      '/session/picks': { ...picks, picks: made, next_cursor: null }, '/session/bots': example('/v1/bots'), '/truth': truth, '/session/books': example('/v1/books'), '/session/usage': usage,
      [`/session/bots/${record.bot}`]: { ...record, records: [whole] }, '/session/keys': { keys: [key('k1', 'ticker', 'live', time(now - 60_000)), key('k2', 'trying out', 'test', null)] }, '/session/webhooks': { webhooks: [endpoint] },
      '/session/webhooks/e1/deliveries': { deliveries: [7, 6, 5, 4].map(delivery), next_cursor: null }, '/session/arbs/history': { windows: [], next_cursor: null }, '/status': example('/status'),
      [`/session/arbs/${ENTRY}`]: { ...shown, open, window: { ...window, event: open.event, league: open.league, market: open.market, line: open.line, legs: open.legs }, evidence: { ...shown.evidence, sequence: open.sequence } },
      [`/session/events/${open.event.id}/odds`]: odds, [`/session/events/${open.event.id}/odds/history`]: oddsHistory(odds, now),
      [`/session/arbs/${ENTRY}/prices`]: { ...example('/v1/arbs/{id}/prices'), id: ENTRY },
    },
  }
}
