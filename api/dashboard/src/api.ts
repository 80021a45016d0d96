// Requests of the page to its own server, by the session's cookie. It never holds a key or a password.

import { prove, type ProofAsked } from './model/proof'
import type { Hedge, Session } from './model/types'

/** An error as the server words it (RFC 9457), or as the network does. */
export class Refusal extends Error {
  readonly status: number
  readonly fields: { name: string; reason: string }[]

  constructor(status: number, message: string, fields: { name: string; reason: string }[] = []) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

/** How often a request that is answered 503 is sent again, and after what pause. */
const AGAIN = 4
const PAUSE_MS = 800

let csrf = ''
let onSignedOut: (() => void) | null = null

/** Notes the token that requests which change something carry. */
export function noteSession(session: Session | null): void {
  csrf = session?.csrf_token ?? ''
}

/** What is done when the server does not know the session any more. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act
}

interface Problem {
  title?: string
  detail?: string
  invalid_params?: { name: string; reason: string }[]
  proof?: ProofAsked
}

/** A request that is sent again by the browser must not create a second key: each has an id. */
function requestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function refusal(answer: Response, problem: Problem): Refusal {
  const fields = problem.invalid_params ?? []
  const named = fields.map(({ name, reason }) => `${name} ${reason}`).join('; ')
  const text = [named, problem.detail, problem.title].find((text) => text !== undefined && text !== '')
  return new Refusal(answer.status, text ?? `The server answered ${answer.status}.`, fields)
}

async function send(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request)
  } catch {
    throw new Refusal(0, 'The server cannot be reached.')
  }
}

/** A bet that is placed, with the decimal odds that its book took. */
export interface PlacedLeg {
  book: string
  outcome: string
  stake: number
  price: number
}

/** What to stake on the legs of an entry that are not placed. */
export const askHedge = (id: string, placed: readonly PlacedLeg[]) => ask<Hedge>('POST', `/session/arbs/${encodeURIComponent(id)}/hedge`, { placed })

/** Asks the server. A 401 of a session that has ended is reported to `whenSignedOut`. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {}
  if (method !== 'GET') {
    headers['x-csrf-token'] = csrf
    if (method === 'POST') headers['idempotency-key'] = requestId()
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const request: RequestInit = {
    method, headers, credentials: 'same-origin', redirect: 'error', ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  let answer = await send(path, request)
  // A server that cannot confirm that it has read all changes of accounts says so; its id makes a POST that is sent again the same request.
  for (let again = 0; again < AGAIN && answer.status === 503 && ['GET', 'POST', 'PUT'].includes(method); again++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    answer = await send(path, request)
  }
  const problem = async () => await answer.json().catch(() => ({})) as Problem
  let refused = answer.ok ? null : await problem()
  // Where others have tried too often, the server takes the request with a proof of work.
  if (refused?.proof !== undefined && typeof body === 'object') {
    answer = await send(path, { ...request, body: JSON.stringify({ ...body, proof: await prove(refused.proof) }) })
    refused = answer.ok ? null : await problem()
  }
  if (refused !== null) {
    const isLogIn = method === 'POST' && ['/session', '/session/password'].includes(path)
    if (answer.status === 401 && !isLogIn) onSignedOut?.()
    throw refusal(answer, refused)
  }
  const text = await answer.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
