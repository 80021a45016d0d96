// Parts that several views use. They show what they are given.

import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { duration, relative, shortTime, time, utc } from '../model/text'
import { Icon } from './icons'

/** A time in the viewer's zone, with UTC on hover. */
export function Time({ at, short = false }: { at: string; short?: boolean }) {
  return <time dateTime={at} title={utc(at)}>{short ? shortTime(at) : time(at)}</time>
}

/** How far a time is from now, with the time itself on hover. */
export function When({ at }: { at: string }) {
  return <time dateTime={at} title={`${time(at)} (${utc(at)})`}>{relative(Date.parse(at), Date.now())}</time>
}

/** How long ago something was, of a clock that ticks. */
export function Age({ at, now, late }: { at: string; now: number; late?: boolean }) {
  const seconds = (now - Date.parse(at)) / 1000
  return <time dateTime={at} title={utc(at)} class={late ? 'age late' : 'age'}>{duration(seconds)}</time>
}

export function Badge({ tone, children, title }: { tone: 'good' | 'warn' | 'bad' | 'plain'; children: ComponentChildren; title?: string }) {
  return <span class={`badge ${tone}`} {...(title === undefined ? {} : { title })}>{children}</span>
}

export function Problem({ text }: { text: string | null }) {
  return <div role="alert" class={text === null ? 'problem none' : 'problem'}>{text}</div>
}

/** What is being loaded, with the lines where it will be. */
export function Loading({ what, rows = 3 }: { what: string; rows?: number }) {
  return (
    <div class="loading">
      <p class="quiet" role="status">Loading {what} …</p>
      {Array.from({ length: rows }, (_, index) => <div key={index} class="bone" aria-hidden="true" />)}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name="empty" />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** A labelled control, with what is wrong with it or what it means. */
export function Field({ label, hint, children }: { label: string; hint?: string; children: (id: string, hintId: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, `${id}-hint`)}
      {hint !== undefined && <span class="hint" id={`${id}-hint`}>{hint}</span>}
    </div>
  )
}

/** Text that is to be copied: a key, a command. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  const code = useRef<HTMLElement>(null)
  const select = () => {
    const range = document.createRange()
    if (code.current !== null) range.selectNodeContents(code.current)
    getSelection()?.removeAllRanges()
    getSelection()?.addRange(range)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), 2_000)
    } catch {
      // Not over plain http: the reader copies what is selected.
      select()
    }
  }
  return (
    <div class="copy">
      <code ref={code} tabIndex={0}>{text}</code>
      <button type="button" class="small" onClick={() => void copy()}>{isCopied ? 'Copied' : 'Copy'}<span class="unseen"> {label}</span></button>
    </div>
  )
}

/** What had the focus before a dialog, also before one that led to another. */
let origin: HTMLElement | null = null

/** Gives the focus back, or to the view where what had it is gone. The browser does not: the dialog is taken out of the page as it closes. */
function giveBack(): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  const to = origin?.isConnected === true ? origin : document.getElementById('content')
  to?.focus()
}

const isEscape = (event: KeyboardEvent) => event.key === 'Escape'

/** A question in front of the page; the browser keeps the focus in it. With `mustAnswer` only its own buttons close it: what it shows is shown once. */
export function Dialog({ title, children, onClose, mustAnswer = false }: { title: string; children: ComponentChildren; onClose: () => void; mustAnswer?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const { activeElement } = document
    if (activeElement instanceof HTMLElement && activeElement !== document.body) origin = activeElement
    dialog.current?.showModal()
    // It is not closed here: it is gone with its element, and its event of closing would end the dialog that takes its place.
    return () => { setTimeout(giveBack, 0) }
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => { if (mustAnswer) dialog.current?.showModal(); else onClose() }}
      onCancel={(event) => { if (mustAnswer) event.preventDefault(); else onClose() }} onKeyDown={(event) => { if (mustAnswer && isEscape(event)) event.preventDefault() }}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

export function Confirm({ title, text, action, isBusy, error, onYes, onNo }: {
  title: string; text: string; action: string; isBusy: boolean; error: string | null; onYes: () => void; onNo: () => void
}) {
  return (
    <Dialog title={title} onClose={onNo}>
      <p>{text}</p>
      <Problem text={error} />
      <div class="actions">
        <button type="button" onClick={onNo}>Cancel</button>
        <button type="button" class="danger" disabled={isBusy} onClick={onYes}>{action}</button>
      </div>
    </Dialog>
  )
}

/** The head of a column of numbers, which are aligned at the right. */
export const num = (name: string) => ({ number: name })

const CELLS: Record<string, string> = { TABLE: 'table', THEAD: 'rowgroup', TBODY: 'rowgroup', TR: 'row', TD: 'cell' }

/** Gives each cell the name of its column, which stands beside it where rows are drawn as cards, and the roles that such rows lose. */
function label(table: HTMLTableElement): void {
  const names = [...table.querySelectorAll('thead th')].map((th) => th.textContent)
  for (const element of [table, ...table.querySelectorAll('thead, tbody, tr, td')]) element.setAttribute('role', CELLS[element.tagName] ?? '')
  for (const row of table.querySelectorAll('tbody tr')) {
    for (const [index, cell] of [...row.children].entries()) {
      if (cell.tagName === 'TH') cell.setAttribute('role', 'rowheader')
      cell.setAttribute('data-label', names[index] ?? '')
    }
  }
  for (const th of table.querySelectorAll('thead th')) th.setAttribute('role', 'columnheader')
}

/** A table that scrolls sideways by itself where it is too wide; on a telephone a card a row. */
export function Table({ label: name, head, children }: { label: string; head: (string | { number: string })[]; children: ComponentChildren }) {
  const table = useRef<HTMLTableElement>(null)
  useLayoutEffect(() => { if (table.current !== null) label(table.current) })
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={name}>
      <table ref={table}>
        <thead>
          <tr>{head.map((of) => (typeof of === 'string' ? <th key={of} scope="col">{of}</th> : <th key={of.number} scope="col" class="number">{of.number}</th>))}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** What describes the API: to people, to programs and to language models. */
export function Descriptions() {
  return (
    <footer>
      The API: <a href="/docs">documentation</a> <a href="/openapi.json">OpenAPI</a> <a href="/llms.txt">llms.txt</a>
    </footer>
  )
}

/** A form that this page submits itself, or that has nothing to submit. */
export function Form({ onSubmit, children, ...rest }: { onSubmit?: () => void; children: ComponentChildren; class?: string; label?: string }) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <form onSubmit={submit} class={rest.class ?? 'form'} {...(rest.label === undefined ? {} : { 'aria-label': rest.label })}>
      {children}
    </form>
  )
}
