import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import type { GitWriter } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import type { PullRequest } from '../api.js';
import { pushOf } from '../pages/conflicts.js';
import { pageDeps } from '../pages/pages.js';
import { conflictsIn, readConflicts } from '../services/conflict-view.js';
import { api, makeWorld, propose, send, shown, write, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/ada/loom';

async function page(by: Pick<TestClient, 'inject'>, path: string, status = 200): Promise<string> {
  const answer = await by.inject(path);
  expect(answer.statusCode, path).to.equal(status);
  return answer.payload;
}

const one = (index: number) => `${home}/pulls/${index}`;

describe('pages of pull requests', { timeout: 120_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ plugins: ['branch-protection', 'commit-status', 'editor', 'forks'] });
  });
  after(() => world.host.close());

  /** As a form of the page has it. */
  const head = async (index: number) => (await shown(world, index)).head.sha;

  it('the list has a tab with a count, looks of drafts and merged ones, and checks', async () => {
    const { ada, ben, host } = world;
    const made = await propose(ben, 'listed', { title: 'WIP: listed' });
    const status = { state: 'failure', context: 'build' };
    await send(ada, 'POST', `${api}/statuses/${made.head.sha}`, status);
    const html = await page(host, `${home}/pulls`);
    expect(html).to.include(['WIP: listed', 'Draft', 'Failed', 'Pull requests']);
    expect(html).to.match(/href="\/ada\/loom\/pulls"[^>]*aria-current="page"/);
  });

  it('one shows its branches, commits, files and checks', async () => {
    const { ada, ben, host } = world;
    const { number } = await propose(ben, 'shown', { path: 'dir/shown.txt', text: 'a\nb\n' });
    await send(ada, 'POST', `${api}/statuses/${await head(number)}`, { state: 'success', context: 'lint' });
    expect(await page(host, one(number))).to.include([
      'wants to merge',
      'shown',
      'no conflicts',
      'lint',
      'pushed 1 commit',
    ]);
    expect(await page(host, `${one(number)}/commits`)).to.include('add dir/shown.txt');
    expect(await page(host, `${one(number)}/files?style=split`)).to.include('dir/shown.txt');
    expect(await page(host, `${one(number)}/files?piece=1`)).to.not.include('<html');
    expect(await page(host, `${one(number)}/checks`)).to.include(['lint', 'succeeded']);
    expect(await page(host, `${one(number)}/merge-box`))
      .to.include('merge-box')
      .and.to.not.include('<html');
    await page(host, `${home}/pulls/999`, 404);
    await page(host, `${home}/pulls/999/files`, 404);
  });

  it('what visitors see is current after each change, in their language, and gone with their rights', async () => {
    const { ada, ben, host } = world;
    const proposed = await propose(ben, 'seen', { path: 'seen.txt', text: 'one\n' });
    const issue = (await send<{ number: number }>(ada, 'POST', `${api}/issues`, { title: 'A knot' })).body;
    const paths = {
      issue: `${home}/issues/${issue.number}`,
      pull: one(proposed.number),
      commits: `${home}/commits/branch/seen`,
      explore: '/explore/repos',
    };
    type Where = keyof typeof paths;
    const visit = (where: Where) => page(host, paths[where]);
    const changes: (readonly [Where, string, () => Promise<unknown>])[] = [
      ['issue', 'A tight knot', () => send(ada, 'PATCH', `${api}/issues/${issue.number}`, { title: 'A tight knot' })],
      ['issue', 'Pull here', () => send(ben, 'POST', `${api}/issues/${issue.number}/comments`, { body: 'Pull here' })],
      ['issue', 'Closed', () => send(ada, 'PATCH', `${api}/issues/${issue.number}`, { state: 'closed' })],
      ['pull', 'Seen by all', () => send(ben, 'PATCH', `${api}/pulls/${proposed.number}`, { title: 'Seen by all' })],
      ['pull', 'A review', () => send(ada, 'POST', `${api}/issues/${proposed.number}/comments`, { body: 'A review' })],
      ['commits', 'add seen-last.txt', () => write(ben, { branch: 'seen', path: 'seen-last.txt' })],
      ['explore', 'Weaves cloth', () => send(ada, 'PATCH', api, { description: 'Weaves cloth' })],
    ];
    for (const [where, shows, change] of changes) {
      expect(await visit(where), `${where} before`).to.not.include(shows);
      await change();
      expect(await visit(where), where).to.include(shows);
    }
    const inGerman = await host.inject({ url: paths.issue, headers: { 'accept-language': 'de' } });
    expect(inGerman.payload).to.include(['lang="de', 'A tight knot']);
    expect(await visit('issue')).to.include('lang="en');
    expect(await page(ada, paths.issue), 'her own').to.include('name="_csrf"');
    expect(await visit('issue')).to.not.include('name="_csrf"');
    await send(ada, 'PATCH', api, { private: true });
    for (const where of ['issue', 'pull', 'commits'] as const) await page(host, paths[where], 404);
    expect(await visit('explore')).to.not.include('Weaves cloth');
    await send(ada, 'PATCH', api, { private: false });
    for (const where of Object.keys(paths) as Where[]) await visit(where);
  });

  it('records and lists of pull requests follow branches, reviews and rights', async () => {
    const { ada, ben, host } = world;
    const { number } = await propose(ben, 'followed', { path: 'followed.txt', text: 'one\n' });
    type Pull = { number: number; head: { sha: string }; title: string };
    const get = async () => (await send<Pull>(host, 'GET', `${api}/pulls/${number}`)).body;
    const listed = async () =>
      (await send<Pull[]>(host, 'GET', `${api}/pulls?state=open`)).body.find((pull) => pull.number === number)!;
    const timeline = async () =>
      (await send<{ body: string }[]>(host, 'GET', `${api}/issues/${number}/timeline`)).body.map(({ body }) => body);
    const before = [await get(), await listed()];
    expect(await timeline()).to.not.include('Looks good');
    const pushed = await write(ben, { branch: 'followed', path: 'followed-too.txt' });
    for (const [at, read] of [get, listed].entries()) {
      expect((await read()).head.sha).to.equal(pushed);
      expect(before[at]!.head.sha).to.not.equal(pushed);
    }
    await send(ben, 'PATCH', `${api}/pulls/${number}`, { title: 'Followed' });
    expect([(await get()).title, (await listed()).title]).to.equal(['Followed', 'Followed']);
    await send(ada, 'POST', `${api}/issues/${number}/comments`, { body: 'Looks good' });
    expect(await timeline()).to.include('Looks good');
    await send(ada, 'PATCH', api, { private: true });
    for (const path of [`pulls/${number}`, 'pulls?state=open', `issues/${number}/timeline`])
      expect((await host.inject(`${api}/${path}`)).statusCode, path).to.equal(404);
    await send(ada, 'PATCH', api, { private: false });
  });

  it('is made with a form that a comparison leads to', async () => {
    const { ada, ben, cas, host } = world;
    await write(ben, { into: 'formed' });
    const compare = await page(ben, `${home}/compare/main...formed`);
    expect(compare).to.include(`${home}/pulls/new?base=main&amp;head=formed`);
    expect(await page(host, `${home}/compare/main...formed`)).to.not.include('pulls/new?');
    const address = `${home}/pulls/new`;
    const label = await send<{ id: number }>(ben, 'POST', `${api}/labels`, { name: 'soon', color: '#00aabb' });
    const milestone = await send<{ id: number }>(ben, 'POST', `${api}/milestones`, { title: 'Next' });
    expect(await page(ben, `${address}?base=main&head=formed`)).to.include([
      'New pull request',
      'name="draft"',
      'data-markdown-editor="ada/loom"',
      `name="labels" value="${label.body.id}"`,
      '>Next</option>',
    ]);
    const fields = {
      base: 'main',
      head: 'formed',
      title: 'By form',
      body: 'Words',
      draft: 'on',
      assignees: 'ada',
      labels: String(label.body.id),
      milestone: String(milestone.body.id),
      due: '2031-01-02',
    };
    for (const odd of [{ assignees: 'nobody-there' }, { due: 'someday' }]) {
      const wrong = await submitForm(ben, address, { ...fields, ...odd });
      expect([wrong.statusCode, wrong.payload.includes('Words')]).to.equal([422, true]);
      expect(wrong.payload).to.match(new RegExp(`value="${label.body.id}" checked`));
    }
    const made = await submitForm(ben, address, fields);
    expect(made.statusCode).to.equal(303);
    const index = Number(/\/pulls\/(\d+)$/.exec(String(made.headers.location))![1]);
    const { title, draft } = await shown(world, index);
    expect([title, draft]).to.equal(['WIP: By form', true]);
    const { body: sorted } = await send<{
      labels: { name: string }[];
      milestone: { title: string };
      assignees: { login: string }[];
      due_date: string;
    }>(ben, 'GET', `${api}/pulls/${index}`);
    expect([sorted.labels[0]?.name, sorted.milestone.title, sorted.assignees[0]?.login]).to.equal([
      'soon',
      'Next',
      'ada',
    ]);
    expect(sorted.due_date).to.startWith('2031-01-02');
    // the second leads to the first
    const again = await ben.inject(`${address}?base=main&head=formed`);
    expect([again.statusCode, again.headers.location]).to.equal([302, one(index)]);
    expect((await submitForm(ben, address, fields)).statusCode).to.equal(422);
    expect(await page(ada, `${home}/compare/main...formed`)).to.include(`Pull request #${index}`);
    expect((await submitForm(cas, address, { ...fields, head: 'listed' })).statusCode).to.equal(422);
    expect((await ben.inject(`${address}?base=main&head=not-there`)).statusCode).to.equal(302);
  });

  it('is made ready, merged with a message, and its branch comes back', async () => {
    const { ada, ben, cas } = world;
    const { number } = await propose(ben, 'done', { title: 'Done' });
    await submitForm(ben, `${one(number)}/draft`, { draft: '1' });
    expect(await page(ada, one(number))).to.include(['work in progress', 'Ready for review']);
    expect((await submitForm(cas, `${one(number)}/draft`, { draft: '0' })).statusCode).to.equal(422);
    await submitForm(ben, `${one(number)}/draft`, { draft: '0' });
    const form = await page(ada, one(number));
    expect(form).to.include(['value="squash"', 'value="merge"', 'merge-squash-title']);
    const fields = {
      style: 'squash',
      'title-squash': 'One title',
      'message-squash': 'And words',
      'title-merge': 'Another',
      head: await head(number),
      delete: 'on',
    };
    const old = await submitForm(ada, `${one(number)}/merge`, { ...fields, head: '0'.repeat(40) });
    expect([old.statusCode, old.payload.includes('has changed in the meantime')]).to.equal([422, true]);
    expect((await submitForm(cas, `${one(number)}/merge`, fields)).statusCode).to.equal(422);
    expect((await submitForm(ada, `${one(number)}/merge`, fields)).statusCode).to.equal(303);
    const { merge_commit_sha: oid } = await shown(world, number);
    const { body } = await send<{ commit: { message: string } }>(ada, 'GET', `${api}/git/commits/${oid}`);
    expect(body.commit.message).to.equal(
      'One title\n\nAnd words\n\nCo-authored-by: ben <ben@example.com>\nCo-committed-by: ben <ben@example.com>\n',
    );
    const merged = await page(ada, one(number));
    expect(merged).to.include(['Merged', 'This pull request is merged', 'deleted the branch', `_revert/${oid}/main`]);
    expect((await submitForm(ada, `${one(number)}/branch/restore`)).statusCode).to.equal(303);
    expect(await page(ada, one(number))).to.include('Delete the branch');
    expect((await submitForm(ada, `${one(number)}/branch/delete`)).statusCode).to.equal(303);
    expect(await page(ada, one(number))).to.include('Restore the branch');
  });

  it('says what is missing, and merges by itself once it is there', async () => {
    const { ada, ben } = world;
    const rule = { rule_name: 'main', enable_status_check: true, status_check_contexts: ['must'] };
    expect((await send(ada, 'POST', `${api}/branch_protections`, rule)).status).to.equal(201);
    try {
      const { number } = await propose(ben, 'waits');
      const html = await page(ben, one(number));
      expect(html).to.include(['Required status checks', 'must', 'Required, not reported yet', 'value="ready"']);
      expect(html).to.not.include('value="force"');
      // both times in the menu of the one button, for those who may pass over the rule
      expect(await page(ada, one(number))).to.include([
        'name="when" value="ready" checked',
        'name="when" value="force"',
      ]);
      // from what is missing to where it is looked at, and to the rule for those who may change it
      const [, ruleLink] = /href="(\/[^"]+\/settings\/branches\/\d+)"/.exec(await page(ada, one(number)))!;
      expect(await page(ada, ruleLink!)).to.include('value="main"');
      expect(html)
        .to.include(`<a href="${one(number)}/checks">Show the checks</a>`)
        .and.not.include('settings/branches');
      const fields = { style: 'merge', head: await head(number) };
      const refused = await submitForm(ben, `${one(number)}/merge`, fields);
      expect(refused.statusCode).to.equal(422);
      await submitForm(ben, `${one(number)}/merge`, { ...fields, when: 'ready' });
      expect(await page(ada, one(number))).to.include(['once all requirements are met', 'Enabled by ben']);
      await submitForm(ben, `${one(number)}/merge/cancel`);
      expect(await page(ada, one(number))).to.include('cancelled auto-merge');
      expect((await submitForm(ada, `${one(number)}/merge`, { ...fields, when: 'force' })).statusCode).to.equal(303);
      expect((await shown(world, number)).merged).to.equal(true);
    } finally {
      await send(ada, 'DELETE', `${api}/branch_protections/main`);
    }
  });

  it('names conflicts, is brought up to date and gets another base', async () => {
    const { ada, ben } = world;
    const first = await propose(ben, 'left', { path: 'same.txt', text: 'left\n' });
    const second = await propose(ben, "it's;right", { path: 'same.txt', text: 'right\n' });
    await submitForm(ada, `${one(first.number)}/merge`, { style: 'merge', head: first.head.sha });
    await world.host.settle();
    expect(await page(ada, one(second.number))).to.include(['same.txt', 'conflicts that must be resolved']);
    // both sides, and what to do about them
    expect(await page(ada, one(second.number))).to.include(`${one(second.number)}/conflicts`);
    const view = await page(ada, `${one(second.number)}/conflicts`);
    expect(view).to.include(['<pre>left</pre>', '<pre>right</pre>', 'git merge origin/main']);
    expect(view).to.include("git push origin 'HEAD:it'\\''s;right'");
    expect((await ada.inject(`${one(first.number)}/conflicts`)).statusCode).to.equal(303);
    const third = await propose(ben, 'behind');
    await write(ada, { path: 'moved-on.txt' });
    await world.host.settle();
    expect(await page(ben, one(third.number))).to.include(['out of date with the base branch', 'Update by rebasing']);
    expect((await submitForm(ben, `${one(third.number)}/update`, { style: 'rebase' })).statusCode).to.equal(303);
    await world.host.settle();
    const moved = await page(ben, one(third.number));
    expect(moved).to.not.include('out of date with the base branch');
    expect(moved).to.include('replaced the commits');
    // what came with the other base is no change of the pull request
    expect(await page(ben, `${one(third.number)}/files?since=1`))
      .to.include('Changes since version 1')
      .and.to.not.include('moved-on.txt');
    await write(ben, { branch: 'behind', path: 'later.txt' });
    await world.host.settle();
    expect(await page(ben, `${one(third.number)}/files?since=1`))
      .to.include('later.txt')
      .and.to.not.include('moved-on.txt');
    const writer = world.host.services.get(pageDeps).writer as { mergeTree: GitWriter['mergeTree'] };
    const { mergeTree } = writer;
    let merges = 0;
    writer.mergeTree = (...given) => (merges++, mergeTree.apply(writer, given));
    await page(ben, `${one(third.number)}/files?since=1`);
    writer.mergeTree = mergeTree;
    expect(merges).to.equal(0);
    await write(ada, { into: 'other;base' });
    expect((await submitForm(ben, `${one(third.number)}/base`, { base: 'nowhere' })).statusCode).to.equal(422);
    await submitForm(ben, `${one(third.number)}/base`, { base: 'other;base' });
    expect(await page(ben, one(third.number))).to.include(['changed the base branch', "git push origin 'other;base'"]);
  });

  it('a fork proposes, and lets maintainers edit', async () => {
    const { ada, ben, cas } = world;
    expect((await send(cas, 'POST', `${api}/forks`, {})).status).to.equal(202);
    await write(cas, { into: 'forked', at: '/api/v1/repos/cas/loom' });
    const name = 'cas/loom:forked';
    expect(await page(cas, `${home}/compare/main...${name}`)).to.include('pulls/new?');
    expect(await page(cas, `${home}/pulls/new?base=main&head=${name}`)).to.include('name="maintainers"');
    const made = await submitForm(cas, `${home}/pulls/new`, { base: 'main', head: name, title: 'Forked' });
    const path = String(made.headers.location);
    expect(await page(cas, path)).to.include(['cas:forked', 'Allow edits by maintainers']);
    await submitForm(cas, `${path}/maintainers`, { allowed: '1' });
    expect(await page(ada, path)).to.include('may push to the head branch');
    expect((await submitForm(ada, `${path}/maintainers`, { allowed: '0' })).statusCode).to.equal(422);
    // in the browser, too, and on that branch alone
    expect(await page(ben, '/cas/loom/src/branch/forked')).to.include('/cas/loom/_new/forked');
    expect(await page(ben, '/cas/loom/src/branch/main')).to.not.include('/cas/loom/_new/main');
    expect(await page(ben, '/cas/loom/_new/forked')).to.not.include('name="newBranch"');
    await page(ben, '/cas/loom/_new/main', 403);
    const file = { path: 'by-ben.txt', content: 'ben' };
    const put = (more: Record<string, string>) => submitForm(ben, '/cas/loom/_new/forked', { ...file, ...more });
    expect((await put({ target: 'branch', newBranch: 'mine' })).statusCode).to.equal(403);
    expect((await put({ target: 'direct' })).headers.location).to.equal('/cas/loom/src/branch/forked/by-ben.txt');
  });

  it('ways of merging are chosen in the settings', async () => {
    const { ada } = world;
    const settings = `${home}/settings`;
    expect(await page(ada, settings)).to.include(['name="allow_squash_merge"', 'Default merge method']);
    const form = (more: Record<string, string>) =>
      submitForm(ada, settings, {
        action: 'units',
        has_code: 'on',
        has_issues: 'on',
        has_pull_requests: 'on',
        pull_options: '1',
        allow_squash_merge: 'on',
        default_merge_style: 'squash',
        default_update_style: 'merge',
        ...more,
      });
    expect((await form({})).statusCode).to.equal(422);
    expect((await form({ allow_merge_update: 'on' })).statusCode).to.equal(303);
    const { body } = await send<Record<string, unknown>>(ada, 'GET', api);
    expect([body.allow_squash_merge, body.allow_merge_commits, body.default_merge_style]).to.equal([
      true,
      false,
      'squash',
    ]);
  });
});

