// What tokens with few scopes are shown, and what public-only ones may make (S5).
// Time: about 10 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startSite } from './site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('S5: scopes of tokens', { timeout: 300_000 }, () => {
  let site;
  let chief;
  const token = (scopes, more) => ({ ...chief, method: 'token', scopes, publicOnly: false, credentialId: 7, ...more });
  before(async () => {
    site = await startSite({ isEmpty: true });
    const { make, user } = site;
    chief = await user('chief');
    await make(chief, 'POST', '/orgs', { username: 'zqhiddenorg', visibility: 'private' });
    await make(chief, 'POST', '/orgs', { username: 'works' });
    for (const [path, name, isPrivate] of [
      ['/user/repos', 'open', false],
      ['/user/repos', 'zqsafe', true],
      ['/orgs/works/repos', 'zqmill', true],
    ]) {
      const { full_name } = await make(chief, 'POST', path, { name, private: isPrivate, auto_init: true });
      await make(chief, 'PUT', `/user/starred/${full_name}`);
      await make(chief, 'PUT', `/repos/${full_name}/subscription`);
      await make(chief, 'POST', `/repos/${full_name}/issues`, { title: `${name} breaks` });
      await make(chief, 'POST', `/repos/${full_name}/issues/1/stopwatch/start`);
    }
    await site.settle();
  });
  after(() => site?.close());

  it('a token that reaches people alone is shown no private repository, in any list', async () => {
    const lists = [
      '/users/chief/activities/feeds',
      '/user/subscriptions',
      '/users/chief/subscriptions',
      '/users/chief/starred',
      '/user/starred',
      '/user/teams',
      '/user/orgs',
      '/user/times',
      '/user/stopwatches',
      '/user/repos',
      '/users/chief/repos',
      '/notifications',
      '/repos/search',
      '/users/chief/heatmap',
      '/users/chief',
      '/orgs/works/repos',
      '/orgs/works/activities/feeds',
    ];
    const pages = ['/chief.rss', '/chief.atom'];
    for (const scopes of [{ user: 'read' }, { user: 'write', misc: 'write' }, { user: 'read', organization: 'read' }])
      for (const url of [...lists.map((one) => `/api/v1${one}`), ...pages]) {
        const { status, text } = await site.as(token(scopes), 'GET', url);
        expect([200, 403], `${url}: ${text}`).to.include(status);
        const hidden = scopes.organization ? /zqsafe|zqmill/ : /zqsafe|zqmill|zqhiddenorg/;
        expect(hidden.test(text), `${Object.keys(scopes)} ${url}: ${text.slice(0, 300)}`).to.be.false();
      }
    const watched = async (scopes) =>
      (await site.as(token(scopes), 'GET', '/api/v1/user/subscriptions')).json.map(({ name }) => name).sort();
    for (const other of [{}, { issue: 'read' }, { package: 'read' }, { notification: 'read' }, { admin: 'read' }])
      expect(await watched({ user: 'read', ...other }), Object.keys(other).join()).to.equal(['open']);
    for (const url of ['/api/v1/orgs/works/repos', '/api/v1/users/chief/starred']) {
      const { text } = await site.as(token({ user: 'read', organization: 'read', package: 'read' }), 'GET', url);
      expect(/zqsafe|zqmill/.test(text), url).to.be.false();
    }
    expect(await watched({ user: 'read', repository: 'read' })).to.equal(['open', 'zqmill', 'zqsafe']);
  });

  it('S9: feeds tell a token of a unit as far as its scopes read that unit', async () => {
    const feeds = ['/api/v1/users/chief/activities/feeds', '/chief.rss', '/chief.atom'];
    const repo = '/repos/chief/zqsafe';
    const file = { content: Buffer.from('x').toString('base64'), message: 'zqcommit' };
    await site.make(chief, 'POST', `${repo}/contents/zq.txt`, file);
    await site.make(chief, 'POST', `${repo}/releases`, { tag_name: 'zqtag', name: 'zqrelease' });
    await site.make(chief, 'POST', `${repo}/projects`, { title: 'zqboard' });
    await site.settle();
    const code = /zqcommit|zqtag|zqrelease/;
    const boards = /zqboard/;
    const issues = /zqsafe breaks/;
    const cases = [
      [
        { user: 'read', issue: 'read' },
        { code: false, issues: true },
      ],
      [
        { user: 'read', repository: 'read' },
        { code: true, issues: false },
      ],
      [
        { user: 'read', package: 'read' },
        { code: false, issues: false },
      ],
      [
        { user: 'read', notification: 'read' },
        { code: false, issues: false },
      ],
      [
        { user: 'read', repository: 'read', issue: 'read' },
        { code: true, issues: true },
      ],
    ];
    for (const [scopes, told] of cases) {
      const asked = [...feeds, ...(scopes.repository ? [`/api/v1${repo}/activities/feeds`] : [])];
      for (const url of asked) {
        const { text } = await site.as(token(scopes), 'GET', url);
        const label = `${Object.keys(scopes)} ${url}`;
        expect({ code: code.test(text), issues: issues.test(text) }, label).to.equal(told);
        // boards are read with the scope of issues, here as in the API
        expect(boards.test(text), label).to.equal(told.issues);
      }
    }
  });

  it('a public-only token makes, and leaves, nothing that is not public', async () => {
    const actor = token(site.everything, { publicOnly: true });
    const refused = [
      ['POST', '/orgs', { username: 'fresh', visibility: 'private' }],
      ['POST', '/orgs', { username: 'fresh', visibility: 'limited' }],
      ['PATCH', '/orgs/works', { visibility: 'private' }],
      ['POST', '/user/repos', { name: 'fresh', private: true }],
      ['POST', '/orgs/works/repos', { name: 'fresh', private: true }],
      ['PATCH', '/repos/chief/open', { private: true }],
    ];
    for (const [method, path, payload] of refused)
      expect((await site.as(actor, method, `/api/v1${path}`, payload)).status, `${method} ${path}`).to.equal(403);
    for (const path of ['/orgs/fresh', '/repos/chief/fresh', '/repos/works/fresh'])
      expect((await site.as(chief, 'GET', `/api/v1${path}`)).status, path).to.equal(404);
    await site.make(actor, 'POST', '/orgs', { username: 'plain' });
    await site.make(actor, 'POST', '/orgs/works/repos', { name: 'plain' });
  });
});
