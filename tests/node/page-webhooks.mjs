// The steps of page.mjs on the view of webhooks: an endpoint from its first event to its end, at a receiver that fails, is gone and comes back.
import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { check, NAME, say, until, view } from './page-checks.mjs'

const rows = (page, outcome) => page.getByRole('region', { name: 'Deliveries' }).getByRole('row')
  .filter({ hasText: 'endpoint.test' }).filter({ has: page.getByText(outcome, { exact: true }) })
const test = (page) => page.getByRole('button', { name: 'Send a test event' }).click()
const idOf = (row) => row.locator('code').textContent()

/** Waits until the log has so many deliveries with an outcome, or more: several attempts may come between two looks. */
async function logged(page, outcome, count) {
  await until(`${count} ${outcome}`, async () => (await rows(page, outcome).count()) >= count)
}

/** Has the receiver answer in another way: the test that started this does it, and writes a line when it is done. */
async function receiver(manner) {
  const lines = createInterface({ input: process.stdin })
  const isDone = new Promise((resolve) => lines.once('line', resolve))
  say(`the receiver ${manner}`)
  await isDone
  lines.close()
}

/** A receiver that fails: each attempt with its status and answer, and when the next one is; then the attempt that is taken. */
async function retried(page) {
  await receiver('fails')
  await test(page)
  await logged(page, 'Failed', 2)
  const first = rows(page, 'Failed').last()
  const text = await first.getByRole('cell').allTextContents()
  assert.deepEqual([text[1], text[3], text[5]], ['1', '500', 'an answer'], text.join(' | '))
  assert.equal(await first.locator('time').count(), 2, 'when it was, and when the next attempt is')
  await receiver('takes events')
  await logged(page, 'Delivered', 2)
  const taken = rows(page, 'Delivered').first()
  assert.equal(await idOf(taken), await idOf(first))
  assert.ok(Number((await taken.getByRole('cell').allTextContents())[1]) >= 3)
  say('retried')
}

/** What was refused for good is sent again: one delivery by its button, all since a time by Recover. */
async function redelivered(page) {
  for (const again of ['Redeliver', 'Recover']) {
    const before = await rows(page, 'Delivered').count()
    await receiver('is gone')
    await test(page)
    const refused = again === 'Redeliver' ? 1 : 2
    await logged(page, 'Gone', refused)
    await page.getByText('disabled', { exact: true }).waitFor()
    await receiver('takes events')
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('active', { exact: true }).waitFor()
    const gone = rows(page, 'Gone').first()
    const id = await idOf(gone)
    await (again === 'Redeliver' ? gone : page).getByRole('button', { name: again, exact: true }).click()
    await until(`${again} sends it`, async () => (await rows(page, 'Delivered').count()) > before
      && (await rows(page, 'Delivered').locator('code').allTextContents()).includes(id))
    say(again)
  }
}

async function rotated(page, former) {
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'The secret of the endpoint' })
  const secret = await dialog.locator('code').first().textContent()
  assert.ok(secret.startsWith('whsec_') && secret !== former, secret)
  await dialog.getByText(/signed with the former secret too/).waitFor()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('Former secret signs until').waitFor()
  const before = await rows(page, 'Delivered').count()
  await test(page)
  await logged(page, 'Delivered', before + 1)
  say('rotated')
}

export async function webhook(page) {
  await view(page, 'Webhooks')
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  await page.getByLabel('URL', { exact: true }).fill(process.env.ARB_TEST_RECEIVER)
  await page.getByLabel('Description', { exact: true }).fill(NAME)
  // No window has as much: the log is of test events alone.
  await page.getByLabel('Least margin, %', { exact: true }).fill('99')
  await check(page, 'webhooks-create')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const secret = await page.getByRole('dialog', { name: 'The secret of the endpoint' }).locator('code').first().textContent()
  assert.match(secret, /^whsec_/)
  await check(page, 'webhooks-secret')
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('active', { exact: true }).waitFor()
  await page.getByText(NAME, { exact: true }).waitFor()
  await test(page)
  await page.getByRole('rowheader').getByText('endpoint.test').waitFor()
  await logged(page, 'Delivered', 1)
  await retried(page)
  await redelivered(page)
  await rotated(page, secret)
  await check(page, 'webhooks')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('paused', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('paused', { exact: true }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete endpoint' }).waitFor()
  await check(page, 'webhooks-delete')
  await page.getByRole('button', { name: 'Delete endpoint' }).click()
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  say('webhook')
}
