// What this browser keeps: a value by its name, as JSON, the same in all tabs and views. It never keeps a key or a password, and the server never sees it.

import { useEffect, useState } from 'preact/hooks'

export class Stored<T> {
  private value: T
  private readonly listeners = new Set<() => void>()

  /** `parse` makes a value of whatever is found, also of nothing. */
  constructor(private readonly name: string, private readonly parse: (stored: unknown) => T) {
    this.value = this.read()
    addEventListener('storage', (event) => {
      if (event.key !== null && event.key !== this.key) return
      this.value = this.read()
      this.tell()
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

  private tell(): void {
    for (const listener of this.listeners) listener()
  }

  get(): T {
    return this.value
  }

  /** Where the browser keeps nothing, the value holds until the page is closed. */
  set(value: T): void {
    this.value = value
    try {
      localStorage.setItem(this.key, JSON.stringify(value))
    } catch {
      // The storage is full or forbidden.
    }
    this.tell()
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

export function useStored<T>(stored: Stored<T>): T {
  const [value, set] = useState(stored.get())
  useEffect(() => {
    set(stored.get())
    return stored.subscribe(() => set(stored.get()))
  }, [stored])
  return value
}
