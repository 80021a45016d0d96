// The page of an entry: as it is now or as it was, its margin over time and transitions, the prices of its legs at all books, and how such windows
// ended before.

import { useEffect, useRef, useState } from 'preact/hooks'
import { useFeed, useLoaded, useNow, useOddsFormat } from '../hooks'
import { bet, bets, type Names } from '../model/bet'
import { odds, type OddsFormat } from '../model/odds'
import { aligned, endings, type Columns } from '../model/series'
import { league, CLOSINGS, duration, market, percent, signed, whole, words } from '../model/text'
import type { ArbPrices, Entry, PastWindow, Transition, WindowGrade, WindowHistory } from '../model/types'
import { Badge, Empty, Loading, num, Problem, Table, Time, When } from '../parts/parts'
import { axis, HOVER, Plot } from '../parts/plot'
import { BetPrices } from './bet_prices'
import { Details } from './entry'
import { Evidence } from './evidence'

/** Windows of the past that this one is compared with. */
const SUCH = 200
/** Whether its legs stood, since it was verified or else since it opened. */
const STOOD: Record<string, string> = {
  true: 'All its legs were there or better when they were next confirmed.',
  false: 'A leg was worse, suspended or gone when it was next confirmed.',
  null: 'Not known: a leg was not confirmed before it closed, or it is open.',
}
/** A change of the window asks for its history again, at most so often. */
const EVERY_MS = 3_000

function MarginPlot({ transitions, until }: { transitions: Transition[]; until: string }) {
  const last = transitions.at(-1)
  const points = transitions.map((it) => ({ at: it.at, price: it.margin * 100 }))
  const data: Columns = aligned([points], last?.change === 'closed' ? last.at : until)
  return (
    <Plot label={`Margin over time in percent; the numbers are in the table of transitions`} data={data} height={180} build={(plot, colour) => {
      const paths = plot.paths.stepped?.({ align: 1 })
      return {
        ...HOVER,
        axes: [axis(colour), { ...axis(colour), size: 64, values: (_plot, values) => values.map((value) => `${Number(value.toFixed(2))} %`) }],
        series: [{ label: 'When' }, { label: 'Margin', value: (_plot, value: number | null) => (value === null ? '–' : percent(value / 100)), stroke: colour('accent'), width: 2, points: { show: data[0].length < 60, size: 6 }, ...(paths === undefined ? {} : { paths }) }],
      }
    }} />
  )
}

/** Of a window: the line of its market, and whom its bets are on. */
interface Subject {
  line: number | null
  names: Names
  format: OddsFormat
}

function Transitions({ list, line, names, format }: Subject & { list: Transition[] }) {
  return (
    <Table label="Transitions" head={['When', 'Change', num('Margin'), 'State', 'Legs then']}>
      {list.map((it) => (
        <tr key={it.sequence}>
          <td><Time at={it.at} /></td>
          <th scope="row">{words(it.change)}{it.reason !== null && <span class="quiet">: {CLOSINGS[it.reason] ?? words(it.reason)}</span>}</th>
          <td class="number">{percent(it.margin)}</td>
          <td>{it.verified ? <Badge tone="good">verified</Badge> : it.simultaneous ? <Badge tone="plain">proven</Badge> : <Badge tone="warn">not proven</Badge>}</td>
          <td>{it.legs.map((leg, index) => <div key={index}>{bet(leg, line, names)}, {odds(leg.price, format)} {leg.book}</div>)}</td>
        </tr>
      ))}
    </Table>
  )
}

function LegPrices({ leg, prices, line, names, format }: Subject & { leg: ArbPrices['legs'][number]; prices: ArbPrices }) {
  const open: [number, number] = [Date.parse(prices.opened_at) / 1000, Date.parse(prices.closed_at ?? prices.until) / 1000]
  return <BetPrices name={bet(leg, line, names)} books={leg.books} own={leg.book} until={prices.until} format={format} shaded={open} />
}

function Prices({ id, version, ...subject }: Subject & { id: string; version: number }) {
  const { value, error, reload } = useLoaded<ArbPrices>(`/session/arbs/${encodeURIComponent(id)}/prices`)
  useEffect(() => { if (version > 0) void reload() }, [version, reload])
  return (
    <>
      <h2>Prices of the legs, by book</h2>
      <p class="quiet">The shaded time is that of the window.</p>
      <Problem text={value === null ? error : null} />
      {value === null && error === null && <Loading what="the prices" />}
      {value !== null && <div class="columns">{value.legs.map((leg, index) => <LegPrices key={index} leg={leg} prices={value} {...subject} />)}</div>}
    </>
  )
}

