// The grid of the board: one tab stop, arrows and keys within it, and only rows near what is seen in the document. It decides nothing: which rows there are,
// and in which order, it is told.

import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sort } from '../model/filters'
import type { OddsFormat } from '../model/odds'
import type { Pin } from '../model/pins'
import type { Bankroll, BookSizes, Entry, Score } from '../model/types'
import { useMedia } from '../hooks'
import { useRows } from '../parts/virtual'
import { Details } from './entry'
import { Cells } from './row'

/** Heights in pixels: of a leg and the least of a row, and of a card of a telephone without its legs. */
const LEG = 22
const LEAST = 44
const CARD = 88
const CARD_LEG = 42
/** What covers the rows at the top of the window. */
const COVERED = 108
export const CARDS = '(max-width: 64rem)'

export interface Heads {
  sort: Sort
  onSort: (sort: Sort) => void
}

const HEADS: { name: string; class: string; sort?: Sort; hint?: string }[] = [
  { name: 'Margin', class: 'c-margin', sort: 'margin' }, { name: 'Profit', class: 'c-profit', sort: 'profit', hint: 'The least that the stakes bring' },
  { name: 'Event', class: 'c-event', sort: 'commence_time', hint: 'Soonest start first' }, { name: 'Market', class: 'c-market' },
]
const LAST: typeof HEADS = [{ name: 'Life', class: 'c-life', sort: 'ttl_seconds', hint: 'The median of what is left' }, { name: 'State', class: 'c-state', sort: 'rank', hint: 'Verified first, then by rank' }]
const OF_LEG = ['Bet', 'Odds', 'Book', 'Stake', 'Limit', 'Age']
const COLUMNS = HEADS.length + LAST.length + 1

function Head({ of, sort, onSort }: Heads & { of: (typeof HEADS)[number] }) {
  const by = of.sort
  if (by === undefined) return <div role="columnheader" class={of.class}>{of.name}</div>
  return (
    <div role="columnheader" class={of.class} aria-sort={by !== sort ? 'none' : by === 'commence_time' ? 'ascending' : 'descending'}>
      <button type="button" tabIndex={-1} class="sorter" title={of.hint ?? 'Sort by it'} onClick={() => onSort(by)}>{of.name}{by === sort && <span aria-hidden="true"> {by === 'commence_time' ? '↑' : '↓'}</span>}</button>
    </div>
  )
}

function HeadRow(heads: Heads) {
  return (
    <div role="rowgroup" class="heads">
      <div role="row" class="cells" aria-rowindex={1}>
        {HEADS.map((of) => <Head key={of.name} of={of} {...heads} />)}
        <div role="columnheader" class="c-legs"><span class="unseen">Legs: </span><span class="leg">{OF_LEG.map((name) => <span key={name} class={`h-${name.toLowerCase()}`}>{name} </span>)}</span></div>
        {LAST.map((of) => <Head key={of.name} of={of} {...heads} />)}
      </div>
    </div>
  )
}

export interface GridGiven extends Heads {
  ids: readonly string[]
  entries: ReadonlyMap<string, Entry>
  closed: (id: string) => string | null
  now: number
  format: OddsFormat
  bankroll: Bankroll
  sizes: ReadonlyMap<string, BookSizes>
  pins: ReadonlyMap<string, Pin>
  /** By event. */
  scores: ReadonlyMap<string, Score>
  open: ReadonlySet<string>
  onToggle: (id: string) => void
  /** Rows are held while the pointer or the focus is among them. Who gives the rows says when the pointer is gone. */
  onHold: (by: { pointer?: boolean; focus?: boolean }) => void
  /** The row that keys act on. */
  active: string | null
  onActive: (id: string) => void
}

const controls = (row: Element) => [...row.querySelectorAll<HTMLElement>('a[href], button:not(:disabled)')]

/** Moves the focus along a row: its controls in their order, and the row itself before the first one. */
function along(row: HTMLElement, step: 1 | -1): void {
  const list = [row, ...controls(row)]
  const at = list.findIndex((element) => element === document.activeElement)
  list[Math.min(list.length - 1, Math.max(0, at + step))]?.focus()
}

/** Where the grid begins in the document. */
function useAbove(element: { current: HTMLElement | null }): number {
  const [above, setAbove] = useState(COVERED)
  useLayoutEffect(() => {
    // Whatever stands above it may grow: a notice, a placed bet, chips on a second line.
    const look = () => { if (element.current !== null) setAbove(Math.round(element.current.getBoundingClientRect().top + scrollY)) }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(document.body)
    return () => sizes.disconnect()
  }, [element])
  return above
}

