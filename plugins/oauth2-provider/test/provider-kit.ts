import { createHash } from 'node:crypto';
import { expect } from '@hapi/code';
import * as oidc from 'openid-client';
import { formPost, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount, signIn, type SignedIn } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { oauth2Applications, type OAuth2Application } from '../contract/oauth2-provider.js';

export const callback = 'https://app.example/callback';
const hiddenField = /<input type="hidden" name="(\w+)" value="([^"]*)"/g;
export const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** Address of the link on the error page that leads back to the application. */
export const linkOf = (page: string) =>
  /<a class="btn btn-block" href="([^"]+)"/.exec(page)![1]!.replaceAll('&amp;', '&');

/** A site with the account ada, and an application of hers. */
export class ProviderKit {
  private constructor(
    readonly host: TestHost,
    /** Address of the site, without a slash at its end. */
    readonly base: string,
    readonly ada: SignedIn,
    readonly application: OAuth2Application,
    readonly secret: string,
  ) {}

  static async start(): Promise<ProviderKit> {
    const host = await startHost({ plugins: ['oauth2-provider', 'auth-basic', 'sessions'] });
    const base = (await host.url()).replace(/\/+$/, '');
    const ada = signIn(host, await createAccount(host, 'ada', { fullName: 'Ada Lovelace' }));
    const { application, secret } = await host.services.get(oauth2Applications).create(ada.account.id, {
      name: 'Reader',
      redirectUris: [callback],
      isConfidential: true,
      skipsSecondConsent: false,
    });
    return new ProviderKit(host, base, ada, application, secret);
  }

  close(): Promise<void> {
    return this.host.close();
  }

  client(): Promise<oidc.Configuration> {
    const authentication = oidc.ClientSecretBasic(this.secret);
    return oidc.discovery(new URL(this.base), this.application.clientId, undefined, authentication, {
      execute: [oidc.allowInsecureRequests],
    });
  }

  /** Ada agrees on the page; gives where her browser is sent. */
  async agree(address: string): Promise<URL> {
    const browser = await Browser.signedIn(this.host, 'ada');
    const path = address.slice(this.base.length);
    const page = await browser.go(path);
    if (page.statusCode === 303) return new URL(String(page.headers.location));
    if (page.statusCode === 400) return new URL(linkOf(page.payload)); // she clicks
    expect(page.statusCode, page.payload).to.equal(200);
    const onward = String(page.headers.refresh ?? '').replace(/^0; url=/, '');
    if (onward) return new URL(onward);
    const fields = Object.fromEntries(
      [...page.payload.matchAll(hiddenField)].map(([, field, value]) => [field!, value!.replaceAll('&amp;', '&')]),
    );
    const sent = await browser.submit('/login/oauth/grant', { ...fields, granted: 'true' });
    expect(sent.statusCode, sent.payload).to.equal(303);
    return new URL(String(sent.headers.location));
  }

  /** The whole authorization code flow, with PKCE. */
  async flow(scope: string, config?: oidc.Configuration) {
    const known = config ?? (await this.client());
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const address = oidc.buildAuthorizationUrl(known, {
      redirect_uri: callback,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      scope,
      ...(scope.includes('openid') && { nonce }),
    });
    const answer = await this.agree(address.href);
    const tokens = await oidc.authorizationCodeGrant(known, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(scope.includes('openid') && { expectedNonce: nonce, idTokenExpected: true }),
    });
    return { known, answer, tokens, verifier };
  }

  /** A request for tokens. */
  exchange(fields: Record<string, string>, headers = {}) {
    const post = formPost('/login/oauth/access_token', fields);
    return this.host.inject({ ...post, headers: { ...post.headers, ...headers } });
  }

  /** The user that a token belongs to. */
  user(token: string) {
    return this.host.inject({ url: '/api/v1/user', headers: { authorization: `Bearer ${token}` } });
  }
}
