// Numbers, times and names as people read them. Pure but for the viewer's locale and zone.

const WHOLE = new Intl.NumberFormat()
const CENTS = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const SHORT = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

export const whole = (value: number) => WHOLE.format(value)
export const money = (value: number) => CENTS.format(value)

export function percent(fraction: number, digits = 2): string {
  return `${new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(fraction * 100)} %`
}

/** A fraction as percent, always with its sign. */
export function signed(fraction: number, digits = 2): string {
  const sign = fraction < 0 ? '−' : '+'
  return `${sign}${percent(Math.abs(fraction), digits)}`
}

const UNITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
/** Units of stake. */
export const units = (value: number) => UNITS.format(value)

/** Seconds in at most two units. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 10) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} days`
}

/** A time in the viewer's zone. */
export const time = (text: string) => TIME.format(new Date(text))
export const shortTime = (text: string) => SHORT.format(new Date(text))
/** The same in UTC, for the hint. */
export const utc = (text: string) => `${new Date(text).toISOString().replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`
/** A date of the UTC calendar. */
export const day = (text: string) => DAY.format(new Date(text))

/** `basketball_simulated_league` as words. */
export function words(key: string): string {
  const text = key.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const MARKETS: Record<string, string> = {
  h2h: 'Winner', h2h_3_way: 'Winner or draw', draw_no_bet: 'Draw no bet', spreads: 'Handicap', totals: 'Total',
}
const PERIODS: Record<string, string> = { full_time: '' }

/** A market with its period, such as `Total (H1)`. It has no line: each bet says its own. */
export function market(name: string, period: string): string {
  const parts = [MARKETS[name] ?? words(name), PERIODS[period] ?? `(${period.toUpperCase()})`]
  return parts.filter((part) => part !== '').join(' ')
}

export const WARNINGS: Record<string, string> = {
  push_possible: 'Some result refunds all stakes.',
  half_push_possible: 'A quarter line: some result refunds half a stake.',
  limit_unknown: 'The limit of a leg is not known.',
  least_stake_unknown: "The least stake of a leg's book is not known; 1.00 is taken.",
  void_rules_differ: 'When the match is not played as planned, one leg may be void and another not.',
}

export const CLOSINGS: Record<string, string> = {
  price_moved: 'a price moved', withdrawn: 'a price was withdrawn', suspended: 'a leg was suspended', stale: 'a price went stale',
  event_started: 'the event has started', event_ended: 'the event has ended', superseded: 'another window took its place',
  left: 'it does not match any more',
}
