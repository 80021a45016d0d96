// Single keys of the board. They do nothing in a field or a dialog, and can be switched off.

import { useEffect, useRef } from 'preact/hooks'
import { shortcuts } from '../kept'
import { Dialog } from '../parts/parts'
import { useShared } from '../store'

const KEYS: [string, string][] = [
  ['j, ↓', 'the next row'], ['k, ↑', 'the row before'], ['Enter', 'open or close the row'], ['→, ←', 'along the row: stakes, books, placed'], ['c', 'copy the stake of the row, of its next leg when pressed again'],
  ['h', 'hide the event'], ['p', 'pause, and go on'], ['/', 'find'], ['?', 'these keys'],
]

const isElsewhere = (target: EventTarget | null) => target instanceof Element && target.closest('input, select, textarea, dialog, [contenteditable]') !== null

/** Does what a key says, outside of fields and dialogs. */
export function useShortcuts(acts: Record<string, () => void>): void {
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target) || !shortcuts.get()) return
      const act = latest.current[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const isOn = useShared(shortcuts)
  return (
    <Dialog title="Keys of the board" onClose={onClose}>
      <dl class="keys">{KEYS.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}</dl>
      <label class="check"><input type="checkbox" checked={isOn} onChange={() => shortcuts.set(!isOn)} />Single keys do something</label>
      <div class="actions"><button type="button" class="primary" onClick={onClose}>Done</button></div>
    </Dialog>
  )
}
