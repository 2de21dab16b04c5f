import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts } from '@mortise/accounts/api';
import { issues } from '@mortise/issues/api';
import { pulls, type PullContext } from '@mortise/pulls/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { reviews } from '../contract/reviews.js';
import { done, makeWorld, open, poem, send, write, type ReviewJson, type CommentJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('comments on lines', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const push = async (branch: string, files: Readonly<Record<string, string>>) => {
    await write(world.ada, branch, files);
    await world.host.settle();
  };
  const say = async (at: string, comments: object[]) => {
    const { id } = await done<ReviewJson>(world.ben, 'POST', `${at}/reviews`, { event: 'COMMENT', comments });
    return () => done<CommentJson[]>(world.ada, 'GET', `${at}/reviews/${id}/comments`);
  };

  it('follow their line through new versions, until it changes', async () => {
    const { at, branch } = await open(world, { 'poem.txt': poem(undefined, 'pink', undefined, 'green') });
    const look = await say(at, [
      { path: 'poem.txt', new_position: 2, body: 'pink' },
      { path: 'poem.txt', new_position: 4, start_position: 3, body: 'violet and green' },
      { path: 'poem.txt', old_position: 4, body: 'was blue' },
    ]);
    const first = (await look())[0]!.commit_id;
    await push(branch, { 'poem.txt': `above\n${poem(undefined, 'purple', undefined, 'green')}` });
    const places = async () => (await look()).map((one) => [one.position, one.original_position]);
    expect(await places()).to.equal([
      [2, 0],
      [5, 0],
      [0, 4],
    ]);
    const [outdated, moved] = await look();
    expect([outdated!.commit_id === first, moved!.commit_id === first]).to.equal([true, false]);
    await push(branch, { 'poem.txt': `above\nmore\n${poem(undefined, 'purple', undefined, 'green')}` });
    expect((await places())[1]).to.equal([6, 0]);
    const all = await world.host.services
      .get(reviews)
      .comments((await contextOf(at)).issue.id, world.host.services.get(accounts).actorOf((await user('ada'))!, ''));
    expect(all.map(({ isOutdated, startLine }) => [isOutdated, startLine])).to.equal([
      [true, 0],
      [false, 5],
      [false, 0],
    ]);
  });

  it('of several lines are outdated when one between them changes: a suggestion would take the change back', async () => {
    const { at, branch } = await open(world, { 'poem.txt': poem(undefined, 'pink', undefined, 'green') });
    const body = '```suggestion\nred\n```';
    const look = await say(at, [{ path: 'poem.txt', new_position: 3, start_position: 1, body }]);
    const { id, commit_id: commit } = (await look())[0]!;
    await push(branch, { 'poem.txt': poem(undefined, 'purple', undefined, 'green') });
    expect((await look()).map((one) => [one.position, one.commit_id])).to.equal([[3, commit]]);
    const actor = world.host.services.get(accounts).actorOf((await user('ben'))!, '');
    const applied = world.host.services.get(reviews).applySuggestions(await contextOf(at), { commentIds: [id] }, actor);
    await expect(applied).to.reject(/changed/);
  });

  it('a conversation is settled as a whole', async () => {
    const { at } = await open(world, { 'poem.txt': poem('lily') });
    const look = await say(at, [{ path: 'poem.txt', new_position: 1, body: 'a lily?' }]);
    const [root] = await look();
    const answer = await done<CommentJson>(world.ada, 'POST', `${at}/comments/${root!.id}/replies`, { body: 'yes' });
    const settle = (by: typeof world.ada, word: string) =>
      send(by, 'POST', `/api/v1/repos/ada/desk/pulls/comments/${answer.id}/${word}`);
    expect((await settle(world.dot, 'resolve')).status).to.equal(403);
    expect((await settle(world.cas, 'resolve')).status).to.equal(204);
    expect((await look()).map(({ resolver }) => resolver?.login)).to.equal(['cas', undefined]);
    expect((await settle(world.ben, 'resolve')).status).to.equal(204);
    expect((await look())[0]!.resolver?.login).to.equal('cas');
    expect((await settle(world.ben, 'unresolve')).status).to.equal(204);
    expect((await look())[0]!.resolver).to.be.null();
  });

  it('reviews are stale when what changes is another, and not when only the head moved', async () => {
    const { at, branch } = await open(world, { 'poem.txt': poem(undefined, undefined, undefined, undefined, 'salt') });
    await done(world.ben, 'POST', `${at}/reviews`, { event: 'APPROVED' });
    const stale = async () => (await done<ReviewJson[]>(world.ada, 'GET', `${at}/reviews`))[0]!.stale;
    await write(world.ada, 'main', { 'beside.txt': 'x\n' });
    await done(world.ada, 'POST', `${at}/update`);
    await world.host.settle();
    expect(await stale()).to.be.false();
    await push(branch, { 'poem.txt': poem(undefined, undefined, undefined, undefined, 'pepper') });
    expect(await stale()).to.be.true();
    await push(branch, { 'poem.txt': poem(undefined, undefined, undefined, undefined, 'salt') });
    expect(await stale()).to.be.false();
  });

  const user = (name: string) => world.host.services.get(accounts).byName(name);
  const contextOf = async (at: string, name = 'ada'): Promise<PullContext> => {
    const { services } = world.host;
    const repository = (await services.get(repositories).byPath('ada', 'desk'))!;
    const issue = (await services.get(issues).byIndex(repository.id, Number(/\d+$/.exec(at)![0])))!;
    const pull = (await services.get(pulls).byIssueId(issue.id))!;
    const actor = services.get(accounts).actorOf((await user(name))!, '');
    const context = await services.get(repositoryAccess).context(actor, repository);
    const mode = context.modeOf('pulls');
    return { context, repository, issue, pull, mode, may: (needed) => context.may(needed, 'pulls') };
  };

  it('suggestions are applied as one commit, by who may push', async () => {
    const { at, branch } = await open(world, { 'poem.txt': poem(undefined, 'pink', undefined, 'green') });
    const fence = (text: string) => `better:\n\`\`\`suggestion\n${text}\`\`\``;
    const look = await say(at, [
      { path: 'poem.txt', new_position: 2, body: fence('crimson\n') },
      { path: 'poem.txt', new_position: 4, start_position: 3, body: fence('') },
      { path: 'poem.txt', new_position: 6, body: 'nothing better' },
      { path: 'poem.txt', new_position: 4, body: fence('teal\n') },
    ]);
    const ids = (await look()).map(({ id }) => id);
    const apply = async (name: string, commentIds: number[]) => {
      const actor = world.host.services.get(accounts).actorOf((await user(name))!, '');
      return world.host.services.get(reviews).applySuggestions(await contextOf(at, name), { commentIds }, actor);
    };
    await expect(apply('dot', [ids[0]!])).to.reject(/push/);
    await expect(apply('ben', [ids[2]!])).to.reject(/suggests/);
    await expect(apply('ben', [ids[1]!, ids[3]!])).to.reject(/same lines/);
    await expect(apply('ben', [999_999])).to.reject();
    const commit = await apply('ben', [ids[0]!, ids[1]!]);
    await world.host.settle();
    const text = await world.ada.inject(`/api/v1/repos/ada/desk/raw/poem.txt?ref=${branch}`);
    expect(text.payload).to.equal('rose\ncrimson\nsugar\nsweet\n');
    expect((await contextOf(at)).pull.headOid).to.equal(commit);
    await expect(apply('ben', [ids[0]!])).to.reject(/changed/);
  });
});
