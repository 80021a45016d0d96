// Stakes for what somebody stakes: a bankroll, its currency and to what stakes are rounded. Pure.

import { plan, type Plan } from './stakes'
import type { Bankroll, BookSizes, Entry } from './types'

export const ROUNDINGS: readonly number[] = [0.01, 0.1, 0.5, 1, 5, 10]
/** What the API computes stakes for, unless it is told a total. */
export const NO_BANKROLL: Bankroll = { total: 100, currency: null, rounding: 0.01 }

/** Stakes for a bankroll, or why there are none. */
export type Staked = { plan: Plan; why: null } | { plan: null; why: string }

/** The stakes of an entry: of the bankroll, or of the most within its limits where that is less. Another currency is never taken for one's own. */
export function staked(entry: Pick<Entry, 'legs' | 'currency' | 'total_stake_max'>, { total, currency, rounding }: Bankroll, sizes: ReadonlyMap<string, BookSizes>): Staked {
  if (currency !== null && currency !== entry.currency) {
    return { plan: null, why: entry.currency === null ? `in a currency that is not known; your bankroll is in ${currency}` : `in ${entry.currency}; your bankroll is in ${currency}` }
  }
  return { plan: plan(entry.legs, Math.min(total, entry.total_stake_max ?? total), rounding, sizes), why: null }
}
