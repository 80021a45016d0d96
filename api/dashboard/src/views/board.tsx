// The board, live: verified first, filters in the URL. Rows stay where they are while the pointer or the focus is among them.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { replaceQuery, useFeed, useLoaded, useNow, useOddsFormat, useSame } from '../hooks'
import { compare, held, matches, NO_FILTERS, parse, query, SORTS, type Filters, type Sort } from '../model/filters'
import { ODDS_FORMATS } from '../model/odds'
import { whole, words } from '../model/text'
import type { Entry, Usage } from '../model/types'
import { Choice, ListHead, useOpen } from '../parts/list'
import { Badge, Empty, Field, Form, Loading, Problem, Time } from '../parts/parts'
import { Row } from './entry'
import { OwnBooks, storedOwn } from './own_books'

const SHOWN = 500
/** Rows of the first drawing, which fill a window, and those that each later one adds, so that none takes long. */
const FIRST = 30
const FURTHER = 30
/** A board of own books is computed for each request, and charged: it is asked for so often. */
const OWN_MS = 15_000
const SORT_NAMES: Record<Sort, string> = {
  rank: 'Rank', margin: 'Margin', ttl_seconds: 'Longest to live', opened_at: 'Newest', commence_time: 'Soonest start',
}

function unique(values: Iterable<string>): string[] {
  return [...new Set(values)].sort()
}

function Amount({ label, value, scale, onChange }: { label: string; value: string; scale: number; onChange: (value: string) => void }) {
  const shown = value === '' ? '' : String(Number((Number(value) * scale).toFixed(6)))
  // What is being typed: the board is drawn again meanwhile.
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const commit = () => onChange(text === '' ? '' : String(Number((Number(text) / scale).toFixed(8))))
  return (
    <Field label={label}>
      {(id) => <input id={id} type="number" min="0" step="any" inputMode="decimal" value={text}
        onInput={(event) => setText(event.currentTarget.value)} onBlur={commit}
        onKeyDown={(event) => { if (event.key === 'Enter') commit() }} />}
    </Field>
  )
}

/** What the entries that are open can be filtered by. */
interface Choices {
  sports: string[]
  leagues: string[]
  markets: string[]
  books: string[]
}

function choices(entries: readonly Entry[]): Choices {
  return {
    sports: unique(entries.map((entry) => entry.sport)), leagues: unique(entries.map((entry) => entry.league)),
    markets: unique(entries.map((entry) => entry.market)), books: unique(entries.flatMap((entry) => entry.legs.map((leg) => leg.book))),
  }
}

function FilterBar({ filters, choices }: { filters: Filters; choices: Choices }) {
  const set = (changed: Partial<Filters>) => replaceQuery('board', query({ ...filters, ...changed }))
  const [format, setFormat] = useOddsFormat()
  const isFiltered = query({ ...filters, sort: 'rank', books: '', commissions: '' }) !== ''
  return (
    <details class="filters" open={isFiltered || innerWidth > 900}>
      <summary>Filters</summary>
      <Form class="filterbar" label="Filters of the board">
        <Choice label="Sport" value={filters.sport} values={choices.sports} name={words} onChange={(sport) => set({ sport })} />
        <Choice label="League" value={filters.league} values={choices.leagues} name={words} onChange={(league) => set({ league })} />
        <Choice label="Market" value={filters.market} values={choices.markets} name={words} onChange={(market) => set({ market })} />
        <Choice label="Book" value={filters.book} values={choices.books} name={(book) => book}
          onChange={(book) => set({ book })} />
        <Choice label="Verified" value={filters.verified} values={['true', 'false']} name={(value) => (value === 'true' ? 'Yes' : 'No')}
          onChange={(value) => set({ verified: value as Filters['verified'] })} />
        <Choice label="In play" value={filters.in_play} values={['true', 'false']} name={(value) => (value === 'true' ? 'Yes' : 'No')}
          onChange={(value) => set({ in_play: value as Filters['in_play'] })} />
        <Amount label="Least margin, %" value={filters.min_margin} scale={100} onChange={(min_margin) => set({ min_margin })} />
        <Amount label="Least total stake" value={filters.min_stake} scale={1} onChange={(min_stake) => set({ min_stake })} />
        <Amount label="Oldest leg, s" value={filters.max_age} scale={1} onChange={(max_age) => set({ max_age })} />
        <Field label="Order">
          {(id) => (
            <select id={id} value={filters.sort} onChange={(event) => set({ sort: event.currentTarget.value as Sort })}>
              {SORTS.map((sort) => <option key={sort} value={sort}>{SORT_NAMES[sort]}</option>)}
            </select>
          )}
        </Field>
        <Field label="Odds">
          {(id) => (
            <select id={id} value={format} onChange={(event) => setFormat(ODDS_FORMATS.find((known) => known === event.currentTarget.value) ?? 'decimal')}>
              {ODDS_FORMATS.map((format) => <option key={format} value={format}>{words(format)}</option>)}
            </select>
          )}
        </Field>
        <button type="button" disabled={!isFiltered} onClick={() => replaceQuery('board', query({ ...NO_FILTERS, sort: filters.sort, books: filters.books, commissions: filters.commissions }))}>Clear filters</button>
      </Form>
    </details>
  )
}

interface Shown {
  ids: string[]
  entries: Map<string, Entry>
}

