import { describe, expect, it } from 'vitest'
import { shownScore } from './score'
import type { Match, Score } from './types'

const NOW = Date.UTC(2026, 0, 1, 12)
const event: Match = { id: 'e', home: 'H', away: 'A', commence_time: '2026-01-01T11:00:00Z', in_play: true }
const score: Score = {
  event: 'e', sport: 'soccer', league: 'soccer_epl', home: 'H', away: 'A', home_points: 1, away_points: 0, period: 'h2', source: 'simulated', reported_at: '2026-01-01T11:59:48Z',
  expires_at: '2026-01-01T12:04:48Z',
}
const text = (given: Partial<Score>, of: Partial<Match> = {}, now = NOW) => shownScore({ ...event, ...of }, { ...score, ...given }, now)?.text ?? null

describe('a score', () => {
  it('is shown with its period, its source and its age', () => {
    expect(shownScore(event, score, NOW)).toEqual({ text: 'h2 1–0', title: 'H 1–0 A, 2nd half: as simulated confirmed it 12 s ago' })
    expect(text({ period: null })).toBe('1–0')
    expect(shownScore(event, { ...score, period: null }, NOW)?.title).toBe('H 1–0 A: as simulated confirmed it 12 s ago')
  })

  it('belongs to the sides by name', () => {
    expect(text({ home: 'A', away: 'H' })).toBe('h2 0–1')
    expect(text({ home: 'H', away: 'B' })).toBeNull()
  })

  it('is not shown when it is old, of another event, or before the start', () => {
    expect(text({}, {}, Date.parse(score.expires_at) - 1)).toBe('h2 1–0')
    expect([text({}, {}, Date.parse(score.expires_at)), text({ event: 'f' }), text({}, { in_play: false }), shownScore(event, undefined, NOW)]).toEqual([null, null, null, null])
  })
})
