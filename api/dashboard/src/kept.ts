// What somebody has chosen in this browser, by name. The server has no place for it, and the page says so where it matters.

import { parseBankroll, type Bankroll } from './model/bankroll'
import { parseHidden, type Hidden } from './model/hidden'
import { parsePins, type Pin } from './model/pins'
import { parseSaved, type SavedSet } from './model/saved'
import { Stored } from './store'

export const bankroll = new Stored<Bankroll>('bankroll', parseBankroll)
export const hidden = new Stored<Hidden[]>('hidden', parseHidden)
export const saved = new Stored<SavedSet[]>('saved filters', parseSaved)
export const pins = new Stored<Pin[]>('placed', parsePins)
/** Whether single keys do something. */
export const shortcuts = new Stored<boolean>('shortcuts', (stored) => stored !== false)
