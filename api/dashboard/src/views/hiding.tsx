// What somebody hides of the board: an event, a pair of books, a league. Each can be shown again: at once, and from the list.

import { useState } from 'preact/hooks'
import { hidden } from '../kept'
import { add, booksOf, remove, type Hidden } from '../model/hidden'
import { count, league } from '../model/text'
import type { Entry } from '../model/types'
import { tell } from '../notice'
import { Dialog, Table } from '../parts/parts'
import { useShared } from '../store'

const KINDS = { event: 'Event', books: 'Books together', league: 'League' } as const

function hide(what: Hidden): void {
  hidden.set(add(hidden.get(), what))
  tell(`Hidden: ${what.name}`, () => hidden.set(remove(hidden.get(), what)))
}

const eventOf = ({ event }: Entry): Hidden => ({ kind: 'event', key: event.id, name: `${event.home} – ${event.away}` })

/** Hides the event of an entry. */
export const hideEvent = (entry: Entry) => hide(eventOf(entry))

export function HideButtons({ entry }: { entry: Entry }) {
  const books = booksOf(entry)
  return (
    <p class="actions start">
      <button type="button" class="small" onClick={() => hideEvent(entry)}>Hide this event</button>
      <button type="button" class="small" onClick={() => hide({ kind: 'books', key: books, name: books.replaceAll('+', ' with ') })}>Hide {books.replaceAll('+', ' with ')}</button>
      <button type="button" class="small" onClick={() => hide({ kind: 'league', key: entry.league, name: league(entry.league) })}>Hide {league(entry.league)}</button>
    </p>
  )
}

/** How many things are hidden, and the list of them. */
export function HiddenList() {
  const list = useShared(hidden)
  const [isOpen, setOpen] = useState(false)
  if (list.length === 0 && !isOpen) return null
  return (
    <>
      <button type="button" class="chip" onClick={() => setOpen(true)}>{list.length} hidden</button>
      {isOpen && (
        <Dialog title="Hidden" onClose={() => setOpen(false)}>
          <p class="quiet">{list.length === 0 ? 'Nothing is hidden.' : `${count(list.length, 'thing')} hidden from the board and its alerts in this browser. Programs are told of them as before.`}</p>
          {list.length > 0 && (
            <Table label="Hidden" head={['What', 'Kind', 'Actions']}>
              {list.map((it) => (
                <tr key={`${it.kind} ${it.key}`}>
                  <th scope="row">{it.name}</th><td>{KINDS[it.kind]}</td>
                  <td><button type="button" class="small" onClick={() => hidden.set(remove(hidden.get(), it))}>Show again<span class="unseen">: {it.name}</span></button></td>
                </tr>
              ))}
            </Table>
          )}
          <div class="actions">
            {list.length > 1 && <button type="button" onClick={() => hidden.set([])}>Show all again</button>}
            <button type="button" class="primary" onClick={() => setOpen(false)}>Done</button>
          </div>
        </Dialog>
      )}
    </>
  )
}
