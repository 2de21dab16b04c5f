import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account } from '@mortise/accounts/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('owners of packages who were renamed', () => {
  let host: TestHost;
  let hidden: Account;
  const places = (name: string) => [`/api/packages/${name}/generic/a/1/b`, `/${name}/-/packages`];

  before(async () => {
    host = await startHost({ plugins: ['packages', 'package-generic'] });
    const accounts = host.services.get(accountsRef);
    const person = (name: string, visibility: Account['visibility']) =>
      accounts.create({ name, email: `${name}@example.com`, password: 'long enough', visibility });
    hidden = await person('hid', 'private');
    await accounts.rename(hidden.id, 'hidden-now');
    await accounts.rename((await person('open', 'public')).id, 'open-now');
  });
  after(() => host.close());

  it('lead on, unless nobody may know of them', async () => {
    for (const path of places('open')) {
      const { statusCode, headers } = await host.inject(path);
      expect([statusCode, headers.location?.includes('open-now')], path).to.equal([307, true]);
    }
    for (const path of places('hid')) {
      const { statusCode, headers, payload } = await host.inject(path);
      expect([statusCode, headers.location, payload.includes('hidden-now')], path).to.equal([404, undefined, false]);
    }
    const own = host.as({ id: hidden.id, name: 'hidden-now' });
    for (const path of places('hid')) expect((await own.inject(path)).statusCode, path).to.equal(307);
  });
});
