// One leg of an entry is placed: what to stake on the others, and what each result pays then. The server computes it with fees and pushes.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { useAct } from '../hooks'
import { bet } from '../model/bet'
import { alignedOdds, type OddsFormat } from '../model/odds'
import { money, words } from '../model/text'
import type { Entry, Hedge as Answer } from '../model/types'
import { Badge, Field, Form, num, Problem, Table } from '../parts/parts'
import { Book } from './book'

export function Hedge({ entry, format }: { entry: Entry; format: OddsFormat }) {
  const [leg, setLeg] = useState(0)
  const [stake, setStake] = useState('')
  const [price, setPrice] = useState('')
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { isBusy, error, act } = useAct()
  const of = entry.legs[leg] ?? entry.legs[0]
  const submit = () => act(async () => {
    if (of === undefined) return
    const body = { book: of.book, outcome: of.outcome, stake: Number(stake), price: price === '' ? of.price : Number(price) }
    setAnswer(await ask<Answer>('POST', `/session/arbs/${encodeURIComponent(entry.id)}/hedge`, body))
  })
  const isOld = answer !== null && answer.id === entry.id && entry.legs.some((leg, index) => {
    const then = answer.legs[index]
    return then !== undefined && !then.placed && then.price !== leg.price
  })
  // An answer has no links; those of the entry are of the same bets.
  const linked = (leg: Answer['legs'][number]) => entry.legs.find(({ book, outcome, side }) => book === leg.book && outcome === leg.outcome && side === leg.side) ?? leg
  return (
    <div>
      <h3>One leg is placed</h3>
      <Form class="filterbar" label="Hedge" onSubmit={submit}>
        <Field label="Placed">
          {(id) => (
            <select id={id} value={leg} onChange={(event) => { setLeg(Number(event.currentTarget.value)); setAnswer(null) }}>
              {entry.legs.map((leg, index) => <option key={index} value={index}>{leg.book}: {bet(leg, entry.line, entry.event)}</option>)}
            </select>
          )}
        </Field>
        <Field label="Placed stake">
          {(id) => <input id={id} type="number" min="0.01" step="any" required inputMode="decimal" value={stake} onInput={(event) => setStake(event.currentTarget.value)} />}
        </Field>
        <Field label="Decimal odds taken">
          {(id) => <input id={id} type="number" min="1.001" step="any" inputMode="decimal" value={price} placeholder={of === undefined ? '' : String(of.price)}
            onInput={(event) => setPrice(event.currentTarget.value)} />}
        </Field>
        <button type="submit" disabled={isBusy}>Compute the hedge</button>
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
          <p role="status">Staked in all {money(answer.total_stake)}; the worst result pays {answer.worst_profit === null ? 'nothing known' : money(answer.worst_profit)}.
            {isOld && <strong> A price has moved since: compute it again.</strong>}</p>
        </>
      )}
    </div>
  )
}
