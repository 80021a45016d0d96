// Work that is done a few pieces at a time, so that no task of the browser takes long. Pure but for what it is given to do.

/** Pieces that wait, the one that has waited longest first; a piece that waits is not added again. */
export class Turns<T> {
  private readonly waiting = new Set<T>()
  private isPlanned = false

  /** Does `few` pieces in each turn that `plan` begins. */
  constructor(private readonly work: (piece: T) => void, private readonly few: number, private readonly plan: (turn: () => void) => void) {}

  add(piece: T): void {
    this.waiting.add(piece)
    this.next()
  }

  /** Leaves out a piece whose work was done otherwise. */
  delete(piece: T): void {
    this.waiting.delete(piece)
  }

  private next(): void {
    if (this.isPlanned || this.waiting.size === 0) return
    this.isPlanned = true
    this.plan(() => {
      this.isPlanned = false
      for (const piece of [...this.waiting].slice(0, this.few)) {
        this.waiting.delete(piece)
        this.work(piece)
      }
      this.next()
    })
  }
}
