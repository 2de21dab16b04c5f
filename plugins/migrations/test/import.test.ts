import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost, TestResponse } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { send } from '@mortise/repositories/testing';
import { everything, fill, startSource, startTarget, type SourceSite } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
type Json = TestResponse['json'];

describe('imports from a second Mortise, by the documented API of Gitea', () => {
  let source: SourceSite;
  let host: TestHost;
  let cas: SignedIn;
  before(async () => {
    source = await startSource();
    await fill(source);
    host = await startTarget();
    cas = await signUp(host, 'cas');
  });
  after(async () => {
    await host?.close();
    await source?.host.close();
  });

  const migrate = (by: SignedIn, body: object) =>
    send(by, 'POST', '/repos/migrate', {
      clone_addr: `${source.url}/ada/mill.git`,
      service: 'gitea',
      ...source.credentials,
      ...body,
    });
  const read = async (name: string, path: string): Promise<Json> => {
    const answer = await send(cas, 'GET', `/repos/cas/${name}${path}`);
    expect(answer.statusCode, `${path}: ${answer.payload}`).to.equal(200);
    return answer.json;
  };
  const there = (path: string): Promise<Json> => source.ask(source.ada, 'GET', path);

  it('MIG-01: brings everything with original numbers, times and authors', async () => {
    const made = await migrate(cas, { repo_name: 'pool', ...everything });
    expect(made.statusCode, made.payload).to.equal(201);
    expect(made.json).to.include({ full_name: 'cas/pool', empty: false, mirror: false, default_branch: 'main' });
    expect(made.json.original_url).to.equal(`${source.url}/ada/mill.git`);
    expect(made.payload).not.to.contain(source.credentials.auth_password);

    const record = await read('pool', '');
    expect(record).to.include({ open_issues_count: 1, open_pr_counter: 1, release_counter: 1, topics: ['water'] });
    expect((await read('pool', '/branches')).map((one: Json) => one.name)).to.only.include(['main', 'topic']);
    const [label] = await read('pool', '/labels');
    expect(label).to.include({ name: 'red', color: 'ff0000', description: 'not good' });
    const [milestone] = await read('pool', '/milestones?state=all');
    const [original] = await there('/milestones?state=all');
    expect(milestone).to.include({ title: 'soon', open_issues: 1, created_at: original.created_at });

    const first = await read('pool', '/issues/1');
    const firstThere = await there('/issues/1');
    expect(first).to.include({
      title: 'first',
      body: 'the *text*',
      original_author: 'ada',
      original_author_id: firstThere.user.id,
      created_at: firstThere.created_at,
      comments: 1,
    });
    expect([first.user.login, first.labels[0].name, first.milestone.title]).to.equal(['cas', 'red', 'soon']);
    expect(firstThere).to.include({ start_date: '2030-04-05T00:00:00Z' });
    expect(firstThere.due_date).to.match(/^2030-05-01/);
    for (const path of ['/issues/1', '/pulls/3'])
      expect(await read('pool', path), `${path} keeps no dates`).to.include({ start_date: null, due_date: null });
    const second = await read('pool', '/issues/2');
    const secondThere = await there('/issues/2');
    expect(second).to.include({
      state: 'closed',
      is_locked: true,
      original_author: 'ben',
      closed_at: secondThere.closed_at,
    });
    const [comment] = await read('pool', '/issues/1/comments');
    expect(comment).to.include({ body: 'by ben', original_author: 'ben' });
    expect((await read('pool', '/issues/1/reactions')).map((one: Json) => one.content)).to.equal(['heart', 'heart']);
    const page = await cas.inject('/cas/pool/issues/1');
    expect(page.payload).to.contain(['ben', 'imported by cas']);
    expect((await cas.inject('/cas/pool/issues/2')).payload).not.to.contain('<script>alert(1)');

    const next = await send(cas, 'POST', '/repos/cas/pool/issues', { title: 'new' });
    expect([next.statusCode, next.json.number]).to.equal([201, 5]);
  });

  it('MIG-01: brings pull requests with reviews at their lines, also those whose branch is gone', async () => {
    const open = await read('pool', '/pulls/3');
    expect(open).to.include({ state: 'open', merged: false });
    expect((await read('pool', '/issues/3')).original_author).to.equal('ada');
    expect([open.head.ref, open.head.repo.full_name, open.base.ref]).to.equal(['topic', 'cas/pool', 'main']);
    expect((await read('pool', '/pulls/3/files')).map((one: Json) => one.filename)).to.equal(['a.txt']);
    const [review] = await read('pool', '/pulls/3/reviews');
    expect(review).to.include({ state: 'APPROVED', body: 'looks good', official: false, comments_count: 1 });
    const [line] = await read('pool', `/pulls/3/reviews/${review.id}/comments`);
    expect(line).to.include({ path: 'a.txt', position: 2, body: 'this line' });
    const counts = await Promise.all([read('pool', '/issues/3'), there('/issues/3')]);
    expect(
      counts.map(({ comments }) => comments),
      'a review that was imported counts, as in the compatible service',
    ).to.equal([1, 0]);
    const done = await read('pool', '/pulls/4');
    const doneThere = await there('/pulls/4');
    expect(done).to.include({ merged: true, merged_at: doneThere.merged_at, state: 'closed' });
    expect(done.head.sha).to.equal(doneThere.head.sha);
    expect((await read('pool', '/pulls/4/commits')).map((one: Json) => one.sha)).to.equal([doneThere.head.sha]);
    expect((await read('pool', '/git/refs/pull/4/head'))[0].object.sha).to.equal(doneThere.head.sha);
    expect((await cas.inject('/cas/pool/pulls/3')).payload).to.contain('this line');
  });

  it('MIG-01: brings releases with their files, and the wiki', async () => {
    const releases: Json[] = await read('pool', '/releases');
    expect(releases.map((one) => [one.tag_name, one.draft])).to.only.include([
      ['v1', false],
      ['v2', true],
    ]);
    const [asset] = releases.find((one) => one.tag_name === 'v1').assets;
    expect(asset).to.include({ name: 'data.bin', size: 10 });
    expect((await cas.inject(new URL(asset.browser_download_url).pathname)).payload).to.equal('asset data');
    const home = await read('pool', '/wiki/page/Home');
    expect(Buffer.from(home.content_base64, 'base64').toString()).to.equal('hello');
  });

  it('MIG-11: brings comments with issues and pull requests alone, and has no field for them', async () => {
    expect((await migrate(cas, { repo_name: 'talk', issues: true })).statusCode).to.equal(201);
    expect((await read('talk', '/issues/1')).comments).to.equal(1);
    expect((await read('talk', '/pulls?state=all')).length).to.equal(0);
    expect((await migrate(cas, { repo_name: 'code' })).statusCode).to.equal(201);
    const counts = await Promise.all(
      ['/issues?state=all', '/labels', '/milestones?state=all', '/releases'].map(
        async (path) => (await read('code', path)).length,
      ),
    );
    expect(counts).to.equal([0, 0, 0, 0]);
  });

  it('ERR-10: comments without issues are no fault', async () => {
    const made = await migrate(cas, { repo_name: 'odd', comments: true, labels: true });
    expect(made.statusCode, made.payload).to.equal(201);
    expect((await read('odd', '/issues?state=all')).length).to.equal(0);
  });

  it('MIG-01: refuses what cannot be, and leaves nothing behind', async () => {
    expect((await migrate(cas, { repo_name: 'pool' })).statusCode).to.equal(409);
    expect((await migrate(cas, { repo_name: 'a/b' })).statusCode).to.equal(422);
    for (const service of ['svn', 'codecommit', 'codebase', 'onedev'])
      expect((await migrate(cas, { repo_name: 'x', service })).statusCode, service).to.equal(422);
    expect((await migrate(cas, { repo_name: 'x', repo_owner: 'root' })).statusCode).to.be.within(403, 404);
    for (const clone_addr of ['file:///etc', '/etc/passwd', '--upload-pack=x', 'ext::sh -c x', `${source.url}/ada`])
      expect((await migrate(cas, { repo_name: 'x', clone_addr })).statusCode, clone_addr).to.equal(422);
    const wrong = await migrate(cas, { repo_name: 'x', auth_password: 'hunter22', issues: true });
    expect(wrong.statusCode).to.equal(422);
    expect(wrong.payload).not.to.contain('hunter22');
    expect((await migrate(cas, { repo_name: 'x', clone_addr: `${source.url}/ada/nothing.git` })).statusCode).to.equal(
      422,
    );
    expect((await send(cas, 'GET', '/repos/cas/x')).statusCode).to.equal(404);
    expect((await host.inject({ method: 'POST', url: '/api/v1/repos/migrate', payload: {} })).statusCode).to.equal(401);
  });

  it('TOK-17: a public-only token imports nothing', async () => {
    const by = host.as({ ...cas.actor, publicOnly: true });
    const refused = await migrate({ ...cas, ...by }, { repo_name: 'never' });
    expect(refused.statusCode).to.equal(403);
    expect(refused.json.message).to.equal('this endpoint is not available for public-only tokens');
  });

  it('plain git: brings code, tags and wiki of any address', async () => {
    const made = await migrate(cas, { repo_name: 'plain', service: '', wiki: true, issues: true });
    expect(made.statusCode, made.payload).to.equal(201);
    expect((await read('plain', '/issues?state=all')).length).to.equal(0);
    expect((await read('plain', '/tags')).map((one: Json) => one.name)).to.equal(['v1']);
    expect((await read('plain', '/wiki/page/Home')).title).to.equal('Home');
  });

  it('forgets credentials and the record of what was written when an import is done', async () => {
    const rows = await host.database.knex()('repository_import').select('state', 'secret', 'address', 'options');
    expect(rows.length).to.equal(5);
    for (const row of rows) {
      expect([row.state, row.secret]).to.equal(['done', '']);
      expect(JSON.stringify(row)).not.to.contain(source.credentials.auth_password);
    }
    expect(await host.database.knex()('repository_import_item').select('id')).to.equal([]);
  });
});

