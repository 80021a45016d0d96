// Webhook endpoints: create, state of verification, secret, pause, test, and the log of deliveries.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { useAct, useLoaded } from '../hooks'
import { EVENTS } from '../model/names'
import { count, whole, words } from '../model/text'
import type { Endpoint } from '../model/types'
import { Badge, Confirm, Copy, Dialog, Empty, Field, Form, Loading, Problem, Time } from '../parts/parts'
import { Deliveries } from './deliveries'

const USUAL = ['arb_window', 'close_signal']

const path = (endpoint: Endpoint) => `/session/webhooks/${encodeURIComponent(endpoint.id)}`

function Secret({ of, onClose }: { of: Endpoint; onClose: () => void }) {
  return (
    <Dialog title="The secret of the endpoint" mustAnswer onClose={onClose}>
      <p><strong>Copy it now: it is shown this once.</strong> Your server checks with it that a request is ours.</p>
      <Copy text={of.secret ?? ''} label="the secret" />
      {of.previous_secret_until !== null && <p>Requests are signed with the former secret too, until <Time at={of.previous_secret_until} />.</p>}
      <div class="actions"><button type="button" class="primary" onClick={onClose}>I have copied it</button></div>
    </Dialog>
  )
}

function Create({ onMade, onClose }: { onMade: (endpoint: Endpoint) => void; onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(USUAL))
  const [policy, setPolicy] = useState<'live' | 'durable'>('live')
  const [sport, setSport] = useState('')
  const [margin, setMargin] = useState('')
  const { isBusy, error, act } = useAct()
  const toggle = (name: string) => {
    const next = new Set(events)
    if (!next.delete(name)) next.add(name)
    setEvents(next)
  }
  const submit = () => act(async () => {
    const filters = { ...(sport === '' ? {} : { sport }), ...(margin === '' ? {} : { min_margin: Number(margin) / 100 }) }
    onMade(await ask<Endpoint>('POST', '/session/webhooks', { url, description, events: [...events], policy, filters }))
  })
  return (
    <Dialog title="Add an endpoint" onClose={onClose}>
      <Form onSubmit={submit}>
        <Field label="URL" hint="It is sent a challenge, and nothing else before it has answered">
          {(id, hint) => <input id={id} type="url" required maxLength={2048} value={url} aria-describedby={hint} onInput={(event) => setUrl(event.currentTarget.value)} />}
        </Field>
        <Field label="Description">
          {(id) => <input id={id} maxLength={500} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />}
        </Field>
        <fieldset>
          <legend>Events</legend>
          {EVENTS.map((name) => (
            <label key={name} class="check"><input type="checkbox" checked={events.has(name)} onChange={() => toggle(name)} /><code>{name}</code></label>
          ))}
        </fieldset>
        <Field label="Sport or league" hint="Such as soccer; all unless given">
          {(id, hint) => <input id={id} value={sport} aria-describedby={hint} onInput={(event) => setSport(event.currentTarget.value.trim())} />}
        </Field>
        <Field label="Least margin, %">
          {(id) => <input id={id} type="number" min="0" step="any" value={margin} onInput={(event) => setMargin(event.currentTarget.value)} />}
        </Field>
        <Field label="Retries" hint="Live: for minutes, and not after the window has closed. Durable: for days">
          {(id, hint) => (
            <select id={id} value={policy} aria-describedby={hint} onChange={(event) => setPolicy(event.currentTarget.value === 'durable' ? 'durable' : 'live')}>
              <option value="live">Live</option>
              <option value="durable">Durable</option>
            </select>
          )}
        </Field>
        <Problem text={error} />
        <div class="actions">
          <button type="button" onClick={onClose}>Cancel</button>
          <button type="submit" class="primary" disabled={isBusy || events.size === 0}>Add endpoint</button>
        </div>
      </Form>
    </Dialog>
  )
}

const TONES = { active: 'good', unverified: 'warn', disabled: 'bad' } as const
const STATES = {
  active: 'It has answered the challenge; events are sent.', unverified: 'It has not answered the challenge yet; nothing else is sent.',
  disabled: 'Nothing is sent. Enable it to have it challenged again.',
}