export function Grid(given: GridGiven) {
  const { ids, entries, active, onActive, onToggle, onHold } = given
  const body = useRef<HTMLDivElement>(null)
  const isCards = useMedia(CARDS)
  const at = active === null ? -1 : ids.indexOf(active)
  const current = at >= 0 ? at : ids.length > 0 ? 0 : -1
  const heightOf = (index: number) => {
    const legs = entries.get(ids[index] ?? '')?.legs.length ?? 2
    return isCards ? CARD + legs * CARD_LEG : Math.max(LEAST, legs * LEG)
  }
  const rows = useRows({ count: ids.length, keyOf: (index) => ids[index] ?? '', heightOf, kept: current, above: useAbove(body), covered: COVERED })
  useEffect(() => rows.measure(), [rows, isCards])
  const focusRow = (index: number) => {
    const id = ids[index]
    if (id === undefined) return
    onActive(id)
    rows.scrollToIndex(index, { align: 'auto' })
    // The row is in the document after the next drawing.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }))
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement
    if (target.closest('.details') !== null || event.ctrlKey || event.metaKey || event.altKey) return
    const row = target.closest<HTMLElement>('[role="row"]')
    if (row === null) return
    const inHeads = row.dataset.row === undefined
    const moves: Record<string, () => void> = {
      ArrowDown: () => focusRow(inHeads ? 0 : current + 1),
      ArrowUp: () => (current === 0 || inHeads ? event.currentTarget.querySelector<HTMLElement>('.sorter')?.focus() : focusRow(current - 1)),
      ArrowRight: () => along(row, 1), ArrowLeft: () => along(row, -1),
      Home: () => focusRow(0), End: () => focusRow(ids.length - 1), PageDown: () => focusRow(Math.min(ids.length - 1, current + 12)), PageUp: () => focusRow(Math.max(0, current - 12)),
      Escape: () => row.focus(),
      ...(target === row && !inHeads ? { Enter: () => onToggle(ids[current] ?? ''), ' ': () => onToggle(ids[current] ?? '') } : {}),
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }
  return (
    <div role="grid" class="grid" aria-label="Open arb windows" aria-rowcount={ids.length + 1} aria-colcount={COLUMNS} onKeyDown={onKeyDown}
      onPointerEnter={(event) => { if (event.pointerType === 'mouse') onHold({ pointer: true }) }} onFocusIn={() => onHold({ focus: true })} onFocusOut={() => onHold({ focus: false })}>
      <HeadRow sort={given.sort} onSort={given.onSort} />
      <div role="rowgroup" class="rows" ref={body} style={{ height: `${rows.getTotalSize()}px` }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const id = ids[index] ?? ''
          const entry = entries.get(id)
          return entry === undefined ? null : (
            <div key={key} role="presentation" class="entry" ref={rows.measureElement} data-index={index} style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}>
              <GridRow {...given} id={id} entry={entry} index={index} isCurrent={index === current} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function GridRow({ id, entry, index, isCurrent, ...given }: GridGiven & { id: string; entry: Entry; index: number; isCurrent: boolean }) {
  const { open, now, format, bankroll, sizes, pins, scores, onActive, onToggle } = given
  const closed = given.closed(id)
  const isOpen = open.has(id)
  const onClick = (event: MouseEvent) => {
    // A control of the row does what it says; a text that is being selected opens nothing.
    if ((event.target as Element).closest('a, button') === null && getSelection()?.isCollapsed !== false) onToggle(id)
  }
  return (
    <>
      <div role="row" class={`cells row${closed === null ? '' : ' closed'}${isOpen ? ' is-open' : ''}`} data-row={id} aria-rowindex={index + 2} aria-selected={isCurrent}
        tabIndex={isCurrent ? 0 : -1} onFocusIn={() => onActive(id)} onClick={onClick}>
        <Cells entry={entry} now={now} format={format} bankroll={bankroll} sizes={sizes} pin={pins.get(id)} score={scores.get(entry.event.id)} closed={closed} isOpen={isOpen} onToggle={() => onToggle(id)} />
      </div>
      {isOpen && <div role="row" class="opened"><div role="gridcell" aria-colspan={COLUMNS}><h2 class="unseen">{entry.event.home} – {entry.event.away}</h2><Details entry={entry} now={now} format={format} /></div></div>}
    </>
  )
}
