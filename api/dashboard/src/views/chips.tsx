// The line of chips above the board: what it is filtered by, one click each, and the whole form behind one of them. Filters are in the address.

import { useEffect, useState } from 'preact/hooks'
import { replaceQuery } from '../hooks'
import { NO_FILTERS, query, SORTS, type Filters, type Sort } from '../model/filters'
import { family, league, percent, sport } from '../model/text'
import type { Entry } from '../model/types'
import { Choice } from '../parts/list'
import { Dialog, Field, Form } from '../parts/parts'
import { Icon } from '../parts/icons'

const SORT_NAMES: Record<Sort, string> = {
  rank: 'Rank', margin: 'Margin', profit: 'Profit', ttl_seconds: 'Longest to live', opened_at: 'Newest', commence_time: 'Soonest start',
}

function unique(values: Iterable<string>): string[] {
  return [...new Set(values)].sort()
}

/** What the entries that are open can be filtered by. */
export interface Choices {
  sports: string[]
  leagues: string[]
  markets: string[]
  books: string[]
}

export function choices(entries: readonly Entry[]): Choices {
  return {
    sports: unique(entries.map((entry) => entry.sport)), leagues: unique(entries.map((entry) => entry.league)),
    markets: unique(entries.map((entry) => entry.market)), books: unique(entries.flatMap((entry) => entry.legs.map((leg) => leg.book))),
  }
}

const change = (filters: Filters, changed: Partial<Filters>) => replaceQuery('board', query({ ...filters, ...changed }))

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

function AllFilters({ filters, choices, onClose }: { filters: Filters; choices: Choices; onClose: () => void }) {
  const set = (changed: Partial<Filters>) => change(filters, changed)
  return (
    <Dialog title="Filters" onClose={onClose}>
      <Form class="filterbar" label="Filters of the board" onSubmit={onClose}>
        <Choice label="Sport" value={filters.sport} values={choices.sports} name={sport} onChange={(sport) => set({ sport })} />
        <Choice label="League" value={filters.league} values={choices.leagues} name={league} onChange={(league) => set({ league })} />
        <Choice label="Market" value={filters.market} values={choices.markets} name={family} onChange={(market) => set({ market })} />
        <Choice label="Book" value={filters.book} values={choices.books} name={(book) => book} onChange={(book) => set({ book })} />
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
      </Form>
      <div class="actions">
        <button type="button" onClick={() => change(NO_FILTERS, { books: filters.books, commissions: filters.commissions, sort: filters.sort })}>Clear filters</button>
        <button type="button" class="primary" onClick={onClose}>Done</button>
      </div>
    </Dialog>
  )
}

/** A filter that is set, which one click takes away. */
function Taken({ text, onClear }: { text: string; onClear: () => void }) {
  return <button type="button" class="chip set" onClick={onClear} title="Take this filter away">{text}<span aria-hidden="true"> ×</span><span class="unseen">, take away</span></button>
}

/** The filters that no toggle shows, each as it is said. */
function texts(filters: Filters): [keyof Filters, string][] {
  const { sport: of, league: in_, market, book, min_margin: margin, min_stake: stake, max_age: age, verified, in_play: playing } = filters
  const all: [keyof Filters, string, string][] = [
    ['sport', of, sport(of)], ['league', in_, league(in_)], ['market', market, family(market)], ['book', book, book], ['min_margin', margin, `≥ ${percent(Number(margin))}`],
    ['min_stake', stake, `stake ≥ ${stake}`], ['max_age', age, `legs ≤ ${age} s`], ['verified', verified === 'false' ? verified : '', 'Not verified'], ['in_play', playing === 'false' ? playing : '', 'Before the start'],
  ]
  return all.filter(([, value]) => value !== '').map(([name, , text]) => [name, text])
}

export function Chips({ filters, choices }: { filters: Filters; choices: Choices }) {
  const [isOpen, setOpen] = useState(false)
  const toggle = (name: 'verified' | 'in_play') => change(filters, { [name]: filters[name] === 'true' ? '' : 'true' })
  return (
    <>
      <label class="find"><Icon name="search" text="Find" />
        <input type="search" id="find" placeholder="Team, league, book" value={filters.find} onInput={(event) => change(filters, { find: event.currentTarget.value })} />
      </label>
      <button type="button" class="chip" onClick={() => setOpen(true)}>Filters</button>
      <button type="button" class="chip" aria-pressed={filters.verified === 'true'} onClick={() => toggle('verified')}>Verified</button>
      <button type="button" class="chip" aria-pressed={filters.in_play === 'true'} onClick={() => toggle('in_play')}>In play</button>
      {texts(filters).map(([name, text]) => <Taken key={name} text={text} onClear={() => change(filters, { [name]: '' })} />)}
      {isOpen && <AllFilters filters={filters} choices={choices} onClose={() => setOpen(false)} />}
    </>
  )
}
