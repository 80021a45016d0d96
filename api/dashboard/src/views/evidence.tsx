// What the flags of an open window were decided by: the moment at which all prices were on offer, the span of each leg, each comparison with its value and
// threshold, and all prices of the line. It decides nothing: whether something holds is as the server says.

import type { ComponentChildren } from 'preact'
import { bet, type Names } from '../model/bet'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { HOLDS_WHEN, measured, MEASURES } from '../model/evidence'
import { duration, money, whole, words } from '../model/text'
import type { Evidence as Given } from '../model/types'
import { Badge, num, Table, Time } from '../parts/parts'

interface Shown {
  of: Given
  /** Of the window's market. */
  line: number | null
  names: Names
  format: OddsFormat
}

function Value({ measure, value }: { measure: string; value: string | number | boolean | null }): ComponentChildren {
  return measure === 'latest_start' && typeof value === 'string' ? <Time at={value} /> : measured(measure, value)
}

function Spans({ of, line, names, format }: Shown) {
  return (
    <Table label="Spans of the legs" head={['Bet', 'Book', 'Operator', 'Settlement rules', num('Odds'), num('Limit'), 'Confirmed first', 'Confirmed last']}>
      {of.legs.map((leg, index) => (
        <tr key={index}>
          <th scope="row">{bet(leg, line, names)}</th>
          <td>{leg.book}</td>
          <td>{leg.operator}</td>
          <td>{leg.rules ?? 'not known'}</td>
          <td class="number">{alignedOdds(leg.price, format)}</td>
          <td class="number">{leg.limit === null ? 'not known' : money(leg.limit)}</td>
          <td><Time at={leg.on_offer_from} /></td>
          <td><Time at={leg.on_offer_until} /></td>
        </tr>
      ))}
    </Table>
  )
}

function Comparisons({ of }: { of: Given }) {
  return (
    <Table label="What the checks compared" head={['Check', 'Book of the leg', 'Compared', 'Value', 'Must be', 'Threshold', 'Holds']}>
      {of.flags.flatMap(({ flag, measures }) => measures.map((it, index) => (
        <tr key={`${flag} ${index}`}>
          <th scope="row">{words(flag)}</th>
          <td>{it.leg ?? 'all'}</td>
          <td>{MEASURES[it.measure] ?? words(it.measure)}</td>
          <td><Value measure={it.measure} value={it.value} /></td>
          <td>{HOLDS_WHEN[it.holds_when] ?? words(it.holds_when)}</td>
          <td><Value measure={it.measure} value={it.threshold} /></td>
          <td><Badge tone={it.holds ? 'good' : 'bad'}>{it.holds ? 'holds' : 'fails'}</Badge></td>
        </tr>
      )))}
    </Table>
  )
}

function Line({ of, line, names, format }: Shown) {
  const legs = new Set(of.legs.map((leg) => `${leg.side} ${leg.outcome} ${leg.book}`))
  return (
    <details>
      <summary>All {whole(of.quotes.length)} prices of the line</summary>
      <Table label="Prices of the line" head={['Bet', 'Book', num('Odds'), num('After fees'), num('Limit'), 'State', num('Age then')]}>
        {of.quotes.map((quote, index) => (
          <tr key={index}>
            <th scope="row">{bet(quote, line, names)}</th>
            <td>{quote.book} {legs.has(`${quote.side} ${quote.outcome} ${quote.book}`) && <Badge tone="plain">leg</Badge>}</td>
            <td class="number">{alignedOdds(quote.price, format)}</td>
            <td class="number">{alignedOdds(quote.effective_price, format)}</td>
            <td class="number">{quote.limit === null ? 'not known' : money(quote.limit)}</td>
            <td>{words(quote.status)}</td>
            <td class="number">{quote.age_seconds === null ? 'not known' : duration(quote.age_seconds)}</td>
          </tr>
        ))}
      </Table>
    </details>
  )
}

export function Evidence({ sequence, ...shown }: Shown & { sequence: number }) {
  const { of } = shown
  const { simultaneity } = of
  const overlap = duration(Math.abs(simultaneity.overlap_seconds))
  return (
    <>
      <h2>Evidence of the checks</h2>
      <p>
        Decided <Time at={of.judged_at} />{of.sequence !== sequence && ', for an earlier or later transition than the one above'}.
        {' '}{simultaneity.holds ? `All prices were on offer together for ${overlap}` : `The prices miss each other by ${overlap}`}:
        {' '}the last one began <Time at={simultaneity.latest_start} />, the first one to end was last confirmed <Time at={simultaneity.earliest_end} />.
      </p>
      <Spans {...shown} />
      <Comparisons of={of} />
      <Line {...shown} />
    </>
  )
}
