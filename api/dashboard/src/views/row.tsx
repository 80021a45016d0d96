// A row of the board: what a bettor decides by, 22 pixels a leg. Everything else is in the row when it is opened.

import { Component, type ComponentChildren } from 'preact'
import { bets, selection } from '../model/bet'
import { staked } from '../model/bankroll'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { place, placedOf, type Pin } from '../model/pins'
import { brief, CLOSINGS, family, gain, league, market, money, percent, period, relative, time, utc, words } from '../model/text'
import { shownScore } from '../model/score'
import type { Bankroll, BookSizes, Entry, Leg, Score } from '../model/types'
import { pins } from '../kept'
import { Hinted, Icon } from '../parts/icons'
import { Book } from './book'
import { Stake } from './stake'

export interface RowGiven {
  entry: Entry
  now: number
  format: OddsFormat
  bankroll: Bankroll
  sizes: ReadonlyMap<string, BookSizes>
  pin: Pin | undefined
  score: Score | undefined
  /** Why the window is gone, while its row is held. */
  closed: string | null
  isOpen: boolean
  onToggle: () => void
}

export function isLate(leg: Leg, now: number): boolean {
  return now - Date.parse(leg.last_seen_at) > leg.expected_interval_seconds * 1000
}

/** What an entry is called where it is spoken of. */
export const nameOf = (entry: Entry) => `${entry.event.home} – ${entry.event.away}, ${market(entry.market, entry.period)}: ${bets(entry.legs, entry.line, entry.event)}`

/** Odds that flash once when they have changed. */
class Odds extends Component<{ price: number; format: OddsFormat }> {
  private turn = 0

  override shouldComponentUpdate(next: { price: number; format: OddsFormat }): boolean {
    if (next.price !== this.props.price) this.turn++
    return next.price !== this.props.price || next.format !== this.props.format
  }

  override render(): ComponentChildren {
    // Another name of the animation begins it again.
    return <strong class={this.turn === 0 ? 'odds' : `odds flash-${this.turn % 2}`}>{alignedOdds(this.props.price, this.props.format)}</strong>
  }
}

/** When the event is, of a clock that ticks; of one in play its score, where a young one is known. */
export function Start({ event, now, score }: { event: Entry['event']; now: number; score: Score | undefined }) {
  const at = event.commence_time
  const shown = shownScore(event, score, now)
  const began = `Began ${time(at)} (${utc(at)})`
  if (shown !== null) return <span class="playing number" title={`${shown.title}. ${began}`}><span class="unseen">In play, </span>{shown.text}</span>
  if (event.in_play === true) return <span class="playing" title={began}>In play</span>
  return <time dateTime={at} title={`${time(at)} (${utc(at)})`}>{relative(Date.parse(at), now)}</time>
}

/** The age of a price in seconds, and whether it is older than the book's usual interval. */
function Confirmed({ leg, now }: { leg: Leg; now: number }) {
  const late = isLate(leg, now)
  return (
    <time class={late ? 'age late' : 'age'} dateTime={leg.last_seen_at} title={`Confirmed ${time(leg.last_seen_at)} (${utc(leg.last_seen_at)})${late ? ': longer ago than its book usually takes' : ''}`}>
      {brief((now - Date.parse(leg.last_seen_at)) / 1_000)}{late && <span class="unseen"> late</span>}
    </time>
  )
}

function State({ entry, closed }: { entry: Entry; closed: string | null }) {
  if (closed !== null) return <Hinted name="closed" text={`closed: ${CLOSINGS[closed] ?? words(closed)}`} />
  if (entry.verified) return <Hinted name="verified" text="verified" />
  return <Hinted name="warn" text={`not verified: ${entry.failed_checks.map((check) => check.reason).join('; ')}`} />
}

/** How much of its median life a window has left. */
function Life({ entry, now, closed }: { entry: Entry; now: number; closed: string | null }) {
  const { ttl_seconds: median } = entry
  if (closed !== null) return <span class="quiet">closed</span>
  return <span title="Half of such windows are closed by then">{brief(Math.max(0, median - Math.max(0, (now - Date.parse(entry.updated_at)) / 1_000)))}</span>
}

