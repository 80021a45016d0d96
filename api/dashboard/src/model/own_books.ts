// The books that somebody has an account at, with their commissions: the API's parameters `books` and `commissions`; and the board that they make. Pure.

import type { Entry } from './types'

export interface OwnBooks {
  books: readonly string[]
  /** Percent, by book. */
  commissions: ReadonlyMap<string, number>
}

const MOST_BOOKS = 100
const MOST_PERCENT = 25

/** Of the two parameters; what neither can be is left out. */
export function parseOwn(books: string, commissions: string): OwnBooks {
  const listed = books.split(',').filter((book) => book !== '').slice(0, MOST_BOOKS)
  const pairs = commissions.split(',').flatMap((text): [string, number][] => {
    const at = text.lastIndexOf(':')
    const percent = Number(text.slice(at + 1))
    return at > 0 && text.length > at + 1 && percent >= 0 && percent <= MOST_PERCENT ? [[text.slice(0, at), percent]] : []
  })
  return { books: [...new Set(listed)].sort(), commissions: new Map(pairs) }
}

/** As parameters: in one order, so that one choice has one address. */
export function ownQuery({ books, commissions }: OwnBooks): { books: string; commissions: string } {
  const pairs = [...commissions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([book, percent]) => `${book}:${Number(percent.toFixed(2))}`)
  return { books: [...books].sort().join(','), commissions: pairs.join(',') }
}

/** What an event of a board's stream has, or an answer: of a snapshot all entries, of changes some. */
export interface BoardEvent { arbs?: Entry[]; put?: Entry[]; gone?: string[] }

/** The entries of a board after an event of its stream: a snapshot replaces them, changes replace and remove some. Before a snapshot nothing is known. */
export function follow(
  entries: ReadonlyMap<string, Entry> | null, name: 'snapshot' | 'board_changes', data: BoardEvent,
): ReadonlyMap<string, Entry> | null {
  if (name === 'snapshot') return new Map((data.arbs ?? []).map((entry) => [entry.id, entry]))
  if (entries === null) return null
  const next = new Map(entries)
  for (const id of data.gone ?? []) next.delete(id)
  for (const entry of data.put ?? []) next.set(entry.id, entry)
  return next
}
