// What the lists of the page share: their head, a choice of one value, which rows are open, and the button that opens one. They show what they are given.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from './parts'

/** The head of a list: its name, a line about it, and what is done with it as a whole. */
export function ListHead({ title, note, tools }: { title: string; note?: ComponentChildren; tools?: ComponentChildren }) {
  return (
    <header class="head">
      <h1>{title}</h1>
      {note !== undefined && <span class="quiet">{note}</span>}
      {tools !== undefined && <div class="headtools">{tools}</div>}
    </header>
  )
}

/** One of several values, or any. */
export function Choice({ label, value, values, name, onChange }: {
  label: string; value: string; values: readonly string[]; name: (value: string) => string; onChange: (value: string) => void
}) {
  // A value of the URL that nothing has now is still chosen.
  const all = value === '' || values.includes(value) ? values : [value, ...values]
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">Any</option>
          {all.map((value) => <option key={value} value={value}>{name(value)}</option>)}
        </select>
      )}
    </Field>
  )
}

/**
 * Which rows are open. A row that has not changed keeps the callback of an earlier drawing: it is of the set as it is then.
 * A row opens in a task after the click's: a browser lays out in the task of a click what that has drawn, which makes one long task of two.
 */
export function useOpen(): [ReadonlySet<string>, (id: string) => void] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) => setTimeout(() => setOpen((open) => {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    return next
  }))
  return [open, toggle]
}

/** Opens and closes a row; `of` says to a screen reader what is shown. */
export function More({ isOpen, of, onToggle }: { isOpen: boolean; of: string; onToggle: () => void }) {
  return (
    <button type="button" class="small" aria-expanded={isOpen} onClick={onToggle}>
      {isOpen ? 'Less' : 'More'}<span class="unseen"> {of}</span>
    </button>
  )
}
