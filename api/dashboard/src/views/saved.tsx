// Sets of filters with a name, and what tells of windows that match them while the page is open.

import { useState } from 'preact/hooks'
import { saved } from '../kept'
import { withSet, type SavedSet } from '../model/saved'
import { replaceQuery } from '../hooks'
import { testSound } from '../alerts'
import { Dialog, Field, Form, Table } from '../parts/parts'
import { Icon } from '../parts/icons'
import { useShared } from '../store'

const change = (set: SavedSet) => saved.set(withSet(saved.get(), set))

/** Asks the browser where it must be asked. */
async function mayNotify(): Promise<boolean> {
  return 'Notification' in window && (Notification.permission === 'granted' || await Notification.requestPermission() === 'granted')
}

function Sets({ list }: { list: SavedSet[] }) {
  const [problem, setProblem] = useState<string | null>(null)
  const notify = async (set: SavedSet) => {
    const isOn = !set.notification
    if (isOn && !await mayNotify()) {
      setProblem('The browser does not let this page show notifications.')
      return
    }
    setProblem(null)
    change({ ...set, notification: isOn })
  }
  const sound = (set: SavedSet) => {
    if (!set.sound) testSound()
    change({ ...set, sound: !set.sound })
  }
  return (
    <>
      <Table label="Saved filters" head={['Name', 'Sound', 'Notification', 'Actions']}>
        {list.map((set) => (
          <tr key={set.name}>
            <th scope="row">{set.name}</th>
            <td><label class="check"><input type="checkbox" checked={set.sound} onChange={() => sound(set)} aria-label={`Sound for ${set.name}`} /></label></td>
            <td><label class="check"><input type="checkbox" checked={set.notification} onChange={() => void notify(set)} aria-label={`Notification for ${set.name}`} /></label></td>
            <td><button type="button" class="small" onClick={() => saved.set(saved.get().filter(({ name }) => name !== set.name))}>Remove<span class="unseen"> {set.name}</span></button></td>
          </tr>
        ))}
      </Table>
      {problem !== null && <p role="alert" class="problem">{problem}</p>}
    </>
  )
}

/** The saved sets, of which one is a click away; `query` is what the board shows now. */
export function SavedSets({ query }: { query: string }) {
  const list = useShared(saved)
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const submit = () => {
    change({ name: name.trim(), query, sound: false, notification: false })
    setName('')
  }
  return (
    <>
      {list.map((set) => (
        <button key={set.name} type="button" class="chip saved" aria-pressed={set.query === query} onClick={() => replaceQuery('board', set.query === query ? '' : set.query)}>
          {(set.sound || set.notification) && <Icon name="bell" text="alerts on: " />}{set.name}
        </button>
      ))}
      <button type="button" class="chip" onClick={() => setOpen(true)} title="Saved filters and alerts">Alerts</button>
      {isOpen && (
        <Dialog title="Saved filters and alerts" onClose={() => setOpen(false)}>
          {list.length > 0 && <Sets list={list} />}
          <Form class="filterbar" label="Save the filters" onSubmit={submit}>
            <Field label="Save the present filters as">
              {(id) => <input id={id} required maxLength={60} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
            </Field>
            <button type="submit" disabled={name.trim() === ''}>Save</button>
          </Form>
          <p class="quiet">An alert tells of each window once, as it comes to match, while a tab of this page is open in this browser. It ends with the last tab, with the session and with the
            connection. A <a href="#/webhooks">webhook</a> goes on.</p>
          <div class="actions"><button type="button" class="primary" onClick={() => setOpen(false)}>Done</button></div>
        </Dialog>
      )}
    </>
  )
}
