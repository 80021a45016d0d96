// What views share: the hash route, the feed, a clock, preferences and loading.

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ask, Refusal } from './api'
import { feed } from './feed'
import { ODDS_FORMATS, type OddsFormat } from './model/odds'
import type { BookSizes, ListedBook, Score } from './model/types'

export interface Route {
  view: string
  /** What of it is shown, such as the id of an entry; empty of a view as a whole. */
  id: string
  query: string
}

/** Of an address that somebody wrote by hand, too. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function route(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/')
  return { view, id: decoded(rest.join('/')), query }
}

export function useRoute(): Route {
  const [now, set] = useState(() => route(location.hash))
  useEffect(() => {
    const changed = () => set(route(location.hash))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return now
}

/** Shows another query of a view without a step of the history. */
export function replaceQuery(view: string, query: string): void {
  history.replaceState(null, '', `#/${view}${query === '' ? '' : `?${query}`}`)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The former value for as long as the present one says the same: what is drawn from it is not drawn again. */
export function useSame<T>(value: T): T {
  const kept = useRef(value)
  if (JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value
  return kept.current
}

/** Draws again when the feed has changed. */
export function useFeed(): typeof feed {
  const [, draw] = useState(0)
  useEffect(() => feed.subscribe(() => draw(feed.version)), [])
  return feed
}

/** The time of the market in whole seconds, drawn again each second: rows that have not changed are not drawn in between. */
export function useNow(): number {
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.floor(feed.now() / 1_000) * 1_000
}

/** A preference of this browser. */
export function usePreference<T extends string>(name: string, among: readonly T[], otherwise: T): [T, (value: T) => void] {
  const [value, set] = useState<T>(() => {
    const stored = localStorage.getItem(`arb ${name}`)
    return among.find((known) => known === stored) ?? otherwise
  })
  const store = useCallback((next: T) => {
    localStorage.setItem(`arb ${name}`, next)
    set(next)
  }, [name])
  return [value, store]
}

export const useOddsFormat = (): [OddsFormat, (value: OddsFormat) => void] => usePreference('odds', ODDS_FORMATS, 'decimal')

/** Whether a media query holds, also when that changes. */
export function useMedia(query: string): boolean {
  const [holds, set] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const changed = () => set(media.matches)
    media.addEventListener('change', changed)
    return () => media.removeEventListener('change', changed)
  }, [query])
  return holds
}

export interface Loaded<T> {
  value: T | null
  error: string | null
  reload: () => Promise<void>
}

export function message(error: unknown): string {
  return error instanceof Refusal ? error.message : String(error)
}

/** What a path of the API shows, again every so many milliseconds where that is given and the page is seen; of no path nothing. */
export function useLoaded<T>(path: string | null, every?: number): Loaded<T> {
  const [value, setValue] = useState<T | null>(null)
  const [error, setError] = useState<string | null>(null)
  const current = useRef(path)
  current.current = path
  const reload = useCallback(async () => {
    if (path === null) return
    try {
      const loaded = await ask<T>('GET', path)
      if (current.current !== path) return
      setValue(loaded)
      setError(null)
    } catch (error) {
      if (current.current === path) setError(message(error))
    }
  }, [path])
  useEffect(() => {
    setValue(null)
    setError(null)
    void reload()
    if (every === undefined || path === null) return undefined
    const timer = setInterval(() => { if (!document.hidden) void reload() }, every)
    return () => clearInterval(timer)
  }, [reload, every, path])
  return { value, error, reload }
}

/** How often scores are asked for while an event in play is seen: four of the reads a minute. */
const SCORES_MS = 15_000

/** The scores of events in play, by event, where any is wanted; of one event alone where that is named. None where they cannot be read. */
export function useScores(isWanted: boolean, event?: string): ReadonlyMap<string, Score> {
  const path = event === undefined ? '/session/scores' : `/session/scores?${new URLSearchParams({ event })}`
  const { value } = useLoaded<{ scores: Score[] }>(isWanted ? path : null, SCORES_MS)
  return useMemo(() => new Map((value?.scores ?? []).map((score) => [score.event, score])), [value])
}

/** Asked for once while the page is open: the answer costs a request, and the table changes with the server. */
let sizes: Promise<ReadonlyMap<string, BookSizes>> | null = null

async function askSizes(): Promise<ReadonlyMap<string, BookSizes>> {
  const { books } = await ask<{ books: ListedBook[] }>('GET', '/session/books')
  return new Map(books.map((book) => [book.key, book.sizes]))
}

/** In what sizes each book takes bets; none before they are loaded, or where that failed. */
export function useSizes(): ReadonlyMap<string, BookSizes> {
  const [known, setKnown] = useState<ReadonlyMap<string, BookSizes>>(new Map())
  useEffect(() => {
    sizes ??= askSizes()
    sizes.then(setKnown, () => { sizes = null })
  }, [])
  return known
}

/** Does something once at a time, and keeps why it failed. */
export function useAct(): { isBusy: boolean; error: string | null; act: (work: () => Promise<void>) => void; clear: () => void } {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const act = (work: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    work().catch((error: unknown) => setError(message(error))).finally(() => setBusy(false))
  }
  return { isBusy, error, act, clear: () => setError(null) }
}
