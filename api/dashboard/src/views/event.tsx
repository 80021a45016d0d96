// The page of an event: the prices of all books by bet, the best marked, those of one line over time, and its windows with how they ended. What is best is as
// the server says.

import { useState } from 'preact/hooks'
import { useLoaded, useNow, useOddsFormat, useScores } from '../hooks'
import { bet, bets, type Names } from '../model/bet'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { shownScore } from '../model/score'
import { CLOSINGS, duration, league, market, percent, words } from '../model/text'
import type { EventOdds, ListedQuote, Match, OddsHistory, PastWindow } from '../model/types'
import { Badge, Empty, Loading, num, Problem, Table, Time, When } from '../parts/parts'
import { BetPrices } from './bet_prices'

/** How often prices are asked for again while the page is seen: four of the forty reads a minute. */
const EVERY_MS = 15_000
/** Windows that are shown. */
const WINDOWS = 50

type Line = EventOdds['lines'][number]

/** The key of a market with its period, as lists of events have it. */
const keyOf = ({ market, period }: Line) => (period === 'full_time' ? market : `${market}_${period}`)

const betKey = ({ side, outcome }: Pick<ListedQuote, 'side' | 'outcome'>) => `${side} ${outcome}`

function Prices({ of, names, format, isShown, onShow }: { of: Line; names: Names; format: OddsFormat; isShown: boolean; onShow: () => void }) {
  const all = [...new Map(of.quotes.map((quote) => [betKey(quote), quote])).values()]
  const books = [...new Set(of.quotes.map(({ book }) => book))].sort()
  const cells = new Map(of.quotes.map((quote) => [`${quote.book} ${betKey(quote)}`, quote]))
  const name = [market(of.market, of.period), ...(of.line === null ? [] : [String(of.line).replace('-', '−')])].join(' ')
  return (
    <section class="card">
      <header class="head">
        <h2>{name}</h2>
        <button type="button" class="small" aria-expanded={isShown} onClick={onShow}>{isShown ? 'Hide the history' : 'Show the history'}<span class="unseen"> of {name}</span></button>
      </header>
      <Table label={`Prices of ${name}`} head={['Book', ...all.map((quote) => num(bet(quote, of.line, names)))]}>
        {books.map((book) => (
          <tr key={book}>
            <th scope="row">{book}</th>
            {all.map((quote) => {
              const cell = cells.get(`${book} ${betKey(quote)}`)
              if (cell === undefined) return <td key={betKey(quote)} class="number quiet">–</td>
              return (
                <td key={betKey(quote)} class="number">
                  {cell.is_best && <><Badge tone="good">best</Badge> </>}
                  {cell.status === 'on_offer' ? alignedOdds(cell.price, format) : <span class="quiet">{words(cell.status)}</span>}
                </td>
              )
            })}
          </tr>
        ))}
      </Table>
    </section>
  )
}

function History({ id, sport, of, names, format }: { id: string; sport: string; of: Line; names: Names; format: OddsFormat }) {
  const query = new URLSearchParams({ market: keyOf(of), sport, ...(of.line === null ? {} : { line: String(of.line) }) })
  const { value, error } = useLoaded<OddsHistory>(`/session/events/${encodeURIComponent(id)}/odds/history?${query}`)
  return (
    <>
      <Problem text={error} />
      {value === null && error === null && <Loading what="the history" />}
      {value?.bets.length === 0 && <p class="quiet">No price of the last 24 hours is stored.</p>}
      {value !== null && <div class="columns">{value.bets.map((of_bet) => (
        <BetPrices key={betKey(of_bet)} name={bet(of_bet, of.line, names)} books={of_bet.books} until={value.until} format={format} />
      ))}</div>}
    </>
  )
}

function Windows({ id }: { id: string }) {
  const { value, error } = useLoaded<{ windows: PastWindow[] }>(`/session/arbs/history?${new URLSearchParams({ event_id: id, limit: String(WINDOWS) })}`)
  return (
    <>
      <h2>Windows of the event</h2>
      <Problem text={error} />
      {value === null && error === null && <Loading what="the windows" />}
      {value?.windows.length === 0 && <p class="quiet">None is stored.</p>}
      {value !== null && value.windows.length > 0 && (
        <Table label="Windows of the event" head={['Bets', 'Opened', 'Lived', num('Margin at most'), 'Closed because', 'Proven']}>
          {value.windows.map((window) => (
            <tr key={`${window.feed} ${window.id}`}>
              <th scope="row"><a href={`#/arb/${encodeURIComponent(window.id)}`}>{market(window.market, window.period)}: {bets(window.legs, window.line, { home: window.event.home ?? 'Home', away: window.event.away ?? 'Away' })}</a></th>
              <td><Time at={window.opened_at} short /></td>
              <td class="number">{window.lifetime_seconds === null ? 'is open' : duration(window.lifetime_seconds)}</td>
              <td class="number">{window.margin_peak === null ? '–' : percent(window.margin_peak)}</td>
              <td>{window.reason === null ? 'is open' : CLOSINGS[window.reason] ?? words(window.reason)}</td>
              <td>{window.verified_ever ? <Badge tone="good">verified</Badge> : window.simultaneous_ever ? <Badge tone="plain">proven</Badge> : <Badge tone="warn">not proven</Badge>}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

/** That an event is in play, with its score where a young one is known. */
function Playing({ event }: { event: Match }) {
  const scores = useScores(true, event.id)
  const shown = shownScore(event, scores.get(event.id), useNow())
  if (shown === null) return <Badge tone="good">in play</Badge>
  return <Badge tone="good" title={shown.title}><span class="unseen">in play, </span>{shown.text}</Badge>
}

export function EventPage({ id }: { id: string }) {
  const [format] = useOddsFormat()
  const { value, error } = useLoaded<EventOdds>(`/session/events/${encodeURIComponent(id)}/odds`, EVERY_MS)
  const [shown, setShown] = useState<string | null>(null)
  const event = value?.event
  const names: Names = { home: event?.home ?? 'Home', away: event?.away ?? 'Away' }
  return (
    <section>
      <p><a href="#/board">All open windows</a></p>
      <header class="head">
        <h1>{event === undefined ? 'Event' : `${event.home} – ${event.away}`}</h1>
        {event?.in_play === true && <Playing event={event} />}
        {event !== undefined && <span class="quiet">{league(event.league)}, <When at={event.commence_time} /></span>}
      </header>
      {value === null && error === null && <Loading what="the prices" />}
      {value === null && error !== null && <Empty title="No prices now"><p>{error}</p></Empty>}
      {value?.lines.map((of) => {
        const key = `${keyOf(of)} ${of.line}`
        return (
          <div key={key}>
            <Prices of={of} names={names} format={format} isShown={shown === key} onShow={() => setShown(shown === key ? null : key)} />
            {shown === key && event !== undefined && <History id={id} sport={event.sport} of={of} names={names} format={format} />}
          </div>
        )
      })}
      <Windows id={id} />
    </section>
  )
}
