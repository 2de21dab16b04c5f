import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Joi } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, defineLoginSourceKind, loginSourceKinds, loginSources } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { PostOffice } from '@mortise/mail/testing';
import { secondFactors } from '../contract/auth-two-factor.js';
import { arrive, basic, Browser, enrol, isSignedIn } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A directory that knows everybody with the usual password. */
const book = definePlugin({
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
        schema: Joi.object<object, true>({}),
        checkPassword: async (_, name, given) =>
          given === password ? { loginName: name, name, email: `${name}@example.com` } : undefined,
        fields: () => null as never,
      }),
    );
  },
});

describe('second factors of people', () => {
  let office: PostOffice;
  let host: TestHost;
  before(async () => {
    office = await PostOffice.start();
    const plugins = ['sessions', 'auth-basic', 'mail', 'auth-two-factor', book];
    host = await startHost({ plugins, settings: { mailer: office.settings } });
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });

  it('tell their owner by mail when they come and go', async () => {
    const { id } = await createAccount(host, 'ada');
    await enrol(await Browser.signedIn(host, 'ada'));
    await host.services.get(secondFactors).reset(id);
    await host.settle();
    const texts = office.mails.map(({ to, text }) => [to[0], text]);
    expect(texts.map(([to]) => to)).to.equal(['ada@example.com', 'ada@example.com']);
    const all = texts.map(([, text]) => text).join('\n');
    expect(all).to.contain('An authenticator app was added').and.contain('An administrator removed');
  });

  it('are not asked of accounts whose source asks itself', async () => {
    const sources = host.services.get(loginSources);
    const source = await sources.create({ kind: 'book', name: 'Book', settings: {} });
    const first = await arrive(host, 'ben');
    expect(await isSignedIn(first)).to.be.true();
    await enrol(first);
    expect((await host.services.get(accounts).byName('ben'))?.sourceId).to.equal(source.id);
    expect(await isSignedIn(await arrive(host, 'ben'))).to.be.false();
    const user = async () =>
      (await host.inject({ url: '/api/v1/user', headers: { authorization: basic('ben') } })).statusCode;
    expect(await user()).to.equal(401);
    await sources.update(source.id, { skipsSecondFactor: true });
    expect(await isSignedIn(await arrive(host, 'ben'))).to.be.true();
    expect(await user()).to.equal(200);
  });
});
