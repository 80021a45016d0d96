// The stakes of an entry for a total, and what each result pays. Pure.
//
// What a leg risks is its stake, of a lay its liability: stake × (price − 1). A leg that wins returns what it risks times its effective price.

import type { BookSizes, LeastOrder, Leg } from './types'

export interface Plan {
  legs: PlannedLeg[]
  /** All that is risked. */
  total: number
  /** The least and the largest profit over the results; pushes are not among them. */
  least: number
  most: number
  /** Legs whose stake is above their limit. */
  above: number
  /** Legs whose stake is less than their book takes. */
  below: number
}

export interface PlannedLeg {
  /** What to ask the book for: of a lay the backer's stake. */
  stake: number
  /** What is lost when the leg loses. */
  risk: number
  /** The profit over all legs when this leg wins. */
  profit: number
  isAbove: boolean
  isBelow: boolean
}

/** What is lost when a leg with this stake loses. */
export function riskOf(leg: Pick<Leg, 'side' | 'price'>, stake: number): number {
  return leg.side === 'lay' ? stake * (leg.price - 1) : stake
}

function stakeOf(leg: Leg, risk: number): number {
  return leg.side === 'lay' ? risk / (leg.price - 1) : risk
}

function rounded(value: number, step: number): number {
  // The quotient is rounded to nine digits first: 0.3 / 0.1 is a little less than 3.
  const steps = Math.round(Number((value / step).toFixed(9)))
  return Number((steps * step).toFixed(9))
}

/** The least step that is one of somebody's and one of the book's; contracts have their own. */
function stepOf(step: number, sizes: BookSizes | undefined): number {
  if (sizes?.unit !== 'currency' || sizes.step <= 0) return step
  return Number((Math.ceil(Number((step / sizes.step).toFixed(9))) * sizes.step).toFixed(9))
}

/** A stake within its limit is not rounded beyond it. */
function within(limit: number | null, stake: number, step: number): number {
  const near = rounded(stake, step)
  if (limit === null || near <= limit + 1e-9 || stake > limit + 1e-6) return near
  return Number((Math.floor(Number((limit / step).toFixed(9))) * step).toFixed(9))
}

/** What is taken to be the least where it is not known. */
const UNKNOWN: LeastOrder = { stake: 1, liability: 1, contracts: 0 }

/** Whether a book takes so small a stake of a leg. */
export function isTaken(leg: Leg, stake: number, sizes: BookSizes | undefined): boolean {
  const least = sizes?.least ?? UNKNOWN
  const lays = leg.side !== 'lay' || riskOf(leg, stake) >= least.liability - 1e-9
  // A contract pays one unit of the currency.
  return stake >= least.stake - 1e-9 && stake * leg.price >= least.contracts - 1e-9 && lays
}

/** Stakes for a total, each rounded to a multiple of `step` that its book takes; `sizes` are those of the books, by key. */
export function plan(legs: readonly Leg[], total: number, step: number, sizes: ReadonlyMap<string, BookSizes> = new Map()): Plan {
  // Every result returns as much: risk × effective price is the same for all legs.
  const back = total / legs.reduce((sum, leg) => sum + 1 / leg.effective_price, 0)
  const stakes = legs.map((leg) => within(leg.limit, stakeOf(leg, back / leg.effective_price), stepOf(step, sizes.get(leg.book))))
  const risks = legs.map((leg, index) => riskOf(leg, stakes[index] ?? 0))
  const sum = risks.reduce((a, b) => a + b, 0)
  const planned = legs.map((leg, index): PlannedLeg => {
    const [stake, risk] = [stakes[index] ?? 0, risks[index] ?? 0]
    const isAbove = leg.limit !== null && stake > leg.limit + 1e-9
    return { stake, risk, profit: risk * leg.effective_price - sum, isAbove, isBelow: !isTaken(leg, stake, sizes.get(leg.book)) }
  })
  const profits = planned.map((leg) => leg.profit)
  return {
    legs: planned,
    total: sum,
    least: Math.min(...profits),
    most: Math.max(...profits),
    above: planned.filter((leg) => leg.isAbove).length,
    below: planned.filter((leg) => leg.isBelow).length,
  }
}

/** Of bets that are placed, what each result pays: `risk × effective price` of the one that wins, less all that is risked. Null where a price after fees is not known. */
export function paid(bets: readonly { risk: number; effective: number | null }[]): { least: number; most: number } | null {
  const sum = bets.reduce((sum, { risk }) => sum + risk, 0)
  const profits = bets.map(({ risk, effective }) => (effective === null ? NaN : risk * effective - sum))
  return profits.length === 0 || profits.some(Number.isNaN) ? null : { least: Math.min(...profits), most: Math.max(...profits) }
}
