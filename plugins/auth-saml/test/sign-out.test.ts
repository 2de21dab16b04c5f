/** Single logout (SAML profiles, 4.4): what is taken for a request of the provider, and what is not. */
import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { loginSources } from '@mortise/accounts/api';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { Browser } from '@mortise/sessions/testing';
import { makeKeyPair } from './idp.js';
import { Corp, isSignedIn } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

describe('issue 30: signing out with SAML', { timeout: 60_000 }, () => {
  let host: TestHost;
  let corp: Corp;
  const own = makeKeyPair();
  const logoutUrl = 'https://idp.example/slo?tenant=1';
  before(async () => {
    host = await startHost({ plugins: ['auth-saml'] });
    corp = new Corp(host);
    await corp.set({ logoutUrl, privateKey: own.key, certificate: own.certificate });
  });
  after(() => host.close());

  interface Asked {
    readonly nameId?: string;
    readonly issuer?: string;
    readonly issuedAt?: number;
    readonly destination?: string;
    readonly indexes?: readonly string[];
    readonly key?: string;
    readonly algorithm?: string;
    readonly relayState?: string;
    /** Instead of the XML. */
    readonly xml?: string;
    readonly changed?: (query: string) => string;
  }
  /** The provider's redirect. */
  async function ask(asked: Asked = {}) {
    const { idp } = corp;
    const issued = new Date(Date.now() + (asked.issuedAt ?? 0)).toISOString();
    const acs = (await corp.startSignIn()).request.acs;
    const xml =
      asked.xml ??
      '<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"' +
        ` ID="_1" Version="2.0" IssueInstant="${issued}" Destination="${asked.destination ?? acs.replace('/acs', '/logout')}">` +
        `<saml:Issuer>${asked.issuer ?? idp.issuer}</saml:Issuer><saml:NameID>${asked.nameId ?? 'ada'}</saml:NameID>` +
        `${(asked.indexes ?? []).map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`).join('')}</samlp:LogoutRequest>`;
    const query = new URLSearchParams({
      SAMLRequest: deflateRawSync(xml).toString('base64'),
      RelayState: asked.relayState ?? 'token',
      SigAlg: asked.algorithm ?? rsaSha256,
    }).toString();
    const signature = createSign('RSA-SHA256')
      .update(query)
      .sign(asked.key ?? idp.keys.key, 'base64');
    const whole = `${query}&Signature=${encodeURIComponent(signature)}`;
    return host.inject(`/user/saml/Corp/logout?${(asked.changed ?? String)(whole)}`);
  }

  it('tells the provider where it takes requests, and signs the answer to one', async () => {
    const metadata = (await host.inject('/user/saml/Corp/metadata')).payload;
    expect(metadata).to.match(
      /<SingleLogoutService Binding="[^"]*HTTP-Redirect" Location="[^"]*\/user\/saml\/Corp\/logout"/,
    );
    const { browser } = await corp.signIn();
    const answer = await ask();
    const { origin, searchParams } = new URL(String(answer.headers.location));
    expect([answer.statusCode, origin, searchParams.get('tenant'), searchParams.get('RelayState')]).to.equal([
      303,
      'https://idp.example',
      '1',
      'token',
    ]);
    expect([searchParams.has('SAMLResponse'), searchParams.get('SigAlg')]).to.equal([true, rsaSha256]);
    expect(await isSignedIn(browser)).to.be.false();
    expect((await ask({ nameId: 'nobody' })).statusCode).to.equal(303);
  });

  it('ends the sessions of the one person that is named, and of those that the provider names', async () => {
    const { browser: ada } = await corp.signIn();
    const { browser: grace } = await corp.signIn({ nameId: 'grace' });
    await ask({ nameId: 'grace', indexes: ['_of another browser'] });
    expect([await isSignedIn(ada), await isSignedIn(grace)]).to.equal([true, true]);
    await ask({ nameId: 'grace' });
    expect([await isSignedIn(ada), await isSignedIn(grace)]).to.equal([true, false]);
  });

  it('ends nothing for what the provider has not signed for this address and just now', async () => {
    const { browser } = await corp.signIn();
    const bomb = `<samlp:LogoutRequest>${' '.repeat(2_000_000)}</samlp:LogoutRequest>`;
    for (const [what, asked] of Object.entries({
      unsigned: { changed: (query) => query.replace(/&SigAlg.*/, '') },
      'without its signature': { changed: (query) => query.replace(/&Signature.*/, '') },
      'signed by somebody else': { key: own.key },
      'signed by SHA-1': { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
      'with another RelayState': { changed: (query) => query.replace('RelayState=token', 'RelayState=other') },
      'with two requests': { changed: (query) => `SAMLRequest=eA==&${query}` },
      'with a request under an encoded name': { changed: (query) => query.replace('SAMLRequest', 'SAMLReques%74') },
      'of another issuer': { issuer: 'https://other.example' },
      'for another address': { destination: 'https://other.example/logout' },
      'for no address': { destination: '' },
      'of an hour ago': { issuedAt: -3_600_000 },
      'of the future': { issuedAt: 3_600_000 },
      'no XML': { xml: 'ada' },
      'another document': { xml: '<x/>' },
      'with a document type': { xml: '<!DOCTYPE x [<!ENTITY y "z">]><x>&y;</x>' },
      'unpacked too large': { xml: bomb },
      'not packed': { changed: (query) => query.replace(/SAMLRequest=[^&]*/, 'SAMLRequest=AAAA') },
    } satisfies Record<string, Asked>)) {
      const answer = await ask(asked);
      expect([answer.statusCode, answer.headers.location], what).to.equal([403, undefined]);
    }
    expect(await isSignedIn(browser)).to.be.true();
  });

  it('is a matter of this site alone for who has no name there', async () => {
    const nameless = new Corp(host, 'Nameless');
    await nameless.set({ loginNameAttribute: 'uid', logoutUrl, privateKey: own.key, certificate: own.certificate });
    const { browser } = await nameless.signIn({ nameXml: '', attributes: { uid: ['lin'], mail: ['lin@example.com'] } });
    expect(await isSignedIn(browser)).to.be.true();
    expect((await browser.submit('/user/logout')).headers.location).to.equal('/');
    expect(await isSignedIn(browser)).to.be.false();
  });

  it('leads home who is not signing out', async () => {
    const page = await new Browser(host).go('/user/saml/Corp/sign-out');
    expect([page.statusCode, page.headers.location]).to.equal([303, '/']);
  });

  it('is only there where the source has the address of the provider, and needs a private key', async () => {
    const { browser } = await corp.signIn();
    await corp.set({ logoutUrl: '', privateKey: own.key, certificate: own.certificate });
    expect((await ask()).statusCode).to.equal(404);
    await browser.go('/');
    expect((await browser.submit('/user/logout')).headers.location).to.equal('/');
    const sources = host.services.get(loginSources);
    await expect(sources.update(corp.sourceId, { settings: corp.settings({ logoutUrl, removeKey: true }) })).to.reject(
      /logoutUrl/,
    );
  });
});
