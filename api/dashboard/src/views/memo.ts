// A component that is drawn again only when what it shows has changed.

import { Component, h, type ComponentType } from 'preact'

interface Drawn {
  entry: unknown
  now: number
  format: unknown
  isOpen: boolean
  closed: unknown
}

/** Of rows: callbacks are the same in meaning, and of a closed row the clock is of no use. */
export function memo<P extends Drawn>(inner: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const was = this.props as P
      return next.entry !== was.entry || next.format !== was.format || next.isOpen !== was.isOpen || next.closed !== was.closed ||
        (next.closed === null && next.now !== was.now)
    }

    override render() {
      return h(inner, this.props as P)
    }
  }
}
