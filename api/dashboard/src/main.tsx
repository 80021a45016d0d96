// The page: who is signed in, and which view is shown. The view and its filters are in the URL's fragment.

import { render } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, noteSession, Refusal, whenSignedOut } from './api'
import { feed } from './feed'
import { message, replaceQuery, useFeed, usePreference, useRoute } from './hooks'
import type { Session } from './model/types'
import { Badge, Descriptions, Loading } from './parts/parts'
import './style.css'
import { Account } from './views/account'
import { Arb } from './views/arb'
import { Board } from './views/board'
import { Bot } from './views/bot'
import { Feeds } from './views/feeds'
import { Keys } from './views/keys'
import { LogIn } from './views/login'
import { Picks } from './views/picks'
import { Signals } from './views/signals'
import { Truth } from './views/truth'
import { Usage } from './views/usage'
import { Webhooks } from './views/webhooks'

const VIEWS = [
  { key: 'board', name: 'Board' }, { key: 'signals', name: 'Signals' }, { key: 'picks', name: 'Picks' }, { key: 'truth', name: 'Truth' },
  { key: 'keys', name: 'Keys' }, { key: 'usage', name: 'Usage' },
  { key: 'webhooks', name: 'Webhooks' }, { key: 'feeds', name: 'Feeds' }, { key: 'account', name: 'Account' },
] as const
/** Pages of one thing, by the view that leads to them. */
const PAGES: Record<string, { under: (typeof VIEWS)[number]['key']; name: string }> = { arb: { under: 'board', name: 'Entry' }, bots: { under: 'picks', name: 'Bot' } }
const THEMES = ['system', 'light', 'dark'] as const

/** Under `arb up` the address that is printed has the password of the demonstration account in its fragment, which no server is sent. */
const DEMONSTRATION = 'demonstration@localhost'
const DEMONSTRATION_VIEW = 'demonstration/'

function useTheme(): [(typeof THEMES)[number], (theme: (typeof THEMES)[number]) => void] {
  const [theme, setTheme] = usePreference('theme', THEMES, 'system')
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  return [theme, setTheme]
}

function LinkState() {
  const { link } = useFeed()
  const isLost = link.state === 'lost'
  return (
    <div class="linkstate" role="status">
      {link.state === 'live' ? <Badge tone="good">live</Badge> : isLost ? <Badge tone="bad">connection lost</Badge> : <Badge tone="plain">connecting</Badge>}
      {isLost && <span> {link.problem ?? 'Trying again; events that are missed come then.'}</span>}
    </div>
  )
}

function Shown({ view, id, query, session, onSession }: {
  view: string; id: string; query: string; session: Session; onSession: (session: Session) => void
}) {
  switch (view) {
    case 'arb': return <Arb key={id} id={id} />
    case 'bots': return <Bot key={id} id={id} />
    case 'picks': return <Picks given={query} />
    case 'truth': return <Truth given={query} />
    case 'signals': return <Signals given={query} />
    case 'keys': return <Keys />
    case 'usage': return <Usage />
    case 'webhooks': return <Webhooks />
    case 'feeds': return <Feeds />
    case 'account': return <Account session={session} onSession={onSession} />
    default: return <Board given={query} />
  }
}

function Signed({ session, onSession, onLogOut }: { session: Session; onSession: (session: Session) => void; onLogOut: () => void }) {
  const { view: given, id, query } = useRoute()
  const [theme, setTheme] = useTheme()
  const page = id === '' ? undefined : PAGES[given]
  const view = page?.under ?? VIEWS.find(({ key }) => key === given)?.key ?? 'board'
  const name = page?.name ?? VIEWS.find(({ key }) => key === view)?.name ?? ''
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${name} · Arbitrage Board`
    // Whoever reads by keyboard or screen reader goes on at the new view.
    if (!isFirst.current) main.current?.focus()
    isFirst.current = false
  }, [view, name, id])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>Skip to the content</button>
      <header class="top">
        <span class="brand">Arbitrage Board</span>
        <nav aria-label="Views">
          {VIEWS.map(({ key, name }) => <a key={key} href={`#/${key}`} {...(key === view ? { 'aria-current': 'page' as const } : {})}>{name}</a>)}
        </nav>
        <div class="tools">
          <LinkState />
          <label class="theme"><span>Theme</span>
            <select value={theme} onChange={(event) => setTheme(THEMES.find((known) => known === event.currentTarget.value) ?? 'system')}>
              {THEMES.map((theme) => <option key={theme} value={theme}>{theme}</option>)}
            </select>
          </label>
          <button type="button" class="small" onClick={onLogOut}>Log out</button>
        </div>
      </header>
      <main id="content" ref={main} tabIndex={-1}><Shown view={page === undefined ? view : given} id={id} query={query} session={session} onSession={onSession} /></main>
      <Descriptions />
    </>
  )
}

/** The session of the cookie, or of the password in the fragment. */
async function begin(): Promise<Session | null> {
  const [, fragment = ''] = location.hash.split('#/')
  const password = fragment.startsWith(DEMONSTRATION_VIEW) ? decodeURIComponent(fragment.slice(DEMONSTRATION_VIEW.length)) : null
  // It stays neither in the address bar nor in the history.
  if (password !== null) replaceQuery('board', '')
  const present = await ask<Session>('GET', '/session').catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 401) return null
    throw error
  })
  if (password === null || present !== null) return present
  return ask<Session>('POST', '/session', { email: DEMONSTRATION, password })
}

function Page() {
  const [session, setSession] = useState<Session | null>(null)
  const [isKnown, setKnown] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  useTheme()
  const signIn = useCallback((session: Session) => {
    noteSession(session)
    setNotice(null)
    setSession(session)
    feed.start(session.email)
  }, [])
  const signOut = useCallback((text: string | null) => {
    noteSession(null)
    feed.stop()
    setNotice(text)
    setSession(null)
  }, [])
  useEffect(() => {
    begin().then((session) => { if (session !== null) signIn(session) }, (error: unknown) => setNotice(message(error))).finally(() => {
      whenSignedOut(() => signOut('Your session has ended. Log in again.'))
      setKnown(true)
    })
  }, [signIn, signOut])
  const logOut = () => {
    ask('DELETE', '/session').then(() => signOut(null), (error: unknown) => setNotice(message(error)))
  }
  if (!isKnown) return <main id="content" class="login"><Loading what="the page" /></main>
  if (session === null) return <><LogIn onSession={signIn} notice={notice} /><Descriptions /></>
  return <Signed session={session} onSession={signIn} onLogOut={logOut} />
}

const place = document.getElementById('page')
if (place !== null) render(<Page />, place)
