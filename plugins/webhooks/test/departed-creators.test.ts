import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { type TestHost, startHost } from '@mortise/plugin-sdk/testing';
import { type SignedIn, signUp } from '@mortise/accounts/testing';
import { PostOffice } from '@mortise/mail/testing';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('webhooks of somebody who lost access', () => {
  let office: PostOffice;
  let host: TestHost;
  let ada: SignedIn;
  let ben: SignedIn;
  before(async () => {
    office = await PostOffice.start();
    const settings = { mailer: office.settings };
    host = await startHost({ plugins: ['webhooks', 'webhook-mortise', 'organizations', 'mail'], settings });
    ada = await signUp(host, 'ada');
    ben = await signUp(host, 'ben');
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });
  beforeEach(() => void (office.mails.length = 0));

  const done = async (by: SignedIn, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const answer = await by.inject({ method, url: `/api/v1${url}`, ...(payload && { payload }) });
    expect(answer.statusCode, `${method} ${url}`).to.be.below(300);
    await host.settle();
    return answer.json as { readonly id: number };
  };
  const addHook = (by: SignedIn, repository: string, name: string) => {
    const config = { url: 'https://ben.example/in?key=secret', content_type: 'json' };
    return done(by, 'POST', `/repos/${repository}/hooks`, {
      type: 'gitea',
      name,
      config,
      events: ['push'],
      active: true,
    });
  };
  const isMarked = async (repository: string) =>
    (await ada.inject(`/${repository}/settings/hooks`)).payload.includes('Creator has lost access');

  it('S15: are told to the owner when the collaborator is removed, of a public repository too', async () => {
    await done(ada, 'POST', '/user/repos', { name: 'shop' });
    await done(ada, 'PUT', '/repos/ada/shop/collaborators/ben', { permission: 'admin' });
    const { id } = await addHook(ben, 'ada/shop', '');
    await addHook(ada, 'ada/shop', 'own');
    expect(await isMarked('ada/shop')).to.be.false();
    await done(ada, 'DELETE', '/repos/ada/shop/collaborators/ben');
    expect(office.mails.flatMap(({ to }) => to)).to.equal([ada.account.email]);
    const { text } = office.mailTo(ada.account.email);
    expect(text)
      .to.include(['ben no longer administers ada/shop', 'ben.example', '/settings/hooks'])
      .and.not.include('secret');
    expect(text).not.to.include('own');
    expect(await isMarked('ada/shop')).to.be.true();
    // once
    await done(ada, 'DELETE', '/repos/ada/shop/collaborators/ben');
    expect(office.mails).to.have.length(1);
    await done(ada, 'PATCH', `/repos/ada/shop/hooks/${id}`, { active: true });
    expect(await isMarked('ada/shop')).to.be.false();
  });

  it('S15: are told when the collaborator may less than before, and not when as much', async () => {
    await done(ada, 'POST', '/user/repos', { name: 'lab' });
    await done(ada, 'PUT', '/repos/ada/lab/collaborators/ben', { permission: 'admin' });
    await addHook(ben, 'ada/lab', 'feed');
    await done(ada, 'PUT', '/repos/ada/lab/collaborators/ben', { permission: 'admin' });
    expect([office.mails.length, await isMarked('ada/lab')]).to.equal([0, false]);
    await done(ada, 'PUT', '/repos/ada/lab/collaborators/ben', { permission: 'write' });
    expect([office.mails.length, await isMarked('ada/lab')]).to.equal([1, true]);
  });

  it('S15: are told to the owners of an organization when a member leaves the team', async () => {
    await done(ada, 'POST', '/orgs', { username: 'guild' });
    await done(ada, 'POST', '/orgs/guild/repos', { name: 'hall' });
    const team = await done(ada, 'POST', '/orgs/guild/teams', {
      name: 'crew',
      permission: 'admin',
      includes_all_repositories: true,
    });
    await done(ada, 'PUT', `/teams/${team.id}/members/ben`);
    await addHook(ben, 'guild/hall', 'feed');
    office.mails.length = 0;
    await done(ada, 'DELETE', `/teams/${team.id}/members/ben`);
    expect(office.mails.flatMap(({ to }) => to)).to.equal([ada.account.email]);
    expect(await isMarked('guild/hall')).to.be.true();
  });
});
