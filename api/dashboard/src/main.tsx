// The page: who is signed in, and which view is shown. The view and its filters are in the URL's fragment.

import { render } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { watchForAlerts } from './alerts'
import { ask, noteSession, Refusal, whenSignedOut } from './api'
import { feed } from './feed'
import { message, replaceQuery, useFeed, usePreference, useRoute } from './hooks'
import { bankroll } from './kept'
import { NO_BANKROLL } from './model/bankroll'
import type { Session } from './model/types'
import { dismiss, useNotice } from './notice'
import { Icon } from './parts/icons'
import { Badge, Descriptions, Loading } from './parts/parts'
import './fonts.css'
import './style.css'
import { Account } from './views/account'
import { Arb } from './views/arb'
import { Board } from './views/board'
import { Bot } from './views/bot'
import { EventPage } from './views/event'
import { Feeds } from './views/feeds'
import { Keys } from './views/keys'
import { LogIn } from './views/login'
import { Picks } from './views/picks'
import { Signals } from './views/signals'
import { Truth } from './views/truth'
import { Usage } from './views/usage'
import { Webhooks } from './views/webhooks'

/** Places of the page: those of a bettor, always in sight. */
const PLACES = [
  { key: 'board', name: 'Board', icon: 'board' }, { key: 'signals', name: 'Signals', icon: 'signals' }, { key: 'picks', name: 'Picks', icon: 'picks' }, { key: 'truth', name: 'Truth', icon: 'truth' },
] as const
/** What belongs to the account and its programs, behind its menu. */
const OF_ACCOUNT = [
  { key: 'keys', name: 'Keys' }, { key: 'usage', name: 'Usage' }, { key: 'webhooks', name: 'Webhooks' }, { key: 'account', name: 'Account' }, { key: 'feeds', name: 'Feeds' },
] as const
const VIEWS = [...PLACES, ...OF_ACCOUNT]
/** Pages of one thing, by the view that leads to them. */
const PAGES: Record<string, { under: (typeof VIEWS)[number]['key']; name: string }> = { arb: { under: 'board', name: 'Entry' }, events: { under: 'board', name: 'Event' }, bots: { under: 'picks', name: 'Bot' } }
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
  return (
    <div class="linkstate" role="status">
      {link.state === 'live' ? <Badge tone="good">live</Badge> : link.state === 'lost' ? <Badge tone="bad">connection lost</Badge> : link.state === 'refused' ? <Badge tone="warn">waiting</Badge> : <Badge tone="plain">connecting</Badge>}
      {(link.state === 'lost' || link.state === 'refused') && <span class="why"> {link.problem ?? 'Trying again; events that are missed come then.'}</span>}
    </div>
  )
}

/** Closes what a button has opened when something else or a link in it is clicked, and by Escape; not where the page changes its own address. */
function useClosing(element: { current: HTMLElement | null }, isOpen: boolean, close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    if (!isOpen) return undefined
    const gone = new AbortController()
    const { signal } = gone
    addEventListener('pointerdown', (event) => { if (element.current?.contains(event.target as Node) !== true) latest.current() }, { signal })
    addEventListener('click', (event) => { if ((event.target as Element).closest('a') !== null) latest.current() }, { signal })
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return
      latest.current()
      element.current?.querySelector('button')?.focus()
    }, { signal })
    return () => gone.abort()
  }, [element, isOpen])
}

function Theme() {
  const [theme, setTheme] = useTheme()
  return (
    <label class="theme"><span>Theme</span>
      <select value={theme} onChange={(event) => setTheme(THEMES.find((known) => known === event.currentTarget.value) ?? 'system')}>
        {THEMES.map((theme) => <option key={theme} value={theme}>{theme}</option>)}
      </select>
    </label>
  )
}

