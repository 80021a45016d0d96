// The keys of the account: create, show once, rotate, revoke.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { message, useAct, useLoaded } from '../hooks'
import { SCOPES } from '../model/names'
import type { Key, NewKey } from '../model/types'
import { Badge, Confirm, Copy, Dialog, Empty, Field, Form, Loading, Problem, Table, When } from '../parts/parts'

const USUAL = new Set(SCOPES.filter((scope) => scope.isUsual).map((scope) => scope.key))
const EXPIRIES: { days: number; text: string }[] = [
  { days: 0, text: 'Never' }, { days: 7, text: 'In 7 days' }, { days: 30, text: 'In 30 days' }, { days: 90, text: 'In 90 days' },
  { days: 365, text: 'In a year' },
]
const GRACES: { seconds: number; text: string }[] = [
  { seconds: 0, text: 'At once' }, { seconds: 3_600, text: 'In an hour' }, { seconds: 86_400, text: 'In a day' }, { seconds: 604_800, text: 'In 7 days' },
]

/** Whether a key is good now, and if not, why. */
export function state(key: Key, now: number): { isValid: boolean; text: string } {
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return { isValid: false, text: 'expired' }
  if (key.replaced_by !== null) return { isValid: true, text: 'being replaced' }
  return { isValid: true, text: 'valid' }
}

/** The first lines that somebody with this key types. */
export function curls(key: NewKey, origin: string): { label: string; text: string }[] {
  const bearer = `-H 'Authorization: Bearer ${key.key}'`
  const may = (scope: string) => key.scopes.includes(scope)
  return [
    ...(may('board:read') ? [{ label: 'The board', text: `curl -s ${bearer} '${origin}/v1/arbs?limit=3'` }] : []),
    ...(may('stream:read') ? [{ label: 'The stream', text: `curl -sN ${bearer} '${origin}/v1/stream'` }] : []),
    ...(may('usage:read') ? [{ label: 'Usage', text: `curl -s -H 'x-api-key: ${key.key}' '${origin}/api/v1/usage'` }] : []),
  ]
}

function ShownOnce({ made, onClose }: { made: NewKey; onClose: () => void }) {
  return (
    <Dialog title="Your new key" mustAnswer onClose={onClose}>
      <p><strong>Copy it now: it is shown this once.</strong> The server keeps only a hash of it.</p>
      <Copy text={made.key} label="the key" />
      {curls(made, location.origin).map(({ label, text }) => (
        <div key={label}>
          <h3>{label}</h3>
          <Copy text={text} label={`the command: ${label}`} />
        </div>
      ))}
      <div class="actions"><button type="button" class="primary" onClick={onClose}>I have copied it</button></div>
    </Dialog>
  )
}

function Create({ onMade, onClose }: { onMade: (key: NewKey) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const [scopes, setScopes] = useState<ReadonlySet<string>>(USUAL)
  const [days, setDays] = useState(0)
  const { isBusy, error, act } = useAct()
  const toggle = (scope: string) => {
    const next = new Set(scopes)
    if (!next.delete(scope)) next.add(scope)
    setScopes(next)
  }
  const submit = () => act(async () => {
    const expires = days === 0 ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z') }
    const body = { ...(name.trim() === '' ? {} : { name: name.trim() }), mode, scopes: [...scopes], ...expires }
    onMade(await ask<NewKey>('POST', '/session/keys', body))
  })
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form onSubmit={submit}>
        <Field label="Name" hint="What the key is for, such as the program that uses it">
          {(id, hint) => <input id={id} maxLength={100} value={name} aria-describedby={hint} onInput={(event) => setName(event.currentTarget.value)} />}
        </Field>
        <Field label="Mode" hint="A test key sees a small market that never changes, and is charged nothing">
          {(id, hint) => (
            <select id={id} value={mode} aria-describedby={hint} onChange={(event) => setMode(event.currentTarget.value === 'test' ? 'test' : 'live')}>
              <option value="live">Live</option>
              <option value="test">Test</option>
            </select>
          )}
        </Field>
        <fieldset>
          <legend>What it may do</legend>
          {SCOPES.map((scope) => (
            <label key={scope.key} class="check">
              <input type="checkbox" checked={scopes.has(scope.key)} onChange={() => toggle(scope.key)} />
              <span>{scope.text} <code>{scope.key}</code></span>
            </label>
          ))}
        </fieldset>
        <Field label="Expires">
          {(id) => (
            <select id={id} value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
              {EXPIRIES.map(({ days, text }) => <option key={days} value={days}>{text}</option>)}
            </select>
          )}
        </Field>
        <Problem text={error} />
        <div class="actions">
          <button type="button" onClick={onClose}>Cancel</button>
          <button type="submit" class="primary" disabled={isBusy || scopes.size === 0}>Create key</button>
        </div>
      </Form>
    </Dialog>
  )
}

