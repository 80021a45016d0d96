// The board, live: verified first, filters in the URL. Rows stay where they are while the pointer or the focus is among them; what comes meanwhile is counted.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { replaceQuery, useFeed, useLoaded, useNow, useOddsFormat, useSame, useScores, useSizes } from '../hooks'
import { bankroll, hidden, pins } from '../kept'
import { staked } from '../model/bankroll'
import { compare, held, matches, parse, query, type Filters } from '../model/filters'
import { isHidden, keysOf } from '../model/hidden'
import { count, whole } from '../model/text'
import type { Entry, Usage } from '../model/types'
import { useOpen } from '../parts/list'
import { Badge, Empty, Loading, Problem, Time } from '../parts/parts'
import { useOwnBoard } from '../own_board'
import { useShared } from '../store'
import { BankrollChip } from './bankroll'
import { Chips, choices } from './chips'
import { Grid } from './grid'
import { HiddenList, hideEvent } from './hiding'
import { OwnBooks, storedOwn } from './own_books'
import { Pins } from './pins'
import { SavedSets } from './saved'
import { Shortcuts, useShortcuts } from './shortcuts'
import { copyStake } from './stake'


/** The way to a board of own books, and what is chosen. */
function Own({ filters }: { filters: Filters }) {
  const [isOpen, setOpen] = useState(false)
  const { books, commissions } = filters
  const isOwn = books !== '' || commissions !== ''
  const set = (own: { books: string; commissions: string }) => {
    setOpen(false)
    replaceQuery('board', query({ ...filters, ...own }))
  }
  const chosen = books === '' ? 0 : books.split(',').length
  return (
    <>
      <button type="button" class="chip" onClick={() => setOpen(true)}>My books{isOwn && ` (${chosen === 0 ? 'all' : chosen})`}</button>
      {isOwn && <button type="button" class="chip set" onClick={() => set({ books: '', commissions: '' })}>All books</button>}
      {isOpen && <OwnBooks given={isOwn ? filters : storedOwn()} onChoose={set} onClose={() => setOpen(false)} />}
    </>
  )
}

