// What the server answers: docs/api/*.md has the meaning of each field. Times are RFC 3339 in UTC, margins and probabilities fractions,
// prices decimal odds.

export type Flag =
  | 'simultaneous' | 'fresh' | 'active' | 'same_line' | 'same_rules' | 'independent_operators' | 'plausible_price'
  | 'plausible_margin' | 'stakeable'

export interface Match {
  id: string
  home: string
  away: string
  commence_time: string
  in_play?: boolean
}

export interface Leg {
  outcome: string
  side: 'back' | 'lay'
  book: string
  operator: string | null
  price: number
  effective_price: number
  implied_probability: number
  stake_share: number
  stake: number | null
  liability: number | null
  limit: number | null
  price_moved_at: string
  last_seen_at: string
  expected_interval_seconds: number | null
  /** Where the bet can be placed; absent where no template is known. */
  link?: string | null
}

/** A cheaper cover of the line that is not eligible. */
export interface PassedOver {
  margin: number
  legs: { outcome: string; side: 'back' | 'lay'; book: string; price: number }[]
  failed_check: { flag: string; reason: string }
}

export interface Entry {
  id: string
  sport: string
  league: string
  event: Match
  market: string
  period: string
  line: number | null
  margin: number
  margin_worst: number
  margin_rounded: number | null
  score: number
  total_stake_max: number | null
  currency: string | null
  legs: Leg[]
  verified: boolean | null
  verification: Record<Flag, boolean> | null
  failed_checks: { flag: string; reason: string }[]
  passed_over: PassedOver | null
  warnings: string[]
  /** By which topic of their clauses the legs may be paid otherwise when the match is not played as planned. */
  void_clause: string | null
  /** The most of the total stake that is lost then. */
  void_loss_max: number | null
  execution_probability: number | null
  ttl_seconds: number | null
  ttl_p10_seconds: number | null
  ttl_p90_seconds: number | null
  opened_at: string
  updated_at: string
  sequence: number
}

export interface SignalQuote {
  role: string
  outcome: string
  side: 'back' | 'lay'
  line: number | null
  book: string
  operator: string | null
  price: number
  price_from: number | null
  effective_price: number
  last_seen_at: string
}

export interface Signal {
  id: string
  kind: string
  sport: string
  league: string
  event: Match
  market: string
  period: string
  line: number | null
  outcome: string | null
  strength: number
  confidence: number
  fair: { method: string; probability: number }[]
  kelly: number | null
  bets: SignalQuote[]
  evidence: SignalQuote[]
  opened_at: string
  updated_at: string
  expires_at: string
  sequence: number
}

export interface Poll {
  source: string
  polled_at: string
}

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

/** What somebody stakes: a sum for all legs of an arb, and of what all stakes are multiples. */
export interface Bankroll {
  total: number
  /** Of three letters; null: whatever an entry's stakes are in. */
  currency: string | null
  rounding: number
}

export interface Session {
  email: string
  plan: string
  bankroll: Bankroll | null
  csrf_token: string
  expires_at: string
}

export interface Key {
  kid: string
  prefix: string
  name: string
  mode: 'live' | 'test'
  scopes: string[]
  expires_at: string | null
  cidrs: string[]
  monthly_cap: number | null
  created_at: string
  last_used_at?: string | null
  replaced_by?: string | null
}

export interface NewKey extends Key {
  key: string
}

export interface Usage {
  plan: string
  quota: number
  used: number
  remaining: number
  forfeited: number
  open_streams: number
  period_start: string
  period_end: string
  reset: string
  days: Record<string, number>
  keys: Record<string, number>
  routes: Record<string, number>
}

export interface Endpoint {
  id: string
  url: string
  description: string
  events: string[]
  filters: Record<string, string>
  policy: 'live' | 'durable'
  ordered: boolean
  rate_limit: number | null
  paused: boolean
  state: 'unverified' | 'active' | 'disabled'
  reason: string | null
  previous_secret_until: string | null
  circuit: { failures: number; open_until: string | null; waiting: number }
  created_at: string
  secret?: string
}

export interface Delivery {
  webhook_id: string
  type: string
  subject: string
  attempt: number
  outcome: string
  status: number | null
  latency_seconds: number | null
  answer: string | null
  at: string
  next_attempt_at: string | null
  event_read_at: string
}

/** What a pick's event was played on: never put together. */
export type FeedKind = 'simulated' | 'recorded' | 'live'

export interface PickGrade {
  version: number
  settlement: string
  profit: number
  home: number | null
  away: number | null
  source: string
  at: string
}

