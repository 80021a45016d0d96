// A bet in words: whether it is laid, on what it is, and its own line with its sign. Pure. All views name bets by it; none shows an outcome as the API
// has it. `api/src/view/bet.rs` does the same for CSV, where a minus is the hyphen of programs; `bets.json` has what both must say.

import { words } from './text'

/** The names of the two teams of an event. */
export interface Names {
  home: string
  away: string
}

export interface Bet {
  side: 'back' | 'lay'
  outcome: string
}

/** Of a handicap the market's line is the home side's, that of the away side is its opposite. */
function ownLine(outcome: string, line: number): string {
  if (outcome !== 'home' && outcome !== 'away') return `${line}`
  const own = outcome === 'home' ? line : -line
  return own > 0 ? `+${own}` : own < 0 ? `−${-own}` : '0'
}

/** Characters that turn the text after them around: a name with one would show the line of its bet backwards. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** What a bet is on and its own line, apart: a column may cut the first one short, never the second. Only beside its side. */
export function selection(outcome: string, line: number | null, names: Names): { on: string; line: string } {
  const on = (outcome === 'home' ? names.home : outcome === 'away' ? names.away : words(outcome)).replaceAll(TURNING, '')
  return { on, line: line === null ? '' : ownLine(outcome, line) }
}

/** A bet on the line of its market, such as `Lay Lowmarsh Kites −1.5`. */
export function bet({ side, outcome }: Bet, line: number | null, names: Names): string {
  const { on, line: own } = selection(outcome, line, names)
  return [...(side === 'lay' ? ['Lay'] : []), on, ...(own === '' ? [] : [own])].join(' ')
}

/** Bets that are made together, such as `Over 55.5 / Under 59.5`: each on its own line, else on the line of all. */
export function bets(all: readonly (Bet & { line?: number | null })[], line: number | null, names: Names): string {
  return all.map((of) => bet(of, of.line === undefined ? line : of.line, names)).join(' / ')
}
