import { definePlugin, Joi } from '@mortise/plugin-sdk';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import { defineLoginSourceKind, loginSourceKinds } from '@mortise/accounts/api';
import { password } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { codeAt } from '../services/one-time-codes.js';

/** A kind of sign-in source without settings. */
export const addressBook = definePlugin({
  name: 'book',
  version: '1.0.0',
  sdk: '*',
  requires: { accounts: '*' },
  register(host) {
    host.contribute(
      loginSourceKinds,
      defineLoginSourceKind<object>({
        key: 'book',
        label: 'Book',
        schema: Joi.object({}),
        fields: () => null as never,
      }),
    );
  },
});

export const basic = (name: string, secret = password): string =>
  `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

export const secretOf = (page: string): string => /id="totp-secret">([^<]+)</.exec(page)![1]!.replace(/\s/g, '');
const hiddenSecretOf = (page: string): string => /name="secret" value="([^"]+)"/.exec(page)![1]!;

export interface Enrolled {
  readonly secret: string;
  readonly codes: readonly string[];
}

/**
 * Sets up an app in a signed-in browser, with the code of the step before: those of now and of the next step are fresh.
 */
export async function enrol(browser: Browser, tries = 3): Promise<Enrolled> {
  const page = (await browser.go('/user/settings/security/two_factor/enroll')).payload;
  const secret = secretOf(page);
  const answer = await browser.submit('/user/settings/security/two_factor/enroll', {
    secret: hiddenSecretOf(page),
    passcode: codeAt(secret, Date.now(), -1),
    password,
  });
  const codes = /id="recovery-codes">([^<]+)</.exec(answer.payload)?.[1]?.trim().split('\n') ?? [];
  if (codes.length > 0) return { secret, codes };
  // the code ran out on its way
  if (tries === 1) throw new Error(`not enrolled: ${answer.statusCode}`);
  return enrol(browser, tries - 1);
}

/** Gives the password on the sign-in page. */
export async function arrive(host: TestHost, name: string, redirect = ''): Promise<Browser> {
  const browser = new Browser(host);
  await browser.go('/user/login');
  await browser.submit('/user/login', { user_name: name, password, redirect_to: redirect });
  return browser;
}

export const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.go('/user/settings/account')).statusCode === 200;

export { Browser, codeAt, password };
