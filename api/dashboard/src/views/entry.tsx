// What is known of an entry beside its row: its legs, why it is or is not verified, its stakes, what hides it, and a hedge.

import { useState } from 'preact/hooks'
import { useSizes } from '../hooks'
import { bankroll } from '../kept'
import { bet } from '../model/bet'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { plan } from '../model/stakes'
import { duration, money, percent, WARNINGS, words } from '../model/text'
import type { Entry, PassedOver } from '../model/types'
import { Age, Badge, Field, num, Table } from '../parts/parts'
import { useShared } from '../store'
import { Roundings } from './bankroll'
import { Book } from './book'
import { Hedge } from './hedge'
import { HideButtons } from './hiding'
import { isLate } from './row'

/** What is left of a window's life: its median on a bar as long as the time by which nine in ten are closed. */
export function Lifetime({ entry, now }: { entry: Entry; now: number }) {
  const { ttl_seconds: median, ttl_p10_seconds: low, ttl_p90_seconds: high } = entry
  const passed = Math.max(0, (now - Date.parse(entry.updated_at)) / 1000)
  const at = (seconds: number) => `${Math.min(100, Math.max(0, (Math.sqrt(seconds / high)) * 100))}%`
  const left = (seconds: number) => Math.max(0, seconds - passed)
  return (
    <div class="life">
      <svg class="bar" role="img" height="10" width="100%"
        aria-label={`Half of such windows are closed in ${duration(left(median))}, one in ten in ${duration(left(low))}, nine in ten in ${duration(left(high))}`}>
        <rect class="track" x="0" y="3" width="100%" height="4" rx="2" />
        <rect class="range" x={at(low)} y="3" width={`${100 - parseFloat(at(low))}%`} height="4" rx="2" />
        <rect class="passed" x="0" y="3" width={at(passed)} height="4" rx="2" />
        <rect class="median" x={at(median)} y="0" width="2" height="10" />
      </svg>
      <span class="number" title="Half of such windows are closed after the first time; one in ten and nine in ten after those in brackets">
        {duration(left(median))} <span class="quiet">({duration(left(low))} – {duration(left(high))})</span>
      </span>
    </div>
  )
}

function Checks({ entry, format }: { entry: Entry; format: OddsFormat }) {
  const reasons = new Map(entry.failed_checks.map(({ flag, reason }) => [flag, reason]))
  return (
    <div>
      <h3>{entry.verified ? 'Verified: every check holds' : 'Why it is not verified'}</h3>
      <ul class="checks">
        {Object.entries(entry.verification).map(([flag, holds]) => (
          <li key={flag}>
            <Badge tone={holds ? 'good' : 'bad'}>{holds ? 'holds' : 'fails'}</Badge> {words(flag)}
            {!holds && <span class="quiet">: {reasons.get(flag) ?? 'not known'}</span>}
          </li>
        ))}
      </ul>
      {entry.warnings.map((warning) => <p key={warning} class="quiet">{WARNINGS[warning] ?? words(warning)}</p>)}
      {entry.passed_over !== null && <PassedOverCover passed={entry.passed_over} entry={entry} format={format} />}
      {entry.void_loss_max === null ? null : <p class="quiet">{`Their clauses on ${words(entry.void_clause ?? 'void')} are not the same, or not known: up to ${percent(entry.void_loss_max)} of the stakes may be lost then.`}</p>}
    </div>
  )
}

/** A cheaper cover that the legs were chosen over, and why. */
function PassedOverCover({ passed, entry, format }: { passed: PassedOver; entry: Entry; format: OddsFormat }) {
  return (
    <>
      <h3>A better cover that was passed over</h3>
      <p class="quiet">Margin {percent(passed.margin)}, not eligible: {passed.failed_check.reason}.</p>
      <ul>
        {passed.legs.map((leg, index) => (
          <li key={index}>{bet(leg, entry.line, entry.event)} at {leg.book}, <span class="number">{alignedOdds(leg.price, format)}</span></li>
        ))}
      </ul>
    </>
  )
}

function number(text: string): number {
  const value = Number(text)
  return Number.isFinite(value) && value > 0 ? value : 0
}

