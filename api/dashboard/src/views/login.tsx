// Sign up and log in.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { useAct } from '../hooks'
import type { Session } from '../model/types'
import { Field, Form, Problem } from '../parts/parts'

export function LogIn({ onSession, notice }: { onSession: (session: Session) => void; notice: string | null }) {
  const [isNew, setNew] = useState(false)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [invitation, setInvitation] = useState('')
  const { isBusy, error, act, clear } = useAct()
  const submit = () => act(async () => {
    if (isNew) {
      await ask('POST', '/session/signup', { email, password, ...(invitation === '' ? {} : { invitation }) })
    }
    onSession(await ask<Session>('POST', '/session', { email, password }))
  })
  return (
    <main id="content" class="login">
      <h1>Arbitrage Board</h1>
      <ul class="reasons">
        <li><strong>Verified</strong> means that nine checks held when a row was written: above all, that the sources' own times prove all prices were on offer at one moment. It does not promise that a book still takes the bet.</li>
        <li><strong>To bet</strong>: choose your books and your bankroll on the board, then click a stake: it is copied, and the book opens.</li>
        <li><strong>To program</strong>: create a key under the account menu; its first request stands beside it.</li>
      </ul>
      <p>Whether that is worth anything: <a href="#/truth">how much of the feed was real</a>, without an account.</p>
      {notice !== null && <p role="status" class="notice">{notice}</p>}
      <section class="card">
        <h2>{isNew ? 'Create an account' : 'Log in'}</h2>
        <Form onSubmit={submit} label={isNew ? 'Create an account' : 'Log in'}>
          <Field label="E-mail">
            {(id) => <input id={id} type="email" required autocomplete="username" value={email}
              onInput={(event) => setEmail(event.currentTarget.value)} />}
          </Field>
          <Field label="Password" {...(isNew ? { hint: '12 to 128 characters' } : {})}>
            {(id, hint) => <input id={id} type="password" required minLength={12} maxLength={128} value={password}
              autocomplete={isNew ? 'new-password' : 'current-password'} {...(isNew ? { 'aria-describedby': hint } : {})}
              onInput={(event) => setPassword(event.currentTarget.value)} />}
          </Field>
          {isNew && (
            <Field label="Invitation (optional)" hint="Only where sign-up is by invitation">
              {(id, hint) => <input id={id} autocomplete="off" value={invitation} aria-describedby={hint}
                onInput={(event) => setInvitation(event.currentTarget.value)} />}
            </Field>
          )}
          <Problem text={error} />
          <button type="submit" class="primary" disabled={isBusy}>{isNew ? 'Create account' : 'Log in'}</button>
        </Form>
        <p>
          {isNew ? 'You have an account?' : 'No account yet?'}{' '}
          <button type="button" class="link" onClick={() => { clear(); setNew(!isNew) }}>{isNew ? 'Log in' : 'Create one'}</button>
        </p>
        {!isNew && <p class="quiet">A forgotten password is replaced by who runs this server: <code>arb account reset-password E-MAIL</code>.</p>}
      </section>
    </main>
  )
}
