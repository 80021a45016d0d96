// What somebody stakes: a bankroll, its currency and to what stakes are rounded. Pure. The server keeps none of it.

import { plan, type Plan } from './stakes'
import type { BookSizes, Entry } from './types'

export interface Bankroll {
  total: number
  /** Of three letters; empty: whatever an entry's stakes are in. */
  currency: string
  step: number
}

export const STEPS: readonly number[] = [0.01, 0.1, 0.5, 1, 5, 10]
/** What the API computes stakes for, unless it is told a total. */
export const NO_BANKROLL: Bankroll = { total: 100, currency: '', step: 0.01 }
const MOST = 10_000_000

/** What was stored; the usual in place of what cannot be. */
export function parseBankroll(stored: unknown): Bankroll {
  if (typeof stored !== 'object' || stored === null) return NO_BANKROLL
  const { total, currency, step } = stored as Record<string, unknown>
  return {
    total: typeof total === 'number' && total > 0 && total <= MOST ? total : NO_BANKROLL.total,
    currency: typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : '',
    step: typeof step === 'number' && STEPS.includes(step) ? step : NO_BANKROLL.step,
  }
}

/** Stakes for a bankroll, or why there are none. */
export type Staked = { plan: Plan; why: null } | { plan: null; why: string }

/** The stakes of an entry: of the bankroll, or of the most within its limits where that is less. Another currency is never taken for one's own. */
export function staked(entry: Pick<Entry, 'legs' | 'currency' | 'total_stake_max'>, { total, currency, step }: Bankroll, sizes: ReadonlyMap<string, BookSizes>): Staked {
  if (currency !== '' && currency !== entry.currency) {
    return { plan: null, why: entry.currency === null ? `in a currency that is not known; your bankroll is in ${currency}` : `in ${entry.currency}; your bankroll is in ${currency}` }
  }
  return { plan: plan(entry.legs, Math.min(total, entry.total_stake_max ?? total), step, sizes), why: null }
}
