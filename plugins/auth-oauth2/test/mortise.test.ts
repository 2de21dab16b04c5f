import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, loginSources } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { oauth2Applications, type OAuth2Application } from '@mortise/oauth2-provider/api';
import { organizations, teams } from '@mortise/organizations/api';
import { Browser } from '@mortise/sessions/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('signing in to one Mortise with another', { timeout: 120_000 }, () => {
  let provider: TestHost;
  let host: TestHost;
  let base: string;
  let application: OAuth2Application;
  let secret: string;

  before(async () => {
    provider = await startHost({ plugins: ['oauth2-provider', 'auth-basic', 'sessions', 'organizations'] });
    base = (await provider.url()).replace(/\/+$/, '');
    host = await startHost({
      plugins: ['auth-oauth2', 'organizations'],
      settings: { oauth2_client: { ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: 'auto' } },
    });
    const ada = await createAccount(provider, 'ada', { fullName: 'Ada Lovelace' });
    const works = await provider.services.get(organizations).create({ name: 'Works' }, ada);
    const crew = await provider.services.get(teams).create(works, { name: 'Crew', units: { code: 'read' } });
    await provider.services.get(teams).addMember(crew, ada);
    ({ application, secret } = await provider.services.get(oauth2Applications).create(ada.id, {
      name: 'Other site',
      redirectUris: ['One', 'Two'].map((name) => host.site.url(`/user/oauth2/${name}/callback`)),
      isConfidential: true,
      skipsSecondConsent: false,
    }));
  });
  after(async () => {
    await host?.close();
    await provider?.close();
  });

  const agree = async (address: string, name: string): Promise<URL> => {
    const browser = await Browser.signedIn(provider, name);
    const page = await browser.go(address.slice(base.length));
    const onward = String(page.headers.refresh ?? '').replace(/^0; url=/, '');
    if (onward) return new URL(onward);
    expect(page.statusCode, page.payload).to.equal(200);
    const fields = Object.fromEntries(
      [...page.payload.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, field, value]) => [
        field!,
        value!.replaceAll('&amp;', '&'),
      ]),
    );
    return new URL(
      String((await browser.submit('/login/oauth/grant', { ...fields, granted: 'true' })).headers.location),
    );
  };
  const signIn = async (source: string, name: string) => {
    const browser = new Browser(host);
    const start = await browser.go(`/user/oauth2/${source}`);
    expect(start.statusCode, start.payload).to.equal(303);
    const callback = await agree(String(start.headers.location), name);
    return { browser, answer: await browser.go(callback.pathname + callback.search) };
  };

  it('by OpenID Connect, with organizations and teams as groups', async () => {
    const root = await createAccount(host, 'root', { isAdmin: true });
    const local = await host.services.get(organizations).create({ name: 'local' }, root);
    const team = await host.services.get(teams).create(local, { name: 'Builders', units: { code: 'read' } });
    const source = await host.services.get(loginSources).create({
      kind: 'oauth2',
      name: 'One',
      settings: {
        provider: 'openidConnect',
        clientId: application.clientId,
        clientSecret: secret,
        discoveryUrl: base,
        scopes: 'profile email groups',
        groupClaimName: 'groups',
        restrictedGroup: 'Works',
        groupTeamMap: JSON.stringify({ 'Works:crew': { local: ['Builders'] } }),
      },
    });
    const { answer } = await signIn('One', 'ada');
    expect(answer.headers.location, answer.payload).to.equal('/');
    const ada = (await host.services.get(accounts).byName('ada'))!;
    expect(ada).to.include({ sourceId: source.id, fullName: 'Ada Lovelace', isRestricted: true });
    expect(await host.services.get(teams).isMember(team.id, ada.id)).to.be.true();
  });

  it('by its API, which says nothing of confirmed addresses: no account is linked by one', async () => {
    await host.services.get(loginSources).create({
      kind: 'oauth2',
      name: 'Two',
      settings: {
        provider: 'gitea',
        clientId: application.clientId,
        clientSecret: secret,
        useCustomUrls: true,
        authUrl: `${base}/login/oauth/authorize`,
        tokenUrl: `${base}/login/oauth/access_token`,
        profileUrl: `${base}/api/v1/user`,
      },
    });
    await createAccount(provider, 'ben', { fullName: 'Ben There' });
    const { answer } = await signIn('Two', 'ben');
    expect(answer.headers.location, answer.payload).to.equal('/');
    expect(await host.services.get(accounts).byName('ben')).to.include({ fullName: 'Ben There' });
    expect((await signIn('Two', 'ada')).answer.headers.location).to.equal('/user/link_account');
  });
});
