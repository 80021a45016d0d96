// The open entries and signals as the stream tells them: a snapshot, then what replaces or removes. Pure.

import type { Entry, Poll, Signal, Snapshot, StaleAlert } from './types'

/** Alerts that are kept, the newest first. */
const ALERTS = 100
const SIGNAL_ENDS = new Set(['expired', 'faded', 'followed', 'withdrawn', 'event_ended', 'superseded'])

export interface Market {
  /** Whether a snapshot has come. */
  isKnown: boolean
  asOf: string | null
  stale: boolean
  polls: Poll[]
  entries: Map<string, Entry>
  signals: Map<string, Signal>
  alerts: StaleAlert[]
  /** Why entries that have closed are gone, by their ids: of the last few. */
  closed: Map<string, string>
  lastId: string | null
}

const CLOSED = 200

export function emptyMarket(): Market {
  return {
    isKnown: false, asOf: null, stale: false, polls: [], entries: new Map(), signals: new Map(), alerts: [], closed: new Map(),
    lastId: null,
  }
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return Date.parse(b) > Date.parse(a) ? b : a
}

function close(market: Market, id: string, reason: string): void {
  if (!market.entries.delete(id)) return
  market.closed.set(id, reason)
  const oldest = market.closed.keys().next().value
  if (market.closed.size > CLOSED && oldest !== undefined) market.closed.delete(oldest)
}

/** Takes an event in, in place: the entries and signals themselves are never changed, but replaced. */
export function apply(market: Market, name: string, data: unknown, id: string): void {
  if (id !== '') market.lastId = id
  switch (name) {
    case 'snapshot': {
      const snapshot = data as Snapshot
      market.isKnown = true
      market.asOf = snapshot.as_of
      market.stale = snapshot.stale
      market.polls = snapshot.polls
      market.entries = new Map(snapshot.arbs.map((entry) => [entry.id, entry]))
      market.signals = new Map((snapshot.signals ?? []).map((signal) => [signal.id, signal]))
      market.closed = new Map()
      break
    }
    case 'arb_window': {
      const entry = data as Entry & { change: string }
      if (entry.change === 'left') close(market, entry.id, 'left')
      else market.entries.set(entry.id, entry)
      market.asOf = later(market.asOf, entry.updated_at)
      break
    }
    case 'close_signal': {
      const closing = data as { id: string; reason: string }
      close(market, closing.id, closing.reason)
      break
    }
    case 'edge_signal': {
      const signal = data as Signal & { change: string }
      if (SIGNAL_ENDS.has(signal.change)) market.signals.delete(signal.id)
      else market.signals.set(signal.id, signal)
      break
    }
    case 'stale_alert':
      market.alerts = [data as StaleAlert, ...market.alerts].slice(0, ALERTS)
      break
    case 'heartbeat': {
      const beat = data as { as_of: string | null; stale: boolean }
      market.asOf = later(market.asOf, beat.as_of)
      market.stale = beat.stale
      break
    }
  }
}
