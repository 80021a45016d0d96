// What somebody keeps in the browser: stakes for a bankroll, what is hidden, which windows were told of, and what is placed.
import { describe, expect, it } from 'vitest'
import { NO_BANKROLL, staked } from './bankroll'
import { follow } from './own_books'
import { add, booksOf, isHidden, keysOf, parseHidden, remove, type Hidden } from './hidden'
import { amend, bets, isHedge, now, parsePins, place, placedOf } from './pins'
import { parseSaved, Told, withSet, type SavedSet } from './saved'
import { paid, plan } from './stakes'
import { brief, count, gain, league, market, money, relative, sport } from './text'
import type { BookSizes, Entry, Leg } from './types'

function leg(fields: Partial<Leg>): Leg {
  return {
    outcome: 'home', side: 'back', book: 'a', operator: 'a', link: null, rounded: false, price: 2.1, effective_price: 2.1, implied_probability: 1 / 2.1, stake_share: 0.5, stake: 50, liability: null, limit: null,
    price_moved_at: '2026-01-01T00:00:00Z', last_seen_at: '2026-01-01T00:00:00Z', expected_interval_seconds: 60, age_seconds: 0, ...fields,
  }
}

function entry(fields: Partial<Entry>): Entry {
  return {
    id: 'w', kind: 'surebet', implied_probability: 0.95, expires_at: '2026-01-01T00:01:00Z', sport: 'soccer', league: 'soccer_epl', event: { id: 'e', home: 'H', away: 'A', commence_time: '2026-01-02T00:00:00Z', in_play: false }, market: 'h2h', period: 'full_time', line: null, margin: 0.05,
    margin_worst: 0.05, margin_rounded: 0.05, score: 0.01, total_stake_max: null, currency: 'EUR', legs: [leg({}), leg({ book: 'b', outcome: 'away' })], verified: true, verification: {} as Entry['verification'], failed_checks: [],
    passed_over: null, warnings: [], void_clause: null, void_loss_max: null, execution_probability: 0.9, ttl_seconds: 60, ttl_p10_seconds: 10, ttl_p90_seconds: 300, opened_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z', sequence: 1, ...fields,
  }
}

const none = new Map<string, BookSizes>()
const sizes = (step: number): BookSizes => ({ from: null, source: null, checked_at: null, unit: 'currency', step, least: null })

describe('a board of own books', () => {
  it('is its snapshot, with what was put and without what has gone since', () => {
    const [a, b, c] = [entry({ id: 'a' }), entry({ id: 'b' }), entry({ id: 'c' })]
    const board = follow(null, 'snapshot', { arbs: [a, b] })
    const changed = follow(board, 'board_changes', { put: [{ ...b, margin: 0.09 }, c], gone: ['a', 'never'] })
    expect([...changed?.values() ?? []].map(({ id, margin }) => [id, margin])).toEqual([['b', 0.09], ['c', 0.05]])
    expect([...board?.keys() ?? []]).toEqual(['a', 'b'])
    expect(follow(changed, 'snapshot', { arbs: [] })).toEqual(new Map())
  })
  it('is not known before its snapshot', () => expect(follow(null, 'board_changes', { put: [entry({})] })).toBeNull())
})

describe('stakes for a bankroll', () => {
  it('are never rounded beyond a limit that they are within, whatever the limit', () => {
    for (let limit = 10; limit < 60; limit += 0.37) {
      const legs = [leg({ price: 1.83, effective_price: 1.83, limit }), leg({ price: 2.31, effective_price: 2.31, book: 'b', outcome: 'away' })]
      const most = limit * 1.83 * (1 / 1.83 + 1 / 2.31)
      for (const step of [0.01, 0.5, 1, 5]) {
        const [first] = plan(legs, Math.floor(most * 100) / 100, step).legs
        expect(first?.stake).toBeLessThanOrEqual(limit + 1e-9)
        expect(Math.abs((first?.stake ?? 0) / step - Math.round((first?.stake ?? 0) / step))).toBeLessThan(1e-6)
      }
    }
  })

  it('are of the step of the book where it is coarser', () => {
    const [first, second] = plan(entry({}).legs, 100, 0.01, new Map([['a', sizes(5)]])).legs
    expect([first?.stake, second?.stake]).toEqual([50, 50])
    expect(plan(entry({}).legs, 101, 0.5, new Map([['a', sizes(2)]])).legs.map(({ stake }) => stake)).toEqual([50, 50.5])
  })

  it('are of the most within the limits where that is less', () => {
    expect(staked(entry({ total_stake_max: 40 }), { ...NO_BANKROLL, total: 1_000 }, none).plan?.total).toBeCloseTo(40, 1)
  })

  it('are none in a currency that is not the reader\'s, or not known', () => {
    const own = { ...NO_BANKROLL, currency: 'EUR' }
    expect(staked(entry({}), own, none).plan).not.toBeNull()
    expect(staked(entry({ currency: 'USD' }), own, none).why).toContain('USD')
    expect(staked(entry({ currency: null }), own, none)).toEqual({ plan: null, why: expect.stringContaining('not known') as string })
    expect(staked(entry({ currency: null }), NO_BANKROLL, none).plan).not.toBeNull()
  })
})

