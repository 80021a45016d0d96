import { stood } from './standing'
import { describe, expect, it } from 'vitest'
import { bet, bets } from './bet'
import table from './bets.json'
import { measured } from './evidence'
import { compare, held, matches, NO_FILTERS, parse, query } from './filters'
import { apply, emptyMarket } from './market'
import { safeLink } from './link'
import { odds } from './odds'
import { ownQuery, parseOwn } from './own_books'
import { aligned, endings } from './series'
import { plan } from './stakes'
import { duration, market, percent, signed } from './text'
import type { BookSizes, Entry, Leg, PastWindow } from './types'

function leg(fields: Partial<Leg>): Leg {
  return {
    outcome: 'home', side: 'back', book: 'a', operator: 'a', link: null, rounded: false, price: 2.1, effective_price: 2.1, implied_probability: 1 / 2.1, stake_share: 0.5,
    stake: 50, liability: null, limit: null, price_moved_at: '2026-01-01T00:00:00Z', last_seen_at: '2026-01-01T00:00:00Z',
    expected_interval_seconds: 60, age_seconds: 0, ...fields,
  }
}

function entry(fields: Partial<Entry>): Entry {
  const event = { id: 'e', home: 'H', away: 'A', commence_time: '2026-01-02T00:00:00Z', in_play: false }
  return {
    id: 'a', kind: 'surebet', implied_probability: 0.98, expires_at: '2026-01-01T00:01:00Z', sport: 'soccer', league: 'soccer_l', event, market: 'totals', period: 'full_time', line: 2.5, margin: 0.02, margin_worst: 0.02,
    margin_rounded: 0.02, score: 0.01, total_stake_max: 500, currency: 'USD', legs: [leg({}), leg({ book: 'b', outcome: 'away' })],
    verified: true, verification: {} as Entry['verification'], failed_checks: [], passed_over: null, warnings: [], void_clause: null, void_loss_max: null, execution_probability: 0.9, ttl_seconds: 60,
    ttl_p10_seconds: 10, ttl_p90_seconds: 300, opened_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', sequence: 1, ...fields,
  }
}

describe('odds', () => {
  it('are written in each format', () => {
    expect(odds(1.5, 'decimal')).toBe('1.50')
    expect(odds(1.862, 'decimal')).toBe('1.862')
    expect(odds(2.5, 'american')).toBe('+150')
    expect(odds(1.5, 'american')).toBe('−200')
    expect(odds(2, 'american')).toBe('+100')
    expect(odds(1.4, 'fractional')).toBe('2/5')
    expect(odds(3.5, 'fractional')).toBe('5/2')
    expect(odds(5, 'fractional')).toBe('4/1')
    expect(odds(1, 'decimal')).toBe('–')
  })

  it('of a fraction are the price again, within a hundredth of the profit', () => {
    for (let price = 1.02; price < 30; price += 0.0137) {
      const [top = 0, parts = 1] = odds(price, 'fractional').split('/').map(Number)
      expect(Math.abs(top / parts + 1 - price)).toBeLessThan(0.01)
    }
  })
})

describe('a bet', () => {
  const names = { home: 'Inverlee Anchors', away: 'Lowmarsh Kites' }

  it.each(table)('is "$bet"', ({ outcome, side, line, bet: text }) => {
    expect(bet({ side: side as Leg['side'], outcome }, line, names)).toBe(text.replace(/ -(?=\d)/, ' −'))
  })

  it('does not let a name turn its line around', () => {
    expect(bet({ side: 'back', outcome: 'home' }, 1.5, { ...names, home: '\u202eAnchors\u2066' })).toBe('Anchors +1.5')
  })

  it('says its own line among others, of a handicap with the sign of its side', () => {
    const [over, under] = [{ side: 'back', outcome: 'over', line: 55.5 }, { side: 'back', outcome: 'under', line: 59.5 }] as const
    expect(bets([over, under], 55.5, names)).toBe('Over 55.5 / Under 59.5')
    const [home, away] = [{ side: 'back', outcome: 'home' }, { side: 'lay', outcome: 'away' }] as const
    expect(bets([{ ...home, line: 3 }, { ...away, side: 'back', line: 1 }], 3, names)).toBe('Inverlee Anchors +3 / Lowmarsh Kites −1')
    expect(bets([home, away], 3, names)).toBe('Inverlee Anchors +3 / Lay Lowmarsh Kites −3')
  })
})