/** Stakes for a total. */
function Calculator({ entry, format }: { entry: Entry; format: OddsFormat }) {
  const own = useShared(bankroll)
  const [given, setTotal] = useState<string | null>(null)
  const [chosen, setRounding] = useState<number | null>(null)
  // The reader's own, until another one is written here.
  const total = given ?? String(Math.min(own.total, entry.total_stake_max ?? own.total))
  const rounding = chosen ?? own.rounding
  const made = plan(entry.legs, number(total), rounding, useSizes())
  const most = entry.total_stake_max
  return (
    <div>
      <h3>Stakes{entry.currency === null ? '' : `, ${entry.currency}`}</h3>
      <div class="filterbar">
        <Field label="Total">
          {(id) => <input id={id} type="number" min="0" step="any" inputMode="decimal" value={total} onInput={(event) => setTotal(event.currentTarget.value)} />}
        </Field>
        <Field label="Round to">
          {(id) => <Roundings id={id} value={rounding} onChange={setRounding} />}
        </Field>
        {most !== null && <button type="button" disabled={number(total) === most} onClick={() => setTotal(String(most))}>Most: {money(most)}<span class="unseen"> within the known limits</span></button>}
      </div>
      <Table label="Stakes" head={['Bet', 'Book', num('Odds'), num('Stake'), num('At risk'), num('Profit if it wins'), num('Limit')]}>
        {entry.legs.map((leg, index) => {
          const own = made.legs[index]
          return own === undefined ? null : (
            <tr key={index}>
              <th scope="row">{bet(leg, entry.line, entry.event)}</th>
              <td><Book leg={leg} /></td>
              <td class="number">{alignedOdds(leg.price, format)}</td>
              <td class="number"><strong>{money(own.stake)}</strong>{own.isBelow && number(total) > 0 && <> <Badge tone="bad">less than it takes</Badge></>}</td>
              <td class="number">{money(own.risk)}</td>
              <td class={own.profit < 0 ? 'number loss' : 'number'}>{money(own.profit)}</td>
              <td class="number">{leg.limit === null ? 'not known' : money(leg.limit)}{own.isAbove && <> <Badge tone="bad">above</Badge></>}</td>
            </tr>
          )
        })}
      </Table>
      <p role="status">
        {made.total > 0
          ? <>At risk {money(made.total)}; profit {money(made.least)} to {money(made.most)} ({percent(made.least / made.total)} at least).</>
          : 'Give a total.'}
        {made.least < 0 && ' These stakes lose on some result.'}
      </p>
    </div>
  )
}

/** What is known of an entry; whole on its own page, else with the way there. An entry that was computed for one caller (sequence 0) has no page and no hedge. */
export function Details({ entry, now, format, isWhole = false }: { entry: Entry; now: number; format: OddsFormat; isWhole?: boolean }) {
  const isOnBoard = entry.sequence > 0
  return (
    <div class="details">
      <Table label="Legs" head={['Bet', 'Book', 'Operator', num('Odds'), num('After fees'), num('Share'), num('Confirmed'), num('Usually within'), num('Last moved')]}>
        {entry.legs.map((leg, index) => (
          <tr key={index}>
            <th scope="row">{bet(leg, entry.line, entry.event)}</th>
            <td><Book leg={leg} /></td>
            <td>{leg.operator}</td>
            <td class="number">{alignedOdds(leg.price, format)}</td>
            <td class="number">{alignedOdds(leg.effective_price, format)}</td>
            <td class="number">{percent(leg.stake_share, 1)}</td>
            <td class="number"><Age at={leg.last_seen_at} now={now} late={isLate(leg, now)} /> ago</td>
            <td class="number">{duration(leg.expected_interval_seconds)}</td>
            <td class="number"><Age at={leg.price_moved_at} now={now} /> ago</td>
          </tr>
        ))}
      </Table>
      <div class="facets">
        <Calculator entry={entry} format={format} />
        <Checks entry={entry} format={format} />
        <div>
          <h3>The window</h3>
          <dl>
            <dt>Open for</dt><dd class="number"><Age at={entry.opened_at} now={now} /></dd>
            <dt>Closed by</dt><dd><Lifetime entry={entry} now={now} /></dd>
            <dt>Lives two minutes with</dt><dd class="number">{percent(entry.execution_probability, 0)}</dd>
            <dt>Margin with rounded stakes</dt><dd class="number">{entry.margin_rounded === null ? 'none can be placed' : percent(entry.margin_rounded)}</dd>
            <dt>Margin in the worst result</dt><dd class="number">{percent(entry.margin_worst)}</dd>
            <dt>Id</dt><dd><code>{entry.id}</code></dd>
          </dl>
        </div>
      </div>
      {!isWhole && <HideButtons entry={entry} />}
      {isOnBoard && <Hedge entry={entry} format={format} />}
      {isOnBoard && !isWhole && <p><a href={`#/arb/${encodeURIComponent(entry.id)}`}>Prices, transitions and how such windows ended<span class="unseen">: {entry.event.home} – {entry.event.away}</span></a></p>}
    </div>
  )
}
