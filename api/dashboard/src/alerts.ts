// Tells of windows that come to match a saved set of filters: by a sound, by a notification. One tab of the browser does it, that which reads the stream, and each
// window is told of once. It ends with the page: nothing runs in the background.

import { feed } from './feed'
import { hidden, saved } from './kept'
import { isHidden, keysOf } from './model/hidden'
import { market, percent } from './model/text'
import { Told, type Alert } from './model/saved'
import { bets } from './model/bet'
import { tell } from './notice'

/** Looked at when the market has changed, and at most so often. */
const EVERY_MS = 1_000
/** Of more windows at once one line is enough. */
const MOST_AT_ONCE = 3

let audio: AudioContext | null = null

/** Two short tones. Begun by a click, as browsers want it. */
export function testSound(): void {
  audio ??= new AudioContext()
  void audio.resume()
  for (const [at, pitch] of [[0, 880], [0.14, 1_175]] as const) {
    const [tone, loudness] = [audio.createOscillator(), audio.createGain()]
    const start = audio.currentTime + at
    tone.frequency.value = pitch
    loudness.gain.setValueAtTime(0.0001, start)
    loudness.gain.exponentialRampToValueAtTime(0.2, start + 0.02)
    loudness.gain.exponentialRampToValueAtTime(0.0001, start + 0.13)
    tone.connect(loudness).connect(audio.destination)
    tone.start(start)
    tone.stop(start + 0.15)
  }
}

function textOf({ set, entry }: Alert): { title: string; body: string } {
  const { event } = entry
  return { title: `${percent(entry.margin)} ${event.home} – ${event.away}`, body: `${market(entry.market, entry.period)}: ${bets(entry.legs, entry.line, event)} (${set.name})` }
}

function give(alerts: Alert[]): void {
  const [first] = alerts
  if (first === undefined) return
  if (alerts.some(({ set }) => set.sound)) testSound()
  for (const alert of alerts.filter(({ set }) => set.notification).slice(0, MOST_AT_ONCE)) {
    const { title, body } = textOf(alert)
    if (!('Notification' in window) || Notification.permission !== 'granted') continue
    const shown = new Notification(title, { body, tag: alert.entry.id })
    shown.onclick = () => {
      window.focus()
      location.hash = `#/arb/${encodeURIComponent(alert.entry.id)}`
    }
  }
  const { title, body } = textOf(first)
  tell(alerts.length === 1 ? `${title}: ${body}` : `${title}, and ${alerts.length - 1} more match a saved filter`)
}

/** Begins for the page; returns how it ends. */
export function watchForAlerts(): () => void {
  const told = new Told()
  let last = 0
  return feed.subscribe(() => {
    if (!feed.market.isKnown || performance.now() - last < EVERY_MS) return
    last = performance.now()
    const gone = keysOf(hidden.get())
    const shown = [...feed.market.entries.values()].filter((entry) => !isHidden(gone, entry))
    const alerts = told.next(saved.get(), shown, feed.now())
    if (feed.leads) give(alerts)
  })
}
