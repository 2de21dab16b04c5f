// Starts the browser of these tests, and signs people in.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { browsers } from '../services/install.mjs';

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // a process less, which only hands on what is drawn
  '--in-process-gpu',
];

/** How long a page may take on a machine that has much else to do (ms); what is not there then never comes. */
const patience = 120_000;

/** A browser without a window and without traffic of its own. */
export async function launchChromium() {
  const browser = await chromium.launch({
    executablePath: process.env.MORTISE_TEST_CHROMIUM ?? browsers.find(existsSync),
    args: quiet,
    timeout: patience,
  });
  const newContext = browser.newContext.bind(browser);
  // `newPage` makes its context with it as well.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patience);
    return context;
  };
  return browser;
}

/** Fills in the sign-in form as a person does; `who` is `name:password`. */
export async function signIn(page, base, who) {
  const [name, password] = who.split(':');
  await page.goto(`${base}/user/login`);
  await page.fill('input[name=user_name]', name);
  await page.fill('input[name=password]', password);
  await Promise.all([
    page.waitForURL((url) => !url.pathname.endsWith('/user/login')),
    page.click('main button[type=submit]'),
  ]);
}
