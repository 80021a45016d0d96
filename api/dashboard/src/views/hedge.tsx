// Some legs of an entry are placed: what to stake on the others, and what each result pays then. The server computes it with fees and pushes.

import { useState } from 'preact/hooks'
import { askHedge, type PlacedLeg } from '../api'
import { useAct } from '../hooks'
import { bet } from '../model/bet'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { money, words } from '../model/text'
import type { Entry, Hedge as Answer } from '../model/types'
import { Badge, Form, num, Problem, Table } from '../parts/parts'
import { Book } from './book'

export function Hedge({ entry, format }: { entry: Entry; format: OddsFormat }) {
  // What is written of each leg, as text; a leg without a stake is not placed.
  const [taken, setTaken] = useState<{ stake: string; price: string }[]>([])
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { isBusy, error, act } = useAct()
  const of = (index: number) => taken[index] ?? { stake: '', price: '' }
  const set = (index: number, changed: Partial<{ stake: string; price: string }>) => {
    setTaken(entry.legs.map((_, at) => (at === index ? { ...of(at), ...changed } : of(at))))
    setAnswer(null)
  }
  const placed = entry.legs.flatMap(({ book, outcome, price }, index): PlacedLeg[] => {
    const { stake, price: other } = of(index)
    return stake === '' ? [] : [{ book, outcome, stake: Number(stake), price: other === '' ? price : Number(other) }]
  })
  const submit = () => act(async () => setAnswer(await askHedge(entry.id, placed)))
  const isOld = answer !== null && answer.id === entry.id && entry.legs.some((leg, index) => {
    const then = answer.legs[index]
    return then !== undefined && !then.placed && then.price !== leg.price
  })
  // An answer has no links; those of the entry are of the same bets.
  const linked = (leg: Answer['legs'][number]) => entry.legs.find(({ book, outcome, side }) => book === leg.book && outcome === leg.outcome && side === leg.side) ?? leg
  return (
    <div>
      <h3>Some legs are placed</h3>
      <Form label="Hedge" onSubmit={submit}>
        <Table label="What is placed" head={['Bet', 'Book', 'Placed stake', 'Odds taken']}>
          {entry.legs.map((leg, index) => {
            const name = bet(leg, entry.line, entry.event)
            return (
              <tr key={index}>
                <th scope="row">{name}</th>
                <td>{leg.book}</td>
                <td><input class="narrow" type="number" min="0.01" step="any" inputMode="decimal" value={of(index).stake} aria-label={`Stake placed on ${name}`} onInput={(event) => set(index, { stake: event.currentTarget.value })} /></td>
                <td><input class="narrow" type="number" min="1.001" step="any" inputMode="decimal" value={of(index).price} placeholder={String(leg.price)} aria-label={`Decimal odds taken on ${name}`} onInput={(event) => set(index, { price: event.currentTarget.value })} /></td>
              </tr>
            )
          })}
        </Table>
        <div class="actions"><button type="submit" disabled={isBusy || placed.length === 0}>Compute the hedge</button></div>
      </Form>
      <Problem text={error} />
      {answer !== null && answer.id === entry.id && (
        <>
          <Table label="Hedge" head={['Bet', 'Book', num('Odds'), num('Stake'), num('Liability')]}>
            {answer.legs.map((leg, index) => (
              <tr key={index}>
                <th scope="row">{bet(leg, entry.line, entry.event)} {leg.placed && <Badge tone="plain">placed</Badge>}</th>
                <td><Book leg={linked(leg)} /></td>
                <td class="number">{alignedOdds(leg.price, format)}</td>
                <td class="number"><strong>{money(leg.stake)}</strong></td>
                <td class="number">{leg.liability === null ? '' : money(leg.liability)}</td>
              </tr>
            ))}
          </Table>
          <Table label="Results of the hedge" head={['If', num('Profit')]}>
            {answer.results.map((way, index) => (
              <tr key={index}>
                <th scope="row">{answer.legs.map((leg, index) => `${bet(leg, entry.line, entry.event)} ${words(way.legs[index] ?? '').toLowerCase()}`).join(', ')}</th>
                <td class={way.profit < 0 ? 'number loss' : 'number'}>{money(way.profit)}</td>
              </tr>
            ))}
          </Table>
          <p role="status">Staked in all {money(answer.total_stake)}; the worst result pays {money(answer.worst_profit)}.
            {isOld && <strong> A price has moved since: compute it again.</strong>}</p>
        </>
      )}
    </div>
  )
}
