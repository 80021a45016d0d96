// The types of the page are those of the OpenAPI document: each field that it reads is promised, and may be null or absent where the document says so.
import { describe, expect, it } from 'vitest'
import { BOTS, KINDS, SCOPES } from './names'
import text from './types.ts?raw'

// A copy of the sources elsewhere has the document beside its package.json.
const documents = import.meta.glob<string>(['../../openapi.json', '../../../../schemas/openapi/openapi.json'], { eager: true, query: '?raw', import: 'default' })
const document = JSON.parse(Object.values(documents)[0] ?? '{}') as Document

interface Document {
  components: { schemas: Record<string, Schema>; parameters: Record<string, { schema: Schema }> }
}

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  enum?: string[]
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolved(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
}

/** The properties of a schema and of what it is made of, and which of them are always there. */
function fieldsOf(schema: Schema): { properties: Record<string, Schema>; required: Set<string> } {
  const { properties = {}, required = [], allOf = [] } = resolved(schema)
  const parts = allOf.map(fieldsOf)
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties) as Record<string, Schema>,
    required: new Set([...required, ...parts.flatMap((part) => [...part.required])]),
  }
}

function mayBeNull(schema: Schema): boolean {
  const { type, anyOf = [] } = resolved(schema)
  return [type].flat().includes('null') || anyOf.some(mayBeNull)
}

interface FieldOfPage {
  name: string
  isOptional: boolean
  mayBeNull: boolean
}

/** The fields of an interface, one a line; what it extends is another row of the table. */
function fieldsOfPage(name: string): FieldOfPage[] {
  const body = new RegExp(`export interface ${name}(?:<\\w+>)?(?: extends \\w+)? \\{\\n([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? ''
  return [...body.matchAll(/^ {2}(\w+)(\??): (.*)$/gm)].map(([, name = '', mark, type = '']) => {
    // Of what is nested only the outer type counts.
    const outer = type.replaceAll(/\{[^{}]*\}|\([^()]*\)|<[^<>]*>/g, '')
    return { name, isOptional: mark === '?', mayBeNull: /\bnull\b/.test(outer) }
  })
}

const ROWS: [of: string, schema: string][] = [
  ['Entry', 'Arb'], ['Leg', 'Leg'], ['Signal', 'Signal'], ['SignalQuote', 'SignalQuote'], ['Pick', 'Pick'], ['PickGrade', 'PickGrade'], ['PickPage', 'PickPage'],
  ['ShortRecord', 'BotRecordShort'], ['WholeRecord', 'BotRecord'], ['Bot', 'Bot'], ['PastWindow', 'Window'], ['WindowSettlement', 'WindowSettlement'], ['WindowGrade', 'WindowGrade'], ['WindowHistory', 'WindowHistory'], ['Evidence', 'Evidence'], ['ListedQuote', 'Quote'], ['ArbPrices', 'ArbPrices'],
  ['Hedge', 'Hedge'], ['Truth', 'Truth'], ['Key', 'Key'], ['NewKey', 'NewKey'], ['Usage', 'Usage'], ['Endpoint', 'Webhook'], ['Session', 'Session'], ['Bankroll', 'Bankroll'], ['Status', 'Status'],
]
/** Fields that the document does not have yet: a leg's link may be absent. */
const AHEAD = new Set(['Leg.link'])

describe('types', () => {
  it.each(ROWS)('%s is what the document says of %s', (of, schema) => {
    const found = fieldsOfPage(of)
    expect(found.length).toBeGreaterThan(0)
    const { properties, required } = fieldsOf({ $ref: schema })
    const wrong = found.filter(({ name }) => !AHEAD.has(`${of}.${name}`) || name in properties).flatMap((field) => {
      const promised = properties[field.name]
      if (promised === undefined) return [`${field.name} is not in the document`]
      return [
        ...(mayBeNull(promised) && !field.mayBeNull ? [`${field.name} may be null`] : []),
        ...(!required.has(field.name) && !field.isOptional ? [`${field.name} may be absent`] : []),
      ]
    })
    expect(wrong).toEqual([])
  })
})

/** Scopes that an administrator grants: the page cannot give them. */
const GRANTED = ['ticks:write', 'events:write', 'results:write', 'results:any']

describe('names', () => {
  it('are those that the document lists', () => {
    const { schemas, parameters } = document.components
    const scopes = schemas.KeyRequest?.properties?.scopes?.items?.enum ?? []
    expect(SCOPES.map(({ key }) => key)).toEqual(scopes.filter((scope) => !GRANTED.includes(scope)))
    expect(BOTS).toEqual(parameters.bot?.schema.enum)
    expect(Object.keys(KINDS)).toEqual(schemas.Signal?.properties?.kind?.enum)
  })
})
