// Edge signals with the evidence that they follow from.

import { replaceQuery, useFeed, useNow, useOddsFormat } from '../hooks'
import { bet, bets } from '../model/bet'
import { KINDS } from '../model/names'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { league, market as marketName, percent, whole, words } from '../model/text'
import type { Signal, SignalQuote } from '../model/types'
import { Choice, ListHead, More, useOpen } from '../parts/list'
import { Age, Badge, Empty, Loading, num, Table, When } from '../parts/parts'

function Quotes({ label, quotes, signal, now, format }: { label: string; quotes: SignalQuote[]; signal: Signal; now: number; format: OddsFormat }) {
  return (
    <Table label={label} head={['Role', 'Bet', 'Book', num('Odds'), num('Before'), num('Confirmed')]}>
      {quotes.map((quote, index) => (
        <tr key={index}>
          <td>{words(quote.role)}</td>
          <th scope="row">{bet(quote, quote.line, signal.event)}</th>
          <td>{quote.book}</td>
          <td class="number">{alignedOdds(quote.price, format)}</td>
          <td class="number">{quote.price_from === null ? '' : alignedOdds(quote.price_from, format)}</td>
          <td class="number"><Age at={quote.last_seen_at} now={now} /> ago</td>
        </tr>
      ))}
    </Table>
  )
}

/** What is bet on; of a movement, the outcome that moves. */
function subject({ bets: list, outcome, line, event }: Signal): string {
  if (list.length > 0) return bets(list, line, event)
  return outcome === null ? '' : bet({ side: 'back', outcome }, line, event)
}

function Item({ signal, now, format, isOpen, onToggle }: { signal: Signal; now: number; format: OddsFormat; isOpen: boolean; onToggle: () => void }) {
  const name = `${words(signal.kind)}, ${signal.event.home} – ${signal.event.away}`
  const about = subject(signal)
  return (
    <li class="entry">
      <div class="row signal">
        <div class="margin"><strong class="number">{percent(signal.strength)}</strong><Badge tone="plain" title={KINDS[signal.kind] ?? ''}>{words(signal.kind)}</Badge></div>
        <div class="what">
          <h2>{signal.event.home} – {signal.event.away}</h2>
          <span>{marketName(signal.market, signal.period)}{about !== '' && `: ${about}`}</span>
          <span class="quiet">{league(signal.league)}, <When at={signal.event.commence_time} /></span>
        </div>
        <ul class="legs">
          {signal.bets.slice(0, 3).map((quote, index) => (
            <li key={index}>
              <span class="outcome">{bet(quote, quote.line, signal.event)}</span>
              <strong class="number">{alignedOdds(quote.price, format)}</strong><span class="book">{quote.book}</span>
              <Age at={quote.last_seen_at} now={now} />
            </li>
          ))}
          {signal.bets.length === 0 && <li class="quiet">no bet: a movement</li>}
        </ul>
        <span class="quiet">open for <Age at={signal.opened_at} now={now} /></span>
        <More isOpen={isOpen} of={`evidence of ${name}`} onToggle={onToggle} />
      </div>
      {isOpen && (
        <div class="details">
          <p>{KINDS[signal.kind]}</p>
          <dl>
            <dt>Confidence</dt><dd class="number">{percent(signal.confidence, 0)}</dd>
            {signal.kelly !== null && <><dt>A quarter of Kelly</dt><dd class="number">{percent(signal.kelly)} of the bank</dd></>}
            <dt>Closes, unless confirmed</dt><dd><When at={signal.expires_at} /></dd>
          </dl>
          {signal.bets.length > 0 && <><h3>Bets</h3><Quotes label="Bets" quotes={signal.bets} signal={signal} now={now} format={format} /></>}
          {signal.evidence.length > 0 && (
            <><h3>Evidence</h3><Quotes label="Evidence" quotes={signal.evidence} signal={signal} now={now} format={format} /></>
          )}
          {signal.fair.length > 0 && (
            <>
              <h3>Fair probability by method</h3>
              <dl>{signal.fair.map(({ method, probability }) => <><dt key={method}>{words(method)}</dt><dd class="number">{percent(probability)}</dd></>)}</dl>
            </>
          )}
        </div>
      )}
    </li>
  )
}

export function Signals({ given }: { given: string }) {
  const { market, link } = useFeed()
  const now = useNow()
  const [format] = useOddsFormat()
  const [open, toggle] = useOpen()
  const kind = new URLSearchParams(given).get('kind') ?? ''
  const all = [...market.signals.values()]
  const list = all.filter((signal) => kind === '' || signal.kind === kind)
  list.sort((a, b) => Date.parse(b.opened_at) - Date.parse(a.opened_at) || (a.id < b.id ? -1 : 1))
  return (
    <section>
      <ListHead title="Signals" note={`${whole(list.length)} open, the newest first`} />
      <p class="quiet">A bet that may be worth more than its price although it is no arb. The unit of strength differs by kind.</p>
      <div class="filterbar">
        <Choice label="Kind" value={kind} values={Object.keys(KINDS)} name={words}
          onChange={(kind) => replaceQuery('signals', kind === '' ? '' : new URLSearchParams({ kind }).toString())} />
      </div>
      {!market.isKnown && link.state !== 'lost' && <Loading what="the signals" />}
      {market.isKnown && list.length === 0 && <Empty title="No open signals"><p>They appear here as soon as the feed has one.</p></Empty>}
      <ol class="entries" aria-label="Open signals">
        {list.slice(0, 300).map((signal) => (
          <Item key={signal.id} signal={signal} now={now} format={format} isOpen={open.has(signal.id)} onToggle={() => toggle(signal.id)} />
        ))}
      </ol>
      {list.length > 300 && <p class="quiet">The newest 300 are shown.</p>}
    </section>
  )
}
