#!/usr/bin/env node
// Takes a picture of every page in light, dark and at phone width: node test/browser/screenshots.mjs BASE FOLDER [path…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [base, folder, ...paths] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.MORTISE_TEST_CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const looks = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true },
};
for (const [look, options] of Object.entries(looks)) {
  const context = await browser.newContext({ ...options, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  if (process.env.MORTISE_SIGN_IN) {
    const [name, password] = process.env.MORTISE_SIGN_IN.split(':');
    await page.goto(`${base}/user/login`);
    await page.fill('input[name=user_name]', name);
    await page.fill('input[name=password]', password);
    await page.click('main button[type=submit]');
    await page.waitForLoadState();
  }
  for (const path of paths.length ? paths : ['/']) {
    await page.goto(base + path);
    await page.screenshot({
      path: join(folder, `${path.replace(/[^\w.-]+/g, '_') || 'home'}-${look}.png`),
      fullPage: true,
    });
  }
  await context.close();
}
await browser.close();
