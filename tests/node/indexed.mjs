// A picture as a PNG of at most 256 colours: the most frequent one of each group of like ones, so that a rare hue has its own. A page of text needs a third of
// the bytes so.
import { crc32, deflateSync } from 'node:zlib'

const COLOURS = 256
/** The bits by which colours are alike. */
const LIKE = 0xf0f0f0

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]
const distance = (a, b) => parts(a).reduce((sum, part, at) => sum + (part - parts(b)[at]) ** 2, 0)

/** Of pixels of four bytes each, which are opaque. */
export function indexed({ width, height, data }) {
  const colours = Array.from({ length: width * height }, (_, at) => (data[at * 4] << 16) | (data[at * 4 + 1] << 8) | data[at * 4 + 2])
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || a - b).map(([colour]) => colour)
  const groups = new Map(sorted.toReversed().map((colour) => [colour & LIKE, colour]))
  const table = sorted.filter((colour) => groups.get(colour & LIKE) === colour).slice(0, COLOURS)
  const places = new Map(table.map((colour, at) => [colour, at]))
  const place = (colour) => {
    const known = places.get(colour)
    if (known !== undefined) return known
    const nearest = table.reduce((best, other, at) => (distance(colour, other) < distance(colour, table[best]) ? at : best), 0)
    places.set(colour, nearest)
    return nearest
  }
  const lines = Buffer.alloc((width + 1) * height)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) lines[row * (width + 1) + 1 + column] = place(colours[row * width + column])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const palette = Buffer.from(table.flatMap(parts))
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('PLTE', palette), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))])
}
