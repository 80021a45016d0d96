// The board of own books, followed by a stream of its own while it is shown. Where the server gives none, it is asked for each minute, and the page says so. It never
// mixes two boards: another choice begins with nothing.

import { useEffect, useState } from 'preact/hooks'
import { ask } from './api'
import { message } from './hooks'
import { follow, type BoardEvent } from './model/own_books'
import type { Entry } from './model/types'

const EVENTS = ['snapshot', 'board_changes'] as const
const BEAT_S = 5
/** Without anything for so long the connection is taken for lost, though the browser has not noticed. */
const SILENCE_MS = 20_000
/** The server has room for so few boards that are followed; the others are asked for so often. */
const ASKED_MS = 60_000
/** Most entries of a board that is asked for. */
const MOST = 500

export interface OwnBoard {
  /** None before the first board. */
  entries: ReadonlyMap<string, Entry> | null
  /** It is asked for each minute: the server gives no stream of it now. */
  isAsked: boolean
  error: string | null
}

const NOTHING: OwnBoard = { entries: null, isAsked: false, error: null }

/** The board of these parameters; of none nothing. */
export function useOwnBoard(parameters: string | null): OwnBoard {
  const [board, setBoard] = useState<OwnBoard>(NOTHING)
  useEffect(() => {
    setBoard(NOTHING)
    if (parameters === null) return undefined
    let [source, timer, isOver]: [EventSource | null, number | undefined, boolean] = [null, undefined, false]
    const later = (act: () => void, after: number) => {
      window.clearTimeout(timer)
      timer = window.setTimeout(act, after)
    }
    const refused = async () => {
      source?.close()
      // It is tried again each time: others may have gone.
      later(connect, ASKED_MS)
      try {
        const { arbs } = await ask<{ arbs: Entry[] }>('GET', `/session/arbs?${parameters}&limit=${MOST}`)
        if (!isOver) setBoard({ entries: follow(null, 'snapshot', { arbs }), isAsked: true, error: null })
      } catch (error) {
        if (!isOver) setBoard((board) => ({ ...board, isAsked: true, error: message(error) }))
      }
    }
    const connect = () => {
      source?.close()
      const opened = new EventSource(`/session/stream?${parameters}&heartbeat_seconds=${BEAT_S}`)
      source = opened
      later(connect, SILENCE_MS)
      opened.onerror = () => { if (opened.readyState === EventSource.CLOSED && !isOver) void refused() }
      opened.addEventListener('heartbeat', () => later(connect, SILENCE_MS))
      for (const name of EVENTS) {
        opened.addEventListener(name, (event: MessageEvent<string>) => {
          later(connect, SILENCE_MS)
          const data = JSON.parse(event.data) as BoardEvent
          setBoard((board) => ({ entries: follow(board.entries, name, data), isAsked: false, error: null }))
        })
      }
    }
    connect()
    return () => {
      isOver = true
      source?.close()
      window.clearTimeout(timer)
    }
  }, [parameters])
  return board
}
