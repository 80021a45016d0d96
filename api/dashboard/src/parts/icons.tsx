// Icons, each with its text for who does not see it. Colour is never alone: the shapes differ too.

import type { ComponentChildren } from 'preact'

const PATHS = {
  verified: 'M8 1 14 3.5V7.5C14 11 11.5 13.8 8 15 4.5 13.8 2 11 2 7.5V3.5L8 1ZM5 8 7.2 10.2 11 5.9',
  warn: 'M8 1.8 15 14H1L8 1.8ZM8 6.2V10M8 12V12.1',
  closed: 'M3.5 3.5 12.5 12.5M12.5 3.5 3.5 12.5',
  placed: 'M2.5 8.5 6.2 12.2 13.5 4.5',
  place: 'M8 3V13M3 8H13',
  search: 'M7 12A5 5 0 1 0 7 2A5 5 0 0 0 7 12ZM10.7 10.7 14 14',
  bell: 'M8 2A4 4 0 0 0 4 6V9.5L2.5 12H13.5L12 9.5V6A4 4 0 0 0 8 2ZM6.5 14H9.5',
  board: 'M2 3H14M2 8H14M2 13H14',
  signals: 'M2 12 6 7 9 10 14 3M10 3H14V7',
  picks: 'M8 1.5 9.9 5.8 14.5 6.2 11 9.3 12.1 13.9 8 11.4 3.9 13.9 5 9.3 1.5 6.2 6.1 5.8Z',
  truth: 'M8 1.5V14.5M4 14.5H12M2 4H14M4.2 4 2 9.5H6.4L4.2 4ZM11.8 4 9.6 9.5H14L11.8 4Z',
  empty: 'M2 9 4.5 3H11.5L14 9V13H2V9ZM2 9H5.5L6.5 11H9.5L10.5 9H14',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, text }: { name: IconName; text?: string }) {
  return (
    <>
      <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d={PATHS[name]} /></svg>
      {text !== undefined && <span class="unseen">{text}</span>}
    </>
  )
}

/** An icon whose text is a hint too. */
export function Hinted({ name, text, children }: { name: IconName; text: string; children?: ComponentChildren }) {
  return <span class={`hinted ${name}`} title={text}><Icon name={name} text={text} />{children}</span>
}
