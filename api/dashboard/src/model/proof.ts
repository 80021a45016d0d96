// A proof of work, which the server asks for where a limit that many share is reached: a text of which the SHA-256 behind the challenge begins with so
// many zero bits. It works in slices, so that the page answers meanwhile: a worker would need a policy of Trusted Types, of which the page allows none.

export interface ProofAsked {
  algorithm: string
  bits: number
  challenge: string
}

/** Longest stretch of work, well below what a reader notices. */
const SLICE_MS = 15
/** Hashes between two looks at the clock. */
const BATCH = 256

/** The first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
function constants(root: (prime: number) => number, count: number): Int32Array {
  const found: number[] = []
  for (let number = 2; found.length < count; number++) {
    let isPrime = true
    for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) isPrime = false
    if (isPrime) found.push((root(number) % 1) * 2 ** 32)
  }
  return Int32Array.from(found, (value) => Math.floor(value) | 0)
}

const ROUNDS = constants(Math.cbrt, 64)
const START = constants(Math.sqrt, 8)
const schedule = new Int32Array(64)

function rotated(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by))
}

/** The state after one more block of 64 bytes (FIPS 180-4, 6.2.2). */
function compressed(state: Int32Array, block: DataView, at: number): Int32Array {
  const w = schedule
  for (let t = 0; t < 16; t++) w[t] = block.getInt32(at + 4 * t)
  for (let t = 16; t < 64; t++) {
    const [x, y] = [w[t - 15] ?? 0, w[t - 2] ?? 0]
    const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3)
    const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10)
    w[t] = ((w[t - 16] ?? 0) + s0 + (w[t - 7] ?? 0) + s1) | 0
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const first = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + (w[t] ?? 0)) | 0
    const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  return Int32Array.from([a, b, c, d, e, f, g, h], (value, index) => (value + (state[index] ?? 0)) | 0)
}

/** The blocks of a text, with its length at the end of the last one. */
function padded(text: string): DataView {
  const bytes = new TextEncoder().encode(text)
  const blocks = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64))
  bytes.forEach((byte, index) => blocks.setUint8(index, byte))
  blocks.setUint8(bytes.length, 0x80)
  blocks.setBigUint64(blocks.byteLength - 8, BigInt(bytes.length) * 8n)
  return blocks
}

/** SHA-256, as eight numbers. */
export function sha256(text: string): Int32Array {
  const blocks = padded(text)
  let state = START
  for (let at = 0; at < blocks.byteLength; at += 64) state = compressed(state, blocks, at)
  return state
}

/** How many zero bits a hash begins with, at most 32 of which are counted. */
export function zeroBits(hash: Int32Array): number {
  return Math.clz32(hash[0] ?? 0)
}

/** A text that proves the work. */
export async function prove({ bits, challenge }: ProofAsked): Promise<string> {
  // A challenge is a whole block, which is computed once.
  const isBlock = challenge.length === 64
  const state = isBlock ? compressed(START, padded(challenge), 0) : START
  const found = (number: number): boolean => {
    if (!isBlock) return zeroBits(sha256(`${challenge}:${number}`)) >= bits
    const block = padded(`${challenge}:${number}`)
    return zeroBits(compressed(state, block, 64)) >= bits
  }
  for (let number = 0; ; ) {
    const until = performance.now() + SLICE_MS
    while (performance.now() < until) {
      for (const end = number + BATCH; number < end; number++) if (found(number)) return String(number)
    }
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}
