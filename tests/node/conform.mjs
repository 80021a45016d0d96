// Whether an answer is one that the OpenAPI document promises. A page that reads a field which a made answer lacks fails far from its cause, so a server of
// made answers checks each at its door.
import { readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'

/** Checks by the document at `file`: `answer` that of an operation, `part` a value by the name of its component. They throw where the document has no such
 * answer or the value is another, and name each field that is absent or wrong. */
export function conforming(file) {
  const document = JSON.parse(readFileSync(file, 'utf8'))
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false })
  ajv.addSchema(document, 'openapi')
  const judge = (what, pointer, value) => {
    const validate = ajv.getSchema(`openapi#/${pointer.map((step) => encodeURIComponent(step.replaceAll('/', '~1'))).join('/')}`)
    if (validate(value)) return
    const wrong = new Set(validate.errors.map(({ instancePath, message }) => `${instancePath} ${message}`))
    throw new Error(`${what} is not as the OpenAPI document has it: ${[...wrong].join('; ')}`)
  }
  const routes = Object.keys(document.paths).map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  const answer = (method, asked, value) => {
    const path = routes.find(({ path, pattern }) => document.paths[path][method] !== undefined && pattern.test(asked))?.path
    if (path === undefined) throw new Error(`${method} ${asked} is no operation of the OpenAPI document`)
    const { responses } = document.paths[path][method]
    const status = Object.keys(responses).find((status) => status.startsWith('2'))
    if (responses[status].content?.['application/json'] === undefined) return
    judge(`the answer to ${method} ${asked}`, ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'], value)
  }
  return { answer, part: (name, value) => judge(name, ['components', 'schemas', name], value) }
}
