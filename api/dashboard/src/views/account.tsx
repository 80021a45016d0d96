// The account: who is signed in, another password, the theme.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { useAct } from '../hooks'
import type { Session } from '../model/types'
import { Field, Form, Problem, When } from '../parts/parts'

export function Account({ session, onSession }: { session: Session; onSession: (session: Session) => void }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [isDone, setDone] = useState(false)
  const { isBusy, error, act } = useAct()
  const submit = () => act(async () => {
    setDone(false)
    onSession(await ask<Session>('POST', '/session/password', { current_password: current, new_password: next }))
    setCurrent('')
    setNext('')
    setDone(true)
  })
  return (
    <section>
      <header class="head"><h1>Account</h1></header>
      <dl class="card">
        <dt>E-mail</dt><dd>{session.email}</dd>
        <dt>Plan</dt><dd>{session.plan}</dd>
        <dt>This session ends</dt><dd><When at={session.expires_at} /></dd>
      </dl>
      <h2>Change the password</h2>
      <p class="quiet">All other sessions of the account end; keys stay.</p>
      <Form class="form card" onSubmit={submit} label="Change the password">
        <input type="text" autocomplete="username" value={session.email} readOnly hidden aria-hidden="true" tabIndex={-1} />
        <Field label="Current password">
          {(id) => <input id={id} type="password" required autocomplete="current-password" value={current} onInput={(event) => setCurrent(event.currentTarget.value)} />}
        </Field>
        <Field label="New password" hint="12 to 128 characters">
          {(id, hint) => <input id={id} type="password" required minLength={12} maxLength={128} autocomplete="new-password" value={next} aria-describedby={hint}
            onInput={(event) => setNext(event.currentTarget.value)} />}
        </Field>
        <Problem text={error} />
        {isDone && <p role="status">The password is changed.</p>}
        <button type="submit" class="primary" disabled={isBusy}>Change password</button>
      </Form>
    </section>
  )
}
