// What the account has spent this month: a gauge, and by day, route and key.

import { useLoaded } from '../hooks'
import { day, percent, whole } from '../model/text'
import type { Key, Usage as Spent } from '../model/types'
import { Empty, Loading, num, Problem, Table, When } from '../parts/parts'
import { DayPlot } from './day_plot'

/** Each day of the month up to one, also those without a request. */
export function days(spent: Record<string, number>, start: string, until: string): { date: string; requests: number }[] {
  const list = []
  for (let at = Date.parse(start); at <= Date.parse(until); at += 86_400_000) {
    const date = new Date(at).toISOString().slice(0, 10)
    list.push({ date, requests: spent[date] ?? 0 })
  }
  return list
}

function Gauge({ usage }: { usage: Spent }) {
  const share = usage.quota === 0 ? 1 : usage.used / usage.quota
  return (
    <div class="card gauge">
      <p><strong class="large number">{whole(usage.used)}</strong> of {whole(usage.quota)} requests ({percent(share, share < 0.1 ? 2 : 0)})</p>
      <meter min={0} max={1} high={0.8} optimum={0} value={share} aria-label="Requests of this month">{percent(share)}</meter>
      <dl>
        <dt>Plan</dt><dd>{usage.plan}</dd>
        <dt>Left</dt><dd class="number">{whole(usage.remaining)}</dd>
        <dt>Streams open at this server</dt><dd class="number">{whole(usage.open_streams)}</dd>
        <dt>Forfeited by servers that were killed</dt><dd class="number">{whole(usage.forfeited)}</dd>
        <dt>Next month begins</dt><dd><When at={usage.reset} /></dd>
      </dl>
    </div>
  )
}

function Counts({ label, head, counts, name }: { label: string; head: string; counts: Record<string, number>; name: (key: string) => string }) {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a)
  return (
    <div>
      <h2>{label}</h2>
      {rows.length === 0 ? <p class="quiet">None yet.</p> : (
        <Table label={label} head={[head, num('Requests')]}>
          {rows.map(([key, count]) => <tr key={key}><th scope="row">{name(key)}</th><td class="number">{whole(count)}</td></tr>)}
        </Table>
      )}
    </div>
  )
}

export function Usage() {
  const { value: usage, error } = useLoaded<Spent>('/session/usage', 10_000)
  const { value: keys } = useLoaded<{ keys: Key[] }>('/session/keys')
  const names = new Map(keys?.keys.map((key) => [key.kid, key.name]))
  const name = (kid: string) => {
    const known = names.get(kid)
    return known === undefined ? kid : `${known} (${kid})`
  }
  const list = usage === null ? [] : days(usage.days, usage.period_start, new Date().toISOString())
  return (
    <section>
      <header class="head"><h1>Usage</h1></header>
      <Problem text={error} />
      {usage === null && error === null && <Loading what="the usage" />}
      {usage !== null && (
        <>
          <Gauge usage={usage} />
          <h2>By day (UTC)</h2>
          {usage.used === 0 ? <Empty title="Nothing spent this month"><p>An answer costs one request, and so does opening a stream.</p></Empty> : (
            <>
              <DayPlot days={list} />
              <details>
                <summary>As a table</summary>
                <Table label="Requests by day" head={['Day', num('Requests')]}>
                  {list.map(({ date, requests }) => <tr key={date}><th scope="row">{day(date)}</th><td class="number">{whole(requests)}</td></tr>)}
                </Table>
              </details>
            </>
          )}
          <div class="columns">
            <Counts label="By route" head="Route" counts={usage.routes} name={(route) => route} />
            <Counts label="By key" head="Key" counts={usage.keys} name={name} />
          </div>
        </>
      )}
    </section>
  )
}
