import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accounts } from '@mortise/accounts/api';
import { gitReader, refUpdates, zeroOid, type RefChange } from '@mortise/git/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { commitFiles } from '@mortise/repositories/testing';
import { MergeMessages, mergeMessage, withTrailers, type MergeSubject } from '../services/merge-messages.js';
import { pullSettings, type PullSettings } from '../settings.js';
import { pullHint } from '../services/push-hint.js';
import { pullServices } from '../services/services.js';
import { Joi } from '@mortise/plugin-sdk';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, merge, propose, send, shown, write, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('texts of pull requests', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());
  const repository = async () => (await world.host.services.get(repositories).byPath('ada', 'loom'))!;

  it('makes messages of merges by the templates of the repository, unless somebody chose one', async () => {
    await write(world.ada, {
      path: '.gitea/default_merge_message/SQUASH_TEMPLATE.md',
      text: '$PullRequestTitle by ${PullRequestPosterName} ($PullRequestReference)\n\n${HeadBranch} → ${BaseBranch} of ${BaseRepoOwnerName}/${BaseRepoName}${Unknown}\n',
    });
    const message = async (index: number) => {
      const { merge_commit_sha: sha } = await shown(world, index);
      return (
        await world.host.services
          .get(gitReader)
          .open((await repository()).id)
          .commit(sha!)
      ).message;
    };
    const one = await propose(world.ben, 'wheel', { title: 'A wheel' });
    const page = await world.ada.inject(`/ada/loom/pulls/${one.number}`);
    expect(page.payload).to.include(`A wheel by ben (#${one.number})`);
    expect((await merge(world.ada, one.number, { do: 'squash' })).status).to.equal(200);
    const trailers = 'Co-authored-by: ben <ben@example.com>\nCo-committed-by: ben <ben@example.com>\n';
    expect(await message(one.number)).to.equal(
      `A wheel by ben (#${one.number})\n\nwheel → main of ada/loom\n\n${trailers}`,
    );
    const two = await propose(world.ben, 'axle');
    await merge(world.ada, two.number, { do: 'squash', merge_title_field: 'Mine' });
    expect(await message(two.number)).to.equal(`Mine\n\n${trailers}`);
    const own = await propose(world.ada, 'hub');
    await merge(world.ada, own.number, { do: 'squash', merge_title_field: 'Mine' });
    expect(await message(own.number)).to.equal('Mine\n');
    // C5: one empty line between paragraphs, as git leaves them
    const text = await propose(world.ada, 'rim');
    const field = 'first\nline\n\n\n \nsecond\r\n\r\n\r\nthird';
    await merge(world.ada, text.number, { do: 'squash', merge_title_field: 'Mine', merge_message_field: field });
    expect(await message(text.number)).to.equal('Mine\n\nfirst\nline\n\nsecond\n\nthird\n');
    const three = await propose(world.ben, 'spoke');
    await merge(world.ada, three.number);
    expect(await message(three.number)).to.equal(
      `Merge pull request 'spoke' (#${three.number}) from spoke into main\n`,
    );
  });

  it('proposes what the operator chose: method, branch, title, and no trailers', async () => {
    const other = await makeWorld({
      settings: {
        'repository.pull-request': {
          DEFAULT_MERGE_STYLE: 'squash',
          DEFAULT_DELETE_BRANCH_AFTER_MERGE: true,
          DEFAULT_TITLE_SOURCE: 'first-commit',
          ADD_CO_COMMITTER_TRAILERS: false,
          CLOSE_KEYWORDS: 'ends',
        },
      },
    });
    try {
      const { body } = await send(other.ada, 'GET', api);
      expect([body.default_merge_style, body.default_delete_branch_after_merge]).to.equal(['squash', true]);
      await write(other.ben, { into: 'many', path: 'first.txt' });
      await write(other.ben, { branch: 'many', path: 'second.txt' });
      const form = await other.ben.inject('/ada/loom/pulls/new?base=main&head=many');
      expect(form.payload).to.include('value="add first.txt"');
      expect((await world.ben.inject('/ada/loom/pulls/new?base=main&head=many')).payload).to.not.include('first.txt');
      const issue = await send<{ number: number }>(other.ada, 'POST', `${api}/issues`, { title: 'done?' });
      const pull = await propose(other.ben, 'one');
      await write(other.ada, {
        path: '.gitea/default_merge_message/SQUASH_TEMPLATE.md',
        text: 'All\n\n$ClosingIssues\n',
      });
      const text = `fixes #9, ends #${issue.body.number}`;
      await send(other.ben, 'PATCH', `${api}/pulls/${pull.number}`, { body: text });
      expect((await merge(other.ada, pull.number, { do: 'squash' })).status).to.equal(200);
      const { commit } = (await send<{ commit: { message: string } }>(other.ada, 'GET', `${api}/git/commits/main`))
        .body;
      expect(commit.message).to.equal(`All\n\nclose #${issue.body.number}\n`);
      await other.host.settle();
      const seen = await send(other.ada, 'GET', `${api}/issues/${issue.body.number}`);
      expect(seen.body.state).to.equal('closed');
      expect((await send(other.ada, 'GET', `${api}/branches/one`)).status).to.equal(404);
    } finally {
      await other.host.close();
    }
  });

  it('makes no message longer than one may be, however often a template asks for a long text', async () => {
    const template = `Title\n${'$PullRequestDescription '.repeat(100)}`;
    const none = { byId: () => Promise.resolve(undefined), htmlUrl: () => '' };
    const texts = { mergeTemplate: () => Promise.resolve(template) };
    const words = { list: () => [] };
    const deps = {
      accounts: none,
      issues: { ...none, closedBy: () => [] },
      repositories: none,
      texts,
      words,
      settings: {},
    };
    const merged = { repository: {}, issue: { body: 'long '.repeat(50_000) }, pull: {}, headName: 'a' };
    const made = await new MergeMessages(deps as never).usual('merge', merged as unknown as MergeSubject);
    expect([made.title, made.text.length <= 100_000, made.text.startsWith('long long')]).to.equal([
      'Title',
      true,
      true,
    ]);
  });

  it('proposes for a squash the text of the pull request or of its commits, and names who else wrote them', async () => {
    const all = ['new', 'mid', 'old'].map((name) => ({
      message: `${name}\n\nmore`,
      author: { name, email: `${name}@x.example` },
    }));
    const git = { log: ({ limit }: { limit: number }) => Promise.resolve({ commits: all.slice(0, limit) }) };
    const issue = { title: 'A', index: 1, body: ' Because.\n', posterId: 1 };
    const textOf = async (change: Partial<PullSettings>, body = issue.body) => {
      const merged = { issue: { ...issue, body }, pull: {}, headName: 'a' } as unknown as MergeSubject;
      const deps = {
        accounts: { byEmails: () => Promise.resolve(new Map([['mid@x.example', { id: 1 }]])) },
        texts: { mergeTemplate: () => Promise.resolve(undefined) },
        words: { list: () => [] },
        settings: { ...(Joi.attempt({}, pullSettings) as PullSettings), ...change },
      };
      const range = { git, head: 'head', base: 'base' } as never;
      return (await new MergeMessages(deps as never).usual('squash', merged, range)).text;
    };
    // not who made the pull request
    const people = ['old', 'new'].map((name) => `Co-authored-by: ${name} <${name}@x.example>`);
    expect(await textOf({})).to.equal(`Because.\n\n${people.join('\n')}`);
    expect(await textOf({}, '')).to.equal(people.join('\n'));
    const signed = 'Because.\n\nSigned-off-by: ada <ada@x.example>';
    expect(await textOf({}, signed)).to.equal(`${signed}\n${people.join('\n')}`);
    expect(await textOf({ DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: 2 })).to.equal(`Because.\n\n${people[1]}`);
    expect(await textOf({ DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: 0 })).to.equal('Because.');
    expect(await textOf({ DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: 0, DEFAULT_MERGE_MESSAGE_ALL_AUTHORS: true })).to.equal(
      `Because.\n\n${people.join('\n')}`,
    );
    const told = { POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES: true, DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: 1 };
    expect(await textOf(told)).to.equal(`* new\n\nmore\n\n${people[1]}`);
    expect(await textOf({ ...told, DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: -1 })).to.equal(
      `* old\n\nmore\n\n* mid\n\nmore\n\n* new\n\nmore\n\n${people.join('\n')}`,
    );
    expect(await textOf({ ...told, DEFAULT_MERGE_MESSAGE_SIZE: 4 })).to.equal(`* ne...\n\n${people[1]}`);
    // what the field takes, with all trailers
    const long = await textOf({}, 'long '.repeat(50_000));
    expect([long.length <= 65_536, long.endsWith(people.join('\n'))]).to.equal([true, true]);
    const named = (name: string) => ({ message: name, author: { name, email: 'x@x.example' } });
    all.push(named('x'.repeat(1 << 20)), ...Array.from({ length: 900 }, (_, at) => named(`y${at} ${'y'.repeat(300)}`)));
    const many = await textOf({ DEFAULT_MERGE_MESSAGE_ALL_AUTHORS: true });
    expect([many.length < 20_000, many.includes('xxx'), many.includes('by: y1 y')]).to.equal([true, false, false]);
  });

  it('puts trailers among others at the end, each once', () => {
    const line = 'Co-authored-by: ben <ben@example.com>';
    expect(withTrailers('Title\n\nText\n', [line])).to.equal(`Title\n\nText\n\n${line}\n`);
    expect(withTrailers(`Title\n\nSigned-off-by: ada <a@b.c>\n`, [line])).to.equal(
      `Title\n\nSigned-off-by: ada <a@b.c>\n${line}\n`,
    );
    expect(withTrailers(`Title\n\n${line.toUpperCase()}\n`, [line])).to.equal(`Title\n\n${line.toUpperCase()}\n`);
    const inText = `Title\n\n${line}\n\nthat was it\n`;
    expect(withTrailers(inText, [line])).to.equal(`${inText}\n${line}\n`);
    expect(withTrailers('a'.repeat(100), [line], 60)).to.equal(`${'a'.repeat(60 - line.length - 3)}\n\n${line}\n`);
    const usual = { title: 'A', text: 'B' };
    expect(mergeMessage({ title: 'T\r\n', message: 'one\r\n\r\ntwo' }, usual)).to.equal('T\n\none\n\ntwo\n');
  });

  it('begins new ones with the template of the repository', async () => {
    await write(world.ada, {
      path: '.github/pull_request_template.md',
      text: '---\ntitle: "Change: "\n---\n- [ ] tested by hand\n',
    });
    await write(world.ben, { into: 'templated' });
    const page = await world.ben.inject('/ada/loom/pulls/new?base=main&head=templated');
    expect([page.statusCode, page.payload.includes('- [ ] tested by hand'), page.payload.includes('title: ')]).to.equal(
      [200, true, false],
    );
    expect(page.payload).to.include('value="Change: "');
  });

  it('U5, U9: the template of the repository may be a symbolic link, and in UTF-16', async () => {
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'linked', auto_init: true, default_branch: 'main' });
    const linked = (await world.host.services.get(repositories).byPath('ada', 'linked'))!;
    await commitFiles(world.host, linked, {
      'texts/change': Buffer.from('\uFEFFTested größer by hand\n', 'utf16le'),
      '.github/pull_request_template.md': '-> ../texts/change',
    });
    const file = { content: 'YQ==', message: 'a', branch: 'main', new_branch: 'topic' };
    await send(world.ada, 'POST', '/api/v1/repos/ada/linked/contents/a.txt', file);
    const page = await world.ada.inject('/ada/linked/pulls/new?base=main&head=topic');
    expect(page.payload).to.include('Tested größer by hand');
  });

  it('says in the terminal where the pull request of a pushed branch is, or can be made', async () => {
    const made = await propose(world.ben, 'hinted');
    const { id } = await repository();
    const { services } = world.host;
    const hint = pullHint({
      repositories: services.get(repositories),
      repositoryAccess: services.get(repositoryAccess),
      reader: services.get(pullServices).reader,
    });
    const users = services.get(accounts);
    const pusher = users.actorOf((await users.byName('ben'))!, '');
    const lines = (branch: string, oid = made.head.sha) => {
      const updates = [{ ref: `refs/heads/${branch}`, old: zeroOid, new: oid }];
      const change: RefChange = { repositoryId: id, kind: 'code', updates, pusher, pushOptions: {}, source: 'http' };
      return hint.lines(change);
    };
    expect((await lines('hinted')).join('\n')).to.include(`/ada/loom/pulls/${made.number}`);
    expect((await lines('new one')).join('\n')).to.include('/ada/loom/compare/main...new%20one');
    expect([await lines('main'), await lines('hinted', zeroOid)]).to.equal([[], []]);
  });

  it('begins new ones with the form of the repository, and makes their text of it', async () => {
    const host = world.host;
    const created = await send<{ id: number }>(world.ada, 'POST', '/api/v1/user/repos', {
      name: 'forms',
      auto_init: true,
      default_branch: 'main',
    });
    expect(created.status).to.equal(201);
    const put = (path: string, text: string, more: object = {}) =>
      send(world.ada, 'POST', `/api/v1/repos/ada/forms/contents/${path}`, {
        content: Buffer.from(text).toString('base64'),
        message: path,
        branch: 'main',
        ...more,
      });
    const yaml = [
      'title: "Change: "',
      'body:',
      '  - type: markdown',
      '    attributes: { value: "Please *say*" }',
      '  - type: input',
      '    id: why',
      '    attributes: { label: Why }',
      '    validations: { required: true }',
      '  - type: checkboxes',
      '    id: done',
      '    attributes: { label: Done, options: [{ label: tested }, { label: documented }] }',
    ].join('\n');
    await put('.mortise/PULL_REQUEST_TEMPLATE.yaml', yaml);
    await put('a.txt', 'a', { new_branch: 'topic' });
    await host.settle();
    const address = '/ada/forms/pulls/new?base=main&head=topic';
    const page = (await world.ada.inject(address)).payload;
    for (const part of ['Please <em>say</em>', 'name="form-field-why"', 'tested', 'value="Change: "', 'name="form"'])
      expect(page).to.include(part);
    expect(page).to.not.include('name="body"');
    const fields = { base: 'main', head: 'topic', title: 'Change: it', form: '1', 'form-field-done': '1' };
    const refused = await submitForm(world.ada, '/ada/forms/pulls/new', fields);
    expect([refused.statusCode, /value="1"[^>]*checked/.test(refused.payload)]).to.equal([422, true]);
    const made = await submitForm(world.ada, '/ada/forms/pulls/new', { ...fields, 'form-field-why': 'because' });
    expect(made.statusCode).to.equal(303);
    const { body } = await send<{ body: string }>(world.ada, 'GET', '/api/v1/repos/ada/forms/pulls/1');
    expect(body.body).to.equal('### Why\n\nbecause\n\n### Done\n\n- [ ] tested\n- [x] documented\n');
    // one that is no form leaves the text
    await put('.mortise/pull_request_template.yml', 'body: [', {});
    await put('b.txt', 'b', { new_branch: 'other' });
    expect((await world.ada.inject('/ada/forms/pulls/new?base=main&head=other')).statusCode).to.equal(200);
  });

  it('offers on the home page to propose what was pushed of late, until there is a pull request', async () => {
    await write(world.ben, { into: 'fresh' });
    const home = async (by: World['ben']) => (await by.inject('/ada/loom')).payload;
    const link = 'pulls/new?base=main&amp;head=fresh';
    const list = async (by: World['ben']) => (await by.inject('/ada/loom/pulls')).payload;
    for (const page of [home, list])
      expect([(await page(world.ben)).includes(link), (await page(world.cas)).includes(link)]).to.equal([true, false]);
    const made = await world.ben.inject({
      method: 'POST',
      url: `${api}/pulls`,
      payload: { head: 'fresh', base: 'main', title: 'Fresh' },
    });
    expect([made.statusCode, (await home(world.ben)).includes(link)]).to.equal([201, false]);
    // W: what was merged is not proposed again, whatever commits were made of it, and what comes later is
    expect(
      (await merge(world.ada, (JSON.parse(made.payload) as { number: number }).number, { do: 'squash' })).status,
    ).to.equal(200);
    expect([(await home(world.ben)).includes(link), (await list(world.ben)).includes(link)]).to.equal([false, false]);
    await write(world.ben, { branch: 'fresh' });
    expect((await home(world.ben)).includes(link)).to.be.true();
  });

  it('lets branches of long names be pushed, and those of people who are gone', async () => {
    const oid = await write(world.ben, { into: 'usual' });
    const { id } = await repository();
    const users = world.host.services.get(accounts);
    const ben = users.actorOf((await users.byName('ben'))!, '');
    const push = (name: string, pusher: RefChange['pusher']) =>
      world.host.services.get(refUpdates).apply({
        repositoryId: id,
        updates: [{ ref: `refs/heads/${name}`, old: zeroOid, new: oid }],
        pusher,
        source: 'http',
      });
    const long = `${'a'.repeat(150)}/${'b'.repeat(150)}`;
    await push(long, ben);
    await push('of-somebody-gone', { ...ben, id: 999_999 });
    const noted = await world.host.database.knex()('recent_push').pluck('branch');
    expect(noted).to.include('usual').and.to.not.include(long).and.to.not.include('of-somebody-gone');
  });
});
