import { describe, expect, it } from 'vitest'
import { prove, sha256, zeroBits } from './proof'

/** As the browser does it. */
async function expected(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const hex = (hash: Int32Array) => Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')

describe('a proof of work', () => {
  it('hashes as everybody does', async () => {
    for (const length of [0, 1, 3, 55, 56, 63, 64, 65, 73, 119, 120, 200]) {
      const text = 'aä'.repeat(length).slice(0, length)
      expect(hex(sha256(text))).toBe(await expected(text))
    }
  })
  it('is the golden one of the server', () => {
    expect(zeroBits(sha256('challenge:889208'))).toBe(18)
    expect(zeroBits(sha256('challenge:889207'))).toBeLessThan(18)
  })
  it('begins with as many zero bits as are asked for', async () => {
    for (const challenge of ['a1'.repeat(32), 'short']) {
      const answer = await prove({ algorithm: 'sha-256', bits: 12, challenge })
      expect((await expected(`${challenge}:${answer}`)).startsWith('000')).toBe(true)
    }
  })
})
