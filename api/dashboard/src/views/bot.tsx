// The record of a bot: equity over its interval, calibration, closing-line value, drawdown, and the sentence on luck.

import { useLoaded } from '../hooks'
import type { Columns } from '../model/series'
import { count, league, percent, signed, units, whole, words } from '../model/text'
import type { Bot as BotOf, PartOnOffer, WholeRecord } from '../model/types'
import { Empty, Loading, num, Problem, Table } from '../parts/parts'
import { axis, HOVER, Plot, type Plotted } from '../parts/plot'
import { Feed, Return } from './picks'

/** Of fewer no record has an interval. */
const LEAST_DAYS = 10

/** What is under the pointer. */
const shown = (_plot: Plotted, value: number | null) => (value === null ? '–' : units(value))

function Equity({ record }: { record: WholeRecord }) {
  const { equity } = record
  const last = equity.at(-1)
  const isBanded = equity.some((point) => point.interval !== null)
  // What comes later is drawn above: the line is the last one.
  const data: Columns = [
    equity.map((point) => point.bets),
    ...(isBanded ? [equity.map((point) => point.interval?.[0] ?? null), equity.map((point) => point.interval?.[1] ?? null)] : []),
    equity.map((point) => point.profit),
  ]
  return (
    <figure>
      <figcaption><h3>Equity</h3><p class="quiet">The sum of profits in units, bet by bet{isBanded ? ', over the interval that 95 of 100 lucky or unlucky records of such bets stay within' : `; it has an interval from ${LEAST_DAYS} match days on`}</p></figcaption>
      <Plot label={`Equity: ${units(last?.profit ?? 0)} units after ${count(last?.bets ?? 0, 'bet')}`} data={data} build={(_plot, colour) => ({
        ...HOVER,
        scales: { x: { time: false } },
        axes: [{ ...axis(colour), values: (_plot, values) => values.map((value) => (Number.isInteger(value) ? whole(value) : '')) },
          { ...axis(colour), values: (_plot, values) => values.map(units) }],
        series: [
          { label: 'Bets', value: (_plot, value: number | null) => (value === null ? '–' : whole(value)) },
          ...(isBanded ? ['Luck, from', 'to'].map((label) => ({ label, value: shown, stroke: 'transparent', points: { show: false } })) : []),
          { label: 'Units', value: shown, stroke: colour('accent'), width: 2, points: { show: equity.length === 1 } },
        ],
        ...(isBanded ? { bands: [{ series: [2, 1] as [number, number], fill: colour('band') }] } : {}),
      })} />
    </figure>
  )
}

function Calibration({ record }: { record: WholeRecord }) {
  const sorted = [...record.calibration].sort((a, b) => a.stated - b.stated)
  const stated = [0, ...sorted.map((decile) => decile.stated), 1]
  const data: Columns = [stated, stated, [null, ...sorted.map((decile) => decile.won), null]]
  return (
    <figure>
      <figcaption><h3>Calibration</h3><p class="quiet">What was stated (across) and how much of it was won (up), by tenths; on the line both are the same</p></figcaption>
      <Plot label={`Calibration of ${sorted.length} tenths; the numbers are in the table`} data={data} build={(_plot, colour) => ({
        cursor: { show: false },
        legend: { show: false },
        scales: { x: { time: false, range: [0, 1] }, y: { range: [0, 1] } },
        axes: [{ ...axis(colour), values: (_plot, values) => values.map((value) => percent(value, 0)) },
          { ...axis(colour), values: (_plot, values) => values.map((value) => percent(value, 0)) }],
        series: [{}, { stroke: colour('quiet'), width: 1, dash: [4, 4], points: { show: false } },
          { stroke: colour('accent'), paths: () => null, points: { show: true, size: 9, fill: colour('accent') } }],
      })} />
      <Table label="Calibration" head={[num('Stated'), num('Won'), num('Bets')]}>
        {sorted.map((decile) => (
          <tr key={decile.stated}>
            <td class="number">{percent(decile.stated, 1)}</td><td class="number">{percent(decile.won, 1)}</td><td class="number">{whole(decile.bets)}</td>
          </tr>
        ))}
      </Table>
    </figure>
  )
}

