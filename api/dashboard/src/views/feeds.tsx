// Where the odds come from: sources, the books of what is open now, and books that went stale.

import { useFeed, useNow } from '../hooks'
import { duration, whole } from '../model/text'
import type { Market } from '../model/market'
import { Age, Badge, Empty, Loading, Table, Time } from '../parts/parts'

interface Book {
  book: string
  operator: string
  legs: number
  verified: number
  newest: number
  interval: number | null
}

/** What the open entries and signals tell of each book. */
export function books(market: Market): Book[] {
  const found = new Map<string, Book>()
  const note = (quote: { book: string; operator: string; last_seen_at: string }, interval: number | null, legs: number, verified: boolean) => {
    const seen = Date.parse(quote.last_seen_at)
    const book = found.get(quote.book) ?? { book: quote.book, operator: quote.operator, legs: 0, verified: 0, newest: seen, interval: null }
    found.set(quote.book, {
      ...book, legs: book.legs + legs, verified: book.verified + (verified ? legs : 0), newest: Math.max(book.newest, seen),
      interval: interval ?? book.interval,
    })
  }
  for (const entry of market.entries.values()) for (const leg of entry.legs) note(leg, leg.expected_interval_seconds, 1, entry.verified)
  for (const signal of market.signals.values()) for (const quote of [...signal.bets, ...signal.evidence]) note(quote, null, 0, false)
  return [...found.values()].sort((a, b) => b.legs - a.legs || (a.book < b.book ? -1 : 1))
}

export function Feeds() {
  const { market, link } = useFeed()
  const now = useNow()
  const list = books(market)
  return (
    <section>
      <header class="head"><h1>Feeds</h1>{market.stale && <Badge tone="warn">no poll for too long</Badge>}</header>
      {!market.isKnown && link.state !== 'lost' && <Loading what="the feeds" />}
      <h2>Sources</h2>
      {market.polls.length === 0 ? <p class="quiet">No complete poll yet.</p> : (
        <>
          <Table label="Sources" head={['Source', 'Latest complete poll when this page connected', 'Age']}>
            {market.polls.map((poll) => (
              <tr key={poll.source}>
                <th scope="row">{poll.source}</th><td><Time at={poll.polled_at} /></td><td class="number"><Age at={poll.polled_at} now={now} /></td>
              </tr>
            ))}
          </Table>
          {market.asOf !== null && <p class="quiet">The board contains all polls up to <Time at={market.asOf} />.</p>}
        </>
      )}
      <h2>Books</h2>
      <p class="quiet">Of the entries and signals that are open now.</p>
      {list.length === 0 ? <Empty title="No books yet"><p>They appear with the first open entry or signal.</p></Empty> : (
        <Table label="Books" head={['Book', 'Operator', 'Open legs', 'Of verified entries', 'Newest confirmation', 'Usually within']}>
          {list.map((book) => (
            <tr key={book.book}>
              <th scope="row">{book.book}</th><td>{book.operator}</td><td class="number">{whole(book.legs)}</td><td class="number">{whole(book.verified)}</td>
              <td class="number"><Age at={new Date(book.newest).toISOString()} now={now} /> ago</td>
              <td class="number">{book.interval === null ? 'not known' : duration(book.interval)}</td>
            </tr>
          ))}
        </Table>
      )}
      <h2>Stale and recovered</h2>
      {market.alerts.length === 0 ? <p class="quiet">Nothing went stale since this page was opened.</p> : (
        <Table label="Stale and recovered" head={['When', 'What', 'State', 'Event', 'Last confirmed', 'Usually within']}>
          {market.alerts.map((alert, index) => (
            <tr key={index}>
              <td><Time at={alert.at} short /></td>
              <th scope="row">{alert.book ?? 'a window'}</th>
              <td><Badge tone={alert.state === 'recovered' ? 'good' : 'warn'}>{alert.state}</Badge></td>
              <td>{alert.event.home} – {alert.event.away}</td>
              <td>{alert.last_seen_at === null ? '' : <Time at={alert.last_seen_at} short />}</td>
              <td class="number">{alert.expected_interval_seconds === null ? '' : duration(alert.expected_interval_seconds)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
