// A server of the page's built files with a market of its own, for measurements of the page alone: the same entries each time, and as many updates
// a second as are asked for. It has no accounts and no Kafka; what the real server does is not measured by it.
import { createServer } from 'node:http'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { conforming } from './conform.mjs'

const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml', woff2: 'font/woff2' }
// As api/src/page.rs has it.
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
const BOOKS = ['alderbet', 'brambleodds', 'crestline', 'dunwager', 'elmwager', 'fernbet', 'grovebet', 'hollyexchange']
const FLAGS = ['simultaneous', 'fresh', 'active', 'same_line', 'same_rules', 'independent_operators', 'plausible_price', 'plausible_margin', 'stakeable']
// Hostile names are part of the market: of teams, leagues and books, and links that are none.
export const HOSTILE = ['<img src=x onerror="document.title=1">', '</script><script>document.title=1</script>', '{{7*7}}', "Robert'); DROP TABLE teams;--", '‮sdrawkcab', 'Ａ'.repeat(60)]

/** Of legs, by their entry's number; the first one alone is to be a link. */
const LINKS = ['https://book.example/bet?a=1&b="2"', 'javascript:document.title=1', 'data:text/html,<script>1</script>', '//book.example/bet', 'https://user:password@book.example/', ' bet']

const time = (milliseconds) => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')

function leg(outcome, book, price, now, link = null) {
  return {
    link,
    outcome, side: 'back', book, operator: book, price, effective_price: price, implied_probability: 1 / price, stake_share: 0.5, stake: 50, liability: null,
    limit: 500, price_moved_at: time(now - 60_000), last_seen_at: time(now - 5_000), expected_interval_seconds: 60, age_seconds: 5, rounded: false,
  }
}

/** An entry by its number; `turn` moves its prices. */
export function entry(number, turn, now) {
  const home = number < HOSTILE.length ? HOSTILE[number] : `Home United ${number}`
  const price = 2.02 + ((number * 7 + turn * 3) % 20) / 100
  const other = 2.06 - ((number * 3 + turn) % 5) / 1000
  const isVerified = (number + turn) % 3 !== 0
  const failed = isVerified ? [] : [{ flag: 'simultaneous', reason: 'one price was last confirmed 7 s before another was first seen' }]
  const margin = 1 / (1 / price + 1 / other) - 1
  return {
    id: number.toString(16).padStart(32, '0'), kind: 'surebet', sport: 'soccer', league: number === 1 ? HOSTILE[1] : `soccer_league_${number % 9}`,
    event: { id: `e${number}`, home, away: `Away City ${number}`, commence_time: time(now + 3_600_000), in_play: number % 5 === 0 },
    market: number % 2 === 0 ? 'totals' : 'h2h', period: 'full_time', line: number % 2 === 0 ? 2.5 : null, implied_probability: 1 / (1 + margin), margin, margin_worst: margin, margin_rounded: margin,
    score: margin * 0.8, total_stake_max: 500, currency: 'USD', legs: [leg('home', number === 2 ? HOSTILE[0] : BOOKS[number % 8], price, now, LINKS[number]), leg('away', BOOKS[(number + 3) % 8], other, now)],
    verified: isVerified, verification: Object.fromEntries(FLAGS.map((flag) => [flag, isVerified || flag !== 'simultaneous'])), failed_checks: failed, passed_over: null, void_clause: null, void_loss_max: null,
    warnings: [], execution_probability: 0.7, ttl_seconds: 300, ttl_p10_seconds: 40, ttl_p90_seconds: 1_800, opened_at: time(now - 120_000),
    updated_at: time(now), expires_at: time(now + 600_000), sequence: turn + 1,
  }
}

/** Serves `dist`, with another clock where one is given: a market of so many entries, and so many updates a second, with signals that stay and further answers by path. `entryOf` makes an entry as
 * `entry` does. Returns its address, how many events it has sent, what it sent last of each entry, and how to end it. With `flip` all entries become verified
 * at once, or none is; with `hold` no further update is sent, or again; `send` sends an event to all streams, and a stream that begins later
 * knows it by its snapshot, as the real server's does. A path may have its method before it, and a function of the
 * body as its answer. An answer that the OpenAPI document does not promise ends the program. */
