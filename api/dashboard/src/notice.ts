// One line about what has just been done, which goes away by itself, and perhaps the way back.

import { useEffect, useState } from 'preact/hooks'

export interface Notice {
  text: string
  undo: (() => void) | null
}

const SHOWN_MS = 8_000

let present: Notice | null = null
let timer: number | undefined
const listeners = new Set<() => void>()

function show(notice: Notice | null): void {
  present = notice
  for (const listener of listeners) listener()
}

export function tell(text: string, undo: (() => void) | null = null): void {
  window.clearTimeout(timer)
  show({ text, undo })
  timer = window.setTimeout(() => show(null), SHOWN_MS)
}

export const dismiss = () => show(null)

export function useNotice(): Notice | null {
  const [notice, set] = useState(present)
  useEffect(() => {
    const listener = () => set(present)
    listeners.add(listener)
    return () => { listeners.delete(listener) }
  }, [])
  return notice
}