function Such({ of }: { of: { id: string; league: string; market: string } }) {
  const query = new URLSearchParams({ league: of.league, market: of.market, limit: String(SUCH) })
  const { value, error } = useLoaded<{ windows: PastWindow[] }>(`/session/arbs/history?${query}`)
  const found = value === null ? null : endings(value.windows, of.id)
  const most = Math.max(1, ...(found?.reasons.map(({ count }) => count) ?? []))
  return (
    <>
      <h2>How such windows ended before</h2>
      <Problem text={error} />
      {found === null && error === null && <Loading what="windows of the past" />}
      {found?.closed === 0 && <p class="quiet">None of this league and market has closed yet.</p>}
      {found?.lifetimes != null && (
        <>
          <p>Of the last {whole(found.closed)} that closed in {league(of.league)}, {market(of.market, 'full_time').toLowerCase()}:
            {' '}half were gone after {duration(found.lifetimes.median)}, one in ten after {duration(found.lifetimes.p10)}, nine in ten after {duration(found.lifetimes.p90)};
            {' '}{percent(found.phantoms / found.closed, 0)} were never proven to have been on offer at one moment.</p>
          <Table label="Reasons of closes" head={['Closed because', num('Windows'), num('Share')]}>
            {found.reasons.map(({ reason, count }) => (
              <tr key={reason}>
                <th scope="row">{CLOSINGS[reason] ?? words(reason)}
                  <svg class="share" width="100%" height="6" aria-hidden="true"><rect class="range" width={`${(100 * count) / most}%`} height="6" rx="2" /></svg></th>
                <td class="number">{whole(count)}</td><td class="number">{percent(count / found.closed, 0)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  )
}

/** What became of a window that is closed. */
function Closed({ window, line, names, format }: Subject & { window: PastWindow }) {
  const margin = (value: number | null) => (value === null ? 'not known' : percent(value))
  const settled = window.settlement
  return (
    <div class="columns">
      <dl class="card">
        <dt>Opened</dt><dd><When at={window.opened_at} /></dd>
        <dt>Closed</dt><dd>{window.closed_at === null ? 'not yet' : <When at={window.closed_at} />}{window.reason !== null && <>: {CLOSINGS[window.reason] ?? words(window.reason)}</>}</dd>
        <dt>Lived</dt><dd class="number">{window.lifetime_seconds === null ? 'is open' : duration(window.lifetime_seconds)}</dd>
        <dt>Margin</dt><dd class="number">{margin(window.margin_open)} as it opened, {margin(window.margin_peak)} at most, {margin(window.margin_close)} at last</dd>
        <dt>Proven</dt><dd>{window.verified_ever ? 'It was verified.' : window.simultaneous_ever ? 'Its legs were on offer at one moment; it never was verified.' : 'Never: a phantom, as far as anybody knows.'}</dd>
        <dt>Stood</dt><dd>{STOOD[String(window.verified_ever ? window.verified_stood : window.stood)]}</dd>
        <dt>Result</dt><dd>{settled === null ? 'not known' : <>{settled.home !== null && <span class="number">{settled.home} : {settled.away}; </span>}all stakes together returned <span class="number">{signed(settled.profit)}</span></>}</dd>
      </dl>
      <Table label="Legs as it opened" head={['Bet', 'Book', num('Odds'), num('Share'), 'Settled', num('Paid')]}>
        {window.legs.map((leg, index) => (
          <tr key={index}>
            <th scope="row">{bet(leg, line, names)}</th>
            <td>{leg.book}</td><td class="number">{odds(leg.price, format)}</td><td class="number">{percent(leg.stake_share, 1)}</td>
            <td>{words(settled?.legs[index]?.settlement ?? 'not known')}</td><td class="number">{settled?.legs[index] && percent(settled.legs[index].returned, 1)}</td>
          </tr>
        ))}
      </Table>
    </div>
  )
}

/** Every grading of a window, where its result was corrected or withdrawn. */
function Gradings({ gradings }: { gradings: WindowGrade[] }) {
  return (
    <Table label="Gradings" head={[num('No.'), 'Reported', 'By', 'Result', num('Returned')]}>
      {gradings.map((grade) => (
        <tr key={grade.version}>
          <th scope="row" class="number">{grade.version}</th><td><Time at={grade.at} /></td><td>{grade.source}</td>
          <td class="number">{grade.profit === null ? 'withdrawn' : grade.home === null ? 'void' : `${grade.home} : ${grade.away}`}</td>
          <td class="number">{grade.profit !== null && signed(grade.profit)}</td>
        </tr>
      ))}
    </Table>
  )
}

function Heading({ entry, window, names, closed }: { entry: Entry | null; window: PastWindow | null; names: Names; closed: string | null }) {
  const of = entry ?? window
  if (of === null) return <h1>Entry</h1>
  const margin = entry?.margin ?? window?.margin_close ?? window?.margin_open ?? null
  return (
    <>
      <h1>{names.home} – {names.away}</h1>
      {margin !== null && <strong class="number large">{percent(margin)}</strong>}
      {closed !== null ? <Badge tone="bad">closed</Badge> : entry?.verified === true ? <Badge tone="good">verified</Badge> : <Badge tone="warn">not verified</Badge>}
      <span>{market(of.market, of.period)}: {bets(of.legs, of.line, names)}</span>
      <a href={`#/events/${encodeURIComponent(of.event.id)}`}>All prices of the event</a>
      <span class="quiet">{league(of.league)}{of.event.commence_time !== null && <>, <When at={of.event.commence_time} /></>}</span>
    </>
  )
}

/** Asks again when the live entry has moved on from what is stored, or is gone, at most so often; how often it has. `sequence` is -1 of what is not live. */
function useVersion(sequence: number, value: WindowHistory | null, reload: () => Promise<void>): number {
  const [version, setVersion] = useState(0)
  const asked = useRef({ sequence: -1, at: -Infinity })
  const isBehind = value !== null && (sequence === -1 ? value.open !== null : value.evidence?.sequence !== sequence)
  useEffect(() => {
    if (!isBehind || asked.current.sequence === sequence) return undefined
    const timer = setTimeout(() => {
      asked.current = { sequence, at: performance.now() }
      void reload().then(() => setVersion((version) => version + 1))
    }, Math.max(0, asked.current.at + EVERY_MS - performance.now()))
    return () => clearTimeout(timer)
  }, [isBehind, sequence, reload])
  return version
}

export function Arb({ id }: { id: string }) {
  const { market: board } = useFeed()
  const now = useNow()
  const [format] = useOddsFormat()
  const { value, error, reload } = useLoaded<WindowHistory>(`/session/arbs/${encodeURIComponent(id)}`)
  const live = board.entries.get(id) ?? null
  const isLive = board.isKnown ? live !== null : value !== null && value.open !== null
  const entry = live ?? (board.isKnown ? null : value?.open ?? null)
  const version = useVersion(live?.sequence ?? -1, value, reload)
  const window = value?.window ?? null
  const transitions = value?.transitions ?? []
  const names: Names = { home: (entry ?? window)?.event.home ?? 'Home', away: (entry ?? window)?.event.away ?? 'Away' }
  const of = entry ?? window
  const subject: Subject = { line: of?.line ?? null, names, format }
  const closed = isLive ? null : window?.reason ?? board.closed.get(id) ?? (value === null ? null : 'left')
  return (
    <section>
      <p><a href="#/board">All open windows</a></p>
      <header class="head"><Heading entry={entry} window={window} names={names} closed={closed} /></header>
      <Problem text={of === null ? error : null} />
      {of === null && error === null && <Loading what="the entry" />}
      {of === null && error !== null && <Empty title="No such window"><p>It may be older than what is kept, or not stored yet.</p></Empty>}
      {entry !== null && isLive && <div class="card"><h2 class="unseen">As it is now</h2><Details entry={entry} now={now} format={format} isWhole /></div>}
      {entry !== null && isLive && value?.evidence != null && <Evidence of={value.evidence} {...subject} sequence={entry.sequence} />}
      {!isLive && window !== null && <Closed window={window} {...subject} />}
      {!isLive && (value?.gradings.length ?? 0) > 1 && <Gradings gradings={value?.gradings ?? []} />}
      {transitions.length > 0 && (
        <>
          <h2>Margin over time</h2>
          <MarginPlot transitions={transitions} until={board.asOf ?? new Date().toISOString()} />
          <Transitions list={transitions} {...subject} />
        </>
      )}
      {window !== null && <Prices id={id} {...subject} version={version} />}
      {of !== null && <Such of={{ id, league: of.league, market: of.market }} />}
    </section>
  )
}
