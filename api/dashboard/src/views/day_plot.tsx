// Bars of requests by day. The same numbers are in a table beside it.

import { whole } from '../model/text'
import { axis, HOVER, Plot } from '../parts/plot'

export function DayPlot({ days }: { days: { date: string; requests: number }[] }) {
  const most = days.reduce((a, b) => (b.requests > a.requests ? b : a), { date: '', requests: 0 })
  return (
    <Plot label={`Requests by day; the most, ${whole(most.requests)}, on ${most.date}`} height={180}
      data={[days.map(({ date }) => Date.parse(date) / 1000), days.map(({ requests }) => requests)]}
      build={(plot, colour) => {
        const bars = plot.paths.bars?.({ size: [0.7, 40] })
        return {
          tzDate: (seconds) => plot.tzDate(new Date(seconds * 1000), 'UTC'),
          ...HOVER,
          scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
          axes: [axis(colour), { ...axis(colour), values: (_plot, values) => values.map((value) => (Number.isInteger(value) ? whole(value) : '')) }],
          series: [{ label: 'Day' }, { label: 'Requests', value: (_plot, value: number | null) => (value === null ? '–' : whole(value)), fill: colour('accent'), ...(bars === undefined ? {} : { paths: bars }), points: { show: false } }],
        }
      }} />
  )
}
