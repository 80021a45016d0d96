// Picks of bots: what each bet on before its event, why, and what came of it. The bots with what their record allows to say.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { replaceQuery, useAct, useLoaded, useOddsFormat } from '../hooks'
import { bet } from '../model/bet'
import { BOTS } from '../model/names'
import { odds, type OddsFormat } from '../model/odds'
import { count, league, market, percent, signed, whole, words } from '../model/text'
import type { FeedKind, LaterOffer, ListedBot, Pick, PickPage } from '../model/types'
import { Choice, ListHead, More, useOpen } from '../parts/list'
import { Badge, Empty, Loading, num, Problem, Table, Time, When } from '../parts/parts'

const FEEDS: readonly FeedKind[] = ['live', 'recorded', 'simulated']
const FEED_TEXT: Record<FeedKind, string> = {
  live: 'Odds of a live provider', recorded: 'A recording, played again', simulated: 'A simulated market: nothing here was ever on offer',
}
const STATES = ['open', 'graded']
const PAGE = 50
const EVERY_MS = 30_000

/** What a pick or a record was made on: never without its label. */
export function Feed({ kind }: { kind: FeedKind }) {
  return <Badge tone={kind === 'live' ? 'good' : 'warn'} title={FEED_TEXT[kind]}>{kind}</Badge>
}

/** A return per unit, with its standard error. */
export function Return({ of }: { of: { return: number | null; standard_error: number | null } }) {
  if (of.return === null) return <span class="quiet">none yet</span>
  return (
    <>
      <strong class={of.return < 0 ? 'number loss' : 'number'}>{signed(of.return)}</strong>
      {of.standard_error !== null && <span class="quiet number"> ± {percent(of.standard_error, 1)}</span>}
    </>
  )
}

