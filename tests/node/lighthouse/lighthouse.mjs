// Lighthouse over the board with a market that does not change, five times; prints the median of each category as a line of JSON, and fails where one is
// below the least.
import assert from 'node:assert/strict'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import desktop from 'lighthouse/core/config/desktop-config.js'
import { serve } from '../frozen.mjs'

// The built files, how many entries, and the least that is good.
const [dist = '../../../api/dashboard/dist', entries = '100', least = '95'] = process.argv.slice(2)
const RUNS = 5
const CATEGORIES = ['performance', 'accessibility', 'best-practices']
const server = await serve(dist, Number(entries), 0)
const chrome = await launch({ chromePath: process.env.CHROME_PATH, chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'] })
const runs = []
for (let run = 0; run < RUNS; run++) {
  const found = await lighthouse(server.url, { port: chrome.port, onlyCategories: CATEGORIES, output: 'json', logLevel: 'error' }, desktop)
  assert.equal(found.lhr.runtimeError, undefined)
  assert.ok(CATEGORIES.every((name) => typeof found.lhr.categories[name].score === 'number'), 'each category has a score')
  runs.push(found.lhr)
  const failed = Object.values(found.lhr.audits).filter((audit) => audit.score !== null && audit.score < 0.9).map((audit) => `${audit.id} ${audit.displayValue ?? ''}`)
  process.stderr.write(`${run + 1}: ${CATEGORIES.map((name) => Math.round(found.lhr.categories[name].score * 100)).join(' ')}; ${failed.join(', ')}\n`)
}
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
const medians = CATEGORIES.map((name) => [name, Math.round(median(runs.map((run) => run.categories[name].score)) * 100)])
process.stdout.write(JSON.stringify({ entries: Number(entries), runs: RUNS, ...Object.fromEntries(medians) }) + '\n')
await chrome.kill()
server.close()
for (const [name, score] of medians) assert.ok(score >= Number(least), `${name}: ${score}`)
