import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, Reply, site, WebPage } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, loginSources } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { signInFlow } from '@mortise/sessions/api';
import { KeyRow } from '../models/key.js';
import { keySignInPages, passkeyPath } from '../pages/keys.js';
import { Keys } from '../services/keys.js';
import { addressBook } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('passkeys that hold', () => {
  let host: TestHost;
  let owner = 0;
  before(async () => {
    host = await startHost({ plugins: ['sessions', 'auth-two-factor', addressBook] });
  });
  after(() => host.close());

  /** Signs in as if the passkey of `owner` had answered; the answer of the browser is another test's matter. */
  const signIn = async () => {
    const keys = {
      ask: async () => ({ options: {}, encrypted: '' }),
      check: async () => owner,
    } as unknown as Keys;
    const routes = keySignInPages(true)({
      accounts: host.services.get(accounts),
      keys,
      signInFlow: host.services.get(signInFlow),
      site: host.services.get(site),
    });
    const route = routes.find(({ method, path }) => method === 'POST' && path === passkeyPath)!;
    const context = {
      payload: { challenge: '', response: '', redirect_to: '' },
      headers: {},
      cookies: {},
      csrf: '',
      remoteAddress: '127.0.0.1',
    };
    const answer = (await route.handler(context as never)) as unknown;
    const isSignedIn = answer instanceof Reply && answer.cookies.some(({ name }) => name === 'mortise_session');
    return isSignedIn ? 'signed in' : answer instanceof WebPage ? 'refused' : 'elsewhere';
  };

  it('are found by password managers', async () => {
    const told = await host.inject('/.well-known/passkey-endpoints');
    const at = host.services.get(site).url('/user/settings/security');
    expect([told.statusCode, told.json]).to.equal([200, { enroll: at, manage: at }]);
  });

  it('sign nobody in who may not, though the passkey is right', async () => {
    const ada = await createAccount(host, 'ada');
    owner = ada.id;
    expect(await signIn()).to.equal('signed in');
    for (const change of [{ prohibitLogin: true }, { prohibitLogin: false, isActive: false }]) {
      await host.services.get(accounts).update(ada.id, change);
      expect(await signIn()).to.equal('refused');
    }
    owner = 12345;
    expect(await signIn()).to.equal('refused');
  });

  it('sign nobody in whose login source is switched off', async () => {
    const sources = host.services.get(loginSources);
    const source = await sources.create({ kind: 'book', name: 'Book', settings: {} });
    owner = (await createAccount(host, 'ben', { sourceId: source.id, loginName: 'ben' })).id;
    expect(await signIn()).to.equal('signed in');
    await sources.update(source.id, { isActive: false });
    expect(await signIn()).to.equal('refused');
    await sources.update(source.id, { isActive: true });
    expect(await signIn()).to.equal('signed in');
  });

  it('an account has a bounded number of them', async () => {
    const { id } = await createAccount(host, 'many');
    const store = host.services.get(database);
    const room = () => Keys.hasRoom(store, id);
    const add = (at: number) =>
      store.query(KeyRow).insert({
        user_id: id,
        name: `key ${at}`,
        credential_hash: `hash ${at}`,
        credential_id: `id ${at}`,
        public_key: 'x',
        counter: 0,
        transports: [],
        is_passkey: false,
        created_at: 1,
        last_used_at: 0,
      });
    await store.write(async () => {
      for (let at = 0; at < 49; at++) await add(at);
    });
    expect(await room()).to.be.true();
    await store.write(() => add(49));
    expect(await room()).to.be.false();
  });
});
