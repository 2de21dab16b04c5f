// The README of Mortise on a page of Mortise.
// Time: about 10 s
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root, startServer } from '../support/server.mjs';
import { launchChromium } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
// What pages look like does not hang on the database.
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('the README of this project with the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  const pictures = readdirSync(join(root, 'docs/pictures'))
    .filter((name) => name.endsWith('.webp'))
    .map((name) => `docs/pictures/${name}`);

  before(async () => {
    server = await startServer();
    await server.api('POST', '/user/repos', { body: { name: 'mortise', default_branch: 'main' } });
    const files = ['README.md', ...pictures].map((path) => ({
      operation: 'create',
      path,
      content: readFileSync(join(root, path)).toString('base64'),
    }));
    const made = await server.api('POST', '/repos/root/mortise/contents', { body: { files, branch: 'main' } });
    expect(made.status, made.text).to.equal(201);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  for (const colorScheme of ['light', 'dark'])
    it(`shows the ${colorScheme} pictures, and its tables fit into the page`, async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
      await page.goto(`${server.base}/root/mortise`);
      const shown = [];
      for (const image of await page.locator('#readme picture img').all()) {
        await image.scrollIntoViewIfNeeded();
        await page.waitForFunction((one) => one.complete && one.naturalWidth > 0, await image.elementHandle());
        shown.push(await image.evaluate(({ currentSrc }) => currentSrc.split('/raw/branch/main/')[1]));
      }
      expect(shown.toSorted()).to.equal(pictures.filter((name) => name.includes(colorScheme)).toSorted());
      const overflow = await page
        .locator('#readme .markup-table')
        .evaluateAll((tables) => tables.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect(overflow).to.equal(0);
      await page.close();
    });
});
