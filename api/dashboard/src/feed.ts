// The stream of the page: one connection for all tabs of the browser.
//
// The tab that holds the Web Lock reads /session/stream and broadcasts each event; the others hold the same market. When that tab is closed, the next one
// takes the lock and goes on after the last id that it has seen, so that no event is missed. Without Web Locks (a page by plain http from
// another machine) each tab has a stream of its own. It never guesses: what it shows is what the stream sent.

import { ask, Refusal } from './api'
import { apply, emptyMarket, type Market } from './model/market'
import type { Usage } from './model/types'

/** `live`: events arrive; `lost`: it tries to reach the server again; `refused`: the server is there and takes no stream now; `off`: nobody is signed in. */
export interface Link {
  state: 'off' | 'connecting' | 'live' | 'lost' | 'refused'
  problem: string | null
}

type Message =
  | { type: 'hello' }
  | { type: 'state'; market: Market; link: Link }
  | { type: 'event'; name: string; data: unknown; id: string }
  | { type: 'link'; link: Link }

const EVENTS = ['snapshot', 'arb_window', 'close_signal', 'edge_signal', 'stale_alert', 'heartbeat'] as const
const QUERY = 'event=arb_window,close_signal,edge_signal,stale_alert&heartbeat_seconds=5&conflate_ms=250'
/** Without anything for so long the connection is taken for lost, though the browser has not noticed. */
const SILENCE_MS = 20_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000
/** The page is drawn at most so often. */
const DRAW_MS = 200

class Feed {
  market: Market = emptyMarket()
  link: Link = { state: 'off', problem: null }
  /** Grows with each change that is to be drawn. */
  version = 0
  /** When the newest time of the market was received, by this page's clock. */
  private seenAt = 0
  private seenAsOf: string | null = null
  private listeners = new Set<() => void>()
  private drawing: number | undefined
  private channel: BroadcastChannel | undefined
  private source: EventSource | undefined
  private release: (() => void) | undefined
  private watch: number | undefined
  private retry: number | undefined
  private pause = FIRST_PAUSE_MS
  private isLeader = false
  private isOn = false
  private generation = 0

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Whether this tab reads the stream for all. */
  get leads(): boolean {
    return this.isLeader
  }

  /** The time of the market, in milliseconds of UTC: its last time, and what has passed since. */
  now(): number {
    const { asOf } = this.market
    return asOf === null ? Date.now() : Date.parse(asOf) + (performance.now() - this.seenAt)
  }

  /** Begins for an account; its tabs alone share it. */
  start(account: string): void {
    if (this.isOn) return
    this.isOn = true
    const generation = ++this.generation
    this.setLink({ state: 'connecting', problem: null })
    if (!('locks' in navigator) || !('BroadcastChannel' in window)) {
      this.lead()
      return
    }
    const name = `arb-stream ${account}`
    this.channel = new BroadcastChannel(name)
    this.channel.onmessage = (event: MessageEvent<Message>) => this.receive(event.data)
    this.post({ type: 'hello' })
    void navigator.locks.request(name, () => {
      if (!this.isOn || generation !== this.generation) return undefined
      this.lead()
      return new Promise<void>((resolve) => { this.release = resolve })
    })
  }

  /** Ends, when nobody is signed in any more. */
  stop(): void {
    this.isOn = false
    this.generation++
    this.isLeader = false
    this.close()
    this.release?.()
    this.release = undefined
    this.channel?.close()
    this.channel = undefined
    this.market = emptyMarket()
    this.setLink({ state: 'off', problem: null })
  }

  private post(message: Message): void {
    this.channel?.postMessage(message)
  }

  private receive(message: Message): void {
    switch (message.type) {
      case 'hello':
        if (this.isLeader) this.post({ type: 'state', market: this.market, link: this.link })
        break
      case 'state':
        if (this.isLeader || this.market.isKnown) break
        this.market = message.market
        this.setLink(message.link)
        this.changed()
        break
      case 'event':
        // Before the state is known, only a snapshot makes sense of what follows.
        if (this.isLeader || (!this.market.isKnown && message.name !== 'snapshot')) break
        this.take(message.name, message.data, message.id)
        break
      case 'link':
        if (!this.isLeader) this.setLink(message.link)
        break
    }
  }

  private take(name: string, data: unknown, id: string): void {
    apply(this.market, name, data, id)
    this.changed()
  }

  private changed(): void {
    if (this.market.asOf !== this.seenAsOf) {
      this.seenAsOf = this.market.asOf
      this.seenAt = performance.now()
    }
    this.draw()
  }

  private setLink(link: Link): void {
    this.link = link
    if (this.isLeader) this.post({ type: 'link', link })
    this.draw()
  }

  private draw(): void {
    this.drawing ??= window.setTimeout(() => {
      this.drawing = undefined
      this.version++
      for (const listener of this.listeners) listener()
    }, DRAW_MS)
  }

  private lead(): void {
    this.isLeader = true
    this.connect()
  }

  private close(): void {
    this.source?.close()
    this.source = undefined
    window.clearTimeout(this.watch)
    window.clearTimeout(this.retry)
  }

  private connect(): void {
    this.close()
    const { isKnown, lastId } = this.market
    const from = isKnown && lastId !== null ? `&last_event_id=${encodeURIComponent(lastId)}` : ''
    const source = new EventSource(`/session/stream?${QUERY}${from}`)
    this.source = source
    this.listen()
    source.onopen = () => {
      this.pause = FIRST_PAUSE_MS
      this.setLink({ state: 'live', problem: null })
    }
    source.onerror = () => {
      const link: Link = { state: 'lost', problem: null }
      // The browser connects again by itself, unless the server refused.
      if (source.readyState === EventSource.CLOSED) void this.refused()
      else this.setLink(link)
    }
    for (const name of EVENTS) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        this.listen()
        const data: unknown = JSON.parse(event.data)
        this.take(name, data, event.lastEventId)
        this.post({ type: 'event', name, data, id: event.lastEventId })
      })
    }
    source.addEventListener('key_revoked', () => void this.refused())
  }

  /** Connects again when nothing comes any more. */
  private listen(): void {
    window.clearTimeout(this.watch)
    this.watch = window.setTimeout(() => {
      this.setLink({ state: 'lost', problem: null })
      this.connect()
    }, SILENCE_MS)
  }

  /** Finds out why the server refused, and tries again later: a 401 ends the session. */
  private async refused(): Promise<void> {
    this.close()
    const generation = this.generation
    let link: Link = { state: 'refused', problem: 'The server takes no more streams of this account now; trying again.' }
    try {
      await ask<Usage>('GET', '/session/usage')
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return
      link = { state: 'lost', problem: null }
    }
    if (generation !== this.generation) return
    this.setLink(link)
    this.retry = window.setTimeout(() => this.connect(), this.pause * (0.75 + Math.random() / 2))
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS)
  }
}

export const feed = new Feed()