function Bots() {
  const { value, error } = useLoaded<{ bots: ListedBot[] }>('/session/bots', EVERY_MS)
  return (
    <>
      <h2>Bots</h2>
      <p class="quiet">Every bot is here, also those that lose. A record belongs to one version and one feed; two are never put together.</p>
      <Problem text={error} />
      {value === null && error === null && <Loading what="the bots" />}
      {value !== null && (
        <ul class="cards">
          {value.bots.map((bot) => (
            <li key={bot.bot} class="card">
              <h3><a href={`#/bots/${encodeURIComponent(bot.bot)}`}>{words(bot.bot)}</a></h3>
              <p class="quiet">{bot.rule}</p>
              {bot.records.length === 0 && <p class="quiet">No picks yet.</p>}
              {bot.records.map((record) => (
                <div key={`${record.version} ${record.feed}`} class="record">
                  <p class="line"><Feed kind={record.feed} /><Return of={record} /><span class="quiet">{count(record.bets, 'bet')} settled, {whole(record.open)} open</span></p>
                  <p class="sentence">{record.sentence}</p>
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const TONES: Record<string, 'good' | 'warn' | 'bad' | 'plain'> = { won: 'good', half_won: 'good', lost: 'bad', half_lost: 'bad', no_result: 'warn' }

function Result({ pick }: { pick: Pick }) {
  const { result } = pick
  if (result === null) return <Badge tone="plain">open</Badge>
  return (
    <>
      <Badge tone={TONES[result.settlement] ?? 'plain'}>{words(result.settlement)}</Badge>
      <span class={result.profit < 0 ? 'number loss' : 'number'}>{signed(result.profit, 0)}</span>
      {pick.disputed !== null && <Badge tone="warn" title={pick.disputed.text}>disputed</Badge>}
    </>
  )
}

/** What the book offered some time after publishing. */
function Later({ offer, pick, format }: { offer: LaterOffer | null; pick: Pick; format: OddsFormat }) {
  if (offer === null) return <dd>not available</dd>
  const isStill = offer.price !== null && offer.price >= pick.price
  return <dd class="number">{offer.price === null ? 'none' : odds(offer.price, format)} <span class="quiet">({isStill ? 'still on offer' : 'gone'}, <Time at={offer.last_seen_at} />)</span></dd>
}

function Evidence({ pick, format }: { pick: Pick; format: OddsFormat }) {
  return (
    <div class="details">
      <div class="columns">
        <div>
          {pick.disputed !== null && <p><Badge tone="warn">disputed</Badge> {words(pick.disputed.reason)}: {pick.disputed.text}.</p>}
          <h3>Why</h3>
          <ul class="reasons">{pick.reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>
          <dl>
            <dt>Fair probability</dt><dd class="number">{percent(pick.probability)} <span class="quiet">({pick.method})</span></dd>
            <dt>Expected at this price</dt><dd class="number">{signed(pick.probability * pick.price - 1)}</dd>
            <dt>Price at the next poll</dt><Later offer={pick.offer_after_poll} pick={pick} format={format} />
            <dt>Price after a minute</dt><Later offer={pick.offer_after_minute} pick={pick} format={format} />
            <dt>Stake</dt><dd class="number">{percent(pick.stake)} of the bank <span class="quiet">(records are at flat stakes)</span></dd>
          </dl>
        </div>
        <div>
          <h3>The close</h3>
          {pick.closing === null ? <p class="quiet">No closing price: three other books are needed in the 15 minutes before the start.</p> : (
            <dl>
              <dt>Fair probability by other books</dt><dd class="number">{percent(pick.closing.probability)}</dd>
              <dt>Price at the same book</dt><dd class="number">{pick.closing.price === null ? 'none' : odds(pick.closing.price, format)}</dd>
              <dt>Closing-line value</dt>
              <dd class={(pick.closing_line_value ?? 0) < 0 ? 'number loss' : 'number'}>{pick.closing_line_value === null ? 'not known' : signed(pick.closing_line_value)}</dd>
              <dt>Confirmed</dt><dd><Time at={pick.closing.last_seen_at} /></dd>
            </dl>
          )}
        </div>
      </div>
      {pick.grades.length > 0 && (
        <Table label="Gradings" head={['Graded', num('Result'), 'Settlement', num('Profit per unit'), 'Source']}>
          {pick.grades.map((grade) => (
            <tr key={grade.version}>
              <td><Time at={grade.at} /></td><td class="number">{grade.home === null || grade.away === null ? '' : `${grade.home} : ${grade.away}`}</td>
              <th scope="row">{words(grade.settlement)}</th><td class="number">{signed(grade.profit, 0)}</td><td>{grade.source}</td>
            </tr>
          ))}
        </Table>
      )}
      <p class="quiet">Version {pick.version}, <code>{pick.id}</code></p>
    </div>
  )
}

function Item({ pick, format, isOpen, onToggle }: { pick: Pick; format: OddsFormat; isOpen: boolean; onToggle: () => void }) {
  return (
    <li class="entry">
      <div class="row pick">
        <div class="margin"><a href={`#/bots/${encodeURIComponent(pick.bot)}`}><strong>{words(pick.bot)}</strong></a><Feed kind={pick.feed} /></div>
        <div class="what">
          <h3>{pick.event.home} – {pick.event.away}</h3>
          <span>{market(pick.market, pick.period)}: <strong>{bet({ side: 'back', outcome: pick.outcome }, pick.line, pick.event)}</strong></span>
          <span class="quiet">{league(pick.league)}, <When at={pick.starts_at} /></span>
        </div>
        <div class="bet"><strong class="number">{odds(pick.price, format)}</strong><span>{pick.book}</span><span class="quiet">published <When at={pick.published_at} /></span></div>
        <div class="result"><Result pick={pick} /></div>
        <More isOpen={isOpen} of={`evidence of ${words(pick.bot)} on ${pick.event.home} – ${pick.event.away}`} onToggle={onToggle} />
      </div>
      {isOpen && <Evidence pick={pick} format={format} />}
    </li>
  )
}

const NAMES = ['bot', 'feed', 'state'] as const
const VALUES: Record<(typeof NAMES)[number], readonly string[]> = { bot: BOTS, feed: FEEDS, state: STATES }

/** The filters of an address; a value that none can have is left out. */
export function filtersOf(query: string): URLSearchParams {
  const given = new URLSearchParams(query)
  return new URLSearchParams(NAMES.flatMap((name) => {
    const value = given.get(name)
    return value !== null && VALUES[name].includes(value) ? [[name, value]] : []
  }))
}

export function Picks({ given }: { given: string }) {
  const filters = filtersOf(given)
  const path = `/session/picks?${new URLSearchParams([...filters, ['limit', String(PAGE)]])}`
  const { value, error } = useLoaded<PickPage>(path, EVERY_MS)
  const [format] = useOddsFormat()
  const [open, toggle] = useOpen()
  // Pages after the first, of these filters.
  const [more, setMore] = useState<{ path: string; picks: Pick[]; next: string | null } | null>(null)
  const loading = useAct()
  const further = more !== null && more.path === path ? more : null
  const next = further === null ? value?.next_cursor ?? null : further.next
  const list = [...(value?.picks ?? []), ...(further?.picks ?? [])]
  const shown = [...new Map(list.map((pick) => [pick.id, pick])).values()]
  const load = () => loading.act(async () => {
    const page = await ask<PickPage>('GET', `${path}&cursor=${encodeURIComponent(next ?? '')}`)
    setMore({ path, picks: [...(further?.picks ?? []), ...page.picks], next: page.next_cursor })
  })
  const set = (name: string, value: string) => {
    const changed = new URLSearchParams(filters)
    if (value === '') changed.delete(name)
    else changed.set(name, value)
    replaceQuery('picks', changed.toString())
  }
  return (
    <section>
      <ListHead title="Picks" />
      <p class="quiet">Bets that bots published before the event. What was published never changes; a correction of a result is another grading.</p>
      <Bots />
      <h2>Picks, the newest first</h2>
      <div class="filterbar">
        {NAMES.map((name) => (
          <Choice key={name} label={words(name)} value={filters.get(name) ?? ''} values={VALUES[name]} name={words} onChange={(value) => set(name, value)} />
        ))}
      </div>
      <Problem text={error ?? loading.error} />
      {value === null && error === null && <Loading what="the picks" />}
      {value !== null && shown.length === 0 && (
        <Empty title="No picks">{filters.size === 0 ? <p>Bots publish a pick when a price is worth more than they take for fair.</p> : <p>None matches the filters.</p>}</Empty>
      )}
      <ol class="entries" aria-label="Picks">
        {shown.map((pick) => <Item key={pick.id} pick={pick} format={format} isOpen={open.has(pick.id)} onToggle={() => toggle(pick.id)} />)}
      </ol>
      {next !== null && <p><button type="button" disabled={loading.isBusy} onClick={load}>Show earlier picks</button></p>}
    </section>
  )
}
