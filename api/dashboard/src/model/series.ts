// Numbers for plots, and what past windows have in common. Pure.

import type { PastWindow, PricePoint } from './types'

/** Columns of a plot: times in seconds, then a column for each series; null is a gap. */
export type Columns = [number[], ...(number | null)[][]]

/** Stepped series on their common times: between its points each keeps its last value, before its first it has none. */
export function aligned(series: readonly (readonly PricePoint[])[], until: string): Columns {
  const end = Date.parse(until) / 1000
  const times = [...new Set([...series.flatMap((points) => points.map((point) => Date.parse(point.at) / 1000)), end])].sort((a, b) => a - b)
  const columns = series.map((points) => {
    let next = 0
    let value: number | null = null
    return times.map((time) => {
      for (let point = points[next]; point !== undefined && Date.parse(point.at) / 1000 <= time; point = points[++next]) value = point.price
      return value
    })
  })
  return [times, ...columns]
}

/** How windows of one kind ended: the reasons, the most frequent first, and quantiles of their lifetimes in seconds. */
export interface Endings {
  closed: number
  phantoms: number
  reasons: { reason: string; count: number }[]
  lifetimes: { p10: number; median: number; p90: number } | null
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? 0
}

/** Of windows that are closed; `except` is the one that is looked at. */
export function endings(windows: readonly PastWindow[], except: string): Endings {
  const closed = windows.filter((window) => window.closed_at !== null && window.id !== except)
  const counts = new Map<string, number>()
  for (const { reason } of closed) counts.set(reason ?? 'unknown', (counts.get(reason ?? 'unknown') ?? 0) + 1)
  const lives = closed.map((window) => window.lifetime_seconds ?? 0).sort((a, b) => a - b)
  return {
    closed: closed.length,
    phantoms: closed.filter((window) => !window.simultaneous_ever).length,
    reasons: [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    lifetimes: lives.length === 0 ? null : { p10: quantile(lives, 0.1), median: quantile(lives, 0.5), p90: quantile(lives, 0.9) },
  }
}
