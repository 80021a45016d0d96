// Numbers, times and names as people read them. Pure but for the viewer's locale and zone.

const WHOLE = new Intl.NumberFormat()
const CENTS = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const SHORT = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** One minus sign for all numbers, as wide as a digit; a formatter has the hyphen in some locales. */
const minus = (text: string) => text.replace(/^-/, '−')

export const whole = (value: number) => WHOLE.format(value)
export const money = (value: number) => minus(CENTS.format(value))
/** An amount that was won or lost, always with its sign. */
export const gain = (value: number) => (Math.abs(value) < 0.005 ? CENTS.format(0) : `${value < 0 ? '−' : '+'}${CENTS.format(Math.abs(value))}`)

/** So many of a thing: `1 bet`, `2 bets`. */
export const count = (value: number, one: string, more = `${one}s`) => `${whole(value)} ${value === 1 ? one : more}`

const PERCENTS = [0, 1, 2].map((digits) => new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits }))

export function percent(fraction: number, digits: 0 | 1 | 2 = 2): string {
  return `${minus(PERCENTS[digits]?.format(fraction * 100) ?? '')} %`
}

/** A fraction as percent, always with its sign. */
export function signed(fraction: number, digits: 0 | 1 | 2 = 2): string {
  const sign = fraction < 0 ? '−' : '+'
  return `${sign}${percent(Math.abs(fraction), digits)}`
}

const UNITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
/** Units of stake. */
export const units = (value: number) => minus(UNITS.format(value))

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

const UNITS_OF_TIME: [number, string, string][] = [[86_400, 'day', 'days'], [3_600, 'h', 'h'], [60, 'min', 'min'], [1, 's', 's']]

/** How far a time is from now, in one unit: `in 6 h`, `5 min ago`. */
export function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000)
  const [size, one, more] = UNITS_OF_TIME.find(([size], index) => Math.abs(seconds) >= (index === 0 ? 2 * size : size)) ?? [1, 's', 's']
  const number = Math.round(Math.abs(seconds) / size)
  if (number === 0) return 'now'
  const text = `${number} ${number === 1 ? one : more}`
  return seconds > 0 ? `in ${text}` : `${text} ago`
}

/** Seconds in one unit, for a column. */
export function brief(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 100) return `${whole} s`
  if (whole < 6_000) return `${Math.round(whole / 60)} min`
  return whole < 172_800 ? `${Math.round(whole / 3_600)} h` : `${Math.round(whole / 86_400)} d`
}

/** A time in the viewer's zone. */
export const time = (text: string) => TIME.format(new Date(text))
export const shortTime = (text: string) => SHORT.format(new Date(text))
/** The same in UTC, for the hint. */
export const utc = (text: string) => `${new Date(text).toISOString().replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`
/** A date of the UTC calendar. */
export const day = (text: string) => DAY.format(new Date(text))

/** Words of keys that are not written as they are spelled. */
const SPELLED: Record<string, string> = {
  americanfootball: 'American football', icehockey: 'Ice hockey', aussierules: 'Australian rules', rugbyleague: 'Rugby league', rugbyunion: 'Rugby union',
  mma: 'Mixed martial arts', h2h: 'Winner',
}
const INITIALS = new Set([
  'nba', 'wnba', 'nfl', 'cfl', 'ufl', 'nhl', 'ahl', 'khl', 'shl', 'mlb', 'npb', 'kbo', 'mls', 'epl', 'ncaa', 'ncaaf', 'ncaab', 'ufc', 'uefa', 'fifa', 'atp', 'wta', 'itf', 'ipl', 'odi', 'afl', 'nrl',
  'efl', 'usa', 'uk', 'us', 'api', 'id',
])

/** The text of a key: `given_up` as `Given up`. */
export function words(key: string): string {
  const text = key.split('_').map((word) => SPELLED[word]?.toLowerCase() ?? (INITIALS.has(word) ? word.toUpperCase() : word)).join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A sport by its key. */
export const sport = (key: string) => SPELLED[key] ?? words(key)

const capital = (word: string) => (INITIALS.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1))

/** A league by its key, which begins with that of its sport: `americanfootball_nfl` as `NFL`, `basketball_simulated_league` as `Basketball, Simulated League`. */
export function league(key: string): string {
  const [first = '', ...rest] = key.split('_')
  if (rest.length === 0) return sport(key)
  const name = rest.map(capital).join(' ')
  return rest.every((word) => INITIALS.has(word)) ? name : `${sport(first)}, ${name}`
}

const MARKETS: Record<string, string> = {
  h2h: 'Winner', h2h_3_way: 'Winner or draw', draw_no_bet: 'Draw no bet', spreads: 'Handicap', totals: 'Total',
}
const PARTS: Record<string, string> = { h: 'half', q: 'quarter', p: 'period', s: 'set', i: 'inning' }
const ORDINALS = ['1st', '2nd', '3rd']

/** A part of a match by its key: `h1` as `1st half`; nothing of a match as a whole. */
export function period(key: string): string {
  if (key === 'full_time') return ''
  const [, letter = '', number = ''] = /^([a-z])(\d+)$/.exec(key) ?? []
  const part = PARTS[letter]
  return part === undefined ? words(key) : `${ORDINALS[Number(number) - 1] ?? `${number}th`} ${part}`
}

/** The name of a market without its period. */
export const family = (name: string) => MARKETS[name] ?? words(name)

/** A market with its period, such as `Total, 1st half`. It has no line: each bet says its own. */
export function market(name: string, of: string): string {
  return [family(name), period(of)].filter((part) => part !== '').join(', ')
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
