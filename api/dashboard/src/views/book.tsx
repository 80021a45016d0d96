// The book of a leg, which leads to the bet where its address is known. It leads nowhere but by http and https.

import { safeLink } from '../model/link'

export function Book({ leg }: { leg: { book: string; link?: string | null } }) {
  const link = safeLink(leg.link)
  if (link === null) return <span class="book">{leg.book}</span>
  return <a class="book" href={link} target="_blank" rel="noopener noreferrer">{leg.book}<span class="unseen"> (place the bet, in another tab)</span></a>
}
