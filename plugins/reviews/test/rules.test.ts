import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { activityListener } from '@mortise/activity-events/testing';
import { reviewServices } from '../services/services.js';
import {
  api,
  done,
  makeWorld,
  open,
  poem,
  send,
  write,
  type CommentJson,
  type ReviewJson,
  type World,
} from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('what reviews are for', () => {
  let world: World;
  const listener = activityListener();
  before(async () => {
    world = await makeWorld(['notifications', listener.plugin]);
  });
  after(() => world.host.close());
  beforeEach(async () => {
    await world.host.settle();
    listener.events.length = 0;
  });

  const rule = async (fields: object) => {
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
    await done(world.ada, 'POST', `${api}/branch_protections`, { rule_name: 'main', ...fields });
  };
  const free = () => send(world.ada, 'DELETE', `${api}/branch_protections/main`);
  const merge = async (at: string) => {
    const { status, body } = await send<{ message: string }>(world.ben, 'POST', `${at}/merge`, { do: 'merge' });
    return status === 200 ? 'merged' : `${status} ${body.message}`;
  };
  const review = (by: World['ada'], at: string, event = 'APPROVED') =>
    done<ReviewJson>(by, 'POST', `${at}/reviews`, { event, body: 'x' });

  it('a rule counts approvals of those who may write today', async () => {
    const { ada, ben, cas, dot } = world;
    const { at } = await open(world, { 'one.txt': '1\n' });
    await rule({ required_approvals: 1 });
    await review(dot, at);
    expect(await merge(at)).to.match(/^405 .*0 of 1/);
    await review(cas, at);
    await done(ada, 'PUT', `${api}/collaborators/cas`, { permission: 'read' });
    expect(await merge(at)).to.match(/^405 .*0 of 1/);
    await done(ada, 'PUT', `${api}/collaborators/cas`, { permission: 'write' });
    expect(await merge(at)).to.equal('merged');
    await free();
    expect((await send(ben, 'POST', `${at}/reviews`, { event: 'APPROVED' })).status).to.equal(422);
  });

  it('a rule wants conversations resolved, and a merge that waits for it follows', async () => {
    const { ada, ben, cas } = world;
    const { at, number } = await open(world, { 'talk.txt': '1\n2\n' });
    await rule({ block_on_unresolved_conversations: true });
    const stored = await done<Record<string, unknown>>(ada, 'GET', `${api}/branch_protections/main`);
    expect(stored.block_on_unresolved_conversations).to.be.true();
    const comment = (line: number) => ({ path: 'talk.txt', new_position: line, body: `line ${line}` });
    await done(cas, 'POST', `${at}/reviews`, { event: 'PENDING', comments: [comment(2)] });
    const { id } = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, { event: 'COMMENT', comments: [comment(1)] });
    const [talk] = await done<CommentJson[]>(ben, 'GET', `${at}/reviews/${id}/comments`);
    // what is not sent yet is nobody else's business
    expect(await merge(at)).to.equal('405 1 conversation is not resolved.');
    const page = (by: World['ada']) => by.inject(`/ada/desk/pulls/${number}`).then(({ payload }) => payload);
    expect(await page(ben)).to.include(`href="/ada/desk/pulls/${number}#issuecomment-${talk!.id}"`);
    expect(await page(ben)).to.not.include('/settings/branches/');
    expect(await page(ada)).to.include('/settings/branches/');
    await done(ben, 'POST', `${at}/merge`, { do: 'merge', merge_when_checks_succeed: true });
    await done(ben, 'POST', `${api}/pulls/comments/${talk!.id}/resolve`);
    await world.host.settle();
    expect((await done<{ merged: boolean }>(ada, 'GET', at)).merged).to.be.true();
    await free();
  });

  it('an approval is stale at once where somebody merges right after a push', async () => {
    const { ada, cas } = world;
    const { at, branch } = await open(world, { 'two.txt': '2\n' });
    for (const fields of [{ ignore_stale_approvals: true }, { dismiss_stale_approvals: true }]) {
      await rule({ required_approvals: 1, ...fields });
      await review(cas, at);
      // nobody has followed the push yet, but for the head
      await write(ada, branch, { 'two.txt': `${JSON.stringify(fields)}\n` });
      await send(ada, 'GET', at);
      expect(await merge(at)).to.match(/^4/);
      await world.host.settle();
      expect(await merge(at)).to.match(/^405 .*0 of 1/);
    }
    const dismissed = (await done<ReviewJson[]>(ada, 'GET', `${at}/reviews`)).map((one) => [one.stale, one.dismissed]);
    expect(dismissed.at(-1)).to.equal([true, true]);
    await free();
  });

  it('an approval of an older head is stale from the beginning, and its comments follow their lines', async () => {
    const { ada, cas } = world;
    const { at, branch } = await open(world, { 'older.txt': '1\n2\n3\n' });
    const comments = [{ path: 'older.txt', new_position: 3, body: 'three' }];
    const { id, commit_id: first } = await done<ReviewJson>(cas, 'POST', `${at}/reviews`, {
      event: 'PENDING',
      comments,
    });
    await write(ada, branch, { 'older.txt': '0\n1\n2\n3\n' });
    await world.host.settle();
    const sent = await done<ReviewJson>(cas, 'POST', `${at}/reviews/${id}`, { event: 'APPROVED' });
    const more = await done<ReviewJson>(cas, 'POST', `${at}/reviews`, {
      event: 'APPROVED',
      commit_id: first,
      comments,
    });
    expect([sent.stale, more.stale, more.commit_id === first]).to.equal([true, true, true]);
    expect((await done<ReviewJson[]>(ada, 'GET', `${at}/reviews`)).map(({ stale }) => stale)).to.equal([true, true]);
    const placed = await done<{ position: number }[]>(ada, 'GET', `${at}/reviews/${more.id}/comments`);
    expect(placed.map(({ position }) => position)).to.equal([4]);
  });

  it('a review that cannot be followed at once is answered with as it is stored, and followed later', async () => {
    const { ada, cas, host } = world;
    const { at, branch } = await open(world, { 'older.txt': '1\n2\n' });
    const comments = [{ path: 'older.txt', new_position: 2, body: 'two' }];
    const { commit_id: first } = await done<ReviewJson>(cas, 'POST', `${at}/reviews`, { event: 'COMMENT', body: 'x' });
    await write(ada, branch, { 'older.txt': '0\n1\n2\n' });
    await host.settle();
    const { lineTracker } = host.services.get(reviewServices);
    lineTracker.track = () => Promise.reject(new Error('the disk is away'));
    const body = { event: 'APPROVED', commit_id: first, comments };
    const sent = await done<ReviewJson>(cas, 'POST', `${at}/reviews`, body);
    expect([sent.state, sent.stale]).to.equal(['APPROVED', false]);
    Reflect.deleteProperty(lineTracker, 'track');
    await host.settle();
    expect((await done<ReviewJson>(ada, 'GET', `${at}/reviews/${sent.id}`)).stale).to.be.true();
    const placed = await done<{ position: number }[]>(ada, 'GET', `${at}/reviews/${sent.id}/comments`);
    expect(placed.map(({ position }) => position)).to.equal([3]);
  });

  it('an approval is of what it changed for that base', async () => {
    const { ada, cas } = world;
    await done(ada, 'POST', `${api}/branches`, { new_branch_name: 'side', old_ref_name: 'main' });
    await write(ada, 'side', { 'aside.txt': 'much\n' });
    await done(ada, 'POST', `${api}/branches`, { new_branch_name: 'leaf', old_ref_name: 'side' });
    await write(ada, 'leaf', { 'harmless.txt': '1\n' });
    const body = { title: 'Harmless', base: 'side', head: 'leaf' };
    const { number } = await done<{ number: number }>(ada, 'POST', `${api}/pulls`, body);
    const at = `${api}/pulls/${number}`;
    await review(cas, at);
    await rule({ required_approvals: 1, dismiss_stale_approvals: true });
    await done(ada, 'PATCH', at, { base: 'main' });
    expect(await merge(at)).to.match(/^405 .*0 of 1/);
    await review(cas, at);
    expect(await merge(at)).to.equal('merged');
    await free();
  });

  it('who asks for changes stands in the way until they are overruled', async () => {
    const { ada, cas } = world;
    const { at } = await open(world, { 'three.txt': '3\n' });
    await rule({ block_on_rejected_reviews: true });
    const { id } = await review(cas, at, 'REQUEST_CHANGES');
    // asking them once more does not take that away
    await done(ada, 'POST', `${at}/requested_reviewers`, { reviewers: ['cas'] });
    expect(await merge(at)).to.match(/^405/);
    await done(ada, 'POST', `${at}/reviews/${id}/dismissals`, { message: 'overruled' });
    expect(await merge(at)).to.equal('merged');
    await free();
  });

  it('BRP-05: an owner of everything that changes has approved', async () => {
    const { ada, ben, cas } = world;
    await write(ada, 'main', { CODEOWNERS: 'src/.* @ben @cas\nsrc/mine @ada\ndocs/.* @ben\n' });
    const { at } = await open(world, { 'src/a.txt': 'a\n', 'src/mine': 'b\n', 'docs/a.txt': 'c\n' });
    const asked = await done<{ requested_reviewers: { login: string }[] }>(ada, 'GET', at);
    expect(asked.requested_reviewers.map(({ login }) => login).sort()).to.equal(['ben', 'cas']);
    await rule({ block_on_codeowner_reviews: true });
    const first = await review(cas, at);
    expect(await merge(at)).to.match(/^405 .*docs\/\.\*/);
    const own = await review(ben, at);
    await done(ada, 'POST', `${at}/reviews/${own.id}/dismissals`, { message: 'x' });
    await done(ada, 'POST', `${at}/reviews/${first.id}/dismissals`, { message: 'x' });
    expect(await merge(at)).to.match(/^405 .*src\/\.\*, docs\/\.\*/);
    await review(ben, at);
    expect(await merge(at)).to.equal('merged');
    const other = await open(world, { 'src/big.txt': 'a\n' });
    await free();
    await write(ada, 'main', { CODEOWNERS: `${'# a long remark\n'.repeat(20_000)}` });
    await rule({ block_on_codeowner_reviews: true });
    expect(await merge(other.at)).to.match(/^405 .*too large/);
    await free();
    await write(ada, 'main', { CODEOWNERS: '# nobody\n' });
  });

  it('HOK-10, HOK-11, HOK-12, HOK-13: reviews and requests are told, with who is asked', async () => {
    const { ada, ben } = world;
    const { at, number } = await open(world, { 'poem.txt': poem('lily') });
    listener.events.length = 0;
    await done(ada, 'POST', `${at}/requested_reviewers`, { reviewers: ['ben', 'cas'] });
    await done(ada, 'DELETE', `${at}/requested_reviewers`, { reviewers: ['cas'] });
    await review(ben, at, 'COMMENT');
    await review(ben, at);
    await world.host.settle();
    const told = listener.events.filter(({ kind }) => kind.startsWith('pull_request_review'));
    expect(told.map(({ kind, action }) => `${kind} ${action}`)).to.equal([
      'pull_request_review_request review_requested',
      'pull_request_review_request review_requested',
      'pull_request_review_request review_request_removed',
      'pull_request_review_comment reviewed',
      'pull_request_review_approved reviewed',
    ]);
    for (const one of told) {
      const kind = listener.kindOf(one);
      const payload = (await kind.payload(one, { maxItems: 5 })) as {
        number: number;
        requested_reviewer: { login: string };
        pull_request: { requested_reviewers: { login: string }[] };
        review: { type: string; content: string } | null;
      };
      expect(payload.number).to.equal(number);
      expect(payload.pull_request.requested_reviewers.map(({ login }) => login)).to.equal(['ben']);
      expect(['ben', 'cas']).to.include(payload.requested_reviewer.login);
      expect(payload.review).to.equal(one.action === 'reviewed' ? { type: one.kind, content: 'x' } : null);
      expect((await kind.describe(one))?.url).to.match(/\/ada\/desk\/pulls\/\d+/);
    }
  });

  it('who is asked is notified, and who follows it of what is said', async () => {
    const { ada, ben } = world;
    const { at, number } = await open(world, { 'poem.txt': poem('tulip') });
    const inbox = async (by: World['ada']) => {
      await world.host.settle();
      const threads = await done<{ subject: { url: string } }[]>(by, 'GET', '/api/v1/notifications');
      return threads.some(({ subject }) => subject.url.endsWith(`/${number}`));
    };
    await done(ada, 'PUT', '/api/v1/notifications?all=true');
    await done(ben, 'PUT', '/api/v1/notifications?all=true');
    await done(ada, 'POST', `${at}/requested_reviewers`, { reviewers: ['ben'] });
    expect([await inbox(ada), await inbox(ben)]).to.equal([false, true]);
    await review(ben, at);
    expect(await inbox(ada)).to.be.true();
  });

  it('templates of merge messages name who approved', async () => {
    const { ada, ben, cas, dot } = world;
    await write(ada, 'main', {
      '.mortise/default_merge_message/SQUASH_TEMPLATE.md': '$PullRequestTitle\n\n${ReviewedBy}\n',
    });
    await rule({ required_approvals: 1 });
    const { at, number } = await open(world, { 'poem.txt': poem('approved') });
    for (const [by, event] of [
      [cas, 'APPROVED'],
      [ben, 'REQUEST_CHANGES'],
      [ben, 'APPROVED'],
      // may not write: it does not count
      [dot, 'APPROVED'],
    ] as const)
      await done(by, 'POST', `${at}/reviews`, { event, body: 'so' });
    await done(ada, 'POST', `${at}/merge`, { do: 'squash' });
    const { merge_commit_sha: sha } = await done<{ merge_commit_sha: string }>(ada, 'GET', `${api}/pulls/${number}`);
    const { commit } = await done<{ commit: { message: string } }>(ada, 'GET', `${api}/git/commits/${sha}`);
    const names = [...commit.message.matchAll(/^Reviewed-by: (\w+) <[^>]+@[^>]+>$/gm)].map(([, name]) => name);
    expect(names).to.equal(['cas', 'ben']);
    await send(ada, 'DELETE', `${api}/branch_protections/main`);
  });
});
