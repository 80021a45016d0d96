// Addresses that the page may lead to. Pure.

/** An address of http or https, written in full; null for anything else. */
export function safeLink(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '' ? url.href : null
}