/** What a board of own books is asked for by; null for the board of all. */
function ownParameters({ books, commissions }: Filters): string | null {
  const given = Object.entries({ books, commissions }).filter(([, value]) => value !== '')
  return given.length === 0 ? null : new URLSearchParams(given).toString()
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

/** Rows as they were while they are held: those that were shown, where they were. */
interface Shown {
  query: string
  ids: readonly string[]
  entries: ReadonlyMap<string, Entry>
}

export function Board({ given }: { given: string }) {
  const { market, link } = useFeed()
  const now = useNow()
  const filters = useMemo(() => parse(given), [given])
  const [format] = useOddsFormat()
  const [own, gone, placed, sizes] = [useShared(bankroll), useShared(hidden), useShared(pins), useSizes()]
  const [paused, setPaused] = useState<Entry[] | null>(null)
  const [holds, setHolds] = useState({ pointer: false, focus: false })
  const isHeld = holds.pointer || holds.focus
  const hold = (by: { pointer?: boolean; focus?: boolean }) => setHolds((holds) => ({ ...holds, ...by }))
  const [active, setActive] = useState<string | null>(null)
  const [isHelp, setHelp] = useState(false)
  const [open, toggle] = useOpen()
  const last = useRef<Shown>({ query: given, ids: [], entries: new Map() })
  const copied = useRef({ id: '', leg: -1 })
  const ofOwn = ownParameters(filters)
  const mine = useOwnBoard(ofOwn)
  const present = [...(ofOwn === null ? market.entries : mine.entries ?? new Map<string, Entry>()).values()]
  const isKnown = ofOwn === null ? market.isKnown : mine.entries !== null
  const all = paused ?? present
  const hiddenKeys = useMemo(() => keysOf(gone), [gone])
  const matching = all.filter((entry) => !isHidden(hiddenKeys, entry) && matches(filters, entry, now))
  // Computed once each, and only where it orders.
  const profits = new Map(filters.sort !== 'profit' ? [] : matching.map((entry) => [entry, staked(entry, own, sizes).plan?.least ?? -Infinity]))
  const list = matching.sort(compare(filters.sort, (entry) => profits.get(entry) ?? -Infinity))
  const byId = new Map(list.map((entry) => [entry.id, entry]))
  // Drawn again when something can be chosen that could not before: not with every update.
  const found = useSame(choices(all))
  const chips = useMemo(() => <Chips filters={filters} choices={found} />, [filters, found])
  const live = list.map((entry) => entry.id)
  // What is hidden leaves at once, also from rows that are held.
  const former = last.current.ids.filter((id) => { const entry = byId.get(id) ?? last.current.entries.get(id); return entry !== undefined && !isHidden(hiddenKeys, entry) })
  const shown = isHeld && last.current.query === given && former.length > 0 ? held(former, live) : { ids: live, more: 0 }
  const ids = useSame(shown.ids)
  // A row that is held after its window has closed shows what it was.
  const entries = new Map(ids.map((id) => [id, byId.get(id) ?? last.current.entries.get(id)]).filter((pair): pair is [string, Entry] => pair[1] !== undefined))
  useEffect(() => { last.current = { query: given, ids, entries } })
  const scores = useScores(list.some(({ event }) => event.in_play === true))
  const byPin = useMemo(() => new Map(placed.map((pin) => [pin.id, pin])), [placed])
  const closed = (id: string) => (byId.has(id) ? null : market.closed.get(id) ?? 'left')
  const release = () => {
    setHolds({ pointer: false, focus: false })
    last.current = { query: '', ids: [], entries: new Map() }
  }
  const step = (by: number) => {
    const next = ids[Math.min(ids.length - 1, Math.max(0, (active === null ? -1 : ids.indexOf(active)) + by))]
    if (next === undefined) return
    setActive(next)
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(next)}"]`)?.focus())
  }
  const current = entries.get(active ?? ids[0] ?? '')
  const copyNext = () => {
    if (current === undefined) return
    const leg = copied.current.id === current.id ? (copied.current.leg + 1) % current.legs.length : 0
    copied.current = { id: current.id, leg }
    const [of, planned] = [current.legs[leg], staked(current, own, sizes).plan?.legs[leg]]
    if (of !== undefined && planned !== undefined) copyStake(current, of, planned.stake)
  }
  const pause = () => setPaused(paused === null ? present : null)
  useShortcuts({
    j: () => step(1), k: () => step(-1), p: pause, c: copyNext, h: () => { if (current !== undefined) hideEvent(current) }, '?': () => setHelp(true),
    '/': () => document.getElementById('find')?.focus(),
  })
  const verified = list.filter((entry) => entry.verified).length
  return (
    // From the rows to the chip that counts new ones the pointer stays within.
    <section class="board" onPointerLeave={() => hold({ pointer: false })}>
      <h1 class="unseen">Board</h1>
      <div class="chips">
        {chips}
        <SavedSets query={given} />
        <span class="apart" />
        {shown.more > 0 && <button type="button" class="chip fresh" onClick={release}>{shown.more} new</button>}
        <span class="quiet counts number" title="Windows that are open and match">{whole(list.length)} open, {whole(verified)} verified{market.asOf !== null && <span class="unseen">, as of <Time at={market.asOf} /></span>}</span>
        {market.stale && <Badge tone="warn" title="No poll has arrived for longer than the sources promise">stale</Badge>}
        <HiddenList />
        <Own filters={filters} />
        <BankrollChip />
        <button type="button" class={paused === null ? 'chip wide' : 'chip'} aria-pressed={paused !== null} onClick={pause}>{paused === null ? 'Pause' : 'Go on'}</button>
        <button type="button" class="chip wide" onClick={() => setHelp(true)} title="Keys">?<span class="unseen"> keys</span></button>
      </div>
      {paused !== null && <p role="status" class="notice">Paused: what you see does not change. Prices do.</p>}
      <QuotaNotice />
      {ofOwn !== null && (
        <p class="quiet">{mine.isAsked ? 'Computed for your books each minute: the server follows no more boards now.' : 'Computed for your books as prices change.'}</p>
      )}
      <Problem text={mine.error} />
      <Pins entries={ofOwn === null ? market.entries : new Map([...market.entries, ...present.map((entry): [string, Entry] => [entry.id, entry])])} closed={market.closed} now={now} format={format} />
      {!isKnown && (ofOwn === null ? link.state !== 'lost' : mine.error === null) && <Loading what="the board" rows={12} />}
      {isKnown && ids.length === 0 && (
        <Empty title={all.length === 0 ? 'No open arb windows now' : 'No entry matches the filters'}>
          <p>{all.length === 0 ? 'They appear here as soon as the feed has one.' : `${count(all.length, 'window is', 'windows are')} open; change or clear the filters, or show again what is hidden.`}</p>
        </Empty>
      )}
      {ids.length > 0 && (
        <Grid ids={ids} entries={entries} closed={closed} now={now} format={format} bankroll={own} sizes={sizes} pins={byPin} scores={scores} open={open} onToggle={toggle} onHold={hold} active={active} onActive={setActive}
          sort={filters.sort} onSort={(sort) => replaceQuery('board', query({ ...filters, sort }))} />
      )}
      {isHelp && <Shortcuts onClose={() => setHelp(false)} />}
    </section>
  )
}
