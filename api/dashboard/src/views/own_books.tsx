// Which books somebody has an account at, and the commission there: chosen once, kept in the browser and in the address.

import { useState } from 'preact/hooks'
import { useLoaded } from '../hooks'
import { ownQuery, parseOwn } from '../model/own_books'
import type { ListedBook } from '../model/types'
import { Dialog, Form, Loading, Problem } from '../parts/parts'

const STORED = 'arb own books'

/** What was chosen last in this browser. */
export function storedOwn(): { books: string; commissions: string } {
  const [books = '', commissions = ''] = (localStorage.getItem(STORED) ?? '').split('|')
  return ownQuery(parseOwn(books, commissions))
}

export function OwnBooks({ given, onChoose, onClose }: {
  given: { books: string; commissions: string }; onChoose: (own: { books: string; commissions: string }) => void; onClose: () => void
}) {
  const { value, error } = useLoaded<{ books: ListedBook[] }>('/session/books')
  const start = parseOwn(given.books, given.commissions)
  const [books, setBooks] = useState<ReadonlySet<string>>(new Set(start.books))
  const [commissions, setCommissions] = useState<ReadonlyMap<string, number>>(start.commissions)
  const toggle = (book: string) => {
    const next = new Set(books)
    if (!next.delete(book)) next.add(book)
    setBooks(next)
  }
  const charge = (book: string, text: string) => {
    const next = new Map(commissions)
    if (text === '') next.delete(book)
    else next.set(book, Math.min(25, Math.max(0, Number(text))))
    setCommissions(next)
  }
  const submit = () => {
    const own = ownQuery({ books: [...books], commissions })
    localStorage.setItem(STORED, `${own.books}|${own.commissions}`)
    onChoose(own)
  }
  const list = (value?.books ?? []).filter((book) => book.prices_on_offer > 0 || books.has(book.key))
  return (
    <Dialog title="My books" onClose={onClose}>
      <p>The board is computed by the prices of these books alone, so that a second-best price of yours counts. Without any, all books count. A commission replaces the
        fees that are known of a book.</p>
      <Problem text={error} />
      {value === null && error === null && <Loading what="the books" />}
      {value !== null && (
        <Form onSubmit={submit} label="My books">
          <div class="scroll" tabIndex={0} role="region" aria-label="Books">
            <table>
              <thead><tr><th scope="col">Book</th><th scope="col">Operator</th><th scope="col">Commission, %</th></tr></thead>
              <tbody>
                {list.map((book) => (
                  <tr key={book.key}>
                    <th scope="row"><label class="check"><input type="checkbox" checked={books.has(book.key)} onChange={() => toggle(book.key)} />{book.key}</label></th>
                    <td>{book.operator}</td>
                    <td><input type="number" class="narrow" min="0" max="25" step="0.01" inputMode="decimal" aria-label={`Commission of ${book.key} in percent`}
                      value={commissions.has(book.key) ? String(commissions.get(book.key)) : ''} onInput={(event) => charge(book.key, event.currentTarget.value)} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div class="actions">
            <button type="button" onClick={onClose}>Cancel</button>
            <button type="submit" class="primary">Show my board</button>
          </div>
        </Form>
      )}
    </Dialog>
  )
}
