// A plot by uPlot, which is loaded when the first one is shown. It is drawn again with another theme, width or content. Whoever uses it has the same
// numbers as text or in a table beside it.

import { useEffect, useRef } from 'preact/hooks'
import type { Options } from 'uplot'
import type uPlot from 'uplot'
import type { Columns } from '../model/series'

/** The constructor with its helpers. */
export type Plotter = typeof uPlot
/** A plot as it stands. */
export type Plotted = InstanceType<Plotter>
/** The colour of a custom property of the sheet, as the theme has it now. */
export type Colour = (name: string) => string
export type Drawn = Omit<Options, 'width' | 'height'>

const HEIGHT = 220

/** Reads colours where the plot is: a custom property alone has both themes in it. */
function colours(node: HTMLElement): Colour {
  return (name) => {
    const probe = document.createElement('span')
    probe.style.color = `var(--${name})`
    node.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}

/** Axes in the colours of the page. */
export function axis(colour: Colour) {
  const line = { stroke: colour('line'), width: 1 }
  return { stroke: colour('quiet'), grid: line, ticks: line, font: '12px Inter, system-ui, sans-serif' }
}

/** A line that follows the pointer, and beneath the plot what each series is there. */
export const HOVER: Pick<Drawn, 'cursor' | 'legend'> = { cursor: { y: false, drag: { x: false, y: false } }, legend: { live: true } }

/** `build` says what is drawn; it is asked again when `data` or `mark` change. */
export function Plot({ label, data, build, mark = '', height = HEIGHT }: {
  label: string; data: Columns; build: (plot: Plotter, colour: Colour) => Drawn; mark?: string; height?: number
}) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef({ data, build })
  latest.current = { data, build }
  const content = `${mark} ${JSON.stringify(data)}`
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    void (async () => {
      const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')])
      const node = place.current
      if (signal.aborted || node === null) return
      const draw = () => {
        const { data, build } = latest.current
        const plot = new Plot({ ...build(Plot, colours(node)), width: node.clientWidth, height }, data, node)
        return () => plot.destroy()
      }
      let undraw = draw()
      let width = node.clientWidth
      const redraw = () => { undraw(); undraw = draw() }
      const theme = matchMedia('(prefers-color-scheme: dark)')
      const themes = new MutationObserver(redraw)
      themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
      const sizes = new ResizeObserver(() => {
        if (node.clientWidth === width) return
        width = node.clientWidth
        redraw()
      })
      sizes.observe(node)
      theme.addEventListener('change', redraw, { signal })
      signal.addEventListener('abort', () => {
        themes.disconnect()
        sizes.disconnect()
        undraw()
      })
    })()
    return () => gone.abort()
  }, [content, height])
  return <div ref={place} class="plot" role="img" aria-label={label} />
}
