// What a book keeps, and when that was last checked, as the table of books has it.

import { day, words } from './text'
import type { BookClause, BookFee, ListedBook } from './types'

/** What a book keeps at present. */
export function feesText(book: ListedBook): string {
  const one = ({ kind, rate, league }: BookFee) => {
    const of = kind === 'commission' ? ' of winnings' : kind === 'none' ? '' : ' · p(1 − p)'
    return `${Number((rate * 100).toFixed(4))} %${of}${league === null ? '' : ` in ${league}`}`
  }
  const held = book.fees.filter(({ holds }) => holds)
  return held.length === 0 ? 'none' : held.map(one).join('; ')
}

/** In what sizes a book takes bets, and how little. */
export function sizesText({ sizes: { unit, step, least } }: ListedBook): string {
  const steps = unit === 'contract' ? ` in steps of ${step} of a contract` : step === 0.01 ? '' : ` in steps of ${step}`
  if (least === null) return `not known, 1.00 is taken${steps}`
  const bounds = [
    ...(least.stake > 0 ? [least.stake.toFixed(2)] : []),
    ...(least.liability > 0 ? [`${least.liability.toFixed(2)} at risk of a lay`] : []),
    ...(least.contracts > 0 ? [`${least.contracts} contracts`] : []),
  ]
  return `${bounds.length === 0 ? 'any' : bounds.join(', ')}${steps}`
}

/** The day of the oldest check of what is shown of a book; null where a part was never checked. */
export function checkedAt(book: ListedBook): string | null {
  const rows = [book, ...(book.sizes.least === null ? [] : [book.sizes]), ...book.fees.filter(({ holds }) => holds), ...book.clauses]
  const days = rows.map(({ checked_at: at }) => at)
  return days.includes(null) ? null : days.sort()[0] ?? null
}

/** A clause of a book in a line: of what it is, what it says, and the sentence that it rests on. */
export function clauseText({ topic, value, league, markets, says, checked_at: at }: BookClause): string {
  const of = [...(league === null ? [] : [league]), ...markets].join(', ')
  return `${words(topic)}${of === '' ? '' : ` (${of})`}: ${words(value)} — “${says}”${at === null ? '' : ` (${day(at)})`}`
}
