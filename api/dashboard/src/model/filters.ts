// The filters of the board, kept in the URL: the API's own names, and `find` and the order by profit, which are the page's. Pure.

import { family, league } from './text'
import type { Entry } from './types'

export interface Filters {
  sport: string
  league: string
  market: string
  book: string
  verified: '' | 'true' | 'false'
  in_play: '' | 'true' | 'false'
  min_margin: string
  min_stake: string
  max_age: string
  /** With `commissions`: what the server computes the board for. */
  books: string
  commissions: string
  /** Words that a row has, in any order. */
  find: string
  sort: Sort
}

export type Sort = 'rank' | 'margin' | 'profit' | 'ttl_seconds' | 'opened_at' | 'commence_time'
export const SORTS: readonly Sort[] = ['rank', 'margin', 'profit', 'ttl_seconds', 'opened_at', 'commence_time']
export const NO_FILTERS: Filters = {
  sport: '', league: '', market: '', book: '', verified: '', in_play: '', min_margin: '', min_stake: '', max_age: '', books: '', commissions: '', find: '',
  sort: 'rank',
}
const NUMBERS = new Set(['min_margin', 'min_stake', 'max_age'])

/** Of a query; a value that no filter can have is left out. */
export function parse(query: string): Filters {
  const given = new URLSearchParams(query)
  const filters = { ...NO_FILTERS }
  for (const [name, value] of given) {
    const isKnown =
      name === 'sort' ? (SORTS as readonly string[]).includes(value)
      : name === 'verified' || name === 'in_play' ? ['true', 'false'].includes(value)
      : NUMBERS.has(name) ? value !== '' && Number.isFinite(Number(value)) && Number(value) >= 0
      : name in NO_FILTERS
    if (isKnown) Object.assign(filters, { [name]: value })
  }
  return filters
}

/** As a query, without what is not set. */
export function query(filters: Filters): string {
  const set = Object.entries(filters).filter(([name, value]) => value !== NO_FILTERS[name as keyof Filters])
  return new URLSearchParams(set).toString()
}

/** Whether an entry is shown; `now` is the time of the market, in milliseconds. */
export function matches(filters: Filters, entry: Entry, now: number): boolean {
  const at = (text: string, given: () => number, holds: (wanted: number, given: number) => boolean) => text === '' || holds(Number(text), given())
  return (
    (filters.sport === '' || entry.sport === filters.sport || entry.league === filters.sport) &&
    (filters.league === '' || entry.league === filters.league) &&
    (filters.market === '' || entry.market === filters.market) &&
    (filters.book === '' || entry.legs.some((leg) => leg.book === filters.book)) &&
    (filters.verified === '' || String(entry.verified) === filters.verified) &&
    (filters.in_play === '' || String(entry.event.in_play ?? false) === filters.in_play) &&
    at(filters.min_margin, () => entry.margin, (least, margin) => margin >= least) &&
    at(filters.min_stake, () => entry.total_stake_max ?? Infinity, (least, stake) => stake >= least) &&
    at(filters.max_age, () => oldest(entry, now), (most, age) => age <= most) &&
    (filters.find === '' || finds(filters.find, entry))
  )
}

/** Whether each word is in a name of the entry. */
function finds(text: string, { event, league: key, market, legs }: Entry): boolean {
  const names = [event.home, event.away, key, league(key), family(market), ...legs.map(({ book }) => book)].join(' ').toLowerCase()
  return text.toLowerCase().split(/\s+/).every((word) => names.includes(word))
}

/** The age of an entry's oldest leg, in seconds. */
export function oldest(entry: Entry, now: number): number {
  return Math.max(...entry.legs.map((leg) => (now - Date.parse(leg.last_seen_at)) / 1000))
}

/** The order of the API: verified first, then the score, then the id; or that of another field. `profit` is what the reader's stakes bring. */
export function compare(sort: Sort, profit: (entry: Entry) => number = () => 0): (a: Entry, b: Entry) => number {
  const byId = (a: Entry, b: Entry) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  const keys: Record<Sort, (a: Entry, b: Entry) => number> = {
    rank: (a, b) => Number(b.verified) - Number(a.verified) || b.score - a.score,
    margin: (a, b) => b.margin - a.margin,
    profit: (a, b) => profit(b) - profit(a),
    ttl_seconds: (a, b) => b.ttl_seconds - a.ttl_seconds,
    opened_at: (a, b) => Date.parse(b.opened_at) - Date.parse(a.opened_at),
    commence_time: (a, b) => Date.parse(a.event.commence_time) - Date.parse(b.event.commence_time),
  }
  return (a, b) => keys[sort](a, b) || byId(a, b)
}

/** What is shown while rows are held: those that were shown, where they were, and how many have come since. */
export function held(shown: readonly string[], now: readonly string[]): { ids: readonly string[]; more: number } {
  const known = new Set(shown)
  return { ids: shown, more: now.filter((id) => !known.has(id)).length }
}