const score = (value: number | null) => (value === null ? 'not known' : value.toFixed(4))

function Groups({ label, rows }: { label: string; rows: { name: string; bets: number; return: number | null; standard_error: number | null }[] }) {
  return (
    <div>
      <h3>By {label.toLowerCase()}</h3>
      <Table label={`By ${label.toLowerCase()}`} head={[label, num('Bets'), num('Return per unit')]}>
        {rows.map((row) => <tr key={row.name}><th scope="row">{row.name}</th><td class="number">{whole(row.bets)}</td><td class="number"><Return of={row} /></td></tr>)}
      </Table>
    </div>
  )
}

function OnOffer({ part }: { part: PartOnOffer }) {
  if (part.share === null) return <dd>not available</dd>
  return <dd class="number">{percent(part.share, 1)} <span class="quiet">of {count(part.bets, 'bet')}</span></dd>
}

function Record({ record }: { record: WholeRecord }) {
  const { interval, closing_line_value: closing, scores, closing_scores: reference } = record
  return (
    <section class="card" aria-label={`Version ${record.version}, ${record.feed}`}>
      <header class="line"><h2>Version {record.version}</h2><Feed kind={record.feed} /></header>
      <p class="sentence large">{record.sentence}</p>
      <dl class="facts">
        <div><dt>Return per unit</dt><dd><Return of={record} /></dd></div>
        {record.undisputed.bets < record.bets && <div><dt>Without disputed bets</dt><dd><Return of={record.undisputed} /> <span class="quiet">{count(record.undisputed.bets, 'bet')}</span></dd></div>}
        <div><dt>95 % by match day</dt><dd class="number">{interval === null ? `from ${LEAST_DAYS} match days on` : interval.map((bound) => signed(bound, 1)).join(' to ')}</dd></div>
        <div><dt>Closing-line value</dt><dd class="number">{closing.mean === null ? 'not known' : signed(closing.mean)}
          {closing.standard_error !== null && <span class="quiet"> ± {percent(closing.standard_error, 1)} ({count(closing.bets, 'bet')})</span>}</dd></div>
        <div><dt>Still on offer at the next poll</dt><OnOffer part={record.on_offer.after_poll} /></div>
        <div><dt>Still on offer after a minute</dt><OnOffer part={record.on_offer.after_minute} /></div>
        <div><dt>Deepest drawdown</dt><dd class="number">{units(record.drawdown)} units</dd></div>
        <div><dt>Bets settled</dt><dd class="number">{whole(record.bets)} <span class="quiet">of {count(record.picks, 'pick')}; {whole(record.open)} open, {whole(record.without_result)} without a result</span></dd></div>
        <div><dt>Brier score</dt><dd class="number">{score(scores.brier)} <span class="quiet">closing prices: {score(reference.brier)}</span></dd></div>
      </dl>
      {record.bets > 0 && <div class="columns"><Equity record={record} />{record.calibration.length > 0 && <Calibration record={record} />}</div>}
      {record.bets > 0 && (
        <div class="columns">
          <Groups label="League" rows={record.leagues.map((row) => ({ ...row, name: league(row.league) }))} />
          <Groups label="Month" rows={record.months.map((row) => ({ ...row, name: row.month }))} />
        </div>
      )}
    </section>
  )
}

export function Bot({ id }: { id: string }) {
  const { value, error } = useLoaded<BotOf>(`/session/bots/${encodeURIComponent(id)}`, 30_000)
  return (
    <section>
      <header class="head"><h1>{value === null ? 'Bot' : words(value.bot)}</h1><a href="#/picks">All picks</a><a href={`#/picks?bot=${encodeURIComponent(id)}`}>Picks of this bot</a></header>
      <Problem text={error} />
      {value === null && error === null && <Loading what="the record" />}
      {value !== null && <p>{value.rule}</p>}
      {value !== null && value.records.length === 0 && <Empty title="No picks yet"><p>A record begins with the first pick.</p></Empty>}
      {value?.records.map((record) => <Record key={`${record.version} ${record.feed}`} record={record} />)}
    </section>
  )
}
