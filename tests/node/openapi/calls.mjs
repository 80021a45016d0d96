// Calls every route once by the types that openapi-typescript makes of a document: writes the calls, has them compiled strictly, and runs them on a stand-in for
// the server that answers what the document shows. It never reaches a server.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

const [file, folder] = process.argv.slice(2)
const document = JSON.parse(readFileSync(file, 'utf8'))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'document.d.ts'), astToString(await openapiTS(document)))

/** The least value that a schema takes. */
function sample(schema) {
  if (schema.$ref) return sample(document.components.schemas[schema.$ref.split('/').at(-1)])
  if (schema.anyOf) return sample(schema.anyOf[0])
  if (schema.enum) return schema.enum[0]
  const kind = [schema.type ?? 'string'].flat()[0]
  if (kind === 'object') return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties[name])]))
  if (kind === 'array') return [sample(schema.items)]
  return { integer: 1, number: 1.5, boolean: true }[kind] ?? (schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'x')
}

const resolved = (parameter) => (parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter)
const lines = []
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const given = {}
    for (const parameter of (operation.parameters ?? []).map(resolved)) {
      if (parameter.required) given[parameter.in] = { ...given[parameter.in], [parameter.name]: sample(parameter.schema) }
    }
    const json = operation.requestBody?.content['application/json']
    const body = json ? `, body: ${JSON.stringify(sample(json.schema))}` : ''
    const isText = !Object.keys(Object.values(operation.responses)[0].content ?? {}).some((media) => media.includes('json'))
    const parse = isText ? ', parseAs: "text"' : ''
    lines.push(`  await client.${method.toUpperCase()}(${JSON.stringify(path)}, { params: ${JSON.stringify(given)}${body}${parse} })`)
  }
}
writeFileSync(join(folder, 'calls.ts'), `import createClient from 'openapi-fetch'
import type { paths } from './document'

type Page = paths['/v1/arbs']['get']['responses'][200]['content']
// A page is one thing: a client needs not ask whether it is text.
export const legsOf = (page: Page[keyof Page]) => page.arbs.map((arb) => arb.legs.length)

export async function all(fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl: 'http://x', fetch })
${lines.join('\n')}
}
`)
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
  compilerOptions: { strict: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], outDir: '.', skipLibCheck: true, types: [] },
  files: ['calls.ts'],
}))
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], { stdio: ['ignore', 2, 2] })

let called = 0
const { all } = await import(pathToFileURL(join(folder, 'calls.js')))
await all(async (request) => {
  called += 1
  return new Response('{}', { status: 200, headers: { 'content-type': 'application/json' } })
})
console.log(called)
