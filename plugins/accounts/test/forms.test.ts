import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('forms of an account', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  const submit = (client: TestClient, url: string, fields: Readonly<Record<string, string>>) =>
    submitForm(client, url, fields);
  /** Names of the fields that are marked, each with its own sentence. */
  const marked = (page: string) => [
    ...new Set(
      [...page.matchAll(/<(?:input|textarea|select)[^>]*aria-invalid="true"[^>]*>/g)].map(([tag]) => {
        const id = /aria-describedby="([^" ]*)/.exec(tag)![1]!;
        expect(page).to.include(`id="${id}"`);
        return /name="([^"]*)"/.exec(tag)![1];
      }),
    ),
  ];

  before(async () => {
    host = await startHost({ plugins: ['accounts'] });
    const accounts = host.services.get(accountsRef);
    const person = async (name: string) =>
      host.as(
        accounts.actorOf(
          await accounts.create({ name, email: `${name}@example.com`, password: 'long enough' }),
          'test',
        ),
      );
    ada = await person('ada');
    ben = await person('ben');
  });
  after(() => host.close());

  it('tell everything that is wrong at once, at the fields', async () => {
    const password = await submit(ada, '/user/settings/account/password', {
      old_password: 'wrong',
      password: 'x',
      retype: 'y',
    });
    expect(password.statusCode).to.equal(422);
    expect(marked(password.payload)).to.equal(['old_password', 'password', 'retype']);
    const key = await submit(ada, '/user/settings/keys', { title: '', key: 'no key' });
    expect(marked(key.payload)).to.equal(['title', 'key']);
    expect(key.payload).to.include('This is not a public SSH key.');
    for (const email of ['no address', 'ben@example.com', 'ada@example.com'])
      expect(marked((await submit(ada, '/user/settings/account/email', { email })).payload), email).to.equal(['email']);
    const gone = await submit(ada, '/user/settings/account/delete', { password: 'wrong' });
    expect(gone.payload).to.include('id="field-delete-password-error"');
  });

  it('a form that deletes says afterwards what was deleted', async () => {
    await submit(ada, '/user/settings/account/email', { email: 'countess@example.com' });
    const gone = await submit(ada, '/user/settings/account/email/delete', { email: 'countess@example.com' });
    expect(gone.statusCode).to.equal(303);
    expect((await ada.inject(gone.headers.location!)).payload).to.include('countess@example.com has been deleted.');
  });

  it('block an account and unblock it', async () => {
    const url = '/user/settings/blocked';
    expect((await ada.inject(url)).payload).to.include('No blocked users');
    for (const name of ['nobody', 'ada', '']) {
      const refused = await submit(ada, url, { name });
      expect([refused.statusCode, marked(refused.payload)], name).to.equal([422, ['name']]);
    }
    const done = await submit(ada, url, { name: 'Ben' });
    expect([done.statusCode, done.headers.location]).to.equal([303, `${url}?saved=1`]);
    expect((await ada.inject(url)).payload).to.include(['href="/ben"', 'Unblock ben']);
    expect((await ben.inject(url)).payload).to.include('No blocked users');
    expect((await ada.inject('/api/v1/user/blocks')).json).to.have.length(1);
    expect((await submit(ada, url, { action: 'unblock', name: 'ben' })).statusCode).to.equal(303);
    expect((await submit(ada, url, { action: 'unblock', name: 'ben' })).statusCode).to.equal(422);
    expect((await ada.inject(url)).payload).to.include('No blocked users');
    expect((await ada.inject({ url, headers: { 'accept-language': 'de' } })).payload).to.include('Blockierte Benutzer');
  });
});
