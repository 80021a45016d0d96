// Windows of which a bet is placed, as this browser keeps them. Pure. A pin says what somebody did at a book; nothing here places a bet or knows its result.

import { riskOf } from './stakes'
import type { Entry, Leg } from './types'

/** A leg as it was when the window was pinned, with what was placed of it. */
export interface PinnedLeg {
  outcome: string
  side: 'back' | 'lay'
  book: string
  price: number
  effective_price: number
  placed: { stake: number; price: number } | null
}

export interface Pin {
  id: string
  at: string
  entry: Entry
  legs: PinnedLeg[]
}

const MOST = 50

const isLeg = (it: unknown): it is PinnedLeg => {
  const { outcome, side, book, price, effective_price, placed } = (it ?? {}) as Record<string, unknown>
  return typeof outcome === 'string' && (side === 'back' || side === 'lay') && typeof book === 'string' && typeof price === 'number' && typeof effective_price === 'number'
    && (placed === null || isPlaced(placed))
}

const isPlaced = (it: unknown) => {
  const { stake, price } = (it ?? {}) as Record<string, unknown>
  return typeof stake === 'number' && typeof price === 'number'
}

const isEntry = (it: unknown) => {
  const { event, market, period } = (it ?? {}) as Record<string, unknown>
  const { home, away, commence_time } = (event ?? {}) as Record<string, unknown>
  return [market, period, home, away, commence_time].every((text) => typeof text === 'string')
}

export function parsePins(stored: unknown): Pin[] {
  if (!Array.isArray(stored)) return []
  return stored.filter((it): it is Pin => {
    const { id, at, entry, legs } = (it ?? {}) as Record<string, unknown>
    return typeof id === 'string' && typeof at === 'string' && isEntry(entry) && Array.isArray(legs) && legs.every(isLeg)
  }).slice(-MOST)
}

const isSame = (a: { outcome: string; side: string; book: string }, b: { outcome: string; side: string; book: string }) => a.outcome === b.outcome && a.side === b.side && a.book === b.book

/** The price of a leg when its window was pinned: what was placed by mistake worsens from there, not from when it was. */
const priceOf = (pinned: Entry, leg: PinnedLeg) => {
  const { price, effective_price } = pinned.legs.find((it) => isSame(it, leg)) ?? leg
  return { price, effective_price }
}

/** With a leg of an entry placed at its present price, or no longer placed where it was. A pin without a placed leg is none. */
export function place(pins: readonly Pin[], entry: Entry, leg: Leg, stake: number): Pin[] {
  const known = pins.find(({ id }) => id === entry.id)
  const legs = known?.legs ?? entry.legs.map(({ outcome, side, book, price, effective_price }): PinnedLeg => ({ outcome, side, book, price, effective_price, placed: null }))
  const next = legs.map((it) => {
    if (!isSame(it, leg)) return it
    return it.placed !== null ? { ...it, ...priceOf(known?.entry ?? entry, it), placed: null } : { ...it, price: leg.price, effective_price: leg.effective_price, placed: { stake, price: leg.price } }
  })
  const others = pins.filter(({ id }) => id !== entry.id)
  if (next.every(({ placed }) => placed === null)) return others
  return [...others, { id: entry.id, at: known?.at ?? new Date().toISOString(), entry: known?.entry ?? entry, legs: next }].slice(-MOST)
}

/** With another stake or price of a placed leg: what the book took is not always what was asked. */
export function amend(pins: readonly Pin[], id: string, index: number, placed: { stake: number; price: number }): Pin[] {
  return pins.map((pin) => (pin.id !== id ? pin : { ...pin, legs: pin.legs.map((leg, at) => (at === index && leg.placed !== null ? { ...leg, placed } : leg)) }))
}

/** The placed leg of an entry at a book, if it is. */
export const placedOf = (pin: Pin | undefined, leg: Leg) => pin?.legs.find((it) => it.placed !== null && isSame(it, leg))?.placed ?? null

/** What became of a leg that is not placed: `worse` for who bets on it now, `gone` from its window. */
export function now(leg: PinnedLeg, live: Entry | null): { state: 'same' | 'better' | 'worse' | 'gone'; price: number | null } {
  const found = live?.legs.find((it) => isSame(it, leg)) ?? null
  if (found === null) return { state: 'gone', price: null }
  const gain = leg.side === 'lay' ? leg.price - found.price : found.price - leg.price
  return { state: gain === 0 ? 'same' : gain > 0 ? 'better' : 'worse', price: found.price }
}

/** Whether some leg is to be placed still, at a worse price or not at all: then it is a question of hedging. */
export function isHedge(pin: Pin, live: Entry | null): boolean {
  return pin.legs.some((leg) => leg.placed === null && ['worse', 'gone'].includes(now(leg, live).state))
}

/** What the placed legs risk, with their price after fees where that is known: of another price than was pinned it is not. */
export function bets(pin: Pin): { risk: number; effective: number | null }[] {
  return pin.legs.flatMap((leg) => (leg.placed === null ? [] : [{ risk: riskOf({ side: leg.side, price: leg.placed.price }, leg.placed.stake), effective: leg.placed.price === leg.price ? leg.effective_price : null }]))
}
