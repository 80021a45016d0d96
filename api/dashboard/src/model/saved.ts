// Sets of filters with a name, and which windows they have told of. Pure. A window is told of once, whichever sets it matches.

import { matches, parse } from './filters'
import type { Entry } from './types'

export interface SavedSet {
  name: string
  /** As in the address of the board. */
  query: string
  sound: boolean
  notification: boolean
}

const MOST_SETS = 20
const MOST_TOLD = 2_000

export function parseSaved(stored: unknown): SavedSet[] {
  if (!Array.isArray(stored)) return []
  return stored.flatMap((it): SavedSet[] => {
    const { name, query, sound, notification } = (it ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || name === '' || typeof query !== 'string') return []
    return [{ name: name.slice(0, 60), query, sound: sound === true, notification: notification === true }]
  }).slice(0, MOST_SETS)
}

/** With a set, in place of one of its name. */
export function withSet(saved: readonly SavedSet[], set: SavedSet): SavedSet[] {
  const isKnown = saved.some(({ name }) => name === set.name)
  return (isKnown ? saved.map((it) => (it.name === set.name ? set : it)) : [...saved, set]).slice(0, MOST_SETS)
}

export interface Alert {
  set: SavedSet
  entry: Entry
}

/** Which windows were told of, by their ids. */
export class Told {
  private readonly ids = new Set<string>()
  /** Sets that have been looked at: what matches a set as it is switched on is no news. */
  private known = new Set<string>()

  /** The windows of which somebody is to be told now: each once, by the first set that it matches. */
  next(saved: readonly SavedSet[], entries: Iterable<Entry>, now: number): Alert[] {
    const on = saved.filter(({ sound, notification }) => sound || notification)
    const alerts: Alert[] = []
    if (on.length > 0) {
      const sets = on.map((set) => ({ set, filters: parse(set.query) }))
      for (const entry of entries) {
        if (this.ids.has(entry.id)) continue
        const matching = sets.filter(({ filters }) => matches(filters, entry, now))
        if (matching.length === 0) continue
        this.ids.add(entry.id)
        const first = matching.find(({ set }) => this.known.has(set.query))
        if (first !== undefined && matching.every(({ set }) => this.known.has(set.query))) alerts.push({ set: first.set, entry })
      }
      for (const id of this.ids) {
        if (this.ids.size <= MOST_TOLD) break
        this.ids.delete(id)
      }
    }
    this.known = new Set(on.map(({ query }) => query))
    return alerts
  }
}
