import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { systemActor } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import { issues } from '@mortise/issues/api';
import { repositories } from '@mortise/repositories/api';
import { pullServices } from '../services/services.js';
import { api, makeWorld, propose, send, shown, write, type PullJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pull requests', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ plugins: ['forks'] });
  });
  after(() => world.host.close());
  const create = (by: World['ada'], body: object) =>
    send<PullJson>(by, 'POST', `${api}/pulls`, { title: 'x', ...body });
  const repository = async () => (await world.host.services.get(repositories).byPath('ada', 'loom'))!;
  const git = async () => world.host.services.get(gitReader).open((await repository()).id);

  it('PUL-01, PUL-04: are made between branches, and of nothing else', async () => {
    const made = await propose(world.ben, 'red');
    expect([made.head.ref, made.base.ref, made.changed_files, made.mergeable]).to.equal(['red', 'main', 1, true]);
    expect(made).to.include({ requested_reviewers: [], requested_reviewers_teams: [] });
    for (const [head, base, status] of [
      ['red~1', 'main', 422],
      ['red', 'main^', 422],
      [made.head.sha, 'main', 422],
      ['main', 'main', 422],
      ['nowhere', 'main', 404],
      ['red', 'nowhere', 404],
      ['nobody:red', 'main', 404],
    ] as const)
      expect([head, base, (await create(world.ben, { head, base })).status]).to.equal([head, base, status]);
    expect((await create(world.cas, { head: 'red', base: 'main' })).status).to.equal(403);
  });

  it('are one for two branches, also when two people make them at once', async () => {
    await write(world.ada, { into: 'twice' });
    const both = await Promise.all(
      [world.ada, world.ben].map((by) => create(by, { head: 'twice', base: 'main', title: 'twice' })),
    );
    expect(both.map(({ status }) => status).sort()).to.equal([201, 409]);
    const open = await send<PullJson[]>(world.ada, 'GET', `${api}/pulls?poster=&limit=50`);
    expect(open.body.filter(({ head }) => head.ref === 'twice').length).to.equal(1);
  });

  it('count apart from issues, and share their numbers', async () => {
    const { body: before } = await send<{ open_issues_count: number; open_pr_counter: number }>(world.ada, 'GET', api);
    const issue = await send<PullJson>(world.cas, 'POST', `${api}/issues`, { title: 'An issue' });
    const pull = await propose(world.ada, 'counted');
    expect(pull.number).to.equal(issue.body.number + 1);
    const { body } = await send<typeof before>(world.ada, 'GET', api);
    expect([body.open_issues_count, body.open_pr_counter]).to.equal([
      before.open_issues_count + 1,
      before.open_pr_counter + 1,
    ]);
    expect((await send(world.ada, 'GET', `${api}/pulls/${issue.body.number}`)).status).to.equal(404);
  });

  it('PUL-05 to PUL-07: say what they change', async () => {
    const made = await propose(world.ben, 'changes', { path: 'docs/a b.txt', text: 'one\ntwo\n' });
    const second = await write(world.ben, { branch: 'changes', path: 'z.txt' });
    await world.host.settle();
    const files = await send<{ filename: string; additions: number; status: string }[]>(
      world.cas,
      'GET',
      `${api}/pulls/${made.number}/files?limit=1`,
    );
    expect(files.body.map(({ filename, additions, status }) => [filename, additions, status])).to.equal([
      ['docs/a b.txt', 2, 'added'],
    ]);
    expect(files.headers['x-total-count']).to.equal('2');
    const skipped = await send<{ filename: string }[]>(
      world.cas,
      'GET',
      `${api}/pulls/${made.number}/files?skip-to=z.txt`,
    );
    expect([skipped.body.map(({ filename }) => filename), skipped.headers['x-total-count']]).to.equal([['z.txt'], '2']);
    const commits = await send<{ sha: string; files: unknown[]; stats: { total: number } }[]>(
      world.cas,
      'GET',
      `${api}/pulls/${made.number}/commits`,
    );
    expect(commits.body.map(({ sha, files, stats }) => [sha, files.length, stats.total])).to.equal([
      [second, 1, 1],
      [made.head.sha, 1, 2],
    ]);
    const diff = await world.cas.inject(`/ada/loom/pulls/${made.number}.diff`);
    expect([diff.statusCode, diff.payload.includes('+++ b/docs/a b.txt')]).to.equal([200, true]);
  });

  it('follow their heads, and keep every version of them', async () => {
    const made = await propose(world.ben, 'moving');
    const next = await write(world.ben, { branch: 'moving' });
    await world.host.settle();
    expect((await shown(world, made.number)).head.sha).to.equal(next);
    const repository = await git();
    const tips = ['head', 'versions/1', 'versions/2'].map((name) => repository.ref(`refs/pull/${made.number}/${name}`));
    expect((await Promise.all(tips)).map((ref) => ref?.oid)).to.equal([next, made.head.sha, next]);
    const timeline = await send<{ type: string; body: string }[]>(
      world.ada,
      'GET',
      `${api}/issues/${made.number}/timeline`,
    );
    expect(timeline.body.map(({ type, body }) => [type, JSON.parse(body)])).to.equal([
      ['pull_push', { is_force_push: false, commit_ids: [made.head.sha] }],
      ['pull_push', { is_force_push: false, commit_ids: [next] }],
    ]);
  });

  it('are closed when their branch goes, and come back with it', async () => {
    const made = await propose(world.ben, 'leaving');
    expect((await send(world.ada, 'DELETE', `${api}/branches/leaving`)).status).to.equal(204);
    await world.host.settle();
    const gone = await shown(world, made.number);
    expect([gone.state, gone.head.ref, gone.head.sha]).to.equal([
      'closed',
      `refs/pull/${made.number}/head`,
      made.head.sha,
    ]);
    const reopen = () => send(world.ada, 'PATCH', `${api}/pulls/${made.number}`, { state: 'open' });
    expect((await reopen()).status).to.equal(412);
    await send(world.ada, 'POST', `${api}/branches`, { new_branch_name: 'leaving', old_ref_name: 'main' });
    expect((await reopen()).status).to.equal(201);
    await world.host.settle();
    const back = await shown(world, made.number);
    expect([back.state, back.head.sha === made.head.sha]).to.equal(['open', false]);
  });

  it('come from forks, whose objects stay when the fork goes', async () => {
    expect((await send(world.cas, 'POST', `${api}/forks`, {})).status).to.equal(202);
    const sha = await write(world.cas, { at: '/api/v1/repos/cas/loom', into: 'gift' });
    const made = await create(world.cas, { head: 'cas:gift', base: 'main', title: 'A gift' });
    expect([made.status, made.body.head.sha]).to.equal([201, sha]);
    expect((await create(world.ben, { head: 'cas:gift', base: 'main' })).status).to.equal(409);
    expect((await send(world.cas, 'DELETE', '/api/v1/repos/cas/loom')).status).to.equal(204);
    await world.host.settle();
    const left = await shown(world, made.body.number);
    expect([left.state, left.head.repo, left.head.sha]).to.equal(['closed', null, sha]);
    const commits = await send<{ sha: string }[]>(world.ada, 'GET', `${api}/pulls/${made.body.number}/commits`);
    expect(commits.body.map((one) => one.sha)).to.equal([sha]);
  });

  it('let nobody into branches that are not theirs to open', async () => {
    expect((await send(world.cas, 'POST', `${api}/forks`, { name: 'net' })).status).to.equal(202);
    const net = '/api/v1/repos/cas/net';
    const made = await send<PullJson & { allow_maintainer_edit: boolean }>(world.cas, 'POST', `${net}/pulls`, {
      title: 'Bring main',
      base: 'main',
      head: 'ada/loom:main',
      allow_maintainer_edit: true,
    });
    expect([made.status, made.body.allow_maintainer_edit]).to.equal([201, false]);
    const put = () =>
      send(world.cas, 'POST', `${api}/contents/mine.txt`, { content: 'eA==', branch: 'main', message: 'mine' });
    expect((await put()).status).to.equal(403);
    expect((await send(world.cas, 'POST', `${net}/pulls/${made.body.number}/update`)).status).to.equal(403);
    // nor does what a former right has left behind
    const { body } = await send<{ id: number }>(world.cas, 'GET', `${net}/issues/${made.body.number}`);
    await world.host.database.write(async () => {
      await world.host.database
        .knex()('pull_request')
        .where({ issue_id: body.id })
        .update({ allow_maintainer_edit: true });
    });
    expect((await put()).status).to.equal(403);
    expect((await send(world.cas, 'POST', `${net}/pulls/${made.body.number}/update`)).status).to.equal(403);
  });

  it('go on under the new name of a branch', async () => {
    await write(world.ada, { into: 'trunk' });
    const into = await propose(world.ben, 'leaf', { base: 'trunk' });
    const from = await send<PullJson>(world.ben, 'POST', `${api}/pulls`, { title: 'up', base: 'main', head: 'trunk' });
    expect((await send(world.ada, 'PATCH', `${api}/branches/trunk`, { name: 'stem' })).status).to.equal(204);
    await world.host.settle();
    const [leaf, up] = [await shown(world, into.number), await shown(world, from.body.number)];
    expect([leaf.state, leaf.base.ref, up.state, up.head.ref]).to.equal(['open', 'stem', 'open', 'stem']);
    expect((await create(world.ben, { head: 'stem', base: 'main' })).status).to.equal(409);
    // one that waits for its base to come back, between the branches that another would have by that name
    await write(world.ada, { into: 'lost' });
    await create(world.ben, { head: 'leaf', base: 'lost' });
    expect((await send(world.ada, 'DELETE', `${api}/branches/lost`)).status).to.equal(204);
    expect((await send(world.ada, 'PATCH', `${api}/branches/stem`, { name: 'lost' })).status).to.equal(409);
    expect((await shown(world, into.number)).base.ref).to.equal('stem');
  });

  it('tell nothing of a private fork to those who may not read it', async () => {
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'cellar', auto_init: true, private: true });
    expect((await create(world.cas, { head: 'ada/cellar:main', base: 'main' })).status).to.equal(404);
    expect((await send(world.cas, 'GET', `${api}/pulls/main/ada%2Fcellar%3Amain`)).status).to.equal(404);
  });

  it('tell receivers of a public repository nothing of a fork that not everybody may read', async () => {
    const { services } = world.host;
    // there may be the fork of a test before
    expect([202, 409]).to.include((await send(world.cas, 'POST', `${api}/forks`, { name: 'net' })).status);
    await write(world.cas, { at: '/api/v1/repos/cas/net', into: 'dug' });
    const { body: made } = await create(world.cas, { head: 'cas/net:dug', base: 'main', title: 'Dug' });
    const issue = await services.get(issues).byIndex((await repository()).id, made.number);
    const told = async () =>
      (await services.get(pullServices).presenter.toApi([issue!], systemActor('test')))[0]!.head.repo?.name;
    expect(await told()).to.equal('net');
    const cas = (await services.get(accounts).byName('cas'))!;
    await services.get(accounts).update(cas.id, { visibility: 'private' });
    expect(await told()).to.be.undefined();
    await services.get(accounts).update(cas.id, { visibility: 'public' });
  });

  it('are edited as a whole, or not at all', async () => {
    const made = await propose(world.ben, 'edited', { title: 'As it was' });
    await write(world.ada, { into: 'elsewhere' });
    const edit = (payload: object) => send<PullJson>(world.ben, 'PATCH', `${api}/pulls/${made.number}`, payload);
    for (const [payload, status] of [
      [{ title: 'Other', base: 'none' }, 404],
      [{ title: 'Other', base: 'edited' }, 422],
      [{ title: 'Other', state: 'closed', base: 'elsewhere' }, 422],
    ] as const) {
      expect((await edit(payload)).status).to.equal(status);
      const now = await shown(world, made.number);
      expect([now.title, now.state, now.base.ref]).to.equal(['As it was', 'open', 'main']);
    }
    expect((await edit({ state: 'closed' })).status).to.equal(201);
    const { body } = await edit({ title: 'Other', state: 'open', base: 'elsewhere' });
    expect([body.title, body.state, body.base.ref]).to.equal(['Other', 'open', 'elsewhere']);
  });

  it('take bad input without a fault', async () => {
    for (const body of [
      { head: 'a'.repeat(501), base: 'main' },
      { head: '', base: 'main' },
      { head: ':', base: 'main' },
      { head: 'ada/loom/x:main', base: 'main' },
      { head: '-x', base: '--upload-pack=x' },
      { head: 'red\u0000', base: 'main' },
      { head: 'red', base: 'main', title: 'x'.repeat(300) },
      { head: 'red', base: 'main', milestone: 1e20 },
      { head: 'red', base: 'main', labels: ['x'] },
    ])
      expect([400, 404, 409, 422]).to.include((await create(world.ada, body)).status);
    for (const path of ['99999999999', '0', '-1', 'x', '1.5'])
      expect((await send(world.ada, 'GET', `${api}/pulls/${path}`)).status).to.equal(404);
  });
});