export async function serve(dist, entries, perSecond, { signals = [], more = {}, entryOf = entry, clock = Date.now } = {}) {
  const files = new Map([['/', 'index.html'], ...readdirSync(join(dist, 'assets')).map((name) => [`/assets/${name}`, join('assets', name)])].map(([path, name]) => {
    const bytes = readFileSync(join(dist, name))
    return [path, { bytes: brotliCompressSync(bytes), type: TYPES[name.split('.').at(-1)] }]
  }))
  const conforms = conforming(join(dist, '../../../schemas/openapi/openapi.json'))
  const began = Date.now()
  const answers = {
    '/session': { email: 'reader@example.com', plan: 'pro', bankroll: null, csrf_token: 'x', expires_at: time(began + 86_400_000) },
    '/session/books': { as_of: time(began), books: [] }, '/session/scores': { as_of: time(began), scores: [] },
    ...more,
  }
  let [sent, isHeld] = [0, false]
  const latest = new Map()
  const streams = new Set()
  const senders = new Set()
  /** What `send` has opened and not closed, by id. */
  const open = new Map()
  const stream = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const send = (name, data) => response.write(`event: ${name}\nid: ${++sent}\ndata: ${JSON.stringify(data)}\n\n`)
    senders.add(send)
    const now = clock()
    const note = (entry) => {
      latest.set(`${entry.event.home} – ${entry.event.away}`, { verified: entry.verified })
      return entry
    }
    signals.forEach((signal) => conforms.part('Signal', signal))
    conforms.part('Arb', entryOf(0, 0, now))
    send('snapshot', { as_of: time(now), stale: false, polls: [], arbs: [...open.values(), ...Array.from({ length: entries }, (_, number) => note(entryOf(number, 0, now)))], signals })
    let turn = 0
    streams.add((isVerified) => {
      for (let number = 0; number < entries; number++) {
        send('arb_window', { ...note({ ...entryOf(number, turn, Date.now()), verified: isVerified, failed_checks: [] }), change: 'updated' })
      }
    })
    const timers = [setInterval(() => send('heartbeat', { as_of: time(clock()), stale: false }), 1_000)]
    if (perSecond > 0) {
      timers.push(setInterval(() => {
        if (isHeld) return
        turn++
        send('arb_window', { ...note(entryOf(turn % entries, turn, Date.now())), change: 'updated' })
      }, 1_000 / perSecond))
    }
    response.on('close', () => { timers.forEach(clearInterval); senders.delete(send) })
  }
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0]
    // A board of own books is no stream here, unless it is among the answers.
    if (path === '/session/stream' && !/[?&](books|commissions)=/.test(request.url)) return stream(response)
    const file = files.get(path)
    if (file !== undefined) {
      response.writeHead(200, {
        'content-type': file.type, 'content-encoding': 'br', 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff',
        'cache-control': path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable',
      })
      return response.end(file.bytes)
    }
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    return request.on('end', () => {
      const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
      const given = answers[`${request.method} ${path}`] ?? answers[path]
      const answer = typeof given === 'function' ? given(body) : given
      if (answer !== undefined) conforms.answer(request.method.toLowerCase(), path, answer)
      response.writeHead(answer !== undefined ? 200 : path === '/session' ? 401 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { title: 'Not found' }))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => { server.closeAllConnections(); server.close() }
  const [flip, hold] = [(isVerified) => streams.forEach((flip) => flip(isVerified)), (held) => { isHeld = held }]
  const sendAll = (name, data) => {
    if (name === 'close_signal') open.delete(data.id)
    if (name === 'arb_window') open.set(data.id, data)
    senders.forEach((send) => send(name, data))
  }
  return { send: sendAll, url: `http://127.0.0.1:${server.address().port}`, sent: () => sent, latest: () => latest, flip, hold, close }
}