describe('stakes', () => {
  // The entry of docs/api/arbs.md: a back and a lay bet on one outcome.
  const legs = [
    leg({ price: 1.95238, effective_price: 1.95238 }),
    leg({ side: 'lay', price: 1.862068, effective_price: 2.136801, limit: 777.5 }),
  ]

  it('for a total of 100 are those that the API states', () => {
    const made = plan(legs, 100, 0.01)
    expect(made.legs.map((leg) => leg.stake)).toEqual([52.25, 55.38])
    expect(made.legs[1]?.risk).toBeCloseTo(47.74, 2)
    expect(made.least).toBeCloseTo(2.01, 1)
    expect(made.above).toBe(0)
  })

  it('above a limit are marked', () => {
    expect(plan(legs, 5000, 1).legs.map((leg) => leg.isAbove)).toEqual([false, true])
  })

  it('less than a book takes are marked', () => {
    const sizes = (least: BookSizes['least']): BookSizes => ({ from: null, source: null, checked_at: null, unit: 'currency', step: 0.01, least })
    const below = (total: number, least: BookSizes['least']) => plan(legs, total, 0.01, new Map(legs.map((leg) => [leg.book, sizes(least)]))).below
    expect([plan(legs, 1.5, 0.01).below, plan(legs, 100, 0.01).below]).toEqual([2, 0])
    expect(below(1.5, { stake: 0.05, liability: 0, contracts: 0 })).toBe(0)
    expect(below(100, { stake: 0, liability: 60, contracts: 0 })).toBe(1)
    expect(below(100, { stake: 0, liability: 0, contracts: 1e6 })).toBe(2)
  })

  it('return the margin before they are rounded, whatever the prices', () => {
    for (let price = 1.1; price < 8; price += 0.31) {
      const two = [leg({ price, effective_price: price }), leg({ price: 3, effective_price: 3 })]
      const margin = 1 / (1 / price + 1 / 3) - 1
      const made = plan(two, 1000, 1e-6)
      expect(made.least / made.total).toBeCloseTo(margin, 6)
      expect(made.most / made.total).toBeCloseTo(margin, 6)
      expect(made.total).toBeCloseTo(1000, 4)
    }
  })

  it('are multiples of the step', () => {
    for (const step of [0.1, 0.5, 5]) {
      for (const { stake } of plan(legs, 321.7, step).legs) expect(Math.abs(stake / step - Math.round(stake / step))).toBeLessThan(1e-6)
    }
  })
})