describe('imports and the hosts that they may use', () => {
  let source: SourceSite;
  before(async () => {
    source = await startSource();
  });
  after(() => source?.host.close());

  it('GEN-14: passes the host list, and refuses networks of our own unless they are allowed', async () => {
    const local = { ALLOW_LOCALNETWORKS: true };
    for (const settings of [
      { security: { ALLOWED_HOST_LIST: 'external' }, migrations: { ALLOW_LOCALNETWORKS: false } },
      { security: { ALLOWED_HOST_LIST: '*' }, migrations: { ...local, BLOCKED_DOMAINS: '127.0.0.*' } },
      { security: { ALLOWED_HOST_LIST: '*' }, migrations: { ALLOWED_DOMAINS: 'git.example' } },
    ]) {
      const host = await startTarget({ settings });
      try {
        const cas = await signUp(host, 'cas');
        for (const service of ['gitea', 'git']) {
          const body = { clone_addr: `${source.url}/ada/mill.git`, repo_name: 'no', service };
          const refused = await send(cas, 'POST', '/repos/migrate', body);
          expect([service, refused.statusCode], refused.payload).to.equal([service, 422]);
          expect((await send(cas, 'GET', '/repos/cas/no')).statusCode).to.equal(404);
        }
      } finally {
        await host.close();
      }
    }
  });
});
