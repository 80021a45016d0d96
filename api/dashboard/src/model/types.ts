// What the server answers, by the types that are made of its OpenAPI document (`openapi.d.ts`): docs/api/*.md has the meaning of each field. Times are RFC 3339 in UTC,
// margins and probabilities fractions, prices decimal odds. Only what a stream sends is written here.

import type { components } from './openapi'

/** With decimal odds in place of odds in any format: the page asks for no others. */
type Decimal<T> = [number | string, NonNullable<T>] extends [NonNullable<T>, number | string] ? number | Extract<T, null>
  : T extends readonly (infer Item)[] ? Decimal<Item>[]
    : T extends object ? { [Field in keyof T]: Decimal<T[Field]> } : T
type Schemas = components['schemas']
type Answer<Name extends keyof Schemas> = Decimal<Schemas[Name]>
type ItemOf<List> = NonNullable<List> extends readonly (infer Item)[] ? Item : never

export type Match = Answer<'Event'>
export type Leg = Answer<'Leg'>
export type Entry = Answer<'Arb'>
export type Flag = keyof Entry['verification']
/** A cheaper cover of the line that is not eligible. */
export type PassedOver = NonNullable<Entry['passed_over']>
export type SignalQuote = Answer<'SignalQuote'>
export type Signal = Answer<'Signal'>
export type Poll = Answer<'Poll'>
/** The score of an event in play, for display. */
export type Score = Answer<'Score'>

export interface Snapshot {
  as_of: string | null
  stale: boolean
  polls: Poll[]
  arbs: Entry[]
  /** Absent where the stream was not asked for edge signals. */
  signals?: Signal[]
}

export interface StaleAlert {
  scope: 'book' | 'arb'
  state: 'stale' | 'recovered' | 'gone'
  book: string | null
  arb_id: string | null
  sport: string
  league: string
  event: Match
  last_seen_at: string | null
  expected_interval_seconds: number | null
  at: string
}

export type Bankroll = Answer<'Bankroll'>
export type Session = Answer<'Session'>
export type Key = Answer<'Key'>
export type NewKey = Answer<'NewKey'>
export type Usage = Answer<'Usage'>
export type Endpoint = Answer<'Webhook'>
export type Delivery = Answer<'Delivery'>

export type Pick = Answer<'Pick'>
/** What a pick's event was played on: never put together. */
export type FeedKind = Pick['feed']
export type PickGrade = Answer<'PickGrade'>
/** What a pick's book offered some time after the pick was published; no price where it offered nothing. */
export type LaterOffer = Answer<'LaterOffer'>
export type PickPage = Answer<'PickPage'>
/** The record of a bot in short. */
export type ShortRecord = Answer<'BotRecordShort'>
export type WholeRecord = Answer<'BotRecord'>
export type EquityPoint = ItemOf<WholeRecord['equity']>
/** Of the bets for which it was observed, the part that was still on offer. */
export type PartOnOffer = WholeRecord['on_offer']['after_poll']
export type Bot = Answer<'Bot'>
export type ListedBot = ItemOf<Answer<'BotList'>['bots']>

export type PastWindow = Answer<'Window'>
/** A leg as the history has it. */
export type PastLeg = ItemOf<PastWindow['legs']>
/** What a window came to by the result of its event, had all of its stakes been placed. */
export type WindowSettlement = Answer<'WindowSettlement'>
/** A grading of a window; a correction is another one. */
export type WindowGrade = Answer<'WindowGrade'>
export type Transition = Answer<'Transition'>
/** A price of a book as the processor holds it. */
export type ListedQuote = Answer<'Quote'>
/** What the flags of an open window were decided by. */
export type Evidence = Answer<'Evidence'>
export type Measure = ItemOf<ItemOf<Evidence['flags']>['measures']>
export type WindowHistory = Answer<'WindowHistory'>
export type ArbPrices = Answer<'ArbPrices'>
/** The prices of a bet at a book over time. */
export type BookPrices = Answer<'PriceSeries'>
export type PricePoint = ItemOf<BookPrices['points']>
/** An event with all its prices. */
export type EventOdds = Answer<'Odds'>
/** The prices of one line over time, by bet. */
export type OddsHistory = Answer<'OddsHistory'>
/** What an entry costs once legs are placed. */
export type Hedge = Answer<'Hedge'>

export type ListedBook = ItemOf<Answer<'BookList'>['books']>
export type BookFee = ItemOf<ListedBook['fees']>
/** A sentence of a book about how it settles bets of a league, or of all, in some markets, or in all. */
export type BookClause = ItemOf<ListedBook['clauses']>
/** In what sizes a book takes bets: multiples of a step, in units of its currency or in contracts, each of which pays one unit or nothing. */
export type BookSizes = ListedBook['sizes']
/** The least order that a book takes; 0 is no bound of its kind. */
export type LeastOrder = NonNullable<BookSizes['least']>
/** Where a row of the table of books is stated, and the days since which it holds and on which it was last checked. */
export type Origin = globalThis.Pick<BookSizes, 'from' | 'source' | 'checked_at'>
/** The state of the service, for anybody. */
export type Status = Answer<'Status'>

export type Truth = Answer<'Truth'>
export type TruthCounts = Omit<ItemOf<Truth['phases']>, 'phase'>
/** Of closed windows that a confirmation of their legs has answered, those whose legs all stood. */
export type Standing = ItemOf<Truth['standing']>
