/** For tests of plugins that have to do with accounts; not in the packed plugin. */
import type { Actor } from '@mortise/plugin-sdk';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account, type NewAccount } from './api.js';

/** Of all accounts that this kit makes. */
export const password = 'long enough';

/** Value of the header `Authorization` of an account that this kit made. */
export const basicAuth = (name: string): string => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** Sends requests as the account. */
export interface SignedIn extends TestClient {
  readonly account: Account;
  readonly actor: Actor;
}

/** A new account, with `{name}@example.com` for its address. */
export const createAccount = (host: TestHost, name: string, more: Partial<NewAccount> = {}): Promise<Account> =>
  host.services
    .get(accounts)
    .create({ name, email: `${name}@example.com`, password, mustChangePassword: false, ...more });

/** Whoever acts for an account, as after a password. */
export const actorOf = (host: TestHost, account: Account): Actor =>
  host.services.get(accounts).actorOf(account, 'test');

/** A client that is signed in as an account. */
export function signIn(host: TestHost, account: Account): SignedIn {
  const actor = actorOf(host, account);
  return { ...host.as(actor), account, actor };
}

/** Creates an account and signs in as it. */
export const signUp = async (host: TestHost, name: string, more: Partial<NewAccount> = {}): Promise<SignedIn> =>
  signIn(host, await createAccount(host, name, more));
