import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('forms of the administration', () => {
  let host: TestHost;
  let root: TestClient;
  const marked = (page: string) =>
    [...page.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([tag]) => /name="([^"]*)"/.exec(tag)![1]);

  before(async () => {
    ({ host, root } = await startAdmin());
  });
  after(() => host.close());

  it('say at each field of a new user what is wrong, and keep what was typed', async () => {
    const refused = await submitForm(root, '/-/admin/users/new', { username: 'ada', email: 'nowhere', password: 'x' });
    expect(refused.statusCode).to.equal(422);
    expect(marked(refused.payload)).to.equal(['username', 'email', 'password']);
    expect(refused.payload).to.include(['is already taken', 'value="nowhere"', 'id="field-username-error"']);
    const made = await submitForm(root, '/-/admin/users/new', {
      username: 'ben',
      email: 'ben@example.com',
      password: 'long enough',
    });
    expect([made.statusCode, made.headers.location]).to.equal([303, '/-/admin/users?done']);
    expect((await root.inject('/-/admin/users?done')).payload).to.include('Your changes have been saved.');
  });

  it('leave an account with a source that is not here where it is, so that nobody signs in by it', async () => {
    const accounts = host.services.get(accountsRef);
    for (const sourceId of [77, -1]) {
      const { id } = (await accounts.byName('ada'))!;
      await accounts.update(id, { sourceId, loginName: 'ada' });
      const url = `/-/admin/users/${id}`;
      const page = (await root.inject(url)).payload;
      const select = /<select[^>]*name="source_id"[^>]*>.*?<\/select>/s.exec(page)![0];
      const chosen = /<option(?=[^>]* selected)[^>]*value="([^"]*)"/.exec(select)?.[1];
      expect(chosen).to.equal(String(sourceId));
      const fields = {
        username: 'ada',
        email: 'ada@example.com',
        source_id: chosen!,
        login_name: 'ada',
        active: 'true',
      };
      expect((await submitForm(root, url, fields)).statusCode).to.equal(303);
      expect((await accounts.byId(id))!.sourceId).to.equal(sourceId);
    }
  });

  it('say so when a user is edited, and when one was deleted', async () => {
    const list = (await root.inject('/-/admin/users?q=ben')).payload;
    const url = /href="(\/-\/admin\/users\/\d+)"/.exec(list)![1]!;
    const refused = await submitForm(root, url, {
      username: 'a..b',
      email: 'ben@example.com',
      password: 'x',
      full_name: 'Ben the Joiner',
    });
    expect(marked(refused.payload)).to.equal(['username', 'password']);
    expect(refused.payload).to.include(['value="a..b"', 'value="Ben the Joiner"']);
    const taken = await submitForm(root, url, { username: 'ben', email: 'ada@example.com' });
    expect(marked(taken.payload)).to.equal(['email']);
    const gone = await submitForm(root, `${url}/delete`, { typed_name: 'ben' });
    expect((await root.inject(gone.headers.location!)).payload).to.include('ben has been deleted.');
  });
});
