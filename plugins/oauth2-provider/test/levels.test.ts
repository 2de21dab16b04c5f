import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount, signIn, type SignedIn } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { organizations } from '@mortise/organizations/api';
import { oauth2Applications, type OAuth2Applications } from '../contract/oauth2-provider.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const fields = { name: 'Board', redirect_uris: 'https://board.example/back', confidential: 'on' };
const site = '/-/admin/applications';
const works = '/org/works/settings/applications';

describe('applications of organizations and of the site', () => {
  let host: TestHost;
  let ada: SignedIn;
  let applications: OAuth2Applications;
  let worksId: number;
  const browsers = new Map<string, Browser>();
  const by = (name: string) => browsers.get(name)!;
  const ownedBy = async (ownerId: number) =>
    (await applications.list(ownerId, { limit: 50, offset: 0 })).items.filter((one) => !one.isBuiltIn);

  before(async () => {
    host = await startHost({ plugins: ['oauth2-provider', 'organizations', 'admin', 'auth-basic', 'sessions'] });
    applications = host.services.get(oauth2Applications);
    const root = await createAccount(host, 'root', { isAdmin: true });
    ada = signIn(host, await createAccount(host, 'ada'));
    await createAccount(host, 'ben');
    await ada.inject({ method: 'POST', url: '/api/v1/orgs', payload: { username: 'works' } });
    await ada.inject({ method: 'POST', url: '/api/v1/orgs', payload: { username: 'other' } });
    worksId = (await host.services.get(organizations).byName('works'))!.account.id;
    for (const name of [root.name, 'ada', 'ben']) browsers.set(name, await Browser.signedIn(host, name));
  });
  after(() => host.close());

  it('are for owners and for administrators', async () => {
    const seen = async (url: string) =>
      Promise.all(['root', 'ada', 'ben'].map(async (name) => (await by(name).go(url)).statusCode));
    expect(await seen(works)).to.equal([200, 200, 403]);
    expect(await seen(site)).to.equal([200, 403, 403]);
    await by('ben').go('/user/settings/oauth2');
    for (const url of [works, site]) expect((await by('ben').submit(url, fields)).statusCode, url).to.equal(403);
    expect([...(await ownedBy(worksId)), ...(await ownedBy(0))]).to.be.empty();
  });

  it('are registered, shown with their secret once, changed and deleted', async () => {
    for (const [name, base, ownerId] of [
      ['ada', works, worksId],
      ['root', site, 0],
    ] as const) {
      const browser = by(name);
      // as a browser sends it
      const form = (await browser.go(base)).payload;
      const [, confidential] = /name="confidential" value="(\w+)" checked/.exec(form)!;
      const made = await browser.submit(base, { ...fields, confidential: confidential! });
      expect([made.statusCode, made.payload.includes('Copy the secret now')], base).to.equal([200, true]);
      const [application] = await ownedBy(ownerId);
      expect([application!.name, application!.ownerId, application!.isConfidential]).to.equal(['Board', ownerId, true]);
      const page = `${base}/${application!.id}`;
      expect((await browser.go(base)).payload).to.include(`href="${page}"`);
      expect((await browser.go(page)).payload).to.include(application!.clientId);
      const refused = await browser.submit(page, { ...fields, name: 'Panel', redirect_uris: 'nowhere' });
      expect([refused.statusCode, /value="Panel"/.test(refused.payload)]).to.equal([422, true]);
      await browser.submit(page, { ...fields, name: 'Panel' });
      expect((await ownedBy(ownerId))[0]!.name).to.equal('Panel');
      expect((await browser.submit(`${page}/delete`)).headers.location).to.equal(`${base}?saved=1`);
      expect(await ownedBy(ownerId)).to.be.empty();
    }
  });

  it('are reached through their own owner alone', async () => {
    const { application } = await applications.create(worksId, {
      name: 'Board',
      redirectUris: ['https://board.example/back'],
      isConfidential: true,
      skipsSecondConsent: false,
    });
    const elsewhere = [`/user/settings/oauth2/${application.id}`, `/org/other/settings/applications/${application.id}`];
    for (const url of elsewhere) {
      expect((await by('ada').go(url)).statusCode, url).to.equal(404);
      await by('ada').go('/user/settings/oauth2');
      for (const form of [url, `${url}/delete`])
        expect((await by('ada').submit(form, fields)).statusCode, form).to.equal(404);
    }
    expect((await ownedBy(worksId)).map((one) => one.name)).to.equal(['Board']);
    await ada.inject({ method: 'DELETE', url: '/api/v1/orgs/works' });
    expect(await ownedBy(worksId)).to.be.empty();
  });

  it('that are built in are listed and left to the configuration', async () => {
    const builtIn = (await applications.list(0, { limit: 50, offset: 0 })).items.filter((one) => one.isBuiltIn);
    expect(builtIn.map((one) => one.name)).to.include('tea');
    const page = await by('root').go(site);
    for (const { id, clientId } of builtIn) {
      expect(page.payload).to.include(clientId);
      expect(page.payload).to.not.include(`${site}/${id}`);
      expect((await by('root').submit(`${site}/${id}/delete`)).statusCode).to.equal(404);
    }
  });
});
