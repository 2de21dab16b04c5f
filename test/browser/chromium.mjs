// Starts the browser of these tests, and signs people in.
import { chromium } from 'playwright-core';

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser without a window and without traffic of its own. */
export const launchChromium = () =>
  chromium.launch({ executablePath: process.env.MORTISE_TEST_CHROMIUM ?? '/usr/bin/chromium', args: quiet });

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
