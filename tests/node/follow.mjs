// Follows a stream as npm's `eventsource` does, and prints a line of JSON for whatever becomes of it.
import { EventSource } from 'eventsource'

const [url] = process.argv.slice(2)
const headers = { 'x-api-key': process.env.ARB_TEST_KEY }
const say = (what) => process.stdout.write(JSON.stringify(what) + '\n')
const stream = new EventSource(url, {
  fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
})
for (const type of ['snapshot', 'resync', 'lagged', 'server_restart', 'key_revoked', 'arb_window']) {
  stream.addEventListener(type, (event) => {
    const id = type === 'arb_window' ? JSON.parse(event.data).id : undefined
    say({ type, id })
  })
}
stream.onopen = () => say({ type: 'open' })
stream.onerror = (error) => {
  const isClosed = stream.readyState === EventSource.CLOSED
  say({ type: isClosed ? 'closed' : 'error', status: error.code })
  if (isClosed) process.exit(0)
}
