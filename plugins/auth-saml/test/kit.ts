import { accounts } from '@mortise/accounts/api';
import { loginSources, type LoginSource } from '@mortise/accounts/api';
import { Browser } from '@mortise/sessions/testing';
import { formPost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { encoded, readRequest, TestIdp, type Said, type SamlRequest } from './idp.js';

/** A source of a site, its provider, and people who sign in with it. */
export class Corp {
  readonly idp = new TestIdp();
  #source: LoginSource | undefined;

  constructor(
    private readonly host: TestHost,
    readonly name = 'Corp',
  ) {}

  settings(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      entryPoint: 'https://idp.example/sso?tenant=1',
      idpIssuer: this.idp.issuer,
      idpCertificates: this.idp.keys.certificate,
      emailAttribute: 'mail',
      ...more,
    };
  }

  async set(more: Readonly<Record<string, unknown>> = {}, skipsSecondFactor = false): Promise<void> {
    const sources = this.host.services.get(loginSources);
    const settings = this.settings(more);
    this.#source = this.#source
      ? await sources.update(this.#source.id, { settings, skipsSecondFactor })
      : await sources.create({ kind: 'saml', name: this.name, settings });
  }

  get sourceId(): number {
    return this.#source!.id;
  }

  /** Sends a browser to the provider. */
  async startSignIn(browser = new Browser(this.host), query = ''): Promise<{ browser: Browser; request: SamlRequest }> {
    const start = await browser.go(`/user/saml/${this.name}${query}`);
    return { browser, request: readRequest(String(start.headers.location)) };
  }

  /** The provider's POST, which comes without cookies. */
  post(xml: string, name = this.name): Promise<TestResponse> {
    const { headers, ...form } = formPost(`/user/saml/${name}/acs`, { SAMLResponse: encoded(xml), RelayState: '' });
    return this.host.inject({
      ...form,
      headers: { ...headers, origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' },
    });
  }

  /** All the way; gives the answer of the last step that was reached. */
  async signIn(said: Said = {}, query = ''): Promise<{ answer: TestResponse; browser: Browser }> {
    const { browser, request } = await this.startSignIn(undefined, query);
    const name = said.nameId ?? 'ada';
    const attributes = { mail: [`${name.replace(/@.*/, '')}@example.com`], ...said.attributes };
    const posted = await this.post(this.idp.answer(request, { ...said, attributes }));
    const answer = posted.statusCode === 303 ? await browser.go(String(posted.headers.location)) : posted;
    return { answer, browser };
  }

  async accountOf(name: string) {
    return this.host.services.get(accounts).byName(name);
  }
}

/** Is the browser signed in? */
export const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.go('/user/settings')).statusCode === 200;
