// Windows of which a bet is placed, above the board: what is placed, what is to be placed still, and, when a leg that is not placed worsens or goes, what each
// way out costs by the server. Pins are this browser's. Nothing here places a bet.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { askHedge, type PlacedLeg } from '../api'
import { message } from '../hooks'
import { pins } from '../kept'
import { bet } from '../model/bet'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { amend, bets, isHedge, now as nowOf, type Pin, type PinnedLeg } from '../model/pins'
import { paid } from '../model/stakes'
import { CLOSINGS, gain, market, money, relative, words } from '../model/text'
import type { Entry, Hedge } from '../model/types'
import { useShared } from '../store'
import { Book } from './book'
import { copyStake } from './stake'

const STATES = { same: 'as it was', better: 'better now', worse: 'worse now', gone: 'gone' } as const

/** An amount that is kept once it is written: until then it is what was typed, also while the page draws anew. */
function Amount({ value, least, label, onChange }: { value: number; least: number; label: string; onChange: (value: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null)
  const commit = (text: string) => {
    setTyped(null)
    onChange(Number(text))
  }
  return <input class="narrow" type="number" min={least} step="any" inputMode="decimal" value={typed ?? value} aria-label={label} onInput={(event) => setTyped(event.currentTarget.value)} onChange={(event) => commit(event.currentTarget.value)} />
}

/** What was placed: the stake and the price that the book took. */
function Placed({ pin, index, leg }: { pin: Pin; index: number; leg: PinnedLeg }) {
  if (leg.placed === null) return null
  const { placed } = leg
  const name = bet(leg, pin.entry.line, pin.entry.event)
  const set = (changed: Partial<typeof placed>) => {
    const next = { ...placed, ...changed }
    if (next.stake > 0 && next.price > 1) pins.set(amend(pins.get(), pin.id, index, next))
  }
  return (
    <>
      <label>stake <Amount value={placed.stake} least={0.01} label={`Stake placed on ${name}`} onChange={(stake) => set({ stake })} /></label>
      <label>at <Amount value={placed.price} least={1.001} label={`Decimal odds taken on ${name}`} onChange={(price) => set({ price })} /></label>
    </>
  )
}

/** The server's hedge of what is placed, asked for again when a price of the window has changed. */
function useHedge(pin: Pin, live: Entry | null, isWanted: boolean): { answer: Hedge | null; error: string | null } {
  const [answer, setAnswer] = useState<Hedge | null>(null)
  const [error, setError] = useState<string | null>(null)
  const placed = pin.legs.flatMap(({ book, outcome, placed }): PlacedLeg[] => (placed === null ? [] : [{ book, outcome, ...placed }]))
  const asked = !isWanted || live === null || live.sequence === 0 ? null : JSON.stringify(placed)
  const prices = live?.legs.map(({ book, price }) => `${book} ${price}`).join() ?? ''
  const load = useCallback(async (body: string) => {
    try {
      setAnswer(await askHedge(pin.id, JSON.parse(body) as PlacedLeg[]))
      setError(null)
    } catch (error) {
      setAnswer(null)
      setError(message(error))
    }
  }, [pin.id])
  useEffect(() => {
    if (asked === null) {
      setAnswer(null)
      setError(null)
      return undefined
    }
    // Prices that move together are asked about once.
    const timer = setTimeout(() => void load(asked), 300)
    return () => clearTimeout(timer)
  }, [asked, prices, load])
  return { answer, error }
}

/** What each way out costs. */
function WaysOut({ answer, entry, format }: { answer: Hedge; entry: Entry; format: OddsFormat }) {
  const name = (leg: Hedge['legs'][number]) => bet(leg, entry.line, entry.event)
  const open = answer.legs.filter(({ placed }) => !placed)
  return (
    <div class="hedge">
      {open.length > 0 && <p><strong>Hedge:</strong> {open.map((leg, index) => {
        const linked = entry.legs.find(({ book, outcome, side }) => book === leg.book && outcome === leg.outcome && side === leg.side)
        return (
          <span key={index} class="way">
            {leg.stake === 0 ? <>no bet on {name(leg)}</> : <><button type="button" class="small" onClick={() => { if (linked !== undefined) copyStake(entry, linked, leg.stake) }}>{money(leg.stake)}<span class="unseen"> copy</span></button> on {name(leg)} at {alignedOdds(leg.price, format).trim()}, <Book leg={linked ?? leg} /></>}
          </span>
        )
      })}</p>}
      <p class="quiet">{answer.results.map((way, index) => (
        <span key={index} class="way">{answer.legs.map((leg, at) => `${name(leg)} ${words(way.legs[at] ?? '').toLowerCase()}`).join(', ')}: <strong class={way.profit < 0 ? 'number loss' : 'number'}>{gain(way.profit)}</strong></span>
      ))}</p>
      <p>Worst result <strong class={answer.worst_profit < 0 ? 'number loss' : 'number'}>{gain(answer.worst_profit)}</strong>, at risk {money(answer.total_stake)}.</p>
    </div>
  )
}

function Pinned({ pin, live, now, closed, format }: { pin: Pin; live: Entry | null; now: number; closed: string | null; format: OddsFormat }) {
  const { entry } = pin
  const rest = pin.legs.filter(({ placed }) => placed === null)
  const wanted = isHedge(pin, live)
  const placed = bets(pin)
  const result = rest.length === 0 ? paid(placed) : null
  const { answer, error } = useHedge(pin, live, wanted || (rest.length === 0 && result === null))
  const risk = placed.reduce((sum, { risk }) => sum + risk, 0)
  return (
    <li class={wanted ? 'pinned hedging' : 'pinned'}>
      <div class="pinhead">
        <strong class="match">{entry.event.home} – {entry.event.away}</strong>
        <span class="quiet">{market(entry.market, entry.period)} · {relative(Date.parse(entry.event.commence_time), now)}</span>
        <span class="quiet">{live !== null ? 'open' : closed === null ? 'not on the board' : `closed: ${CLOSINGS[closed] ?? words(closed)}`}</span>
        <button type="button" class="small" onClick={() => pins.set(pins.get().filter(({ id }) => id !== pin.id))}>Unpin<span class="unseen"> {entry.event.home} – {entry.event.away}</span></button>
      </div>
      <ul class="pinlegs">
        {pin.legs.map((leg, index) => {
          const { state, price } = nowOf(leg, live)
          return (
            <li key={index} class={leg.placed === null ? `rest ${state}` : 'done'}>
              <span class="mark" aria-hidden="true">{leg.placed === null ? '○' : '✓'}</span><span class="unseen">{leg.placed === null ? 'not placed:' : 'placed:'}</span>
              <span class="outcome">{bet(leg, entry.line, entry.event)}</span><span class="quiet">{leg.book}</span>
              {leg.placed !== null ? <Placed pin={pin} index={index} leg={leg} /> : (
                <span class="number">was {alignedOdds(leg.price, format).trim()}, {price === null ? STATES.gone : <>{alignedOdds(price, format).trim()} <strong>{STATES[state]}</strong></>}</span>
              )}
            </li>
          )
        })}
      </ul>
      {result !== null && <p>All legs are placed: <strong class={result.least < 0 ? 'number loss' : 'number'}>{gain(result.least)}</strong> at least, {gain(result.most)} at most; refunds are not among them.</p>}
      {rest.length === 0 && result === null && answer === null && <p class="quiet">All legs are placed. What they pay is known while the window is open: a price was taken whose fees the page does not know.</p>}
      {wanted && live === null && <p><strong>At risk {money(risk)}.</strong> {closed === null ? 'The window is not on the board' : 'The window has closed'}: no hedge is computed for it. Look for another price of {rest.map((leg) => bet(leg, entry.line, entry.event)).join(', ')}.</p>}
      {wanted && live?.sequence === 0 && <p><strong>At risk {money(risk)}.</strong> No hedge is computed for a window of your own books alone.</p>}
      {error !== null && <p role="alert" class="problem">{error}</p>}
      {answer !== null && live !== null && <WaysOut answer={answer} entry={live} format={format} />}
    </li>
  )
}

export function Pins({ entries, closed, now, format }: { entries: ReadonlyMap<string, Entry>; closed: ReadonlyMap<string, string>; now: number; format: OddsFormat }) {
  const list = useShared(pins)
  if (list.length === 0) return null
  return (
    <section class="pins" aria-label="Placed bets">
      <h2>Placed <span class="quiet">kept in this browser alone: there is no ledger yet</span></h2>
      <ul>{list.map((pin) => <Pinned key={pin.id} pin={pin} live={entries.get(pin.id) ?? null} now={now} closed={closed.get(pin.id) ?? null} format={format} />)}</ul>
    </section>
  )
}
