// The names of the page are those that the OpenAPI document lists.
import { describe, expect, it } from 'vitest'
import { BOTS, KINDS, SCOPES } from './names'

// A copy of the sources elsewhere has the document beside its package.json.
const documents = import.meta.glob<string>(['../../openapi.json', '../../../../schemas/openapi/openapi.json'], { eager: true, query: '?raw', import: 'default' })
const { components } = JSON.parse(Object.values(documents)[0] ?? '{}') as {
  components: { schemas: Record<string, Schema>; parameters: Record<string, { schema: Schema }> }
}

interface Schema {
  properties?: Record<string, Schema>
  enum?: string[]
  items?: Schema
}

/** Scopes that an administrator grants: the page cannot give them. */
const GRANTED = ['ticks:write', 'events:write', 'results:write', 'results:any']

describe('names', () => {
  it('are those that the document lists', () => {
    const scopes = components.schemas.KeyRequest?.properties?.scopes?.items?.enum ?? []
    expect(SCOPES.map(({ key }) => key)).toEqual(scopes.filter((scope) => !GRANTED.includes(scope)))
    expect(BOTS).toEqual(components.parameters.bot?.schema.enum)
    expect(Object.keys(KINDS)).toEqual(components.schemas.Signal?.properties?.kind?.enum)
  })
})
