import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { activityListener } from '@mortise/activity-events/testing';
import { multipart } from '@mortise/plugin-sdk/testing';
import { api, done, makeWorld, open, poem, send, type ReviewJson, type CommentJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;
const listener = activityListener();

describe('comments on lines as comments', () => {
  let world: World;
  before(async () => {
    world = await makeWorld([listener.plugin]);
  });
  after(() => world.host.close());
  beforeEach(async () => {
    await world.host.settle();
    listener.events.length = 0;
  });
  const line = (body: string) => ({ path: 'poem.txt', body, new_position: 1 });
  const say = async (body: string, event = 'COMMENT') => {
    const { at } = await open(world, { 'poem.txt': poem(`line ${body}`) });
    const { id } = await done<ReviewJson>(world.ben, 'POST', `${at}/reviews`, { event, comments: [line(body)] });
    const [comment] = await done<CommentJson[]>(world.ben, 'GET', `${at}/reviews/${id}/comments`);
    await world.host.settle();
    listener.events.length = 0;
    return { at, review: id, comment: comment!, path: `${api}/issues/comments/${comment!.id}` };
  };
  /** What receivers of webhooks are sent. */
  const told = async () => {
    await world.host.settle();
    const payloads = await Promise.all(
      listener.events.map(async (one) => {
        const payload = await listener.kindOf(one).payload(one, { maxItems: 5 });
        return { kind: one.kind, ...payload } as Record<string, unknown> & { comment?: { body: string } };
      }),
    );
    return payloads.map(({ kind, action, comment, changes, is_pull }) => [
      kind,
      action,
      comment?.body,
      changes,
      is_pull,
    ]);
  };

  it('are read, changed and deleted over the API, and webhooks hear of it', async () => {
    const { ben, cas, dot } = world;
    const { at, path, review } = await say('why so?');
    expect((await done<CommentJson>(dot, 'GET', path)).body).to.equal('why so?');
    expect((await send(dot, 'PATCH', path, { body: 'mine' })).status).to.equal(403);
    expect((await send(ben, 'PATCH', path, { body: ' ' })).status).to.equal(422);
    const changed = await done<{ body: string }>(ben, 'PATCH', path, { body: 'why not?' });
    expect(changed.body).to.equal('why not?');
    const changes = { body: { from: 'why so?' }, added_labels: null, removed_labels: null };
    expect(await told()).to.equal([['pull_request_comment', 'edited', 'why not?', changes, true]]);
    listener.events.length = 0;
    await done(ben, 'PATCH', path, { body: 'why not?' });
    expect(await told()).to.equal([]);
    const [shown] = await done<CommentJson[]>(cas, 'GET', `${at}/reviews/${review}/comments`);
    expect(shown!.body).to.equal('why not?');
    expect((await send(dot, 'DELETE', path)).status).to.equal(403);
    expect((await send(cas, 'DELETE', path)).status).to.equal(204);
    expect(await told()).to.equal([['pull_request_comment', 'deleted', 'why not?', undefined, true]]);
    expect((await send(ben, 'GET', path)).status).to.equal(404);
  });

  it('have reactions and files, which go with them', async () => {
    const { host, ben, cas, dot } = world;
    const { path } = await say('look at this');
    expect((await send(dot, 'POST', `${path}/reactions`, { content: 'heart' })).status).to.equal(201);
    expect(await done<object[]>(cas, 'GET', `${path}/reactions`)).to.have.length(1);
    const form = multipart([{ name: 'attachment', fileName: 'picture.png', value: 'png' }]);
    const asked = { method: 'POST', url: `${path}/assets`, ...form } as const;
    expect((await cas.inject(asked)).statusCode).to.equal(403);
    const stored = await ben.inject(asked);
    expect(stored.statusCode, stored.payload).to.equal(201);
    const file = (stored.json as { browser_download_url: string }).browser_download_url.replace(
      /^https?:\/\/[^/]*/,
      '',
    );
    expect(await done<object[]>(dot, 'GET', `${path}/assets`)).to.have.length(1);
    expect((await dot.inject(file)).statusCode).to.equal(200);
    await done(ben, 'DELETE', path);
    expect((await dot.inject(file)).statusCode).to.equal(404);
    const left = await host.database.knex()('attachment').where({ kind: 'comments' }).count({ n: '*' }).first();
    expect(Number(left!.n)).to.equal(0);
  });

  it('are hidden with their files and reactions until they are sent, and from those who may not read code', async () => {
    const { ada, ben, cas } = world;
    const { path } = await say('not yet', 'PENDING');
    for (const where of [path, `${path}/reactions`, `${path}/assets`])
      expect((await send(cas, 'GET', where)).status, where).to.equal(404);
    expect((await send(cas, 'POST', `${path}/reactions`, { content: 'heart' })).status).to.equal(404);
    expect((await send(ada, 'PATCH', path, { body: 'x' })).status).to.equal(404);
    expect((await send(ben, 'PATCH', path, { body: 'soon' })).status).to.equal(200);
    expect(await told()).to.equal([]);
  });
});
