// The stake of a leg for the reader's bankroll: one click copies it and opens the book. It places no bet.

import { copy } from '../clipboard'
import { bet } from '../model/bet'
import { safeLink } from '../model/link'
import type { PlannedLeg } from '../model/stakes'
import { money } from '../model/text'
import type { Entry, Leg } from '../model/types'
import { tell } from '../notice'

/** As a book's field takes it: no sign between thousands. */
const plain = (stake: number) => stake.toFixed(2)

/** Copies the stake of a leg, and says so. */
export function copyStake(entry: Entry, leg: Leg, stake: number): void {
  void copy(plain(stake)).then((isCopied) => tell(isCopied ? `${plain(stake)} copied: ${bet(leg, entry.line, entry.event)} at ${leg.book}` : 'The browser does not let the page copy.'))
}

/** What is to be known before a stake is used. */
function doubt(leg: Leg, planned: PlannedLeg): string | null {
  if (planned.isBelow) return `less than ${leg.book} takes`
  return planned.isAbove ? 'above the limit' : null
}

export function Stake({ entry, leg, planned, why }: { entry: Entry; leg: Leg; planned: PlannedLeg | undefined; why: string | null }) {
  if (planned === undefined) return <span class="stake none-known" title={`No stake: ${why ?? 'not known'}`}>–<span class="unseen"> no stake: {why}</span></span>
  const link = safeLink(leg.link)
  const wrong = doubt(leg, planned)
  const title = `${wrong === null ? '' : `${wrong}. `}Copy ${plain(planned.stake)}${link === null ? '' : ` and open ${leg.book}`}${leg.side === 'lay' ? `; at risk ${money(planned.risk)}` : ''}`
  const shared = {
    class: wrong === null ? 'stake' : 'stake doubted', title, tabIndex: -1, onClick: () => copyStake(entry, leg, planned.stake),
    children: <>{wrong !== null && <span aria-hidden="true">! </span>}{money(planned.stake)}<span class="unseen"> copy{link !== null && ` and open ${leg.book}`}{wrong !== null && `, ${wrong}`}</span></>,
  }
  return link === null ? <button type="button" {...shared} /> : <a href={link} target="_blank" rel="noopener noreferrer" {...shared} />
}