function LegLine({ leg, given, stake }: { leg: Leg; given: RowGiven; stake: ComponentChildren }) {
  const { entry, now, format, pin, closed } = given
  const placed = placedOf(pin, leg)
  const { on, line } = selection(leg.outcome, entry.line, entry.event)
  const side = leg.side === 'lay' ? 'Lay' : 'Back'
  const plan = staked(entry, given.bankroll, given.sizes).plan?.legs[entry.legs.indexOf(leg)]
  const toggle = () => pins.set(place(pins.get(), entry, leg, plan?.stake ?? leg.stake ?? 0))
  return (
    <div class="leg">
      <span class="outcome" title={`${side} ${on} ${line}`}><span class={`side ${leg.side}`}>{side}</span> <span class="on">{on}</span>{line !== '' && <> <span class="own">{line}</span></>}</span>
      <Odds price={leg.price} format={format} />
      <Book leg={leg} tab={-1} />
      {stake}
      <span class="limit" title={leg.limit === null ? 'The limit is not known' : 'The most that the book takes at this price'}>{leg.limit === null ? '–' : money(leg.limit)}<span class="unseen"> {leg.limit === null ? 'limit not known' : 'limit'}</span></span>
      <Confirmed leg={leg} now={now} />
      <button type="button" class="place" tabIndex={-1} aria-pressed={placed !== null} disabled={closed !== null && placed === null} onClick={toggle}
        title={placed === null ? `Placed at ${leg.book}: pins the row` : `Placed ${money(placed.stake)} at ${alignedOdds(placed.price, format).trim()}; click to take it back`}>
        <Icon name={placed === null ? 'place' : 'placed'} text={`placed at ${leg.book}`} />
      </button>
    </div>
  )
}

/** What is in the cells of a row. It is drawn again when what it shows has changed: of a row that is closed no clock ticks. */
export class Cells extends Component<RowGiven> {
  override shouldComponentUpdate(next: RowGiven): boolean {
    const was = this.props
    return next.entry !== was.entry || next.format !== was.format || next.bankroll !== was.bankroll || next.sizes !== was.sizes || next.pin !== was.pin || next.score !== was.score || next.closed !== was.closed || next.isOpen !== was.isOpen
      || (next.closed === null && next.now !== was.now)
  }

  override render() {
    const { entry, now, closed, bankroll, sizes, score, isOpen, onToggle } = this.props
    const { plan, why } = staked(entry, bankroll, sizes)
    const part = period(entry.period)
    return (
      <>
        <div role="gridcell" class="c-margin"><strong>{percent(entry.margin)}</strong></div>
        <div role="gridcell" class="c-profit"><span class={plan !== null && plan.least < 0 ? 'profit loss' : 'profit'} title={why === null ? 'The least that the stakes beside it bring' : `No stakes: ${why}`}>{plan === null ? '–' : gain(plan.least)}<span class="unseen"> profit</span></span></div>
        <div role="gridcell" class="c-event"><button type="button" class="match" tabIndex={-1} aria-expanded={isOpen} onClick={onToggle} title={`${entry.event.home} – ${entry.event.away}`}>{entry.event.home} – {entry.event.away}</button>
          <span class="sub"><Start event={entry.event} now={now} score={score} /> <span class="quiet">{league(entry.league)}</span></span></div>
        <div role="gridcell" class="c-market"><span>{family(entry.market)}</span>{part !== '' && <span class="quiet">{part}</span>}</div>
        <div role="gridcell" class="c-legs">
          {entry.legs.map((leg, index) => <LegLine key={index} leg={leg} given={this.props} stake={<Stake entry={entry} leg={leg} planned={plan?.legs[index]} why={why} />} />)}
        </div>
        <div role="gridcell" class="c-life number"><Life entry={entry} now={now} closed={closed} /></div>
        <div role="gridcell" class="c-state"><State entry={entry} closed={closed} /></div>
      </>
    )
  }
}