/** The way to a board of own books, and what is chosen. */
function Own({ filters }: { filters: Filters }) {
  const [isOpen, setOpen] = useState(false)
  const { books, commissions } = filters
  const isOwn = books !== '' || commissions !== ''
  const set = (own: { books: string; commissions: string }) => {
    setOpen(false)
    replaceQuery('board', query({ ...filters, ...own }))
  }
  const count = books === '' ? 0 : books.split(',').length
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>My books{isOwn && ` (${count === 0 ? 'all' : count})`}</button>
      {isOwn && <button type="button" onClick={() => set({ books: '', commissions: '' })}>All books</button>}
      {isOpen && <OwnBooks given={isOwn ? filters : storedOwn()} onChoose={set} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The address of a board of own books; null for the board of the stream. */
export function ownPath({ books, commissions }: Filters): string | null {
  const given = Object.entries({ books, commissions }).filter(([, value]) => value !== '')
  return given.length === 0 ? null : `/session/arbs?${new URLSearchParams([...given, ['limit', String(SHOWN)]])}`
}

/** That the account's keys have spent the month's requests. What this page reads spends none of them. */
function QuotaNotice() {
  const { value: usage } = useLoaded<Usage>('/session/usage', 60_000)
  if (usage === null || usage.remaining > 0 || usage.used === 0) return null
  return (
    <p role="status" class="notice">
      Your keys have spent all {whole(usage.quota)} requests of this month: what they ask is refused until <Time at={usage.reset} />. This page goes on.
    </p>
  )
}

export function Board({ given }: { given: string }) {
  const { market, link } = useFeed()
  const now = useNow()
  const filters = useMemo(() => parse(given), [given])
  const [format] = useOddsFormat()
  const [paused, setPaused] = useState<Entry[] | null>(null)
  const [isHeld, setHeld] = useState(false)
  const [open, toggle] = useOpen()
  const last = useRef<Shown & { query: string }>({ ids: [], entries: new Map(), query: given })
  const path = ownPath(filters)
  const own = useLoaded<{ arbs: Entry[] }>(path, OWN_MS)
  const present = path === null ? [...market.entries.values()] : own.value?.arbs ?? []
  const isKnown = path === null ? market.isKnown : own.value !== null
  const all = paused ?? present
  const list = all.filter((entry) => matches(filters, entry, now)).sort(compare(filters.sort))
  const live = list.map((entry) => entry.id)
  const byId = new Map(list.map((entry) => [entry.id, entry]))
  // Drawn again when something can be chosen that could not before: not with every update.
  const found = useSame(choices(all))
  const bar = useMemo(() => <FilterBar filters={filters} choices={found} />, [filters, found])
  const isKept = isHeld && last.current.query === given
  const [most, setMost] = useState(FIRST)
  const ids = (isKept ? held(last.current.ids, live) : live).slice(0, Math.min(SHOWN, most))
  const isCut = ids.length === most && most < SHOWN && most < live.length
  useEffect(() => {
    if (!isCut) return undefined
    const timer = setTimeout(() => setMost((most) => most + FURTHER), 0)
    return () => clearTimeout(timer)
  }, [isCut, most])
  // A row that is held after its window has closed shows what it was.
  const entries = new Map(ids.map((id) => [id, byId.get(id) ?? last.current.entries.get(id)]).filter((pair): pair is [string, Entry] => pair[1] !== undefined))
  useEffect(() => { last.current = { ids, entries, query: given } })
  const verified = list.filter((entry) => entry.verified).length
  return (
    <section>
      <ListHead title="Board" note={
        <>
          {whole(list.length)} open, {whole(verified)} verified{market.asOf !== null && <>, as of <Time at={market.asOf} /></>}
          {market.stale && <> <Badge tone="warn" title="No poll has arrived for longer than the sources promise">stale</Badge></>}
        </>
      } tools={
        <>
          <Own filters={filters} />
          <button type="button" aria-pressed={paused !== null} onClick={() => setPaused(paused === null ? present : null)}>
            {paused === null ? 'Pause' : 'Go on'}
          </button>
        </>
      } />
      {paused !== null && <p role="status" class="notice">Paused: what you see does not change. Prices do.</p>}
      <QuotaNotice />
      {path !== null && <p class="quiet">Computed for your books every {OWN_MS / 1000} s while this page is seen.</p>}
      {bar}
      <Problem text={own.error} />
      {!isKnown && (path === null ? link.state !== 'lost' : own.error === null) && <Loading what="the board" />}
      {isKnown && list.length === 0 && ids.length === 0 && (
        <Empty title={all.length === 0 ? 'No open arb windows now' : 'No entry matches the filters'}>
          <p>{all.length === 0 ? 'They appear here as soon as the feed has one.' : `${whole(all.length)} are open; change or clear the filters.`}</p>
        </Empty>
      )}
      <ol class="entries" aria-label="Open arb windows" onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}
        onFocusIn={() => setHeld(true)} onFocusOut={() => setHeld(false)}>
        {ids.map((id) => {
          const entry = entries.get(id)
          return entry === undefined ? null : (
            <Row key={id} entry={entry} now={now} format={format} isOpen={open.has(id)} onToggle={() => toggle(id)}
              closed={byId.has(id) ? null : market.closed.get(id) ?? 'left'} />
          )
        })}
      </ol>
      {list.length > SHOWN && <p class="quiet">The first {SHOWN} are shown.</p>}
    </section>
  )
}