describe('the market', () => {
  const snapshot = { as_of: '2026-01-01T00:00:00Z', stale: false, polls: [], arbs: [entry({}), entry({ id: 'b' })], signals: [] }

  it('is what a snapshot and later events leave', () => {
    const market = emptyMarket()
    apply(market, 'snapshot', snapshot, '1')
    apply(market, 'arb_window', { ...entry({ id: 'c', updated_at: '2026-01-01T00:01:00Z' }), change: 'opened' }, '2')
    apply(market, 'close_signal', { id: 'a', reason: 'price_moved' }, '3')
    apply(market, 'arb_window', { ...entry({ id: 'b' }), change: 'left' }, '')
    apply(market, 'close_signal', { id: 'never held', reason: 'stale' }, '')
    expect([...market.entries.keys()]).toEqual(['c'])
    expect([...market.closed]).toEqual([['a', 'price_moved'], ['b', 'left']])
    expect([market.lastId, market.asOf]).toEqual(['3', '2026-01-01T00:01:00Z'])
    apply(market, 'snapshot', { ...snapshot, arbs: [] }, '4')
    expect(market.entries.size).toBe(0)
  })

  it('closes signals by the reason of their last event', () => {
    const market = emptyMarket()
    apply(market, 'edge_signal', { id: 's', change: 'opened' }, '1')
    apply(market, 'edge_signal', { id: 't', change: 'updated' }, '2')
    apply(market, 'edge_signal', { id: 's', change: 'faded' }, '3')
    expect([...market.signals.keys()]).toEqual(['t'])
  })

  it('does not go back in time with a heartbeat', () => {
    const market = emptyMarket()
    apply(market, 'snapshot', snapshot, '1')
    apply(market, 'heartbeat', { as_of: null, stale: true }, '1')
    expect([market.asOf, market.stale]).toEqual(['2026-01-01T00:00:00Z', true])
  })
})

describe('filters', () => {
  const now = Date.parse('2026-01-01T00:00:30Z')

  it('survive the URL, and nonsense is left out', () => {
    const filters = parse('sport=soccer&min_margin=0.02&verified=true&sort=margin')
    expect(parse(query(filters))).toEqual(filters)
    expect(parse('sort=x&verified=2&min_margin=a&min_stake=-1&other=1&__proto__=1')).toEqual(NO_FILTERS)
    expect(query(NO_FILTERS)).toBe('')
  })

  it('hold as on the server', () => {
    const shown = (text: string, fields: Partial<Entry> = {}) => matches(parse(text), entry(fields), now)
    expect(shown('')).toBe(true)
    expect(shown('sport=soccer_l')).toBe(true)
    expect(shown('sport=tennis')).toBe(false)
    expect(shown('book=b')).toBe(true)
    expect(shown('book=c')).toBe(false)
    expect(shown('min_margin=0.02')).toBe(true)
    expect(shown('min_margin=0.021')).toBe(false)
    expect(shown('min_stake=1000')).toBe(false)
    expect(shown('min_stake=1000', { total_stake_max: null })).toBe(true)
    expect(shown('max_age=30')).toBe(true)
    expect(shown('max_age=29')).toBe(false)
    expect(shown('verified=false')).toBe(false)
  })

  it('order verified entries first', () => {
    const list = [entry({ id: 'z', verified: false, score: 9 }), entry({ id: 'b' }), entry({ id: 'a' }), entry({ id: 'c', score: 0.5 })]
    expect(list.sort(compare('rank')).map((entry) => entry.id)).toEqual(['c', 'a', 'b', 'z'])
  })

  it('keep rows that are held where they are', () => {
    expect(held(['a', 'b', 'c'], ['c', 'd', 'a'])).toEqual({ ids: ['a', 'b', 'c'], more: 1 })
  })
})

describe('text', () => {
  it('names markets and durations', () => {
    expect(market('spreads', 'full_time')).toBe('Handicap')
    expect(market('totals', 'h1')).toBe('Total, 1st half')
    expect([duration(59), duration(61), duration(720), duration(7260), duration(-3)]).toEqual(['59 s', '1 min 1 s', '12 min', '2 h 1 min', '0 s'])
    expect(percent(0.0212).replace(',', '.')).toBe('2.12 %')
  })
})

describe('links', () => {
  it('lead to http and https alone, whatever the field has', () => {
    expect(safeLink('https://book.example/bet?id=1')).toBe('https://book.example/bet?id=1')
    expect(safeLink('http://book.example')).toBe('http://book.example/')
    for (const wrong of ['javascript:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'file:///etc', '//book.example', 'book.example', '', null, undefined,
      'https://user:word@book.example/']) {
      expect(safeLink(wrong)).toBeNull()
    }
  })
})

