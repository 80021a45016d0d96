// A kept market for pictures and walks: the same windows each time, by numbers alone, with names, limits, lays and lines as feeds have them.
import { entry } from './frozen.mjs'

/** When it is seen. */
export const SEEN = Date.UTC(2026, 10, 27, 18, 0, 0)
const TEAMS = [
  ['Inverlee Anchors', 'Lowmarsh Kites'], ['Westerley Comets', 'Harrowgate Egrets'], ['FC Stonebridge', 'Real Almendra'], ['Port Calder', 'Ashdown Rovers'], ['Malmö Norra', 'Brøndholm IF'],
  ['Kingsmere United', 'Vale of Orrin'], ['Atlético Sierra', 'Deportivo Ría'], ['Coldwater Bears', 'Redhill Pilots'], ['M. Okonjo', 'L. Petrova'], ['Tacoma Lumber', 'Galveston Tide'],
]
const LEAGUES = [
  ['soccer', 'soccer_epl'], ['basketball', 'basketball_nba'], ['soccer', 'soccer_germany_bundesliga'], ['icehockey', 'icehockey_nhl'], ['americanfootball', 'americanfootball_ncaaf'], ['tennis', 'tennis_atp_doha_open'],
]
const BOOKS = ['alderbet', 'brambleodds', 'crestline', 'dunwager', 'elmwager', 'fernbet', 'grovebet']
const LINKED = (book) => `https://books.example/${book}/event`
const time = (at) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
/** Digits that look like chance and are none. */
const digit = (number, salt, below) => Math.abs(Math.imul(number * 31 + salt * 17 + 7, 2_654_435_761) >> 9) % below

const KINDS = [
  { market: 'h2h', line: null, legs: ['home', 'away'] }, { market: 'totals', line: 2.5, legs: ['over', 'under'] }, { market: 'h2h_3_way', line: null, legs: ['home', 'draw', 'away'] },
  { market: 'spreads', line: -1.5, legs: ['home', 'away'] }, { market: 'h2h', line: null, legs: ['home', 'lay home'] }, { market: 'totals', line: 219.5, period: 'h1', legs: ['over', 'under'] },
]

function leg(text, index, number, share, margin, now) {
  const [outcome, side] = text.startsWith('lay ') ? [text.slice(4), 'lay'] : [text, 'back']
  const effective = (1 + margin) / share
  const price = side === 'lay' ? Math.round((1 + 1 / ((effective - 1) / 0.98)) * 1000) / 1000 : Math.round(effective * 100) / 100
  const book = side === 'lay' ? 'hollyexchange' : BOOKS[(digit(number, 3, 7) + index * 2) % 7]
  const seen = now - (3 + digit(number, index + 11, index === 1 ? 70 : 25)) * 1_000
  const limit = digit(number, index + 5, 3) === 0 ? null : 150 + digit(number, index + 6, 40) * 25
  return {
    outcome, side, book, operator: book, price, effective_price: side === 'lay' ? effective : price, implied_probability: share, stake_share: share, stake: 100 * share, liability: side === 'lay' ? 100 * share : null,
    limit, price_moved_at: time(seen - 60_000), last_seen_at: time(seen), expected_interval_seconds: 60, age_seconds: (now - seen) / 1_000, link: digit(number, index + 8, 4) === 0 ? null : LINKED(book), rounded: false,
  }
}

/** A window by its number. `turn` moves a price. */
export function keptEntry(number, turn = 0, now = SEEN) {
  const [base, kind] = [entry(number + 100, 0, now), KINDS[digit(number, 1, KINDS.length)]]
  const [home, away] = TEAMS[number % TEAMS.length]
  const [sport, league] = LEAGUES[(number + digit(number, 2, 3)) % LEAGUES.length]
  const margin = 0.0045 + digit(number, 4, 420) / 10_000
  const shares = kind.legs.length === 3 ? [0.42, 0.27, 0.31] : [0.36 + digit(number, 9, 28) / 100]
  if (kind.legs.length === 2) shares.push(1 - shares[0])
  const legs = kind.legs.map((text, index) => leg(text, index, number, shares[index], margin, now))
  if (turn > 0) legs[0] = { ...legs[0], price: Math.round((legs[0].price + turn / 100) * 1000) / 1000, effective_price: legs[0].effective_price + turn / 100 }
  const real = 1 / legs.reduce((sum, { effective_price: price }) => sum + 1 / price, 0) - 1
  const isVerified = digit(number, 12, 5) > 0
  const limits = legs.flatMap(({ limit, stake_share: share, side, price }) => (limit === null ? [] : [(side === 'lay' ? limit * (price - 1) : limit) / share]))
  const failed = isVerified ? [] : [{ flag: 'simultaneous', reason: 'one price was last confirmed 7 s before another was first seen' }]
  return {
    ...base, sport, league, event: { id: `event${number}`, home, away, commence_time: time(now + (digit(number, 13, 7) === 0 ? -3_000_000 : (number + 1) * 2_400_000)), in_play: digit(number, 13, 7) === 0 },
    market: kind.market, period: kind.period ?? 'full_time', line: kind.line, implied_probability: 1 / (1 + real), margin: real, margin_worst: real, margin_rounded: real, score: real * (0.5 + digit(number, 14, 50) / 100), legs,
    total_stake_max: limits.length === 0 ? null : Math.floor(Math.min(...limits) * 100) / 100, verified: isVerified, failed_checks: failed,
    verification: { ...base.verification, simultaneous: isVerified }, ttl_seconds: 45 + digit(number, 15, 900), ttl_p10_seconds: 20, ttl_p90_seconds: 3_600, opened_at: time(now - digit(number, 16, 900) * 1_000), updated_at: time(now), expires_at: time(now + 600_000), sequence: turn + 1,
  }
}

/** The scores of its events in play, of so many windows: one of each two as a source without periods states it. */
export function keptScores(count, now = SEEN) {
  const playing = Array.from({ length: count }, (_, number) => keptEntry(number, 0, now)).filter(({ event }) => event.in_play)
  return {
    as_of: time(now),
    scores: playing.map(({ sport, league, event: { id, home, away } }, index) => ({
      event: id, sport, league, home, away, home_points: 1 + digit(index, 17, 3), away_points: digit(index, 18, 3), period: index % 2 === 0 ? 'h2' : null, source: 'simulated', reported_at: time(now - 12_000),
      expires_at: time(now + 288_000),
    })),
  }
}
