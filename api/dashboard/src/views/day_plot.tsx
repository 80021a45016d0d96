// Bars of requests by day, drawn by uPlot, which is loaded when it is first needed. The same numbers are in a table beside it.

import { useEffect, useRef } from 'preact/hooks'
import { whole } from '../model/text'

const HEIGHT = 180

export function DayPlot({ days }: { days: { date: string; requests: number }[] }) {
  const place = useRef<HTMLDivElement>(null)
  const text = JSON.stringify(days)
  useEffect(() => {
    let isGone = false
    let remove = () => {}
    void (async () => {
      const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')])
      const node = place.current
      if (isGone || node === null) return
      const list = JSON.parse(text) as { date: string; requests: number }[]
      const draw = () => {
        const style = getComputedStyle(node)
        const bars = Plot.paths.bars?.({ size: [0.7, 40] })
        const axis = { stroke: style.color, grid: { stroke: style.getPropertyValue('--line-drawn') || style.borderColor, width: 1 } }
        const plot = new Plot({
          width: node.clientWidth,
          height: HEIGHT,
          tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), 'UTC'),
          cursor: { show: false },
          legend: { show: false },
          scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
          axes: [axis, { ...axis, values: (_plot, values) => values.map((value) => (Number.isInteger(value) ? whole(value) : '')) }],
          series: [{}, { fill: style.outlineColor, ...(bars === undefined ? {} : { paths: bars }), points: { show: false } }],
        }, [list.map(({ date }) => Date.parse(date) / 1000), list.map(({ requests }) => requests)], node)
        return () => plot.destroy()
      }
      let undraw = draw()
      const redraw = () => { undraw(); undraw = draw() }
      const theme = matchMedia('(prefers-color-scheme: dark)')
      const watcher = new MutationObserver(redraw)
      watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] })
      theme.addEventListener('change', redraw)
      addEventListener('resize', redraw)
      remove = () => {
        watcher.disconnect()
        theme.removeEventListener('change', redraw)
        removeEventListener('resize', redraw)
        undraw()
      }
    })()
    return () => { isGone = true; remove() }
  }, [text])
  const most = days.reduce((a, b) => (b.requests > a.requests ? b : a), { date: '', requests: 0 })
  return <div ref={place} class="plot" role="img" aria-label={`Requests by day; the most, ${whole(most.requests)}, on ${most.date}`} />
}