function Item({ of, onChanged, onSecret }: { of: Endpoint; onChanged: () => Promise<void>; onSecret: (endpoint: Endpoint) => void }) {
  const { isBusy, error, act, clear } = useAct()
  const [isDeleting, setDeleting] = useState(false)
  const [sent, setSent] = useState(0)
  const change = (fields: unknown) => act(async () => { await ask('PATCH', path(of), fields); await onChanged() })
  const test = () => act(async () => { await ask('POST', `${path(of)}/test`); setSent((sent) => sent + 1) })
  const rotate = () => act(async () => onSecret(await ask<Endpoint>('POST', `${path(of)}/rotate`, {})))
  const remove = () => act(async () => { await ask('DELETE', path(of)); setDeleting(false); await onChanged() })
  const filters = Object.entries(of.filters)
  // Its circuit is open.
  const isHeld = of.state === 'active' && of.circuit.open_until !== null
  return (
    <article class="card" aria-label={`Endpoint ${of.url}`}>
      <h2 class="url">{of.url}</h2>
      {of.description !== '' && <p>{of.description}</p>}
      <p>
        <Badge tone={isHeld ? 'warn' : TONES[of.state]}>{isHeld ? 'held back' : of.state}</Badge> {of.paused && <Badge tone="warn">paused</Badge>}{' '}
        <span class="quiet">{isHeld ? 'It fails: nothing is sent for now.' : STATES[of.state]}{of.reason !== null && ` Reason: ${words(of.reason)}.`}</span>
      </p>
      <dl>
        <dt>Events</dt><dd>{of.events.length === 0 ? 'all' : of.events.join(', ')}</dd>
        <dt>Filters</dt><dd>{filters.length === 0 ? 'none' : filters.map(([name, value]) => `${name}=${value}`).join(', ')}</dd>
        <dt>Retries</dt><dd>{of.policy}</dd>
        <dt>Added</dt><dd><Time at={of.created_at} /></dd>
        {of.circuit.failures > 0 && (
          <>
            <dt>Failing</dt>
            <dd>
              {of.circuit.failures === 1 ? 'The last attempt has failed' : `${whole(of.circuit.failures)} attempts in a row have failed`}; {count(of.circuit.waiting, 'event waits', 'events wait')}.
              {of.circuit.open_until !== null && <> Nothing is sent until <Time at={of.circuit.open_until} />, but a test event at once: when it is answered, all that waits is sent.</>}
            </dd>
          </>
        )}
        {of.previous_secret_until !== null && <><dt>Former secret signs until</dt><dd><Time at={of.previous_secret_until} /></dd></>}
      </dl>
      <Problem text={isDeleting ? null : error} />
      <div class="actions start">
        {of.state === 'disabled' ? <button type="button" disabled={isBusy} onClick={() => change({})}>Enable</button>
          : <button type="button" disabled={isBusy} onClick={() => change({ paused: !of.paused })}>{of.paused ? 'Resume' : 'Pause'}</button>}
        <button type="button" disabled={isBusy || of.state !== 'active' || of.paused} onClick={test}>Send a test event</button>
        <button type="button" disabled={isBusy} onClick={rotate}>Rotate the secret</button>
        <button type="button" class="danger" onClick={() => setDeleting(true)}>Delete</button>
      </div>
      <Deliveries path={path(of)} refresh={sent} />
      {isDeleting && (
        <Confirm title="Delete this endpoint?" action="Delete endpoint" isBusy={isBusy} error={error} onYes={remove} onNo={() => { clear(); setDeleting(false) }}
          text={`${of.url} is sent nothing more, and what is pending is dropped.`} />
      )}
    </article>
  )
}

export function Webhooks() {
  const { value, error, reload } = useLoaded<{ webhooks: Endpoint[] }>('/session/webhooks', 5_000)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<Endpoint | null>(null)
  const show = (endpoint: Endpoint) => { setCreating(false); setSecret(endpoint); void reload() }
  const list = value?.webhooks
  const add = <button type="button" class="primary" onClick={() => setCreating(true)}>Add an endpoint</button>
  return (
    <section>
      <header class="head"><h1>Webhooks</h1>{list !== undefined && list.length > 0 && add}</header>
      <p class="quiet">Events of the stream, posted to a server of yours and signed as Standard Webhooks says.</p>
      <Problem text={error} />
      {list === undefined && error === null && <Loading what="the endpoints" />}
      {list?.length === 0 && (
        <Empty title="No endpoints yet"><p>An endpoint is a URL of yours that receives events as they happen, with what it chose.</p>{add}</Empty>
      )}
      {list?.map((endpoint) => <Item key={endpoint.id} of={endpoint} onChanged={reload} onSecret={show} />)}
      {isCreating && <Create onMade={show} onClose={() => setCreating(false)} />}
      {secret !== null && <Secret of={secret} onClose={() => setSecret(null)} />}
    </section>
  )
}
