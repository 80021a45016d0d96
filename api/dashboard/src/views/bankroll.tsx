// The reader's bankroll, its currency and rounding, which are the account's, and the odds of this browser.

import { useState } from 'preact/hooks'
import { ask } from '../api'
import { bankroll } from '../kept'
import { ROUNDINGS } from '../model/bankroll'
import { ODDS_FORMATS } from '../model/odds'
import { money, words } from '../model/text'
import type { Bankroll } from '../model/types'
import { useAct, useOddsFormat } from '../hooks'
import { Dialog, Field, Form, Problem } from '../parts/parts'
import { useShared } from '../store'

/** The usual roundings, and what is chosen where it is none of them. */
export function Roundings({ id, value, hint, onChange }: { id: string; value: number; hint?: string | undefined; onChange: (rounding: number) => void }) {
  const all = ROUNDINGS.includes(value) ? ROUNDINGS : [...ROUNDINGS, value].sort((a, b) => a - b)
  return (
    <select id={id} value={value} aria-describedby={hint} onChange={(event) => onChange(Number(event.currentTarget.value))}>
      {all.map((rounding) => <option key={rounding} value={rounding}>{rounding}</option>)}
    </select>
  )
}

export function BankrollForm({ onDone }: { onDone: () => void }) {
  const own = useShared(bankroll)
  const [total, setTotal] = useState(String(own.total))
  const [currency, setCurrency] = useState(own.currency ?? '')
  const [rounding, setRounding] = useState(own.rounding)
  const [format, setFormat] = useOddsFormat()
  const { isBusy, error, act } = useAct()
  const submit = () => act(async () => {
    const chosen: Bankroll = { total: Number(total), currency: currency === '' ? null : currency.toUpperCase(), rounding }
    bankroll.set(await ask<Bankroll>('PUT', '/session/bankroll', chosen))
    onDone()
  })
  return (
    <Form onSubmit={submit} label="Bankroll">
      <Field label="Bankroll" hint="Stakes of a row are for this in all, or for the most within its known limits where that is less">
        {(id, hint) => <input id={id} type="number" required min="0.01" max="10000000" step="0.01" inputMode="decimal" value={total} aria-describedby={hint} onInput={(event) => setTotal(event.currentTarget.value)} />}
      </Field>
      <Field label="Currency" hint="Such as EUR. Rows in another currency then have no stakes: nothing is converted. Empty: stakes are in each row's own">
        {(id, hint) => <input id={id} pattern="[A-Za-z]{3}" maxLength={3} value={currency} aria-describedby={hint} onInput={(event) => setCurrency(event.currentTarget.value)} />}
      </Field>
      <Field label="Round stakes to" hint="Never beyond a limit; to the book's own step where that is coarser">
        {(id, hint) => <Roundings id={id} value={rounding} hint={hint} onChange={setRounding} />}
      </Field>
      <Field label="Odds">
        {(id) => (
          <select id={id} value={format} onChange={(event) => setFormat(ODDS_FORMATS.find((known) => known === event.currentTarget.value) ?? 'decimal')}>
            {ODDS_FORMATS.map((format) => <option key={format} value={format}>{words(format)}</option>)}
          </select>
        )}
      </Field>
      <p class="quiet">Every browser of your account has them; the odds are this browser's.</p>
      <Problem text={error} />
      <div class="actions"><button type="submit" class="primary" disabled={isBusy}>Save</button></div>
    </Form>
  )
}

export function BankrollChip() {
  const own = useShared(bankroll)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="chip" onClick={() => setOpen(true)}><span class="quiet">Bankroll</span> <span class="number">{money(own.total)}{own.currency !== null && ` ${own.currency}`}</span></button>
      {isOpen && <Dialog title="Bankroll" onClose={() => setOpen(false)}><BankrollForm onDone={() => setOpen(false)} /></Dialog>}
    </>
  )
}
