// Where the odds come from: sources and how far each role is behind, books with their refresh, staleness and share of phantoms, and books that went
// stale.

import { useFeed, useLoaded, useNow } from '../hooks'
import { checkedAt, clauseText, feesText, sizesText } from '../model/conditions'
import { stood } from '../model/standing'
import { count, day, duration, percent, whole } from '../model/text'
import type { ListedBook, Status, Truth } from '../model/types'
import { Age, Badge, Empty, Loading, num, Problem, Table, Time } from '../parts/parts'

const STATUS_MS = 5_000
const EVERY_MS = 60_000

const seconds = (value: number | null | undefined) => (value === null || value === undefined ? 'not known' : duration(value))

/** A book of the list with what ClickHouse has of it. */
export interface ShownBook {
  book: ListedBook
  truth: Truth['books'][number] | undefined
  /** Of its verified windows the part that stood; `null` of none. */
  stood: number | null
}

/** Books that have a price or had a window, those with the most prices first. */
export function shownBooks(books: readonly ListedBook[], truth: Truth | null): ShownBook[] {
  const of = new Map(truth?.books.map((row) => [row.book, row]))
  const share = (key: string) => stood(truth?.standing.filter((row) => row.by === 'book' && row.of === key) ?? [], 'verified').share
  const all = books.map((book) => ({ book, truth: of.get(book.key), stood: share(book.key) }))
  const shown = all.filter(({ book, truth }) => book.last_seen_at !== null || truth !== undefined)
  return shown.sort((a, b) => b.book.prices_on_offer - a.book.prices_on_offer || (a.book.key < b.book.key ? -1 : 1))
}

