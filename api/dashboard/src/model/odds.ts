// Odds as people write them, from decimal odds. Pure.

export type OddsFormat = 'decimal' | 'american' | 'fractional'
export const ODDS_FORMATS: readonly OddsFormat[] = ['decimal', 'american', 'fractional']

/** Fractions with a larger denominator are nobody's habit. */
const MOST_PARTS = 100

/** The fraction next to a number among those with at most `MOST_PARTS` parts. */
function fraction(value: number): [number, number] {
  let best: [number, number] = [Math.round(value), 1]
  for (let parts = 2; parts <= MOST_PARTS; parts++) {
    const top = Math.round(value * parts)
    if (Math.abs(top / parts - value) < Math.abs(best[0] / best[1] - value) - 1e-9) best = [top, parts]
  }
  return best
}

/** A price for a column: decimal odds with two digits have a space as wide as the third that others have. */
export function alignedOdds(price: number, format: OddsFormat): string {
  const text = odds(price, format)
  return format === 'decimal' && /\.\d\d$/.test(text) ? `${text}\u2007` : text
}

/** A price in a format; decimal odds have two or three digits after the point. */
export function odds(price: number, format: OddsFormat): string {
  if (!Number.isFinite(price) || price <= 1) return '–'
  const profit = price - 1
  switch (format) {
    case 'decimal':
      return price.toFixed(price < 10 && Math.abs(price * 100 - Math.round(price * 100)) > 0.001 ? 3 : 2)
    case 'american':
      return profit >= 1 ? `+${Math.round(profit * 100)}` : `−${Math.round(100 / profit)}`
    case 'fractional':
      return fraction(profit).join('/')
  }
}