describe('own books', () => {
  it('are the same address in any order, and nonsense is left out', () => {
    const own = parseOwn('b,a,,a', 'b:2,a:0.5,c:26,d:x,e,:1,f:')
    expect(ownQuery(own)).toEqual({ books: 'a,b', commissions: 'a:0.5,b:2' })
    expect(ownQuery(parseOwn('', ''))).toEqual({ books: '', commissions: '' })
  })

  it('are no filter of the page', () => {
    expect(matches(parse('books=z&commissions=z:2'), entry({}), 0)).toBe(true)
    expect(query(parse('books=z'))).toBe('books=z')
  })
})

describe('series', () => {
  const at = (second: number) => new Date(second * 1000).toISOString()

  it('keep their last value on the times of all', () => {
    const points = (...pairs: [number, number | null][]) => pairs.map(([second, price]) => ({ at: at(second), price }))
    expect(aligned([points([1, 2], [3, 2.2]), points([2, 3], [4, null])], at(5))).toEqual([
      [1, 2, 3, 4, 5], [2, 2, 2.2, 2.2, 2.2], [null, 3, 3, null, null],
    ])
    expect(aligned([], at(5))).toEqual([[5]])
  })

  it('tell how windows ended, without the one that is looked at and those that are open', () => {
    const window = (id: string, reason: string | null, lifetime: number): PastWindow => ({
      id, feed: 'f', kind: 'surebet', sport: 's', league: 'l', event: { id: 'e', home: 'H', away: 'A', commence_time: at(0) }, market: 'totals', period: 'full_time', line: null,
      in_play: false, opened_at: at(0), closed_at: reason === null ? null : at(lifetime), lifetime_seconds: reason === null ? null : lifetime, reason,
      margin_open: null, margin_peak: null, margin_close: null, simultaneous_ever: id < 'c', verified_ever: false, stood: null, verified_stood: null, updates: 0, legs: [], settlement: null,
    })
    const list = [window('a', 'price_moved', 10), window('b', 'withdrawn', 30), window('c', 'price_moved', 20), window('d', null, 0), window('e', 'stale', 900)]
    expect(endings(list, 'e')).toEqual({
      closed: 3, phantoms: 1, reasons: [{ reason: 'price_moved', count: 2 }, { reason: 'withdrawn', count: 1 }], lifetimes: { p10: 10, median: 20, p90: 30 },
    })
    expect(endings([], 'a').lifetimes).toBeNull()
  })
})

describe('signed percents', () => {
  it('have a sign each', () => {
    expect([signed(0.05, 0), signed(-0.05, 0), signed(0, 0)]).toEqual(['+5 %', '−5 %', '+0 %'])
  })
})

describe('evidence', () => {
  it('is shown in the unit of what is compared', () => {
    expect(measured('age_seconds', 12.34)).toBe('12.3 s')
    expect(measured('margin', 0.0312)).toBe('3.12 %')
    expect(measured('other_operators', 2)).toBe('2')
    expect(measured('is_on_line_of_first_leg', true)).toBe('yes')
    expect(measured('status', 'on_offer')).toBe('On offer')
    expect(measured('operator', 'alder_group')).toBe('alder_group')
    expect(measured('rules', null)).toBe('none')
  })
})

describe('windows that stood', () => {
  const row = (verdict: 'opened' | 'verified', windows: number, of: number) => ({ by: 'phase' as const, of: null, phase: 'in-play', verdict, windows, stood: of, share: null, error: null })
  it('are counted by verdict, with the standard error', () => {
    const rows = [row('opened', 60, 3), row('verified', 60, 10), row('verified', 40, 10)]
    expect(stood(rows, 'verified')).toEqual({ windows: 100, stood: 20, share: 0.2, error: Math.sqrt(0.2 * 0.8 / 100) })
    expect(stood([], 'opened')).toEqual({ windows: 0, stood: 0, share: null, error: null })
  })
})
