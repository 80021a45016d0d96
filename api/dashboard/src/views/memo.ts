// Rows that are drawn again only when what they show has changed, and only near what is seen: of five hundred rows some twenty are. A row that is far away
// is drawn when it comes near.

import { Component, h, type ComponentType, type RefCallback } from 'preact'

interface Drawn {
  entry: unknown
  now: number
  format: unknown
  isOpen: boolean
  closed: unknown
}

/** What a row puts on its element, so that it is known where it is. */
export interface Placed {
  place: RefCallback<Element>
}

/** How far beyond the window a row is near. */
const MARGIN = '600px'

const rows = new WeakMap<Element, (isNear: boolean) => void>()
let watching: IntersectionObserver | undefined

function watcher(): IntersectionObserver {
  watching ??= new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) rows.get(target)?.(isIntersecting)
  }, { rootMargin: MARGIN })
  return watching
}

/** Of rows: callbacks are the same in meaning, and of a closed row the clock is of no use. */
export function memo<P extends Drawn>(inner: ComponentType<P & Placed>): ComponentType<P> {
  return class extends Component<P> {
    private isNear = true
    private isLate = false
    private element: Element | null = null

    private readonly place = (element: Element | null) => {
      if (this.element !== null) watcher().unobserve(this.element)
      this.element = element
      if (element === null) return
      rows.set(element, (isNear) => {
        this.isNear = isNear
        if (isNear && this.isLate) this.setState({})
      })
      watcher().observe(element)
    }

    override shouldComponentUpdate(next: P): boolean {
      const was = this.props as P
      const isChanged = next.entry !== was.entry || (next.closed === null && next.now !== was.now)
      const isOther = next.format !== was.format || next.isOpen !== was.isOpen || next.closed !== was.closed
      const isDrawn = isOther || (this.isNear && (isChanged || this.isLate))
      this.isLate = !isDrawn && (isChanged || this.isLate)
      return isDrawn
    }

    override render() {
      return h(inner, { ...(this.props as P), place: this.place })
    }
  }
}
