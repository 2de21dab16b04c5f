import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { anonymous } from '@mortise/plugin-sdk';
import { makeUser, startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

describe('issue 30: [service.explore]', () => {
  let host: TestHost;
  afterEach(() => host.close());

  async function start(explore: Readonly<Record<string, unknown>>): Promise<{ ada: TestClient; visitor: TestClient }> {
    host = await startHost({ plugins: ['organizations', 'sessions'], settings: { 'service.explore': explore } });
    return { ada: host.as(await makeUser(host, 'ada')), visitor: host.as(anonymous) };
  }
  const statuses = (client: TestClient, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await client.inject(path)).statusCode));
  const pages = ['/explore/repos', '/explore/users', '/explore/organizations', '/api/v1/users/search'];

  it('shows everybody all pages by default, and /explore leads to the first', async () => {
    const { visitor } = await start({});
    expect(await statuses(visitor, pages)).to.equal([200, 200, 200, 200]);
    const { statusCode, headers } = await visitor.inject('/explore');
    expect([statusCode, headers.location]).to.equal([303, '/explore/repos']);
    expect((await visitor.inject('/')).payload).to.contain('href="/explore/repos"');
  });

  it('REQUIRE_SIGNIN_VIEW asks visitors to sign in, and shows them no way there', async () => {
    const { ada, visitor } = await start({ REQUIRE_SIGNIN_VIEW: 'true' });
    expect(await statuses(visitor, [...pages, '/explore'])).to.equal([303, 303, 303, 401, 303]);
    expect((await visitor.inject('/explore/users')).headers.location).to.match(/^\/user\/login/);
    expect((await visitor.inject('/user/login')).payload).to.not.contain('href="/explore/repos"');
    expect(await statuses(ada, pages)).to.equal([200, 200, 200, 200]);
    expect((await ada.inject('/')).payload).to.contain('href="/explore/repos"');
  });

  it('DISABLE_USERS_PAGE and DISABLE_ORGANIZATIONS_PAGE take the pages and their tabs away', async () => {
    const { ada } = await start({ DISABLE_USERS_PAGE: 'true', DISABLE_ORGANIZATIONS_PAGE: 'true' });
    expect(await statuses(ada, pages)).to.equal([200, 404, 404, 404]);
    const { payload } = await ada.inject('/explore/repos');
    expect(payload).to.not.contain('href="/explore/users"').and.not.contain('href="/explore/organizations"');
  });
});
