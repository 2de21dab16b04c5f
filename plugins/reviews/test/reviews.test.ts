import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { api, done, makeWorld, open, poem, send, type ReviewJson, type CommentJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('reviews over the API', () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['organizations']);
  });
  after(() => world.host.close());

  const change = () => open(world, { 'poem.txt': poem(undefined, 'pink') });
  const list = (at: string, by = world.ada) => done<ReviewJson[]>(by, 'GET', `${at}/reviews`);

  it('approvals count of those who may write, and nobody approves what is their own', async () => {
    const { ada, ben, dot } = world;
    const { at } = await change();
    expect((await send(ada, 'POST', `${at}/reviews`, { event: 'APPROVED' })).status).to.equal(422);
    expect((await done<ReviewJson>(ben, 'POST', `${at}/reviews`, { event: 'APPROVED' })).official).to.be.true();
    expect((await done<ReviewJson>(dot, 'POST', `${at}/reviews`, { event: 'APPROVED' })).official).to.be.false();
    await done(ben, 'POST', `${at}/reviews`, { event: 'REQUEST_CHANGES', body: 'no' });
    const shown = (await list(at)).map(({ user, state, dismissed }) => [user?.login, state, dismissed]);
    expect(shown).to.equal([
      ['ben', 'APPROVED', true],
      ['dot', 'APPROVED', false],
      ['ben', 'REQUEST_CHANGES', false],
    ]);
  });

  it('of two who send one pending review one is told that it is sent', async () => {
    const { ben, cas } = world;
    const { at } = await change();
    const comments = [{ path: 'poem.txt', new_position: 2, body: 'pink?' }];
    const { id } = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, { event: 'PENDING', comments });
    expect((await send(cas, 'GET', `${at}/reviews/${id}`)).status).to.equal(404);
    const [comment] = await done<CommentJson[]>(ben, 'GET', `${at}/reviews/${id}/comments`);
    expect((await send(cas, 'POST', `${at}/comments/${comment!.id}/replies`, { body: 'x' })).status).to.equal(404);
    expect((await send(cas, 'POST', `${api}/pulls/comments/${comment!.id}/resolve`)).status).to.equal(400);
    expect((await done<{ review_comments: number }>(cas, 'GET', at)).review_comments).to.equal(0);
    const both = await Promise.all(
      [1, 2].map(() => send(ben, 'POST', `${at}/reviews/${id}`, { event: 'APPROVED', body: 'well' })),
    );
    expect(both.map(({ status }) => status).sort()).to.equal([200, 422]);
    expect((await list(at)).map(({ state, comments_count: count }) => [state, count])).to.equal([['APPROVED', 1]]);
    expect((await done<{ review_comments: number }>(cas, 'GET', at)).review_comments).to.equal(1);
  });

  it('there is one pending review for each person, which a new review sends', async () => {
    const { ben } = world;
    const { at } = await change();
    const comments = [{ path: 'poem.txt', new_position: 1, body: 'one' }];
    const [one, other] = await Promise.all([
      done<ReviewJson>(ben, 'POST', `${at}/reviews`, { event: 'PENDING', comments }),
      done<ReviewJson>(ben, 'POST', `${at}/reviews`, { comments }),
    ]);
    expect(one!.id).to.equal(other!.id);
    const sent = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, { event: 'COMMENT' });
    expect([sent.id, sent.comments_count]).to.equal([one!.id, 2]);
  });

  it('a deleted review takes its comments and its entries with it', async () => {
    const { ada, ben, cas } = world;
    const { at, number } = await change();
    const comments = [{ path: 'poem.txt', new_position: 2, body: 'pink?' }];
    const entries = async () =>
      (await done<{ type: string }[]>(ada, 'GET', `${api}/issues/${number}/timeline`)).map(({ type }) => type);
    const review = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, { event: 'COMMENT', body: 'hm', comments });
    const [comment] = await done<CommentJson[]>(ada, 'GET', `${at}/reviews/${review.id}/comments`);
    await done(cas, 'POST', `${at}/comments/${comment!.id}/replies`, { body: 'yes' });
    expect(await entries()).to.equal(['pull_push', 'review']);
    expect((await send(ada, 'DELETE', `${at}/reviews/${review.id}`)).status).to.equal(403);
    expect((await send(ben, 'DELETE', `${at}/reviews/${review.id}`)).status).to.equal(204);
    expect(await entries()).to.equal(['pull_push']);
    expect((await send(ada, 'POST', `${api}/pulls/comments/${comment!.id}/resolve`)).status).to.equal(404);
  });

  it('lines that are not there are refused, and what is on several lines shows them', async () => {
    const { ben } = world;
    const { at } = await change();
    const review = (comment: object) =>
      send<ReviewJson>(ben, 'POST', `${at}/reviews`, {
        event: 'COMMENT',
        comments: [{ path: 'poem.txt', body: 'x', ...comment }],
      });
    for (const wrong of [
      {},
      { new_position: 7 },
      { new_position: 2, start_position: 3 },
      { path: 'other.txt', new_position: 1 },
      { path: '../poem.txt', new_position: 1 },
    ])
      expect((await review(wrong)).status, JSON.stringify(wrong)).to.equal(422);
    const commit = { event: 'COMMENT', body: 'x', commit_id: '1'.repeat(40) };
    expect((await send(ben, 'POST', `${at}/reviews`, commit)).status).to.equal(422);
    expect((await send(ben, 'POST', `${at}/reviews`, { ...commit, commit_id: 'HEAD' })).status).to.equal(422);
    const { id } = (await review({ new_position: 3, start_position: 1 })).body;
    const [comment] = await done<CommentJson[]>(ben, 'GET', `${at}/reviews/${id}/comments`);
    expect(comment!.diff_hunk).to.equal('@@ -1,3 +1,3 @@\n rose\n-red\n+pink\n violet');
  });

  it('locked, archived and blocked: who may not take part may not review', async () => {
    const { ada, ben, dot, host } = world;
    const { at, number } = await change();
    const words = { event: 'COMMENT', body: 'x' };
    const comments = [{ path: 'poem.txt', new_position: 2, body: 'pink?' }];
    const { id } = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, { ...words, comments });
    const [comment] = await done<CommentJson[]>(ben, 'GET', `${at}/reviews/${id}/comments`);
    const answer = (by = dot) => send(by, 'POST', `${at}/comments/${comment!.id}/replies`, { body: 'x' });
    await done(ada, 'PUT', `${api}/issues/${number}/lock`, {});
    expect((await send(dot, 'POST', `${at}/reviews`, words)).status).to.equal(403);
    expect((await answer()).status).to.equal(403);
    expect((await send(ben, 'POST', `${at}/reviews`, words)).status).to.equal(200);
    await done(ada, 'DELETE', `${api}/issues/${number}/lock`);
    await done(ada, 'PATCH', api, { archived: true });
    for (const [method, path, payload] of [
      ['POST', 'reviews', words],
      ['POST', `reviews/${id}/dismissals`, { message: 'x' }],
      ['DELETE', `reviews/${id}`, undefined],
      ['POST', 'requested_reviewers', { reviewers: ['ben'] }],
    ] as const)
      expect((await send(method === 'DELETE' ? ben : ada, method, `${at}/${path}`, payload)).status, path).to.equal(
        423,
      );
    await done(ada, 'PATCH', api, { archived: false });
    const zoe = await (await import('@mortise/accounts/testing')).signUp(host, 'zoe');
    await done(ada, 'PUT', `${api}/collaborators/zoe`, { permission: 'write' });
    const own = await open(world, { 'poem.txt': poem('tulip') }, { by: zoe });
    const asked = [{ path: 'poem.txt', new_position: 1, body: 'a tulip?' }];
    const review = await done<ReviewJson>(ben, 'POST', `${own.at}/reviews`, { ...words, comments: asked });
    const [talk] = await done<CommentJson[]>(ben, 'GET', `${own.at}/reviews/${review.id}/comments`);
    const settle = (word: string) => send(zoe, 'POST', `${api}/pulls/comments/${talk!.id}/${word}`);
    expect((await settle('resolve')).status).to.equal(204);
    await done(ada, 'PUT', '/api/v1/user/blocks/zoe');
    expect((await send(zoe, 'POST', `${at}/reviews`, words)).status).to.equal(403);
    expect((await answer(zoe)).status).to.equal(403);
    for (const word of ['resolve', 'unresolve']) expect((await settle(word)).status, word).to.equal(403);
  });

  it('PUL-01: who is asked is shown, found, and let go by reviewing', async () => {
    const { ada, ben, cas, host } = world;
    const { at, number } = await open(world, { 'poem.txt': poem('lily') }, { reviewers: ['ben', 'cas'] });
    const asked = async () =>
      (await done<{ requested_reviewers: { login: string }[] }>(ada, 'GET', at)).requested_reviewers
        .map(({ login }) => login)
        .sort();
    const waiting = async (by: typeof ben, what: string) =>
      (await done<{ number: number }[]>(by, 'GET', `/api/v1/repos/issues/search?${what}=true&type=pulls`)).map(
        (issue) => issue.number,
      );
    expect(await asked()).to.equal(['ben', 'cas']);
    expect(await waiting(ben, 'review_requested')).to.include(number);
    expect(await waiting(ben, 'reviewed')).not.to.include(number);
    await done(ben, 'POST', `${at}/reviews`, { event: 'APPROVED' });
    expect(await waiting(ben, 'review_requested')).not.to.include(number);
    expect(await waiting(ben, 'reviewed')).to.include(number);
    await done(cas, 'DELETE', `${at}/requested_reviewers`, { reviewers: ['cas'] });
    expect(await asked()).to.equal(['ben']);
    const both = await Promise.all(
      [ada, ben].map((by) => done<ReviewJson[]>(by, 'POST', `${at}/requested_reviewers`, { reviewers: ['cas'] })),
    );
    expect(both.flat().length).to.equal(1);
    // whoever is gone is not waited for
    const eve = await (await import('@mortise/accounts/testing')).signUp(host, 'eve');
    await done(ada, 'POST', `${at}/requested_reviewers`, { reviewers: ['eve'] });
    await done(eve, 'POST', `${at}/reviews`, { event: 'PENDING', body: 'x' });
    expect(await asked()).to.include('eve');
  });

  it('nobody is asked by who they block, and none whom the owner blocks', async () => {
    const { ada, ben, cas } = world;
    const { at } = await open(world, { 'poem.txt': poem('blocked') });
    const ask = async (by: typeof ada, name: string) =>
      (await send(by, 'POST', `${at}/requested_reviewers`, { reviewers: [name] })).status;
    await done(cas, 'PUT', '/api/v1/user/blocks/ben');
    expect(await ask(ben, 'cas')).to.equal(403);
    await done(cas, 'DELETE', '/api/v1/user/blocks/ben');
    expect(await ask(ben, 'cas')).to.equal(201);
    await done(ada, 'PUT', '/api/v1/user/blocks/dot');
    expect(await ask(ben, 'dot')).to.equal(403);
    await done(ada, 'DELETE', '/api/v1/user/blocks/dot');
  });

  it('a member of a team answers for it', async () => {
    const { ada, ben } = world;
    await done(ada, 'POST', '/api/v1/orgs', { username: 'press' });
    const { id } = await done<{ id: number }>(ada, 'POST', '/api/v1/orgs/press/teams', {
      name: 'eyes',
      includes_all_repositories: true,
      units_map: { 'repo.code': 'write', 'repo.pulls': 'write' },
    });
    await done(ada, 'PUT', `/api/v1/teams/${id}/members/ben`);
    const repository = { name: 'paper', auto_init: true, default_branch: 'main' };
    await done(ada, 'POST', '/api/v1/orgs/press/repos', repository);
    const home = '/api/v1/repos/press/paper';
    await done(ada, 'POST', `${home}/contents/a.txt`, { content: 'YQ==', new_branch: 'topic', branch: 'main' });
    await done(ada, 'POST', `${home}/pulls`, { title: 'A', base: 'main', head: 'topic', team_reviewers: ['eyes'] });
    const teams = async () =>
      (await done<{ requested_reviewers_teams: { name: string }[] }>(ada, 'GET', `${home}/pulls/1`))
        .requested_reviewers_teams.length;
    const found = () => done<unknown[]>(ben, 'GET', '/api/v1/repos/issues/search?review_requested=true&owner=press');
    expect([await teams(), (await found()).length]).to.equal([1, 1]);
    await done(ben, 'POST', `${home}/pulls/1/reviews`, { event: 'COMMENT', body: 'hm' });
    expect(await teams()).to.equal(1);
    await done(ben, 'POST', `${home}/pulls/1/reviews`, { event: 'APPROVED' });
    expect([await teams(), (await found()).length]).to.equal([0, 0]);
  });
});
