// Names of the API that the page lets a reader choose: scopes, events, bots, kinds of signals. A test compares them with the OpenAPI document and the server.

export interface ScopeOfKey {
  key: string
  text: string
  /** Chosen unless the reader says otherwise. */
  isUsual: boolean
}

/** Those that need no grant of an administrator. */
export const SCOPES: readonly ScopeOfKey[] = [
  { key: 'board:read', text: 'read the board', isUsual: true },
  { key: 'signals:read', text: 'read edge signals', isUsual: true },
  { key: 'picks:read', text: 'read picks and bots', isUsual: true },
  { key: 'stream:read', text: 'open streams', isUsual: true },
  { key: 'history:read', text: 'read the history', isUsual: true },
  { key: 'usage:read', text: 'read usage and account', isUsual: true },
  { key: 'scan:write', text: 'trigger scans', isUsual: true },
  { key: 'webhooks:manage', text: 'manage webhooks', isUsual: false },
  { key: 'keys:manage', text: 'manage keys', isUsual: false },
]

/** Events that an endpoint can choose. */
export const EVENTS: readonly string[] = [
  'arb_window', 'close_signal', 'edge_signal', 'line_movement', 'stale_alert', 'pick', 'pick_graded', 'window_graded', 'quota.warning', 'key.expiring', 'endpoint.disabled', 'feed.outage',
]

export const BOTS: readonly string[] = ['consensus', 'sharp', 'steam', 'stale', 'model']

/** Kinds of signals, each with what it says. */
export const KINDS: Record<string, string> = {
  value: 'A price pays more than its fair probability by the other operators.',
  low_hold: 'The best prices of a line sum to almost 1.',
  middle: 'Bets on two lines that can both win.',
  steam: 'Three or more operators shorten an outcome within a minute.',
  stale_price: 'A book still offers its price from before a steam.',
  odds_drop: 'The median price has fallen by 8 % within half an hour.',
}
