#!/usr/bin/env node
// Takes a picture of every page in light, dark and at phone width:
//
//   node test/browser/screenshots.mjs BASE FOLDER [path…]          these pages, or the first page
//   node test/browser/screenshots.mjs FOLDER                       all pages, of a fresh server filled for it
//
// MORTISE_SIGN_IN=name:password signs in before.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium, signIn } from './chromium.mjs';
import {
  accountPages,
  adminPages,
  keeperPages,
  mailPages,
  organizationPages,
  repositoryPages,
  runPages,
  sitePages,
  pageSettings,
} from './pages.mjs';

let [base, folder, ...paths] = process.argv.slice(2);
let who = process.env.MORTISE_SIGN_IN;
let server;
if (folder === undefined) {
  const { startServer } = await import('../support/server.mjs');
  const { seed } = await import('./seed.mjs');
  server = await startServer({ settings: pageSettings });
  const facts = await seed(server);
  folder = base;
  base = server.base;
  who = 'root:password';
  paths = [
    ...sitePages('root'),
    ...accountPages(),
    ...organizationPages(),
    ...adminPages(),
    ...mailPages(),
    ...repositoryPages('/root/wheel', facts),
    ...keeperPages('/root/wheel', facts),
    ...runPages(facts),
    '/root/empty',
    '/grace/wheel',
  ];
}
mkdirSync(folder, { recursive: true });
const browser = await launchChromium();
const looks = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true },
};
for (const [look, options] of Object.entries(looks)) {
  const context = await browser.newContext({ ...options, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  if (who) await signIn(page, base, who);
  for (const [index, path] of (paths.length ? paths : ['/']).entries()) {
    await page.goto(base + path);
    await page.screenshot({
      path: join(folder, `${index}${path.replace(/[^\w.-]+/g, '_').slice(0, 90)}-${look}.png`),
      fullPage: true,
    });
  }
  await context.close();
}
await browser.close();
await server?.close();
