// The types of the answers of a document, as the page imports them: only its schemas, without routes.

import { readFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

const [file] = process.argv.slice(2)
const { openapi, info, components: { schemas } } = JSON.parse(readFileSync(file, 'utf8'))
process.stdout.write(`// Made of schemas/openapi/openapi.json by tests/node/openapi/page_types.mjs: never written by hand.\n${astToString(await openapiTS({ openapi, info, paths: {}, components: { schemas } }))}`)
