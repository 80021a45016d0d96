import { describe, expect, it } from 'vitest'
import { checkedAt, clauseText, feesText, sizesText } from './conditions'
import type { BookClause, BookFee, BookSizes, ListedBook } from './types'

const origin = { from: '2025-01-01', source: 'a page', checked_at: '2026-11-21' }
const fee = (change: Partial<BookFee>): BookFee => ({ ...origin, kind: 'commission', rate: 0.05, league: null, holds: true, ...change })
const book = (change: Partial<ListedBook>): ListedBook => ({
  ...origin, key: 'a', operator: 'a', kind: 'exchange', currency: 'USD', is_in_table: true, native_form: null, fees: [], clauses: [], sizes: { from: null, source: null, checked_at: null, unit: 'currency', step: 0.01, least: null }, expected_interval_seconds: null, polled_every_seconds: null,
  last_seen_at: null, stale_since: null, prices_on_offer: 0, stale_events: 0, is_suspended: false, ...change,
})

const clause = (change: Partial<BookClause>): BookClause => ({ ...origin, topic: 'level', value: 'dead_heat', league: null, markets: [], says: 'A tie pays half.', ...change })

describe('conditions of a book', () => {
  it('are the fees that hold at present', () => {
    expect(feesText(book({}))).toBe('none')
    const fees = [fee({ rate: 0.03, kind: 'polymarket', holds: false }), fee({ kind: 'polymarket' })]
    expect(feesText(book({ fees }))).toBe('5 % · p(1 − p)')
    expect(feesText(book({ fees: [fee({}), fee({ rate: 0.1, league: 'rugbyleague_nrl' })] }))).toBe('5 % of winnings; 10 % of winnings in rugbyleague_nrl')
    expect(feesText(book({ fees: [fee({ kind: 'none', rate: 0 })] }))).toBe('0 %')
  })

  it('were checked when the oldest part was, or never', () => {
    expect(checkedAt(book({ fees: [fee({ checked_at: '2026-11-26' })] }))).toBe('2026-11-21')
    expect(checkedAt(book({ fees: [fee({ checked_at: null })] }))).toBeNull()
    expect(checkedAt(book({ fees: [fee({ checked_at: null, holds: false })] }))).toBe('2026-11-21')
    expect(checkedAt(book({ clauses: [clause({ checked_at: '2026-01-01' })] }))).toBe('2026-01-01')
  })

  it('are the sizes that it takes', () => {
    const of = (change: Partial<BookSizes>) => sizesText(book({ sizes: { ...origin, unit: 'currency', step: 0.01, least: null, ...change } }))
    expect(of({})).toBe('not known, 1.00 is taken')
    expect(of({ least: { stake: 2, liability: 1, contracts: 0 } })).toBe('2.00, 1.00 at risk of a lay')
    expect(of({ unit: 'contract', step: 1, least: { stake: 0, liability: 0, contracts: 5 } })).toBe('5 contracts in steps of 1 of a contract')
    expect(of({ step: 0.5, least: { stake: 0, liability: 0, contracts: 0 } })).toBe('any in steps of 0.5')
  })

  it('are clauses with the sentence that each rests on', () => {
    expect(clauseText(clause({ checked_at: null }))).toBe('Level: Dead heat — “A tie pays half.”')
    expect(clauseText(clause({ league: 'icehockey_nhl', markets: ['h2h'], checked_at: null }))).toContain('Level (icehockey_nhl, h2h):')
  })
})
