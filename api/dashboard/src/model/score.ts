// The score of an event in play: which is shown beside it, and in which words. A score that is too old, or whose sides are not those of the event, is not shown.

import { duration, period } from './text'
import type { Match, Score } from './types'

export interface ShownScore {
  /** `h2 1–0`; without a period where the source states none. */
  text: string
  /** Whose score it is, and how old. */
  title: string
}

/** Points of home and away as the event has its sides; a source may name them the other way round. */
function points({ home, away }: Match, score: Score): [number, number] | null {
  if (score.home === home && score.away === away) return [score.home_points, score.away_points]
  return score.home === away && score.away === home ? [score.away_points, score.home_points] : null
}

/** What is shown of a score beside its event at a time. */
export function shownScore(event: Match, score: Score | undefined, now: number): ShownScore | null {
  if (score === undefined || event.in_play !== true || score.event !== event.id || now >= Date.parse(score.expires_at)) return null
  const of = points(event, score)
  if (of === null) return null
  const text = of.join('–')
  const part = score.period === null ? '' : `, ${period(score.period)}`
  return {
    text: score.period === null ? text : `${score.period} ${text}`,
    title: `${event.home} ${text} ${event.away}${part}: as ${score.source} confirmed it ${duration((now - Date.parse(score.reported_at)) / 1_000)} ago`,
  }
}