describe('what is hidden', () => {
  const pair: Hidden = { kind: 'books', key: 'a+b', name: 'a with b' }

  it('is an event, a pair of books in any order, or a league', () => {
    const hides = (what: Hidden) => isHidden(keysOf([what]), entry({}))
    expect([hides(pair), hides({ ...pair, kind: 'event', key: 'e' }), hides({ ...pair, kind: 'league', key: 'soccer_epl' }), hides({ ...pair, key: 'a' }), hides({ ...pair, kind: 'league', key: 'e' })])
      .toEqual([true, true, true, false, false])
    expect(booksOf({ legs: [leg({ book: 'z' }), leg({ book: 'c' })] })).toBe('c+z')
  })

  it('is listed once, and shown again', () => {
    const twice = add(add([], pair), pair)
    expect([twice, remove(twice, pair)]).toEqual([[pair], []])
    expect(parseHidden([pair, { kind: 'book', key: 'a', name: 'a' }, null, 3])).toEqual([pair])
  })
})

describe('alerts', () => {
  const set: SavedSet = { name: 's', query: 'verified=true', sound: true, notification: false }
  const ids = (told: ReturnType<Told['next']>) => told.map(({ entry: { id } }) => id)

  it('tell of a window once, and of none that was there before', () => {
    const told = new Told()
    expect(ids(told.next([set], [entry({ id: 'old' })], 0))).toEqual([])
    const all = [entry({ id: 'old' }), entry({ id: 'new' }), entry({ id: 'no', verified: false })]
    expect(ids(told.next([set], all, 0))).toEqual(['new'])
    expect(ids(told.next([set], all, 0))).toEqual([])
    expect(ids(told.next([set], [entry({ id: 'no' })], 0))).toEqual(['no'])
  })

  it('are off until they are switched on, and tell once of what two sets match', () => {
    const told = new Told()
    const off = { ...set, sound: false }
    expect(ids(told.next([off], [entry({ id: 'a' })], 0))).toEqual([])
    expect(ids(told.next([off], [entry({ id: 'a' }), entry({ id: 'b' })], 0))).toEqual([])
    const other = { ...set, name: 't', query: 'sport=soccer' }
    told.next([set, other], [entry({ id: 'a' })], 0)
    expect(ids(told.next([set, other], [entry({ id: 'a' }), entry({ id: 'c' })], 0))).toEqual(['c'])
  })

  it('are of sets by their names', () => {
    expect(withSet([set], { ...set, sound: false })).toEqual([{ ...set, sound: false }])
    expect(withSet([set], { ...set, name: 't' }).map(({ name }) => name)).toEqual(['s', 't'])
    expect(parseSaved([set, { name: '', query: '' }, { name: 'u', query: 'a=1' }, null])).toEqual([set, { name: 'u', query: 'a=1', sound: false, notification: false }])
  })
})

