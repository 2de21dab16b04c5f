import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { ownersHint } from '../services/push-hint.js';
import { reviewServices } from '../services/services.js';
import { api, done, makeWorld, open, poem, write, type ReviewJson, type CommentJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/ada/desk';

async function page(by: Pick<TestClient, 'inject'>, path: string): Promise<string> {
  const answer = await by.inject(path);
  expect(answer.statusCode, path).to.equal(200);
  return answer.payload;
}
const count = (text: string, part: string): number => text.split(part).length - 1;

describe('pages of reviews', { timeout: 120_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['notifications', 'forks', 'activity']);
  });
  after(() => world.host.close());

  const changed = poem(undefined, 'pink', undefined, 'green');
  const propose = async (text = changed) => {
    const { number, at, branch } = await open(world, { 'poem.txt': text });
    return { at, branch, own: `${home}/pulls/${number}` };
  };
  const sent = async (by: TestClient, path: string, fields: Record<string, string>): Promise<string> => {
    const answer = await submitForm(by, path, fields);
    expect(answer.statusCode, answer.payload.slice(0, 2000)).to.equal(303);
    return String(answer.headers.location);
  };
  const comment = (by: TestClient, own: string, fields: Record<string, string>) =>
    sent(by, `${own}/reviews/comments`, { path: 'poem.txt', side: 'new', ...fields });
  const commentsOf = async (at: string) => {
    const all: CommentJson[] = [];
    for (const { id } of await done<ReviewJson[]>(world.ada, 'GET', `${at}/reviews`))
      all.push(...(await done<CommentJson[]>(world.ada, 'GET', `${at}/reviews/${id}/comments`)));
    return all;
  };

  const head = async (at: string) => (await done<{ head: { sha: string } }>(world.ada, 'GET', at)).head.sha;

  /** What the answer to a push of the branch says of code owners. */
  const told = async (branch: string) => {
    const { services } = world.host;
    const repository = (await services.get(repositories).byPath('ada', 'desk'))!;
    const pusher = services.get(accounts).actorOf((await services.get(accounts).byName('ada'))!, '');
    const oid = (await services.get(gitReader).open(repository.id).branch(branch))!.oid;
    const hint = ownersHint({
      repositories: services.get(repositories),
      repositoryAccess: services.get(repositoryAccess),
      gitReader: services.get(gitReader),
      owners: services.get(reviewServices).owners,
    });
    const updates = [{ ref: `refs/heads/${branch}`, old: '0'.repeat(40), new: oid }];
    return hint.lines({ repositoryId: repository.id, kind: 'code', updates, pusher, pushOptions: {}, source: 'http' });
  };

  it('comments stand below their lines, in both views, and are pending until the review is finished', async () => {
    const { ada, ben, dot, host } = world;
    const { own, at } = await propose();
    const back = 'files?style=split&evil=1';
    const first = await comment(ben, own, { line: '2', body: 'Too *pink*', action: 'review', back });
    expect(first).to.match(/\/files\?style=split#issuecomment-\d+$/);
    await comment(ben, own, { line: '4', start_line: '3', body: 'both lines', action: 'single' });
    await comment(ben, own, { line: '2', side: 'old', body: 'was red', action: 'review' });
    for (const style of ['unified', 'split']) {
      const files = await page(ben, `${own}/files?style=${style}`);
      expect(files).to.include(['Too <em>pink</em>', 'lines 3 to 4', 'Finish your review (3)', 'Pending']);
      expect(files.indexOf('pink</em>')).to.be.above(files.indexOf('>pink</td>'));
      expect(files.indexOf('both lines')).to.be.below(files.lastIndexOf('</table>'));
    }
    for (const by of [ada, dot, host]) expect(await page(by, `${own}/files`)).to.not.include('was red');
    expect(await page(ben, own)).to.include('Your review with 3 comments is not submitted yet.');
    expect(await page(ada, own)).to.not.include('not submitted yet');
    // what is refused is said with what was written
    const empty = await submitForm(ben, `${own}/reviews/comments`, { path: 'poem.txt', line: '99', body: 'nowhere' });
    expect([empty.statusCode, empty.payload.includes('nowhere</textarea>')]).to.equal([422, true]);
    await sent(ben, `${own}/reviews`, { state: 'rejected', body: 'Please **change** it' });
    const shown = await page(ada, own);
    expect(shown).to.include([
      'requested changes',
      '<strong>change</strong>',
      'was red',
      '1 reviewer requested changes',
    ]);
    expect(await page(host, `${own}/files`)).to.include(['was red', 'both lines']);
    expect((await commentsOf(at)).length).to.equal(3);
    // more than a page has room for are told of
    expect(await page(ada, own)).to.not.include('not shown here');
    const { database } = world.host;
    const [said] = await commentsOf(at);
    await database.write(async () => {
      const knex = database.knex();
      const { id: _id, ...entry } = await knex('timeline_entry').where({ id: said!.id }).first();
      const row = await knex('review_comment').where({ entry_id: said!.id }).first();
      for (let made = 0; made < 1000; made += 50) await knex('timeline_entry').insert(Array(50).fill(entry));
      const ids = (await knex('timeline_entry')
        .where('id', '>', said!.id)
        .orderBy('id', 'desc')
        .limit(1000)
        .pluck('id')) as number[];
      for (let made = 0; made < 1000; made += 25)
        await knex('review_comment').insert(ids.slice(made, made + 25).map((id) => ({ ...row, entry_id: id })));
    });
    expect(await page(ada, own)).to.include('3 more comments are not shown here.');
    expect(await page(ada, `${own}/files`)).to.include('more comments are not shown here.');
    // nobody judges what is their own
    expect((await submitForm(ada, `${own}/reviews`, { state: 'approved', body: '' })).statusCode).to.equal(422);
  });

  it('conversations are answered, settled, changed and deleted by those who may', async () => {
    const { ada, ben, cas, dot } = world;
    const { own, at } = await propose();
    await comment(ben, own, { line: '2', body: 'why?', action: 'single' });
    const [root] = await commentsOf(at);
    const path = (word: string, id = root!.id) => `${own}/reviews/comments/${id}/${word}`;
    await sent(ada, path('replies'), { body: 'because', back: 'files' });
    const [, answer] = await commentsOf(at);
    expect((await submitForm(dot, path('resolve'), { resolved: '1' })).statusCode).to.equal(422);
    await sent(ada, path('resolve'), { resolved: '1' });
    expect(await page(ben, `${own}/files`)).to.include(['Resolved by', 'Unresolve conversation', 'because']);
    await sent(cas, path('resolve'), { resolved: '0' });
    expect(await page(ben, own)).to.not.include('Resolved by');
    const refused = await submitForm(dot, path('edit'), { body: 'mine now' });
    expect([refused.statusCode, refused.payload.includes('somebody else')]).to.equal([422, true]);
    await sent(ben, path('edit'), { body: 'why **pink**?' });
    expect(await page(dot, `${own}/files`)).to.include(['why <strong>pink</strong>?', 'edited']);
    expect((await submitForm(dot, path('delete'))).statusCode).to.equal(422);
    await sent(ben, path('delete'), {});
    // the answer goes on by itself
    expect(await page(dot, own))
      .to.include('because')
      .and.to.not.include('why <strong>');
    await sent(ada, path('replies', answer!.id), { body: 'still here' });
    await sent(ada, path('delete', answer!.id), {});
    const [last] = await commentsOf(at);
    expect(last!.body).to.equal('still here');
    await sent(ada, path('delete', last!.id), {});
    expect(await done<ReviewJson[]>(ada, 'GET', `${at}/reviews`)).to.equal([]);
  });

  it('W: reviews and comments on lines are counted in the conversation, and who wrote them is a participant', async () => {
    const { ada, ben, dot } = world;
    const { own, at } = await propose();
    const facts = async () => {
      const html = await page(ada, own);
      const [, counted] = /Conversation\s*<span class="Counter[^"]*">(\d+)</.exec(html) ?? [];
      return [counted ?? '0', /(\d+) participants?/.exec(html)?.[1]];
    };
    const before = await facts();
    await comment(dot, own, { line: '2', body: 'Why pink?', action: 'single' });
    expect(await facts()).to.equal([String(Number(before[0]) + 2), '2']);
    // a review that waits is nobody's business yet
    await comment(ben, own, { line: '2', body: 'Why indeed', action: 'review' });
    expect(await facts()).to.equal([String(Number(before[0]) + 2), '2']);
    await done(ada, 'POST', `${at.replace('/pulls/', '/issues/')}/comments`, { body: 'A word' });
    expect(await facts()).to.equal([String(Number(before[0]) + 3), '2']);
  });

  it('a suggestion is shown as a difference, and committed by a button of who may push', async () => {
    const { ada, ben, dot, host } = world;
    const { own, at, branch } = await propose();
    const body = 'Better:\n```suggestion\ncrimson\nscarlet\n```\nMuch better';
    await comment(dot, own, { line: '2', body, action: 'single' });
    const [made] = await commentsOf(at);
    const button = `reviews/comments/${made!.id}/apply`;
    const files = await page(ada, `${own}/files`);
    expect(files).to.include(['Suggested change', 'Much better', button]);
    expect(count(files, '>crimson</td>')).to.equal(1);
    expect(files).to.match(/diff-remove">pink<\/td>[^]*diff-add">crimson<\/td>/);
    expect(await page(dot, `${own}/files`)).to.not.include(button);
    expect((await submitForm(dot, `${own}/${button}`)).statusCode).to.equal(422);
    // W: back to where the button was
    expect(await sent(ben, `${own}/${button}`, { back: 'files' })).to.equal(`${own}/files#issuecomment-${made!.id}`);
    await host.settle();
    const text = await ada.inject(`/api/v1/repos/ada/desk/raw/poem.txt?ref=${branch}`);
    expect(text.payload).to.equal(poem(undefined, 'crimson\nscarlet', undefined, 'green'));
    expect(await page(dot, `${own}/files`)).to.include(['/files?since=1', 'Changes since your last review']);
    expect(await page(dot, `${own}/files?since=1`)).to.include('scarlet');
    const after = await page(ada, own);
    expect(after).to.include(['Outdated', 'Resolved by']).and.to.not.include(button);
    expect(await page(ada, `${own}/files`)).to.not.include('Much better');
  });

  it('a suggestion for a fork is committed by its owner, who settles nothing, and not in an archived repository', async () => {
    const { ada, ben, dot } = world;
    await done(dot, 'POST', `${api}/forks`, {});
    await world.host.settle();
    const { sha } = await done<{ sha: string }>(dot, 'GET', '/api/v1/repos/dot/desk/contents/poem.txt');
    await done(dot, 'PUT', '/api/v1/repos/dot/desk/contents/poem.txt', {
      content: Buffer.from(changed).toString('base64'),
      sha,
      branch: 'main',
      new_branch: 'theirs',
      message: 'change',
    });
    const pull = { head: 'dot:theirs', base: 'main', title: 'From a fork' };
    const { number } = await done<{ number: number }>(ada, 'POST', `${api}/pulls`, pull);
    const [own, at] = [`${home}/pulls/${number}`, `${api}/pulls/${number}`];
    await comment(ben, own, { line: '2', body: '```suggestion\ncrimson\n```', action: 'single' });
    const [made] = await commentsOf(at);
    const button = `${own}/reviews/comments/${made!.id}/apply`;
    await done(ada, 'PATCH', api, { archived: true });
    const refused = await submitForm(dot, button);
    expect([refused.statusCode, refused.payload.includes('is archived')]).to.equal([422, true]);
    await done(ada, 'PATCH', api, { archived: false });
    expect(await sent(dot, button, {})).to.equal(`${own}#issuecomment-${made!.id}`);
    const text = await dot.inject('/api/v1/repos/dot/desk/raw/poem.txt?ref=theirs');
    expect(text.payload).to.include('crimson');
    expect(await page(ada, own)).to.not.include('Resolved by');
  });

  it('several suggestions become one commit, or none of them where they do not fit together', async () => {
    const { ada, ben, dot, host } = world;
    const { own, at, branch } = await propose();
    const lines = [
      ['2', '```suggestion\ncrimson\n```'],
      ['2', '```suggestion\nscarlet\n```'],
      ['4', '```suggestion\nlime\n```'],
    ] as const;
    for (const [line, body] of lines) await comment(dot, own, { line, body, action: 'single' });
    const [crimson, scarlet, lime] = (await commentsOf(at)).map(({ id }) => String(id));
    const choices = ['form="apply-suggestions"', `value="${lime!}"`, 'id="apply-suggestions"'];
    expect(await page(ben, own)).to.include(['3 suggestions can be applied', ...choices]);
    expect(await page(ben, `${own}/files`)).to.include(choices);
    expect(await page(dot, own)).to.not.include('apply-suggestions');
    const apply = (ids: readonly string[], by = ben) =>
      submitForm(by, `${own}/suggestions`, [
        ...ids.map((id) => ['comment', id] as const),
        ['message', 'Take two'],
        ['back', 'files'],
      ]);
    const before = await head(at);
    for (const [ids, reason] of [
      [[], 'between 1 and 100'],
      [[crimson!, scarlet!], 'about the same lines'],
      [[lime!, '999999'], 'does not exist'],
    ] as const) {
      const refused = await apply(ids);
      expect([refused.statusCode, refused.payload.includes(reason)], reason).to.equal([422, true]);
    }
    expect((await apply([crimson!, lime!], dot)).statusCode).to.equal(422);
    expect(await head(at)).to.equal(before);
    const applied = await apply([crimson!, lime!]);
    expect(applied.headers.location).to.equal(`${own}/files#issuecomment-${crimson}`);
    await host.settle();
    const text = await ada.inject(`/api/v1/repos/ada/desk/raw/poem.txt?ref=${branch}`);
    expect(text.payload).to.include(['crimson', 'lime']);
    const commit = await done<{ commit: { message: string }; parents: { sha: string }[] }>(
      ada,
      'GET',
      `${api}/git/commits/${await head(at)}`,
    );
    expect([commit.commit.message, commit.parents.map(({ sha }) => sha)]).to.equal(['Take two\n', [before]]);
    expect(await page(ben, own)).to.not.include('suggestions can be applied');
  });

  it('above the files stands who pushed what since the own last review', async () => {
    const { ben, dot, host } = world;
    const { own, at } = await propose();
    await sent(dot, `${own}/reviews`, { state: 'comment', body: 'Read' });
    expect(await page(dot, `${own}/files`)).to.not.include('since your last review');
    await comment(dot, own, { line: '2', body: '```suggestion\ncrimson\n```', action: 'single' });
    const [made] = await commentsOf(at);
    await sent(ben, `${own}/reviews/comments/${made!.id}/apply`, {});
    await host.settle();
    const files = await page(dot, `${own}/files`);
    expect(files).to.include([
      '1 push since your last review',
      'Apply suggestions from a review',
      `${own}/files?since=1`,
    ]);
    expect(files).to.match(/<li>\s*<a[^>]*>ben<\/a> pushed/);
    // nobody else reviewed it
    expect(await page(ben, `${own}/files`)).to.not.include('since your last review');
  });

  it('files are marked as viewed by each person, until they change', async () => {
    const { ada, ben, dot, host } = world;
    const { own, branch } = await propose();
    const viewed = { path: 'poem.txt', viewed: '1', back: 'files' };
    await sent(ben, `${own}/files/viewed`, viewed);
    const seen = await page(ben, `${own}/files`);
    expect(seen)
      .to.include('1 / 1 files viewed')
      .and.to.match(/<details id="d[0-9a-f]{12}">/);
    expect(await page(dot, `${own}/files`)).to.include('0 / 1 files viewed');
    expect((await submitForm(ben, `${own}/files/viewed`, { ...viewed, path: 'no.txt' })).statusCode).to.equal(422);
    await write(ada, branch, { 'poem.txt': poem('lily') });
    await host.settle();
    expect(await page(ben, `${own}/files`)).to.include('0 / 1 files viewed');
    await sent(ben, `${own}/files/viewed`, viewed);
    await sent(ben, `${own}/files/viewed`, { ...viewed, viewed: '0' });
    expect(await page(ben, `${own}/files`)).to.include('0 / 1 files viewed');
  });

  it('reviewers are asked and no longer asked at the side, and opinions dismissed with a reason', async () => {
    const { ada, ben } = world;
    const { own, at } = await propose();
    await sent(ada, `${own}/reviewers`, { names: 'ben, cas' });
    const asked = await page(ada, own);
    expect(asked).to.include(['requested a review from', 'Awaiting review', 'Waiting for 2 reviews']);
    const listed = async (view: string) => (await page(world.ben, `/pulls?view=${view}`)).includes(`href="${own}"`);
    expect([await listed('review_requested'), await listed('reviewed'), await listed('none')]).to.equal([
      true,
      false,
      false,
    ]);
    expect(await page(world.ben, '/pulls')).to.include('Awaiting your review');
    const home = await page(world.ben, '/');
    expect(home).to.include(['Waiting for you', 'href="/pulls?view=review_requested"', `href="${own}"`]);
    expect(home).to.not.include('/issues?view=assigned');
    await done(ada, 'PATCH', `${api}/issues/${own.split('/').at(-1)}`, { assignees: ['ben'] });
    await done(ada, 'POST', `${api}/issues`, { title: 'Sweep the floor', assignees: ['ben'] });
    const busy = await page(world.ben, '/');
    expect(busy).to.include(['href="/pulls?view=assigned"', 'href="/issues?view=assigned"', 'Sweep the floor']);
    await done(ada, 'DELETE', `${api}/collaborators/ben`);
    await done(ada, 'PATCH', api, { private: true });
    expect(await page(world.ben, '/'))
      .to.not.include('Sweep the floor')
      .and.not.include(`href="${own}"`);
    await done(ada, 'PATCH', api, { private: false });
    await done(ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
    expect((await submitForm(ada, `${own}/reviewers`, { names: 'nobody-there' })).statusCode).to.equal(422);
    const cas = await done<{ id: number }>(world.cas, 'GET', '/api/v1/user');
    await sent(world.cas, `${own}/reviewers`, { remove_user: String(cas.id) });
    expect(await page(ada, own)).to.include(['no longer wants to review this', 'Waiting for 1 review<']);
    await sent(ben, `${own}/reviews`, { state: 'approved', body: '' });
    const approved = await page(ada, own);
    expect(approved).to.include([
      'approved these changes',
      'Approved by 1 reviewer',
      'Request another review from ben',
    ]);
    expect([await listed('review_requested'), await listed('reviewed')]).to.equal([false, true]);
    const [review] = await done<ReviewJson[]>(ada, 'GET', `${at}/reviews`);
    const dismiss = `${own}/reviews/${review!.id}/dismiss`;
    expect((await submitForm(ben, dismiss, { message: 'no' })).statusCode).to.equal(422);
    expect((await submitForm(ada, dismiss, { message: '' })).statusCode).to.equal(422);
    await sent(ada, dismiss, { message: 'Too early' });
    expect(await page(ada, own)).to.include(['dismissed the review of', 'Too early', 'Restore review']);
    expect(await page(ada, own)).to.not.include('Approved by 1 reviewer');
    await sent(ada, `${own}/reviews/${review!.id}/undismiss`, {});
    await sent(ada, `${own}/reviewers`, { names: 'ben' });
    expect(await page(ada, own)).to.include('Awaiting review');
  });

  it('code owners are named before there is a pull request, and reviewers chosen with it', async () => {
    const { ada, cas } = world;
    await write(ada, 'main', { CODEOWNERS: 'owned/.* @ben\n' });
    await write(ada, 'theirs', { 'owned/x.txt': 'x\n' });
    expect(await page(ada, `${home}/compare/main...theirs`)).to.include('Code owners: ben');
    expect(await told('theirs')).to.equal(["Code owners of what 'theirs' changes:", '  ben', '']);
    expect(await told('main')).to.equal([]);
    // an address says neither whose it is nor whether it is anybody's
    await write(ada, 'main', { CODEOWNERS: 'owned/.* @ben\nmailed/.* cas@example.com none@example.com\n' });
    await write(ada, 'posted', { 'mailed/x.txt': 'x\n' });
    const addresses = 'cas@example.com, none@example.com';
    expect(await page(ada, `${home}/compare/main...posted`)).to.include(`Code owners: ${addresses}`);
    expect(await told('posted')).to.equal(["Code owners of what 'posted' changes:", `  ${addresses}`, '']);
    expect(await page(ada, `${home}/pulls/new?base=main&head=posted`)).to.include(`</code> ${addresses}</li>`);
    const address = `${home}/pulls/new`;
    expect(await page(cas, `${address}?base=main&head=theirs`)).to.include(['owned/.*', 'ben', 'name="reviewers"']);
    const fields = { base: 'main', head: 'theirs', title: 'Owned', reviewers: 'cas' };
    const wrong = await submitForm(ada, address, { ...fields, reviewers: 'nobody-there' });
    expect([wrong.statusCode, wrong.payload.includes('nobody-there')]).to.equal([422, true]);
    const made = await sent(ada, address, fields);
    const { requested_reviewers: asked } = await done<{ requested_reviewers: { login: string }[] }>(
      ada,
      'GET',
      `/api/v1/repos/ada/desk/pulls/${/\d+$/.exec(made)![0]}`,
    );
    expect(asked.map(({ login }) => login).sort()).to.equal(['ben', 'cas']);
  });

  it('a review that is not sent can be thrown away, and forms work without a script', async () => {
    const { ada, ben, host } = world;
    const { own, at } = await propose();
    const form = await page(ben, `${own}/files`);
    const [, anchor] = /comment=(d[0-9a-f]{12})/.exec(form)!;
    expect(await page(ben, `${own}/files?file=poem.txt&comment=${anchor}`)).to.include(['name="side"', 'From line']);
    expect(await page(host, `${own}/files`)).to.not.include('data-review-form');
    await comment(ben, own, { line: '2', body: 'maybe', action: 'review' });
    const [pending] = await done<ReviewJson[]>(ben, 'GET', `${at}/reviews`);
    expect((await submitForm(ada, `${own}/reviews/${pending!.id}/discard`)).statusCode).to.equal(422);
    await sent(ben, `${own}/reviews/${pending!.id}/discard`, {});
    expect(await done<ReviewJson[]>(ben, 'GET', `${at}/reviews`)).to.equal([]);
  });
});