describe('files in conflict', () => {
  const marked = (base: string, head: string) => `<<<<<<< aaa\n${base}=======\n${head}>>>>>>> bbb\n`;

  it('show the lines of both sides with those around them', () => {
    const { regions, more } = readConflicts(`1\n2\n3\n4\n${marked('left\n', 'right\r\nagain\r\n')}5\n`);
    expect(more).to.equal(0);
    expect(regions).to.equal([
      { line: 5, before: ['2', '3', '4'], base: ['left'], head: ['right', 'again'], after: ['5'], isCut: false },
    ]);
    expect(readConflicts(marked('', 'x\n')).regions[0]!.base).to.equal([]);
  });

  it('are sent to the head branch alone, by a command that runs nothing else', () => {
    const repositories = { cloneUrl: () => 'https://forge.example/cas/loom.git' };
    const sent = (headBranch: string, id: number | undefined, flow: PullRequest['flow'] = 'branch') => {
      const pull = { flow, repositoryId: 1, baseBranch: 'main', headBranch };
      return pushOf({ repositories }, pull, { repository: id ? ({ id } as Repository) : undefined });
    };
    expect(sent('topic', 1)).to.equal('git push origin HEAD:topic');
    expect(sent('main', 2)).to.equal('git push https://forge.example/cas/loom.git HEAD:main');
    expect(sent('main', undefined)).to.be.undefined();
    expect(sent('x;curl${IFS}y|sh', 2)).to.match(/ 'HEAD:x;curl\$\{IFS\}y\|sh'$/);
    expect(sent('`x`', undefined, 'agit')).to.equal("git push origin HEAD:refs/for/main -o 'topic=`x`'");
  });

  it('take nothing for a conflict that only looks like one, and are bounded', () => {
    for (const text of [
      '',
      '<<<<<<< a\n',
      '<<<<<<< a\n=======\n',
      '=======\n>>>>>>> b\n',
      '<<<<<<<a\n=======\n>>>>>>> b\n',
    ])
      expect(readConflicts(text), text).to.equal({ regions: [], more: 0 });
    const many = readConflicts(marked('a\n', 'b\n').repeat(60));
    expect([many.regions.length, many.more]).to.equal([50, 10]);
    let looks = 0;
    const counted = new Proxy(marked('', '').repeat(1000).trimEnd().split('\n'), {
      get: (of, key, self) => (looks++, Reflect.get(of, key, self) as unknown),
    });
    expect([conflictsIn(counted).more, looks < 20_000]).to.equal([950, true]);
    const [long] = readConflicts(marked('a\n'.repeat(300), `${'b'.repeat(1000)}\n`)).regions;
    expect([long!.base.length, long!.head[0]!.length, long!.isCut]).to.equal([201, 501, true]);
  });
});