/** What a pick's book offered some time after the pick was published; no price where it offered nothing. */
export interface LaterOffer {
  price: number | null
  last_seen_at: string
}

export interface Pick {
  id: string
  bot: string
  version: number
  feed: FeedKind
  sport: string
  league: string
  event: Match
  market: string
  period: string
  line: number | null
  outcome: string
  book: string
  price: number
  probability: number
  method: string
  stake: number
  reasons: string[]
  published_at: string
  starts_at: string
  closing: { price: number | null; probability: number; last_seen_at: string } | null
  offer_after_poll: LaterOffer | null
  offer_after_minute: LaterOffer | null
  grades: PickGrade[]
  result: PickGrade | null
  closing_line_value: number | null
  disputed: { reason: string; text: string } | null
}

export interface PickPage {
  as_of: string | null
  picks: Pick[]
  next_cursor: string | null
}

/** The record of a bot in short. */
export interface ShortRecord {
  version: number
  feed: FeedKind
  picks: number
  open: number
  without_result: number
  bets: number
  return: number | null
  standard_error: number | null
  sentence: string
}

export interface EquityPoint {
  bets: number
  profit: number
  interval: [number, number] | null
}

/** Of the bets for which it was observed, the part that was still on offer. */
export interface PartOnOffer {
  bets: number
  share: number | null
  standard_error: number | null
}

export interface WholeRecord extends ShortRecord {
  /** Of the bets that nothing has refuted since. */
  undisputed: { bets: number; return: number | null; standard_error: number | null }
  interval: [number, number] | null
  closing_line_value: { bets: number; mean: number | null; standard_error: number | null }
  on_offer: { after_poll: PartOnOffer; after_minute: PartOnOffer }
  scores: { bets: number; brier: number | null; log: number | null }
  closing_scores: { bets: number; brier: number | null; log: number | null }
  calibration: { stated: number; won: number; bets: number }[]
  drawdown: number
  equity: EquityPoint[]
  leagues: { league: string; bets: number; return: number | null; standard_error: number | null }[]
  months: { month: string; bets: number; return: number | null; standard_error: number | null }[]
}

export interface Bot<R> {
  bot: string
  version: number
  rule: string
  records: R[]
}

/** A leg as the history has it. */
export interface PastLeg {
  outcome: string
  side: 'back' | 'lay'
  book: string
  price: number
  stake_share: number
}

/** What a window came to by the result of its event, had all of its stakes been placed. */
export interface WindowSettlement {
  version: number
  state: string
  home: number | null
  away: number | null
  legs: { settlement: string; returned: number }[]
  returned: number
  profit: number
  source: string
  at: string
}

/** A grading of a window; a correction is another one. */
export interface WindowGrade {
  version: number
  state: string
  home: number | null
  away: number | null
  legs: { settlement: string; returned: number }[]
  returned: number | null
  profit: number | null
  source: string
  at: string
}

export interface PastWindow {
  id: string
  feed: string
  sport: string
  league: string
  event: { id: string; home: string | null; away: string | null; commence_time: string | null }
  market: string
  period: string
  line: number | null
  in_play: boolean | null
  opened_at: string
  closed_at: string | null
  lifetime_seconds: number | null
  reason: string | null
  margin_open: number | null
  margin_peak: number | null
  margin_close: number | null
  simultaneous_ever: boolean | null
  verified_ever: boolean | null
  stood: boolean | null
  verified_stood: boolean | null
  updates: number
  legs: PastLeg[]
  settlement: WindowSettlement | null
}

export interface Transition {
  sequence: number
  change: string
  at: string
  margin: number
  verified: boolean | null
  simultaneous: boolean | null
  reason: string | null
  legs: PastLeg[]
}

/** A price of a book as the processor holds it. */
export interface ListedQuote {
  outcome: string
  side: 'back' | 'lay'
  book: string
  price: number
  effective_price: number
  limit: number | null
  status: string
  price_moved_at: string
  last_seen_at: string
  age_seconds: number | null
}

export interface Measure {
  leg: string | null
  measure: string
  value: string | number | boolean | null
  holds_when: string
  threshold: string | number | boolean | null
  holds: boolean
}

/** What the flags of an open window were decided by. */
export interface Evidence {
  sequence: number
  judged_at: string
  simultaneity: { latest_start: string; earliest_end: string; overlap_seconds: number; holds: boolean }
  legs: {
    outcome: string; side: 'back' | 'lay'; book: string; operator: string; rules: string | null; price: number; limit: number | null
    on_offer_from: string; on_offer_until: string
  }[]
  flags: { flag: string; holds: boolean; measures: Measure[] }[]
  quotes: ListedQuote[]
}

