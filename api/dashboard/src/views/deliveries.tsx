// The log of an endpoint's deliveries: each attempt, what was answered, and what is sent again.

import { useEffect, useState } from 'preact/hooks'
import { ask } from '../api'
import { useAct, useLoaded } from '../hooks'
import { words } from '../model/text'
import type { Delivery } from '../model/types'
import { Badge, Field, Form, num, Problem, Table, When } from '../parts/parts'

const TONES: Record<string, 'good' | 'warn' | 'bad'> = { delivered: 'good', failed: 'warn', given_up: 'bad', gone: 'bad' }
const KEPT = new Set(['given_up', 'gone'])
const SINCE: { hours: number; text: string }[] = [{ hours: 1, text: 'the last hour' }, { hours: 24, text: 'the last day' }, { hours: 72, text: 'the last 3 days' }]

export function Deliveries({ path, refresh }: { path: string; refresh: number }) {
  const { value, error, reload } = useLoaded<{ deliveries: Delivery[] }>(`${path}/deliveries?limit=50`, 5_000)
  const [hours, setHours] = useState(1)
  const [done, setDone] = useState<string | null>(null)
  const again = useAct()
  useEffect(() => { if (refresh > 0) void reload() }, [refresh, reload])
  const redeliver = (id: string) => again.act(async () => {
    await ask('POST', `${path}/deliveries/${encodeURIComponent(id)}/redeliver`)
    setDone('It is sent again, if it is still kept.')
  })
  const recover = () => again.act(async () => {
    const since = new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
    await ask('POST', `${path}/recover`, { since })
    setDone('What was given up since then is sent again.')
  })
  const list = value?.deliveries ?? []
  return (
    <div>
      <h3>Deliveries</h3>
      <Problem text={error ?? again.error} />
      {value !== null && list.length === 0 && <p class="quiet">Nothing was sent yet.</p>}
      {list.length > 0 && (
        <Table label="Deliveries" head={['When', 'Event', num('Attempt'), 'Outcome', num('Status'), num('Took'), 'Answer', 'Next attempt', 'Actions']}>
          {list.map((entry) => (
            <tr key={`${entry.webhook_id} ${entry.attempt} ${entry.at}`}>
              <td><When at={entry.at} /></td>
              <th scope="row">{entry.type}<br /><code class="quiet">{entry.webhook_id}</code></th>
              <td class="number">{entry.attempt}</td>
              <td><Badge tone={TONES[entry.outcome] ?? 'plain'}>{words(entry.outcome)}</Badge></td>
              <td class="number">{entry.status ?? 'none'}</td>
              <td class="number">{entry.attempt === 0 ? '' : `${Math.round(entry.latency_seconds * 1000)} ms`}</td>
              <td class="answer">{entry.answer}</td>
              <td>{entry.next_attempt_at !== null && <When at={entry.next_attempt_at} />}</td>
              <td>{KEPT.has(entry.outcome) && <button type="button" class="small" onClick={() => redeliver(entry.webhook_id)}>Redeliver</button>}</td>
            </tr>
          ))}
        </Table>
      )}
      <Form class="filterbar" label="Recover" onSubmit={recover}>
        <Field label="Send again what was given up in">
          {(id) => (
            <select id={id} value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
              {SINCE.map(({ hours, text }) => <option key={hours} value={hours}>{text}</option>)}
            </select>
          )}
        </Field>
        <button type="submit" disabled={again.isBusy}>Recover</button>
      </Form>
      <p role="status">{done}</p>
    </div>
  )
}
