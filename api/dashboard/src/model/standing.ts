// Of windows that a confirmation of their legs has answered, those that stood. Pure.

import type { Standing } from './types'

/** Of the windows with this verdict the part that stood, over rows of one grouping. */
export function stood(rows: readonly Standing[], verdict: Standing['verdict']): { windows: number; stood: number; share: number | null; error: number | null } {
  const of = rows.filter((row) => row.verdict === verdict)
  const [windows, standing] = [of.reduce((sum, row) => sum + row.windows, 0), of.reduce((sum, row) => sum + row.stood, 0)]
  const share = windows === 0 ? null : standing / windows
  return { windows, stood: standing, share, error: share === null ? null : Math.sqrt(share * (1 - share) / windows) }
}