function AccountMenu({ email, view, onLogOut }: { email: string; view: string; onLogOut: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useClosing(place, isOpen, () => setOpen(false))
  const link = ({ key, name }: (typeof OF_ACCOUNT)[number]) => <a key={key} href={`#/${key}`} {...(key === view ? { 'aria-current': 'page' as const } : {})}>{name}</a>
  return (
    <div class="menu" ref={place}>
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}><span class="who">{email}</span> <span aria-hidden="true">▾</span><span class="unseen"> account menu</span></button>
      {isOpen && (
        <div class="panel">
          <nav aria-label="Account">
            {OF_ACCOUNT.filter(({ key }) => key !== 'feeds').map(link)}
            <a href="/docs">Docs</a>
            <span class="group">For operators</span>
            {OF_ACCOUNT.filter(({ key }) => key === 'feeds').map(link)}
          </nav>
          <Theme />
          <button type="button" class="small" onClick={onLogOut}>Log out</button>
        </div>
      )}
    </div>
  )
}

function Shown({ view, id, query, session, onSession }: {
  view: string; id: string; query: string; session: Session; onSession: (session: Session) => void
}) {
  switch (view) {
    case 'arb': return <Arb key={id} id={id} />
    case 'events': return <EventPage key={id} id={id} />
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
  const page = id === '' ? undefined : PAGES[given]
  const view = page?.under ?? VIEWS.find(({ key }) => key === given)?.key ?? 'board'
  const name = page?.name ?? VIEWS.find(({ key }) => key === view)?.name ?? ''
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${name} · Arbitrage Board`
    // Whoever reads by keyboard or screen reader goes on at the new view.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    isFirst.current = false
  }, [view, name, id])
  useEffect(watchForAlerts, [])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>Skip to the content</button>
      <header class="top">
        <span class="brand">Arbitrage Board</span>
        <nav class="places" aria-label="Views">
          {PLACES.map(({ key, name, icon }) => <a key={key} href={`#/${key}`} {...(key === view ? { 'aria-current': 'page' as const } : {})}><Icon name={icon} />{name}</a>)}
        </nav>
        <div class="tools">
          <LinkState />
          <AccountMenu email={session.email} view={view} onLogOut={onLogOut} />
        </div>
      </header>
      <main id="content" ref={main} tabIndex={-1}><Shown view={page === undefined ? view : given} id={id} query={query} session={session} onSession={onSession} /></main>
      <Descriptions />
      <Toast />
    </>
  )
}

/** What has just been done, and the way back. */
function Toast() {
  const notice = useNotice()
  const undo = () => {
    notice?.undo?.()
    dismiss()
  }
  return (
    <div class="toast" role="status">
      {notice !== null && <><span>{notice.text}</span>{notice.undo !== null && <button type="button" class="small" onClick={undo}>Undo</button>}
        <button type="button" class="small" onClick={dismiss}>Close<span class="unseen"> the notice</span></button></>}
    </div>
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

/** What is seen without an account: the log-in, and how much of the feed was real. */
function Unsigned({ onSession, notice }: { onSession: (session: Session) => void; notice: string | null }) {
  const { view, query } = useRoute()
  if (view !== 'truth') return <><LogIn onSession={onSession} notice={notice} /><Descriptions /></>
  return (
    <>
      <header class="top"><span class="brand">Arbitrage Board</span><div class="tools"><a href="#/">Log in or sign up</a></div></header>
      <main id="content"><Truth given={query} /></main>
      <Descriptions />
    </>
  )
}

function Page() {
  const [session, setSession] = useState<Session | null>(null)
  const [isKnown, setKnown] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  useTheme()
  const signIn = useCallback((session: Session) => {
    noteSession(session)
    bankroll.set(session.bankroll ?? NO_BANKROLL)
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
  if (session === null) return <Unsigned onSession={signIn} notice={notice} />
  return <Signed session={session} onSession={signIn} onLogOut={logOut} />
}

const place = document.getElementById('page')
if (place !== null) render(<Page />, place)
