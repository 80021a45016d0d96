// The prices of a bet at all books over time: a plot of some, and a table of the last one of each. It decides nothing.

import { odds, type OddsFormat } from '../model/odds'
import { aligned } from '../model/series'
import type { BookPrices } from '../model/types'
import { Badge, num, Table, Time } from '../parts/parts'
import { axis, HOVER, Plot, type Plotted } from '../parts/plot'

/** Books that are drawn, the first of the list. */
const DRAWN = 6
const SERIES = ['accent', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6']

/** `own` is the book of a leg, which is marked; `shaded` a range of time in seconds. */
export function BetPrices({ name, books, own, until, format, shaded }: {
  name: string; books: readonly BookPrices[]; own?: string; until: string; format: OddsFormat; shaded?: [number, number]
}) {
  const drawn = books.slice(0, DRAWN)
  return (
    <figure>
      <figcaption><h3>{name}</h3></figcaption>
      {drawn.length === 0 ? <p class="quiet">No price is stored.</p> : (
        <Plot label={`Odds of ${name} at ${drawn.length} books; the last ones are in the table`} data={aligned(drawn.map((book) => book.points), until)}
          mark={format} build={(plot, colour) => {
            const paths = plot.paths.stepped?.({ align: 1 })
            return {
              ...HOVER,
              axes: [axis(colour), { ...axis(colour), values: (_plot, values) => values.map((value) => odds(value, format)) }],
              series: [{ label: 'When' }, ...drawn.map((book, index) => ({
                label: book.book, value: (_plot: Plotted, value: number | null) => (value === null ? '–' : odds(value, format)),
                stroke: colour(SERIES[index] ?? 'quiet'), width: index === 0 ? 3 : 1.5, points: { show: false }, ...(paths === undefined ? {} : { paths }),
              }))],
              hooks: {
                drawClear: [(plot) => {
                  if (shaded === undefined) return
                  const { left: first, width } = plot.bbox
                  const within = (time: number) => Math.min(first + width, Math.max(first, plot.valToPos(time, 'x', true)))
                  const [left, right] = [within(shaded[0]), within(shaded[1])]
                  plot.ctx.fillStyle = colour('band')
                  plot.ctx.fillRect(left, plot.bbox.top, Math.max(1, right - left), plot.bbox.height)
                }],
              },
            }
          }} />
      )}
      <Table label={`Last odds of ${name}`} head={['Book', num('Odds'), 'Since']}>
        {books.map((book, index) => {
          const last = book.points.at(-1)
          return (
            <tr key={book.book}>
              <th scope="row"><span class={index < DRAWN ? `key key-${index}` : 'key'} aria-hidden="true" />{book.book}{book.book === own && ' '}{book.book === own && <Badge tone="plain">leg</Badge>}</th>
              <td class="number">{last === undefined || last.price === null ? 'suspended' : odds(last.price, format)}</td>
              <td>{last !== undefined && <Time at={last.at} short />}</td>
            </tr>
          )
        })}
      </Table>
    </figure>
  )
}