function Rotate({ of, onMade, onClose }: { of: Key; onMade: (key: NewKey) => void; onClose: () => void }) {
  const [grace, setGrace] = useState(3_600)
  const { isBusy, error, act } = useAct()
  const submit = () => act(async () => {
    onMade(await ask<NewKey>('POST', `/session/keys/${encodeURIComponent(of.kid)}/rotate`, { grace_seconds: grace }))
  })
  return (
    <Dialog title={`Rotate ${of.name}`} onClose={onClose}>
      <Form onSubmit={submit}>
        <p>A new key with the same permissions takes its place.</p>
        <Field label="The old key ends">
          {(id) => (
            <select id={id} value={grace} onChange={(event) => setGrace(Number(event.currentTarget.value))}>
              {GRACES.map(({ seconds, text }) => <option key={seconds} value={seconds}>{text}</option>)}
            </select>
          )}
        </Field>
        <Problem text={error} />
        <div class="actions">
          <button type="button" onClick={onClose}>Cancel</button>
          <button type="submit" class="primary" disabled={isBusy}>Rotate key</button>
        </div>
      </Form>
    </Dialog>
  )
}

function Row({ of, onRotate, onRevoke }: { of: Key; onRotate: () => void; onRevoke: () => void }) {
  const { isValid, text } = state(of, Date.now())
  return (
    <tr>
      <th scope="row">{of.name} {of.mode === 'test' && <Badge tone="plain">test</Badge>}<br /><code class="quiet">{of.prefix}…</code></th>
      <td><Badge tone={isValid ? (of.replaced_by === null ? 'good' : 'warn') : 'bad'}>{text}</Badge></td>
      <td class="scopes">{of.scopes.join(', ')}</td>
      <td><When at={of.created_at} /></td>
      <td>{of.last_used_at === null ? <span class="quiet">not since the server started</span> : <When at={of.last_used_at} />}</td>
      <td>{of.expires_at === null ? 'never' : <When at={of.expires_at} />}</td>
      <td class="buttons">
        {isValid && of.replaced_by === null && (
          <button type="button" class="small" aria-label={`Rotate ${of.name}`} onClick={onRotate}>Rotate</button>
        )}
        {isValid && <button type="button" class="small danger" aria-label={`Revoke ${of.name}`} onClick={onRevoke}>Revoke</button>}
      </td>
    </tr>
  )
}

type Open = { what: 'create' } | { what: 'rotate' | 'revoke'; key: Key } | { what: 'made'; key: NewKey } | null

export function Keys() {
  const { value, error, reload } = useLoaded<{ keys: Key[] }>('/session/keys', 30_000)
  const [open, setOpen] = useState<Open>(null)
  const revoking = useAct()
  const made = (key: NewKey) => {
    setOpen({ what: 'made', key })
    void reload()
  }
  const close = () => { revoking.clear(); setOpen(null) }
  const revoke = (key: Key) => revoking.act(async () => {
    await ask('DELETE', `/session/keys/${encodeURIComponent(key.kid)}`).catch((error: unknown) => { throw new Error(message(error)) })
    setOpen(null)
    await reload()
  })
  const keys = value?.keys
  const create = <button type="button" class="primary" onClick={() => setOpen({ what: 'create' })}>Create a key</button>
  return (
    <section>
      <header class="head">
        <h1>Keys</h1>
        {keys !== undefined && keys.length > 0 && create}
      </header>
      <p class="quiet">Programmatic access: a key lets a program of yours read the board, the signals and the stream. All keys spend the quota of your account.</p>
      <Problem text={error} />
      {keys === undefined && error === null && <Loading what="the keys" />}
      {keys?.length === 0 && (
        <Empty title="No keys yet">
          <p>A key is what a program sends in place of a password. It is shown once, can be limited to what the program needs, and is revoked within a second.</p>
          {create}
        </Empty>
      )}
      {keys !== undefined && keys.length > 0 && (
        <Table label="Keys" head={['Name', 'State', 'Scopes', 'Created', 'Last used', 'Expires', 'Actions']}>
          {keys.map((key) => (
            <Row key={key.kid} of={key} onRotate={() => setOpen({ what: 'rotate', key })} onRevoke={() => setOpen({ what: 'revoke', key })} />
          ))}
        </Table>
      )}
      {open?.what === 'create' && <Create onMade={made} onClose={close} />}
      {open?.what === 'made' && <ShownOnce made={open.key} onClose={close} />}
      {open?.what === 'rotate' && <Rotate of={open.key} onMade={made} onClose={close} />}
      {open?.what === 'revoke' && (
        <Confirm title={`Revoke ${open.key.name}?`} action="Revoke key" isBusy={revoking.isBusy} error={revoking.error} onNo={close}
          text="Every server refuses it within a second, and its streams end. This cannot be undone." onYes={() => revoke(open.key)} />
      )}
    </section>
  )
}
