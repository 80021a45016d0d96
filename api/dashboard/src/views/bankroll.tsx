// The reader's bankroll, its currency and rounding, kept in the browser.

import { useState } from 'preact/hooks'
import { bankroll } from '../kept'
import { parseBankroll, STEPS } from '../model/bankroll'
import { ODDS_FORMATS } from '../model/odds'
import { money, words } from '../model/text'
import { useOddsFormat } from '../hooks'
import { Dialog, Field, Form } from '../parts/parts'
import { useStored } from '../store'

export function BankrollForm({ onDone }: { onDone: () => void }) {
  const own = useStored(bankroll)
  const [total, setTotal] = useState(String(own.total))
  const [currency, setCurrency] = useState(own.currency)
  const [step, setStep] = useState(own.step)
  const [format, setFormat] = useOddsFormat()
  const submit = () => {
    bankroll.set(parseBankroll({ total: Number(total), currency: currency.toUpperCase(), step }))
    onDone()
  }
  return (
    <Form onSubmit={submit} label="Bankroll">
      <Field label="Bankroll" hint="Stakes of a row are for this in all, or for the most within its known limits where that is less">
        {(id, hint) => <input id={id} type="number" required min="1" max="10000000" step="any" inputMode="decimal" value={total} aria-describedby={hint} onInput={(event) => setTotal(event.currentTarget.value)} />}
      </Field>
      <Field label="Currency" hint="Such as EUR. Rows in another currency then have no stakes: nothing is converted. Empty: stakes are in each row's own">
        {(id, hint) => <input id={id} pattern="[A-Za-z]{3}" maxLength={3} value={currency} aria-describedby={hint} onInput={(event) => setCurrency(event.currentTarget.value)} />}
      </Field>
      <Field label="Round stakes to" hint="Never beyond a limit; to the book's own step where that is coarser">
        {(id, hint) => (
          <select id={id} value={step} aria-describedby={hint} onChange={(event) => setStep(Number(event.currentTarget.value))}>
            {STEPS.map((step) => <option key={step} value={step}>{step}</option>)}
          </select>
        )}
      </Field>
      <Field label="Odds">
        {(id) => (
          <select id={id} value={format} onChange={(event) => setFormat(ODDS_FORMATS.find((known) => known === event.currentTarget.value) ?? 'decimal')}>
            {ODDS_FORMATS.map((format) => <option key={format} value={format}>{words(format)}</option>)}
          </select>
        )}
      </Field>
      <p class="quiet">Kept in this browser alone: another browser has its own.</p>
      <div class="actions"><button type="submit" class="primary">Save</button></div>
    </Form>
  )
}

export function BankrollChip() {
  const own = useStored(bankroll)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="chip" onClick={() => setOpen(true)}><span class="quiet">Bankroll</span> <span class="number">{money(own.total)}{own.currency !== '' && ` ${own.currency}`}</span></button>
      {isOpen && <Dialog title="Bankroll" onClose={() => setOpen(false)}><BankrollForm onDone={() => setOpen(false)} /></Dialog>}
    </>
  )
}
