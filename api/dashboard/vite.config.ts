// Builds the page into dist, which is checked in (docs/adr/045-page.md), with the hash of what it was built from.
import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname
const server = process.env.ARB_SERVER ?? 'http://127.0.0.1:8080'

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? sources(path) : [path]
  })
}

/** The hash of all files that the build reads; the test of api/src/page.rs computes it too. */
function sourcesHash(): string {
  const names = ['index.html', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts']
  const paths = [...names.map((name) => join(root, name)), ...sources(join(root, 'src'))]
  const files = paths.map((path) => ({ name: relative(root, path), text: readFileSync(path) }))
  files.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  const hash = createHash('sha256')
  for (const { name, text } of files) hash.update(`${name}\n${text.length}\n`).update(text)
  return hash.digest('hex')
}

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The packages in the scripts, with their licences: part of NOTICES.
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
  },
  server: {
    // A browser's cookie and origin are those of the page, so the server is shown its own.
    proxy: {
      '/session': { target: server, changeOrigin: true, headers: { origin: server } },
      '^/(status|docs|openapi\\.json|llms\\.txt)': { target: server, changeOrigin: true },
    },
  },
  plugins: [
    {
      name: 'sources-hash',
      apply: 'build',
      closeBundle() {
        // What no script names: the letters.
        const font = join(root, 'node_modules/@fontsource-variable/inter')
        const { version } = JSON.parse(readFileSync(join(font, 'package.json'), 'utf8')) as { version: string }
        appendFileSync(join(root, 'dist/licences.md'), `\n## @fontsource-variable/inter - ${version} (OFL-1.1)\n\n${readFileSync(join(font, 'LICENSE'), 'utf8').trim()}\n`)
        writeFileSync(join(root, 'dist/sources.sha256'), `${sourcesHash()}\n`)
      },
    },
  ],
})
