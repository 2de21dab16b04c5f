import { expect } from '@hapi/code';
import { startHost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { accounts, loginSources, type LoginSource } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { clientId, clientSecret, OidcServer } from './provider.js';

type Settings = Readonly<Record<string, unknown>>;
// what is encrypted is decrypted after a restart
const base = { security: { SECRET_KEY: 'a secret of this test that is long enough' } };
const plugins = ['auth-oauth2', 'organizations', 'admin', 'auth-two-factor'];

export const pathOf = (url: URL) => url.pathname + url.search;

/** A site with the administrator root, and two sources of people: Corp, which is used unless another is named, and Other. */
export class OidcKit {
  source!: LoginSource;
  second!: LoginSource;

  private constructor(
    public host: TestHost,
    readonly provider: OidcServer,
    readonly other: OidcServer,
  ) {}

  static async start(): Promise<OidcKit> {
    const host = await startHost({ plugins, settings: base });
    const callbacks = ['Corp', 'Other'].map((name) => host.site.url(`/user/oauth2/${name}/callback`));
    const kit = new OidcKit(host, await OidcServer.start(callbacks), await OidcServer.start(callbacks));
    kit.source = await kit.sources().create({ kind: 'oauth2', name: 'Corp', settings: kit.settings() });
    kit.second = await kit.sources().create({ kind: 'oauth2', name: 'Other', settings: kit.settings({}, kit.other) });
    await createAccount(host, 'root', { isAdmin: true });
    for (const name of ['ada', 'ben', 'cora', 'dora', 'eve', 'finn', 'gina', 'hugo'])
      kit.provider.people.set(`sub-${name}`, personNamed(name));
    kit.other.people.set('sub-ada', { ...personNamed('ada'), email: 'ada@other.example' });
    return kit;
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.provider.stop();
    await this.other.stop();
  }

  accounts() {
    return this.host.services.get(accounts);
  }

  sources() {
    return this.host.services.get(loginSources);
  }

  settings(more: Settings = {}, provider = this.provider) {
    return {
      provider: 'openidConnect',
      clientId,
      clientSecret,
      discoveryUrl: provider.issuer,
      scopes: 'profile email groups',
      ...more,
    };
  }

  /** Settings of the source Corp. */
  set(more: Settings = {}) {
    return this.sources().update(this.source.id, { settings: this.settings(more) });
  }

  /** Restarts with `[oauth2_client]` and `[service]`. */
  async restart(client: Settings, service: Settings = {}): Promise<void> {
    this.host = await this.host.restart({ settings: { ...base, oauth2_client: client, service } });
  }

  async restartWithoutPlugin(): Promise<void> {
    this.host = await this.host.restart({ settings: base, plugins: plugins.filter((name) => name !== 'auth-oauth2') });
  }

  /** Starts to sign in; gives the address at the provider. */
  async authorizationUrl(browser: Browser, name = 'Corp', query = ''): Promise<string> {
    const start = await browser.go(`/user/oauth2/${name}${query}`);
    expect([start.statusCode, start.payload.includes('class="flash') && start.payload]).to.equal([303, false]);
    return String(start.headers.location);
  }

  /** Signs in at the provider, and comes back with its answer. */
  async signIn(
    subject: string,
    { browser = new Browser(this.host), name = 'Corp', query = '', provider = this.provider } = {},
  ): Promise<{ answer: TestResponse; browser: Browser; callback: URL }> {
    const callback = await provider.walk(await this.authorizationUrl(browser, name, query), subject);
    return { answer: await browser.go(pathOf(callback)), browser, callback };
  }

  /** Makes the account of a person whose provider has the subject `sub-` and the name. */
  async registerBySubject(name: string): Promise<void> {
    const { browser } = await this.signIn(`sub-${name}`);
    await browser.go('/user/link_account');
    const made = await browser.submit('/user/link_account_signup', { user_name: name, email: `${name}@corp.example` });
    expect(made.statusCode, made.payload).to.equal(303);
  }
}

/** Whom the browser is signed in as; empty: nobody. */
export const signedInAs = async (browser: Browser): Promise<string> =>
  /Signed in as <b>([^<]+)|Account menu of ([^"]+)/.exec((await browser.go('/user/settings')).payload)?.[2] ?? '';

const personNamed = (name: string) => ({
  name: `${name} of Corp`,
  nickname: name,
  preferred_username: name,
  email: `${name}@corp.example`,
  email_verified: true,
});
