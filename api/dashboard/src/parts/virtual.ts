// A long list in the window: only rows near what is seen are in the document. Whoever searches for a row does so by the page's own field.

import { defaultRangeExtractor, observeWindowOffset, observeWindowRect, Virtualizer, windowScroll, type VirtualizerOptions } from '@tanstack/virtual-core'
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks'

export type Rows = Virtualizer<Window, HTMLElement>
type Options = VirtualizerOptions<Window, HTMLElement>

interface Given {
  count: number
  /** What a row is, whatever its place. */
  keyOf: (index: number) => string
  heightOf: (index: number) => number
  /** A row that stays in the document wherever it is: that of the focus. */
  kept: number
  /** What is above the list in the document, and above the rows in the window. */
  above: number
  covered: number
}

const NEAR = 8

export function useRows({ count, keyOf, heightOf, kept, above, covered }: Given): Rows {
  const [, draw] = useReducer<number, undefined>((turn) => turn + 1, 0)
  const options: Options = {
    count, estimateSize: heightOf, getItemKey: keyOf, overscan: NEAR, scrollMargin: above, scrollPaddingStart: covered,
    getScrollElement: () => window, observeElementRect: observeWindowRect, observeElementOffset: observeWindowOffset, scrollToFn: windowScroll,
    initialRect: { width: innerWidth, height: innerHeight }, initialOffset: () => scrollY,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const near = defaultRangeExtractor(range)
      return kept < 0 || kept >= count || near.includes(kept) ? near : [...near, kept].sort((a, b) => a - b)
    },
    onChange: () => draw(undefined),
  }
  const [rows] = useState<Rows>(() => new Virtualizer<Window, HTMLElement>(options))
  rows.setOptions(options)
  useEffect(() => rows._didMount(), [rows])
  useLayoutEffect(() => rows._willUpdate())
  return rows
}
