// What somebody has chosen: the bankroll, which is the account's, and by name what this browser keeps. The server has no place for that, and the page says so where
// it matters.

import { NO_BANKROLL } from './model/bankroll'
import { parseHidden, type Hidden } from './model/hidden'
import { parsePins, type Pin } from './model/pins'
import { parseSaved, type SavedSet } from './model/saved'
import type { Bankroll } from './model/types'
import { Shared, Stored } from './store'

/** Of who is signed in. */
export const bankroll = new Shared<Bankroll>(NO_BANKROLL)
export const hidden = new Stored<Hidden[]>('hidden', parseHidden)
export const saved = new Stored<SavedSet[]>('saved filters', parseSaved)
export const pins = new Stored<Pin[]>('placed', parsePins)
/** Whether single keys do something. */
export const shortcuts = new Stored<boolean>('shortcuts', (stored) => stored !== false)
