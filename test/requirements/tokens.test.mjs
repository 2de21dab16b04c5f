// Settings, tokens and keys of accounts, as the requirements describe them.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pagesFor } from '../support/browser.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const password = 'Tr1cky-passw0rd!';
const nobody = '';

describe('settings, tokens and keys of accounts', { timeout: 600_000 }, () => {
  let server;
  const tokens = {};

  /** A call that must answer with `status`; gives its JSON. */
  const call = async (as, method, path, status, body) => {
    const answer = await server.api(method, path, { as: tokens[as] ?? as, body });
    expect(answer.status, `${method} ${path}: ${answer.text.slice(0, 200)}`).to.equal(status);
    return answer.json;
  };
  const refused = async (as, method, path, status, body) => {
    const problem = await call(as, method, path, status, body);
    expect(problem, `${method} ${path}`).to.include(['message', 'url']);
  };
  const makeToken = async (owner, scopes, as) => {
    const path = `/users/${owner}/tokens`;
    return (await call(as, 'POST', path, 201, { name: `${scopes}`.slice(0, 200), scopes })).sha1;
  };

  before(async () => {
    server = await startServer();
    for (const username of ['ada', 'ben']) {
      const email = `${username}@example.com`;
      const user = { username, email, password, must_change_password: false };
      await call('root:password', 'POST', '/admin/users', 201, user);
      tokens[username] = await makeToken(username, ['all'], `${username}:${password}`);
    }
    await call('ada', 'POST', '/user/repos', 201, { name: 'tool', auto_init: true });
  });
  after(() => server?.close());

  it('ACC-02: a record of user settings has a fixed set of fields', async () => {
    const fields = ['full_name', 'website', 'description', 'location', 'language', 'theme', 'diff_view_style'];
    const read = await call('ada', 'GET', '/user/settings', 200);
    expect(Object.keys(read)).to.only.include([...fields, 'hide_email', 'hide_activity']);
    const changed = await call('ada', 'PATCH', '/user/settings', 200, { location: 'Here', hide_activity: true });
    expect(changed).to.equal({ ...read, location: 'Here', hide_activity: true });
  });

  it('TOK-04: lists tokens with their times to whom signs in by name and password', async () => {
    const listed = await call(`ada:${password}`, 'GET', '/users/ada/tokens', 200);
    expect(listed.map(({ name }) => name)).to.include('all');
    for (const { created_at, last_used_at } of listed) {
      expect(Date.parse(created_at)).to.be.above(0);
      expect(Date.parse(last_used_at)).to.be.at.least(Date.parse(created_at));
    }
    await refused('ada', 'GET', '/users/ada/tokens', 401);
    await refused(`ben:${password}`, 'GET', '/users/ada/tokens', 403);
  });

  it('TOK-06, TOK-29: administrators handle tokens of other accounts, others do not', async () => {
    const path = '/users/ada/tokens';
    const option = { name: 'by root', scopes: ['read:user'] };
    const made = await call('root:password', 'POST', path, 201, option);
    expect((await call(made.sha1, 'GET', '/user', 200)).login).to.equal('ada');
    const ids = async () => (await call('root:password', 'GET', path, 200)).map(({ id }) => id);
    expect(await ids()).to.include(made.id);
    const ben = `ben:${password}`;
    await refused(ben, 'GET', path, 403);
    await refused(ben, 'POST', path, 403, { ...option, name: 'by ben' });
    await refused(ben, 'DELETE', `${path}/${made.id}`, 403);
    expect(await ids()).to.include(made.id);
    await call('root:password', 'DELETE', `${path}/${made.id}`, 204);
    expect(await ids()).to.not.include(made.id);
    await refused(made.sha1, 'GET', '/user', 401);
  });

  it('TOK-12: the category admin is not offered to others, and opens nothing for them', async () => {
    const page = await (await pagesFor(server.base, 'ada', password))('/user/settings/applications');
    expect(page).to.contain('scope_user').and.not.contain('scope_admin');
    const scopes = ['write:admin', 'read:user'];
    const option = { name: 'would be admin', scopes };
    const made = await call(`ada:${password}`, 'POST', '/users/ada/tokens', 201, option);
    expect(made.scopes).to.only.include(scopes);
    await refused(made.sha1, 'GET', '/admin/users', 403);
    await call(made.sha1, 'GET', '/user', 200);
  });

  it('TOK-15: every section of the API belongs to a category', async () => {
    const categories = ['activitypub', 'admin', 'misc', 'notification', 'organization', 'package', 'issue'];
    categories.push('repository', 'user');
    const made = new Map();
    const holding = async (wanted) => {
      const scopes = wanted.map((category) => `read:${category}`);
      if (!made.has(`${scopes}`)) made.set(`${scopes}`, await makeToken('root', scopes, 'root:password'));
      return made.get(`${scopes}`);
    };
    for (const [path, ...needed] of [
      ['/repos/ada/tool', 'repository'],
      ['/repos/ada/tool/branches', 'repository'],
      ['/topics/search?q=x', 'repository'],
      ['/users/ada', 'user'],
      ['/user', 'user'],
      ['/user/keys', 'user'],
      ['/packages/ada', 'package'],
      ['/admin/users', 'admin'],
      ['/user/repos', 'user', 'repository'],
      ['/user/starred', 'user', 'repository'],
      ['/users/ada/repos', 'user', 'repository'],
    ]) {
      await call(await holding(needed), 'GET', path, 200);
      for (const missing of needed)
        await refused(await holding(categories.filter((one) => one !== missing)), 'GET', path, 403);
    }
    const unrelated = await holding(['activitypub']);
    for (const path of ['/version', '/settings/api', '/gitignore/templates', '/licenses', '/label/templates'])
      await call(unrelated, 'GET', path, 200);
    await call(unrelated, 'POST', '/markdown', 200, { Text: 'text' });
  });

  it('ERR-07: operations of keys document 401 and 403, and give them', async () => {
    const operations = [
      ['GET', '/user/keys', '/user/keys'],
      ['POST', '/user/keys', '/user/keys', { title: 'none', key: 'no key' }],
      ['GET', '/user/keys/{id}', '/user/keys/999999'],
      ['DELETE', '/user/keys/{id}', '/user/keys/999999'],
    ];
    const { paths } = await call(nobody, 'GET', `${server.base}/openapi3.v1.json`, 200);
    const narrow = await makeToken('ada', ['write:repository'], `ada:${password}`);
    for (const [method, documented, path, body] of operations) {
      expect(Object.keys(paths[documented][method.toLowerCase()].responses)).to.include(['401', '403']);
      await refused(nobody, method, path, 401, body);
      await refused(narrow, method, path, 403, body);
      if (path.endsWith('999999')) await refused('ada', method, path, 404);
    }
    await refused('ada', 'POST', '/user/keys', 422, { title: 'none', key: 'no key' });
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIJfyZ9l6MJ9lJxlB1eOSpJmrbB2zTFDhFTsDyjpFOne';
    const { id } = await call('ada', 'POST', '/user/keys', 201, { title: 'real', key });
    await refused('ben', 'DELETE', `/user/keys/${id}`, 403);
    await call('ada', 'DELETE', `/user/keys/${id}`, 204);
  });
});
