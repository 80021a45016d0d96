// The book of a leg, which leads to the bet where its address is known. It leads nowhere but by http and https.

import { safeLink } from '../model/link'

export function Book({ leg, tab = 0 }: { leg: { book: string; link?: string | null }; tab?: number }) {
  const link = safeLink(leg.link)
  if (link === null) return <span class="book" title={leg.book}>{leg.book}</span>
  return <a class="book" href={link} target="_blank" rel="noopener noreferrer" title={leg.book} tabIndex={tab}>{leg.book}<span class="unseen"> (place the bet, in another tab)</span></a>
}