function Conditions({ list }: { list: ShownBook[] }) {
  return (
    <Table label="Fees and rules" head={['Book', 'Fee', 'Since', 'Takes at least', 'Rules', 'Checked', 'Stated']}>
      {list.map(({ book }) => (
        <tr key={book.key}>
          <th scope="row">{book.key}</th>
          <td>{feesText(book)}</td>
          <td>{book.fees.filter(({ holds }) => holds).map(({ from }) => (from === null ? 'not known' : day(from))).join('; ')}</td>
          <td>{sizesText(book)}</td>
          <td>{book.clauses.length === 0 ? <span class="quiet">none known</span> : <details><summary>{count(book.clauses.length, 'clause')}</summary><ul>{book.clauses.map((clause, at) => <li key={at}>{clauseText(clause)}</li>)}</ul></details>}</td>
          <td>{checkedAt(book) === null ? <Badge tone="warn">never</Badge> : day(checkedAt(book) ?? '')}</td>
          <td class="quiet">{book.fees.findLast(({ holds }) => holds)?.source ?? book.source ?? 'in no table: the cautious values of its kind'}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Roles of which nothing but what they have not read is known here. */
const COUNTED = ['deliver', 'settle', 'accounts']

/** Records of Kafka that a role has not read yet. */
function Lag({ of, status }: { of: string; status: Status }) {
  const lag = status.lag_records[of]
  return <td class={lag === undefined ? 'number quiet' : 'number'}>{lag === undefined ? 'not known' : whole(lag)}</td>
}

function Roles({ status, truth }: { status: Status; truth: Truth | null }) {
  const { market, link } = useFeed()
  const now = useNow()
  const newest = Object.values(status.sources).map(({ polled_at: at }) => at).sort().at(-1)
  const asOf = market.asOf ?? status.as_of
  const [until, stored] = [truth?.until ?? null, truth?.stored_at ?? null]
  return (
    <Table label="Roles" head={['Role', 'Has come to', num('Behind'), 'By what', num('Records not read')]}>
      <tr>
        <th scope="row">ingest</th>
        <td>{newest === undefined ? 'no poll yet' : <Time at={newest} />}</td>
        <td class="number">{newest !== undefined && <Age at={newest} now={now} />}</td>
        <td class="quiet">the newest complete poll of any source, and the time now</td>
        <td class="number quiet">none to read</td>
      </tr>
      <tr>
        <th scope="row">process</th>
        <td>{status.as_of === null ? 'nothing yet' : <Time at={status.as_of} />}</td>
        <td class="number">{newest !== undefined && status.as_of !== null && duration((Date.parse(newest) - Date.parse(status.as_of)) / 1000)}</td>
        <td class="quiet">up to when the board has all polls, and the newest poll</td>
        <Lag of="process" status={status} />
      </tr>
      <tr>
        <th scope="row">serve</th>
        <td>{asOf === null ? 'nothing yet' : <Time at={asOf} />}</td>
        <td class="number">{link.state === 'live' && asOf !== null ? <Age at={asOf} now={now} /> : link.state}</td>
        <td class="quiet">the newest event of this page's stream, and the time now</td>
        <td class="number quiet">not known</td>
      </tr>
      <tr>
        <th scope="row">sink</th>
        <td>{until === null ? 'not known' : <Time at={until} />}</td>
        <td class="number">{until !== null && stored !== null && duration((Date.parse(stored) - Date.parse(until)) / 1000)}</td>
        <td class="quiet">the newest transition that is stored, and when it was; looked at each minute</td>
        <Lag of="sink" status={status} />
      </tr>
      {COUNTED.map((role) => (
        <tr key={role}><th scope="row">{role}</th><td /><td /><td class="quiet">records alone</td><Lag of={role} status={status} /></tr>
      ))}
    </Table>
  )
}

function Books({ list, now }: { list: ShownBook[]; now: number }) {
  return (
    <Table label="Books" head={['Book', 'Operator', num('Prices'), num('Confirmed'), num('95 % within'), num('Age: half'), num('Age: 95 %'), 'State', num('Windows'), num('Phantoms'), num('Verified stood')]}>
      {list.map(({ book, truth, stood }) => (
        <tr key={book.key}>
          <th scope="row">{book.key}</th>
          <td>{book.operator}</td>
          <td class="number">{whole(book.prices_on_offer)}</td>
          <td class="number">{book.last_seen_at === null ? 'never' : <><Age at={book.last_seen_at} now={now} late={book.stale_since !== null} /> ago</>}</td>
          <td class="number">{seconds(book.expected_interval_seconds)}</td>
          <td class="number">{seconds(truth?.age_p50_seconds)}</td>
          <td class="number">{seconds(truth?.age_p95_seconds)}</td>
          <td>{book.is_suspended ? <Badge tone="bad">suspended</Badge> : book.stale_since !== null ? <Badge tone="bad">stale</Badge> : book.stale_events > 0 ? <Badge tone="warn">stale for {whole(book.stale_events)} events</Badge> : <Badge tone="good">fresh</Badge>}</td>
          <td class="number">{truth === undefined ? 0 : whole(truth.windows)}</td>
          <td class="number">{truth === undefined || truth.phantom_share === null ? '' : percent(truth.phantom_share, 0)}</td>
          <td class="number">{stood !== null && percent(stood, 0)}</td>
        </tr>
      ))}
    </Table>
  )
}

function Alerts() {
  const { market } = useFeed()
  if (market.alerts.length === 0) return <p class="quiet">Nothing went stale since this page was opened.</p>
  return (
    <Table label="Stale and recovered" head={['When', 'What', 'State', 'Event', 'Last confirmed', num('Usually within')]}>
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
  )
}

export function Feeds() {
  const now = useNow()
  const { value: status, error } = useLoaded<Status>('/status', STATUS_MS)
  const { value: books, error: booksError } = useLoaded<{ books: ListedBook[] }>('/session/books', EVERY_MS)
  const { value: truth, error: truthError } = useLoaded<Truth>('/truth?hours=24', EVERY_MS)
  const list = books === null ? [] : shownBooks(books.books, truth)
  return (
    <section>
      <header class="head"><h1>Feeds</h1>{status?.status === 'stale' && <Badge tone="warn">no poll for too long</Badge>}</header>
      <Problem text={error} />
      {status === null && error === null && <Loading what="the feeds" />}
      {status !== null && (
        <>
          <h2>Sources</h2>
          {Object.keys(status.sources).length === 0 ? <p class="quiet">No complete poll yet.</p> : (
            <Table label="Sources" head={['Source', 'Latest complete poll', num('Age')]}>
              {Object.entries(status.sources).map(([source, { polled_at: at }]) => (
                <tr key={source}><th scope="row">{source}</th><td><Time at={at} /></td><td class="number"><Age at={at} now={now} /></td></tr>
              ))}
            </Table>
          )}
          <h2>Roles</h2>
          <p class="quiet">Records of Kafka that a role has not read yet are looked up each 5 s while this page is open. One or two of each partition may be marks of transactions.</p>
          <Roles status={status} truth={truth} />
        </>
      )}
      <h2>Books</h2>
      <p class="quiet">How often each book confirms its prices, how old they are when they are received (of the last hour), and of the windows of the last day that it had a leg of how many
        were phantoms, and of the verified ones how many stood when their legs were next confirmed.</p>
      <Problem text={booksError ?? truthError} />
      {books === null && booksError === null && <Loading what="the books" />}
      {books !== null && (list.length === 0 ? <Empty title="No books yet"><p>They appear with the first price.</p></Empty> : <Books list={list} now={now} />)}
      {list.length > 0 && (
        <>
          <h2>Fees and rules</h2>
          <p class="quiet">As the table of books has them, since when, and when somebody last compared them with what is stated. A window whose books differ in what a played match pays, or do not state it, is not verified.</p>
          <Conditions list={list} />
        </>
      )}
      <h2>Stale and recovered</h2>
      <Alerts />
    </section>
  )
}
