// The words and numbers of evidence: what a check compares, and a value as people read it. Pure.

import { percent, whole, words } from './text'

/** What is compared, by its name in the API; a name that is new is shown as it is. */
export const MEASURES: Record<string, string> = {
  latest_start: 'the latest start of a price, and the earliest end', age_seconds: 'seconds since the price was confirmed, and its book\'s usual interval',
  status: 'the state of the price', is_on_line_of_first_leg: 'is on the line of the first leg', rules: 'the settlement rules of its book', operator: 'the operator of its book',
  other_operators: 'other operators that price the bet', probability_below_median: 'how far its probability is from the median of others',
  margin: 'the margin, and the highest plausible one', margin_rounded: 'the margin that rounded stakes within limits leave',
}

export const HOLDS_WHEN: Record<string, string> = {
  at_most: 'at most', at_least: 'at least', above: 'above', below: 'below', equal: 'the same as', another_than: 'another than',
}

const FRACTIONS = new Set(['probability_below_median', 'margin', 'margin_rounded'])
const SECONDS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** A value of a measure. Seconds stay seconds: what is compared must be comparable at a glance. */
export function measured(measure: string, value: string | number | boolean | null): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return measure === 'status' ? words(value) : value
  if (measure === 'age_seconds') return `${SECONDS.format(value)} s`
  return FRACTIONS.has(measure) ? percent(value) : whole(value)
}
