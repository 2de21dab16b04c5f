import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { createRepository } from '@mortise/repositories/testing';
import { branchProtections } from '../contract/branch-protection.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('the order of rules in a browser', { timeout: 600_000, skip }, () => {
  let host: TestHost;
  let browser: Browser;
  let page: Page;
  let base: string;
  let id: number;
  const faults: string[] = [];

  const stored = async () =>
    (await host.services.get(branchProtections).list(id)).map(({ ruleName }) => ruleName).join(' ');
  /** What a click or a drag leads to is waited for: it may come later than the page shows. */
  const isStored = async (wanted: string) => {
    for (let attempt = 0; attempt < 1200 && (await stored()) !== wanted; attempt++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await stored()).to.equal(wanted);
  };
  const shows = async (wanted: string, on = page) =>
    void (await on.waitForFunction(
      (words) =>
        [...document.querySelectorAll<HTMLElement>('[data-rule-name]')].map((row) => row.dataset.ruleName).join(' ') ===
        words,
      wanted,
    ));
  const showsStatus = (words: string) => page.locator('[data-rule-status]', { hasText: words }).waitFor();
  const middle = async (selector: string) => {
    const box = (await page.locator(selector).boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const row = (name: string) => `[data-rule-name="${name}"]`;
  /** Takes a rule by its handle and holds it over the place of another. */
  const hold = async (name: string, over: string) => {
    await page.locator(`${row(name)} [data-rule-handle]`).waitFor({ state: 'visible' });
    const from = await middle(`${row(name)} [data-rule-handle]`);
    const to = await middle(row(over));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, (from.y + to.y) / 2, { steps: 4 });
    await page.mouse.move(from.x, to.y + Math.sign(to.y - from.y) * 8, { steps: 4 });
  };

  before(async () => {
    host = await startHost({ plugins: ['branch-protection', 'files', 'sessions', 'auth-basic'], background: true });
    const accounts = host.services.get(accountsRef);
    const ada = await createAccount(host, 'ada', { password: 'long enough 1' });
    id = (await createRepository(host, ada, { name: 'wheel' })).id;
    const client = host.as(accounts.actorOf(ada, 'test'));
    for (const rule_name of ['a', 'b', 'c', 'd'])
      await client.inject({
        method: 'POST',
        url: '/api/v1/repos/ada/wheel/branch_protections',
        payload: { rule_name },
      });
    base = await host.url();
    browser = await chromium.launch({
      executablePath: process.env.MORTISE_TEST_CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      timeout: 120_000,
    });
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${base}/user/login`);
    await page.fill('input[name=user_name]', 'ada');
    await page.fill('input[name=password]', 'long enough 1');
    await page.click('main button[type=submit]');
    await page.waitForURL((url) => !url.pathname.endsWith('/user/login'));
  });
  after(async () => {
    await browser?.close();
    await host?.close();
  });

  it('drags rules up and down, and says what was saved', async () => {
    await page.goto(`${base}/ada/wheel/settings/branches`);
    await hold('d', 'b');
    await page.mouse.up();
    await shows('a d b c');
    await showsStatus('Rule d is now number 2 of 4');
    await isStored('a d b c');
    await hold('a', 'c');
    await page.mouse.up();
    await showsStatus('Rule a is now number 4 of 4');
    await isStored('d b c a');
    await page.waitForSelector(`${row('d')} button[value=up]:disabled`);
    await page.waitForSelector(`${row('a')} button[value=up]:enabled`);
    await page.reload();
    await shows('d b c a');
    expect(faults).to.equal([]);
  });

  it('puts a rule back on Escape, and when the order cannot be stored', async () => {
    await page.goto(`${base}/ada/wheel/settings/branches`);
    await hold('d', 'c');
    await shows('b c d a');
    await page.keyboard.press('Escape');
    await shows('d b c a');
    await page.mouse.up();
    await page.route('**/settings/branches/order', (route) => route.abort());
    await hold('d', 'c');
    await page.mouse.up();
    await showsStatus('could not be saved');
    await shows('d b c a');
    await page.unroute('**/settings/branches/order');
    await isStored('d b c a');
    expect(faults).to.equal([]);
  });

  it('moves rules step by step without scripts', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const plain = await context.newPage();
    plain.setDefaultTimeout(120_000);
    await plain.goto(`${base}/ada/wheel/settings/branches`);
    expect(await plain.locator('[data-rule-handle]').first().isVisible()).to.be.false();
    const first = (name: string) => plain.locator(`[data-rule]:first-child[data-rule-name="${name}"]`).waitFor();
    await first('d');
    await plain.click('button[aria-label="Move rule d down"]');
    await first('b');
    await isStored('b d c a');
    await plain.click('button[aria-label="Move rule d up"]');
    await first('d');
    await isStored('d b c a');
    await context.close();
  });
});