describe('what is placed', () => {
  const [first, second] = [leg({ limit: null }), leg({ book: 'b', outcome: 'away' })]
  const open = entry({ legs: [first, second] })
  const pinned = () => place([], open, first, 50)

  it('is pinned with its price and stake, and taken back', () => {
    const [pin] = pinned()
    expect([pin?.id, placedOf(pin, first), placedOf(pin, second)]).toEqual(['w', { stake: 50, price: 2.1 }, null])
    expect(place(pinned(), open, first, 50)).toEqual([])
    expect(place(pinned(), open, second, 49)[0]?.legs.every(({ placed }) => placed !== null)).toBe(true)
  })

  it('worsens from the price of the pin, also where it was placed in between', () => {
    const worse = { ...second, price: 2.05, effective_price: 2.05 }
    const live = entry({ legs: [first, worse] })
    const both = place(pinned(), live, worse, 49)
    expect(both[0] && isHedge(both[0], live)).toBe(false)
    const [back] = place(both, live, worse, 49)
    expect([back?.legs[1], back && isHedge(back, live)]).toMatchObject([{ price: second.price, placed: null }, true])
  })

  it('becomes a hedge when a leg that is not placed worsens or goes, and not when it is better', () => {
    const [pin] = pinned()
    if (pin === undefined) throw new Error('none')
    const live = (price: number) => entry({ legs: [first, { ...second, price }] })
    expect([live(2.1), live(2.2), live(2.05), entry({ legs: [first] }), null].map((it) => isHedge(pin, it))).toEqual([false, false, true, true, true])
    const other = pin.legs[1]
    expect(other && now(other, live(2.05))).toEqual({ state: 'worse', price: 2.05 })
    // Of a lay a higher price is the worse one.
    const lay = { ...second, side: 'lay' as const }
    const [laid] = place([], entry({ legs: [first, lay] }), first, 50)
    expect(laid && [2.05, 2.2].map((price) => isHedge(laid, entry({ legs: [first, { ...lay, price }] })))).toEqual([false, true])
    // The placed leg's own price does not matter any more.
    expect(isHedge(pin, entry({ legs: [{ ...first, price: 1.5 }, second] }))).toBe(false)
  })

  it('pays what its legs pay, and nothing that is known at a price whose fees are not', () => {
    const all = place(pinned(), open, second, 50)
    const [pin] = all
    expect(pin && paid(bets(pin))).toEqual({ least: 5, most: 5 })
    const [amended] = amend(all, 'w', 0, { stake: 40, price: 2.1 })
    expect(amended && paid(bets(amended))?.least).toBeCloseTo(-6, 9)
    const [other] = amend(all, 'w', 0, { stake: 50, price: 2.05 })
    expect(other && paid(bets(other))).toBeNull()
    expect(paid([])).toBeNull()
    const [laid] = place([], entry({ legs: [leg({ side: 'lay', price: 3, effective_price: 1.5 }), second] }), leg({ side: 'lay', price: 3, effective_price: 1.5 }), 10)
    expect(laid && bets(laid)).toEqual([{ risk: 20, effective: 1.5 }])
  })

  it('is read back from what was stored, and nonsense is left out', () => {
    const kept = pinned()
    expect(parsePins(JSON.parse(JSON.stringify(kept)))).toEqual(kept)
    expect(parsePins(kept.map((pin) => ({ ...pin, entry: {} })))).toEqual([])
    expect(parsePins([{ id: 'x' }, null, { id: 'x', at: '', entry: {}, legs: [{}] }])).toEqual([])
  })
})

describe('names and numbers', () => {
  it('read as a person would write them', () => {
    expect([league('americanfootball_simulated_league'), league('basketball_nba'), league('soccer_epl'), league('soccer_germany_bundesliga'), league('tennis'), sport('icehockey')])
      .toEqual(['American football, Simulated League', 'NBA', 'EPL', 'Soccer, Germany Bundesliga', 'Tennis', 'Ice hockey'])
    expect([market('h2h', 'full_time'), market('h2h', 'q3'), market('totals', 'h1'), market('spreads', 'p2')]).toEqual(['Winner', 'Winner, 3rd quarter', 'Total, 1st half', 'Handicap, 2nd period'])
    expect([count(1, 'bet'), count(2, 'bet'), count(1, 'window is', 'windows are')]).toEqual(['1 bet', '2 bets', '1 window is'])
    expect([gain(4.5), gain(-4.5), gain(0.001), money(-3)].map((text) => text.replace(',', '.'))).toEqual(['+4.50', '−4.50', '0.00', '−3.00'])
  })

  it('tell times from now', () => {
    const seconds = (value: number) => relative(value * 1_000, 0)
    expect([0, 5, -65, 3_600 * 6, 3_600 * 40, -86_400 * 3].map(seconds)).toEqual(['now', 'in 5 s', '1 min ago', 'in 6 h', 'in 40 h', '3 days ago'])
    expect([5, 99, 100, 3_600, 7_200, 200_000].map(brief)).toEqual(['5 s', '99 s', '2 min', '60 min', '2 h', '2 d'])
  })
})
