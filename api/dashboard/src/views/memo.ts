// Rows that are drawn again only when what they show has changed: near what is seen at once, elsewhere a few at a time. Of five hundred rows some twenty are
// near, and their clocks tick a few at a time too. A row that is far away shows its entry as it is, a moment later, so that who searches the page finds what
// holds; its clocks stand still until it comes near.

import { Component, h, type ComponentType, type RefCallback } from 'preact'
import { Turns } from '../model/turns'

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
/** Rows of a turn, and the pause between turns: 200 rows a second, and no turn takes long. */
const FEW = 4
const PAUSE_MS = 20

const rows = new WeakMap<Element, (isNear: boolean) => void>()
let watching: IntersectionObserver | undefined

function watcher(): IntersectionObserver {
  watching ??= new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) rows.get(target)?.(isIntersecting)
  }, { rootMargin: MARGIN })
  return watching
}

interface Late {
  catchUp: () => void
}

function turns(): Turns<Late> {
  return new Turns<Late>((row) => row.catchUp(), FEW, (turn) => setTimeout(turn, PAUSE_MS))
}

/** Rows that show an earlier state of their entry or its clocks, in the order in which they began to: near ones, which wait for no far one, and far ones. */
const near = turns()
const far = turns()

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
        if (isNear && this.isLate) near.add(this)
      })
      watcher().observe(element)
    }

    /** Draws what it was given last. */
    catchUp() {
      this.forceUpdate()
    }

    override shouldComponentUpdate(next: P): boolean {
      const was = this.props as P
      const isChanged = next.entry !== was.entry
      const isOther = next.format !== was.format || next.isOpen !== was.isOpen || next.closed !== was.closed
      const isTicking = next.closed === null && next.now !== was.now
      if (isOther || (this.isNear && isChanged)) return true
      this.isLate ||= isChanged || isTicking
      if (this.isNear && this.isLate) near.add(this)
      else if (isChanged) far.add(this)
      return false
    }

    private leaveTurns() {
      near.delete(this)
      far.delete(this)
    }

    override componentWillUnmount() {
      this.leaveTurns()
    }

    override render() {
      this.leaveTurns()
      this.isLate = false
      return h(inner, { ...(this.props as P), place: this.place })
    }
  }
}
