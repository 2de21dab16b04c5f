#!/usr/bin/env node
// Takes the pictures of the README: `npm run pictures` starts a server, fills it over the API and writes
// docs/pictures/NAME-light.webp and NAME-dark.webp.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium, signIn } from '../../test/browser/chromium.mjs';
import { startServer } from '../../test/support/server.mjs';
import { fillDemo, viewer } from './demo.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const viewport = { width: 1280, height: 760 };

const server = await startServer({ fresh: true });
try {
  const pages = await fillDemo(server);
  const browser = await launchChromium();
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await context.newPage();
    await signIn(page, server.base, viewer);
    const session = await context.newCDPSession(page);
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(server.base + path);
      // the steps of the job, folded up at first
      for (const step of await page.locator('summary', { hasText: /^\s*(Install|Test)/ }).all()) await step.click();
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
      writeFileSync(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'));
    }
    await context.close();
  }
  await browser.close();
} finally {
  await server.close();
}
