// What somebody does not want to see: events, pairs of books, leagues. Pure. It hides rows of the page, and nothing of what a program is sent.

import type { Entry } from './types'

export interface Hidden {
  kind: 'event' | 'books' | 'league'
  /** The event's id, the books' keys with a plus between them, the league's key. */
  key: string
  /** As it is listed. */
  name: string
}

const KINDS: readonly unknown[] = ['event', 'books', 'league']
/** The oldest are shown again when there are more: events are over some day. */
const MOST = 500

export function parseHidden(stored: unknown): Hidden[] {
  if (!Array.isArray(stored)) return []
  return stored.filter((it): it is Hidden => {
    const { kind, key, name } = (it ?? {}) as Record<string, unknown>
    return KINDS.includes(kind) && typeof key === 'string' && typeof name === 'string'
  }).slice(-MOST)
}

/** The books of an entry, whatever the order of its legs. */
export const booksOf = (entry: Pick<Entry, 'legs'>) => [...new Set(entry.legs.map(({ book }) => book))].sort().join('+')

export function isHidden(hidden: ReadonlySet<string>, entry: Entry): boolean {
  return hidden.has(`event ${entry.event.id}`) || hidden.has(`league ${entry.league}`) || hidden.has(`books ${booksOf(entry)}`)
}

/** For `isHidden`. */
export const keysOf = (hidden: readonly Hidden[]): ReadonlySet<string> => new Set(hidden.map(({ kind, key }) => `${kind} ${key}`))

export function add(hidden: readonly Hidden[], more: Hidden): Hidden[] {
  return [...remove(hidden, more), more].slice(-MOST)
}

export function remove(hidden: readonly Hidden[], { kind, key }: Pick<Hidden, 'kind' | 'key'>): Hidden[] {
  return hidden.filter((it) => it.kind !== kind || it.key !== key)
}
