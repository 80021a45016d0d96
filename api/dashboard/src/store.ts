// Values that views share, of a tab or of this browser: by a name, as JSON, the same in all tabs. The browser never keeps a key or a password, and the server never
// sees what it keeps.

import { useEffect, useState } from 'preact/hooks'

/** A value that all views of a tab share. */
export class Shared<T> {
  private readonly listeners = new Set<() => void>()

  constructor(private value: T) {}

  get(): T {
    return this.value
  }

  set(value: T): void {
    this.value = value
    for (const listener of this.listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

/** One that the browser keeps. */
export class Stored<T> extends Shared<T> {
  /** `parse` makes a value of whatever is found, also of nothing. */
  constructor(private readonly name: string, private readonly parse: (stored: unknown) => T) {
    super(parse(null))
    super.set(this.read())
    addEventListener('storage', (event) => {
      if (event.key === null || event.key === this.key) super.set(this.read())
    })
  }

  private get key(): string {
    return `arb ${this.name}`
  }

  private read(): T {
    try {
      return this.parse(JSON.parse(localStorage.getItem(this.key) ?? 'null'))
    } catch {
      return this.parse(null)
    }
  }

  /** Where the browser keeps nothing, the value holds until the page is closed. */
  override set(value: T): void {
    try {
      localStorage.setItem(this.key, JSON.stringify(value))
    } catch {
      // The storage is full or forbidden.
    }
    super.set(value)
  }
}

export function useShared<T>(shared: Shared<T>): T {
  const [value, set] = useState(shared.get())
  useEffect(() => {
    set(shared.get())
    return shared.subscribe(() => set(shared.get()))
  }, [shared])
  return value
}
