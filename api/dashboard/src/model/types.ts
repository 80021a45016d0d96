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
  operator: string
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
  verified: boolean
  verification: Record<Flag, boolean>
  failed_checks: { flag: string; reason: string }[]
  warnings: string[]
  execution_probability: number
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
  operator: string
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
  signals: Signal[]
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

export interface Session {
  email: string
  plan: string
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
  last_used_at: string | null
  replaced_by: string | null
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