export interface WindowHistory {
  open: Entry | null
  /** Null of a window that has closed, and while the server reads the processor's state after a start. */
  evidence?: Evidence | null
  window?: PastWindow | null
  transitions?: Transition[]
  gradings?: WindowGrade[]
}

export interface PricePoint {
  at: string
  price: number | null
}

export interface ArbPrices {
  id: string
  since: string
  until: string
  opened_at: string
  closed_at: string | null
  legs: { outcome: string; side: 'back' | 'lay'; book: string; books: BookPrices[] }[]
}

/** The prices of a bet at a book over time. */
export interface BookPrices {
  book: string
  points: PricePoint[]
}

/** An event with all its prices. */
export interface EventOdds {
  as_of: string | null
  event: { id: string; sport: string; league: string; home: string; away: string; commence_time: string; in_play: boolean; books: number; arbs: number }
  lines: { market: string; period: string; line: number | null; quotes: (ListedQuote & { is_best: boolean })[] }[]
}

/** The prices of one line over time, by bet. */
export interface OddsHistory {
  since: string
  until: string
  bets: { outcome: string; side: 'back' | 'lay'; books: BookPrices[] }[]
}

/** What an entry costs once one leg is placed. */
export interface Hedge {
  id: string
  currency: string | null
  legs: { outcome: string; side: 'back' | 'lay'; book: string; price: number; placed: boolean; stake: number; liability: number | null }[]
  total_stake: number
  worst_profit: number | null
  results: { legs: string[]; profit: number }[]
}

/** Where a row of the table of books is stated, and the days since which it holds and on which it was last checked. */
export interface Origin {
  from: string | null
  source: string | null
  checked_at: string | null
}

export interface BookFee extends Origin {
  kind: 'none' | 'commission' | 'kalshi' | 'polymarket'
  rate: number
  league: string | null
  holds: boolean
}

/** A sentence of a book about how it settles bets of a league, or of all, in some markets, or in all. */
export interface BookClause extends Origin {
  topic: string
  value: string
  league: string | null
  markets: string[]
  says: string
}

/** The least order that a book takes; 0 is no bound of its kind. */
export interface LeastOrder {
  /** Of a lay the backer's stake. */
  stake: number
  /** What a lay risks. */
  liability: number
  contracts: number
}

/** In what sizes a book takes bets: multiples of a step, in units of its currency or in contracts, each of which pays one unit or nothing. */
export interface BookSizes extends Origin {
  unit: 'currency' | 'contract'
  step: number
  /** Null: not known; one unit of the currency is taken, and of a lay as much at risk. */
  least: LeastOrder | null
}

export interface ListedBook extends Origin {
  key: string
  operator: string
  kind: string
  currency: string | null
  /** Empty: nothing beyond its price. */
  fees: BookFee[]
  /** What it states about how it settles; what no clause states is not known. */
  clauses: BookClause[]
  sizes: BookSizes
  expected_interval_seconds: number | null
  last_seen_at: string | null
  stale_since: string | null
  prices_on_offer: number
  stale_events: number
  is_suspended: boolean
}

/** The state of the service, for anybody. */
export interface Status {
  status: 'starting' | 'ok' | 'stale'
  as_of: string | null
  sources: Record<string, { polled_at: string }>
  /** By role, records of Kafka that it has not read yet; without a role that is not known. */
  lag_records?: Record<string, number>
}

export interface TruthCounts {
  windows: number
  phantoms: number
  phantom_share: number | null
  verified: number
  closed: number
  median_lifetime_seconds: number | null
}

/** Of closed windows that a confirmation of their legs has answered, those whose legs all stood. */
export interface Standing {
  by: 'phase' | 'league' | 'gap' | 'book'
  of: string | null
  phase: string
  verdict: 'opened' | 'verified'
  windows: number
  stood: number
  share: number | null
  error: number | null
}

export interface Truth {
  hours: number
  feed: string | null
  since: string | null
  until: string | null
  stored_at: string | null
  phases: (TruthCounts & { phase: string })[]
  books: (TruthCounts & { book: string; age_p50_seconds: number | null; age_p95_seconds: number | null; age_p99_seconds: number | null })[]
  standing: Standing[]
  lifetimes: { phase: string; windows: number; closed_by_p10: number | null; closed_by_median: number | null; closed_by_p90: number | null }[]
  execution: { windows: number; stated: number; lived: number }[]
}
