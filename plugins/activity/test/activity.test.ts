import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { events as eventsRef, scheduledTasks } from '@mortise/plugin-sdk';
import { gitStore as gitStoreRef } from '@mortise/git/api';
import { repositories as repositoriesRef, repositoryRenamed } from '@mortise/repositories/api';
import { activities as activitiesRef } from '../contract/activity.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Entry {
  op_type: string;
  ref_name: string;
  content: string;
  is_private: boolean;
  created: string;
  act_user: { login: string };
  repo: { full_name: string };
}

describe('activity', { timeout: 600_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  let root: KitUser;
  let folder: string;

  const api = (method: string, path: string, by?: KitUser, payload?: object) =>
    host.inject({
      method: method as 'GET',
      url: `/api/v1${path}`,
      payload,
      headers: by ? { authorization: by.authorization } : {},
    });
  const feed = async (path: string, by?: KitUser) => {
    const answer = await api('GET', path, by);
    expect(answer.statusCode, path).to.equal(200);
    const entries = answer.json as Entry[];
    expect(Number(answer.headers['x-total-count'])).to.be.at.least(entries.length);
    return entries;
  };
  const told = (entries: readonly Entry[]) =>
    entries.map((one) => `${one.op_type} ${one.ref_name.replace(/^refs\/(heads|tags)\//, '')}`.trim()).sort();
  const git = async (...args: string[]) => {
    const environment = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
    const set = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const { stdout } = await promisify(execFile)('git', [...set, ...args], { cwd: folder, env: environment });
    return stdout.trim();
  };
  const page = async (url: string, by?: KitUser) =>
    host.inject({ url, headers: by ? { authorization: by.authorization } : {} });
  const home = (language = 'en') => host.as(ada).inject({ url: '/', headers: { 'accept-language': language } });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mortise-activity-'));
    host = await startHost({
      plugins: ['activity', 'releases', 'git-http', 'refs', 'files', 'auth-basic', 'auth-token', 'sessions'],
    });
    ada = await makeUser(host, 'ada');
    ben = await makeUser(host, 'ben');
    root = await makeUser(host, 'root', { isAdmin: true });
    for (const payload of [
      { name: 'open', auto_init: true },
      { name: 'shut', private: true },
    ])
      expect((await api('POST', '/user/repos', ada, payload)).statusCode).to.equal(201);
    await host.settle();
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('FED-02: tells of private repositories only the account itself and administrators', async () => {
    const path = '/users/ada/activities/feeds';
    expect((await feed(path, ada)).length).to.equal(2);
    expect((await feed(path, root)).length).to.equal(2);
    for (const by of [ben, undefined]) {
      const entries = await feed(path, by);
      expect(entries.map((one) => one.repo.full_name)).to.equal(['ada/open']);
      expect(entries[0]).to.include({ op_type: 'create_repo', content: '', is_private: false });
    }
    expect((await api('GET', '/users/nobody/activities/feeds', ada)).statusCode).to.equal(404);
    expect((await feed(`${path}?date=2001-02-03`, ada)).length).to.equal(0);
    // midnight may have passed between the two
    const all = await feed(path, ada);
    const today = all[0]!.created.slice(0, 10);
    const ofToday = all.filter(({ created }) => created.startsWith(today));
    expect(await feed(`${path}?date=${today}`, ada)).to.equal(ofToday);
    for (const date of ['yesterday', '2001-99-99'])
      expect((await api('GET', `${path}?date=${date}`, ada)).statusCode).to.equal(422);
  });

  it('FED-04: the feed of a repository tells of pushes: new branches, commits, tags, deletions; each once', async () => {
    await git('init', '-q', '-b', 'main');
    const url = new URL(await host.url());
    const remote = `http://ada:${encodeURIComponent(ada.password)}@${url.host}/ada/open`;
    await git('fetch', '-q', remote, 'HEAD');
    await git('reset', '-q', '--hard', 'FETCH_HEAD');
    await writeFile(join(folder, 'a.txt'), 'a');
    await git('add', '.');
    await git('commit', '-qm', 'Add a\n\nfor <b> & more');
    await git('push', '-q', remote, 'HEAD:main', 'HEAD~1:refs/heads/f/one');
    await git('tag', 'v1');
    await git('push', '-q', remote, 'v1');
    await git('push', '-q', remote, ':v1', ':f/one');
    await host.settle();
    await host.settle();
    const entries = await feed('/repos/ada/open/activities/feeds');
    expect(told(entries)).to.equal(
      [
        'commit_repo f/one',
        'commit_repo f/one',
        'commit_repo main',
        'create_repo',
        'delete_branch f/one',
        'delete_tag v1',
        'push_tag v1',
      ].sort(),
    );
    const push = entries.find((one) => one.ref_name === 'refs/heads/main')!;
    const content = JSON.parse(push.content) as { Len: number; Commits: { Message: string; Sha1: string }[] };
    expect(content.Len).to.equal(1);
    expect(content.Commits[0]!.Message).to.startWith('Add a');
    expect((await feed('/repos/ada/open/activities/feeds?limit=2&page=2')).length).to.equal(2);
  });

  it('tells watchers; what others do is told with its own name', async () => {
    const activities = host.services.get(activitiesRef);
    const { id } = (await host.services.get(repositoriesRef).byPath('ada', 'open'))!;
    const issue = {
      actorId: ben.id,
      kind: 'create_issue',
      repositoryId: id,
      content: '1|weeds',
      onceKey: 'one',
    } as const;
    await activities.record(issue);
    await activities.record(issue);
    const mine = await feed('/users/ada/activities/feeds', ada);
    expect(mine.filter((one) => one.op_type === 'create_issue').map((one) => one.act_user.login)).to.equal(['ben']);
    const own = await feed('/users/ada/activities/feeds?only-performed-by=true', ada);
    expect(own.some((one) => one.act_user.login === 'ben')).to.be.false();
    expect(told(await feed('/users/ben/activities/feeds', ben))).to.equal(['create_issue']);
  });

  it('tells of new names and new owners when it is known who gave them', async () => {
    const events = host.services.get(eventsRef);
    const { id } = (await host.services.get(repositoriesRef).byPath('ada', 'shut'))!;
    const moves = [
      { from: 'ada/closed', to: 'ada/shut', actorId: ada.id },
      { from: 'ben/shut', to: 'ada/shut', actorId: ada.id },
      { from: 'ada/lost', to: 'ada/shut' },
    ];
    for (const move of moves)
      await host.database.write(() => events.emit(repositoryRenamed, { repositoryId: id, ...move }));
    const entries = await feed('/repos/ada/shut/activities/feeds', ada);
    const moved = entries.filter((one) => one.op_type !== 'create_repo').map((one) => `${one.op_type} ${one.content}`);
    expect(moved.sort()).to.equal(['rename_repo closed', 'transfer_repo ben/shut']);
    await host.database.write(async () => {
      await host.database.knex()('activity').delete().whereIn('kind', ['rename_repo', 'transfer_repo']);
    });
  });

  it('tells of a new name and a new owner given over the API, not of another spelling', async () => {
    await api('POST', '/user/repos', ada, { name: 'boat' });
    await api('PATCH', '/repos/ada/boat', ada, { name: 'ship' });
    await api('PATCH', '/repos/ada/ship', ada, { name: 'SHIP' });
    await api('POST', '/repos/ada/SHIP/transfer', ada, { new_owner: 'ben' });
    await api('POST', '/repos/ada/SHIP/transfer/accept', ben);
    await host.settle();
    const entries = await feed('/repos/ben/SHIP/activities/feeds', ben);
    expect(entries.map((one) => `${one.act_user.login} ${one.op_type} ${one.content}`)).to.equal([
      'ben transfer_repo ada/SHIP',
      'ada rename_repo boat',
      'ada create_repo ',
    ]);
    await api('DELETE', '/repos/ben/SHIP', ben);
  });

  it('counts contributions by the quarter of an hour', async () => {
    const sum = async (by?: KitUser) => {
      const answer = await api('GET', '/users/ada/heatmap', by);
      const rows = answer.json as { timestamp: number; contributions: number }[];
      expect(rows.every((row) => row.timestamp % 900 === 0)).to.be.true();
      return rows.reduce((total, row) => total + row.contributions, 0);
    };
    // its creation and three pushes; what one push did to several references counts once
    expect(await sum()).to.equal(4);
    expect(await sum(ada)).to.equal(5);
    expect((await api('GET', '/users/nobody/heatmap')).statusCode).to.equal(404);
  });

  it('hides what an account hides, and what has become private', async () => {
    const path = '/users/ada/activities/feeds';
    await api('PATCH', '/user/settings', ada, { hide_activity: true });
    expect(told(await feed(path, ben))).to.equal(['create_issue']);
    expect((await api('GET', '/users/ada/heatmap', ben)).json).to.equal([]);
    expect((await feed(path, root)).length).to.be.above(5);
    expect((await page('/ada?tab=activity', ben)).payload).to.include('keeps their activity private');
    await api('PATCH', '/user/settings', ada, { hide_activity: false });
    await api('PATCH', '/repos/ada/open', ada, { private: true });
    expect(await feed(path, ben)).to.equal([]);
    // What it did itself, in a repository that it may not read any more.
    expect(await feed('/users/ben/activities/feeds', ben)).to.equal([]);
    await api('PATCH', '/repos/ada/open', ada, { private: false });
    expect((await feed('/users/ben/activities/feeds', ben)).length).to.equal(1);
  });

  it('tells of releases, but not of drafts', async () => {
    const make = (payload: object) => api('POST', '/repos/ada/open/releases', ada, payload);
    expect((await make({ tag_name: 'v2', name: 'Second' })).statusCode).to.equal(201);
    expect((await make({ tag_name: 'v3', draft: true })).statusCode).to.equal(201);
    await host.settle();
    const entries = await feed('/repos/ada/open/activities/feeds');
    const released = entries.filter((one) => one.op_type === 'publish_release');
    expect(released.map((one) => `${one.ref_name} ${one.content}`)).to.equal(['refs/tags/v2 Second']);
    expect(told(entries)).to.include('push_tag v2');
  });

  it('U16: feeds of the old name of a repository lead to those of the new one', async () => {
    await api('POST', '/user/repos', ada, { name: 'formerly' });
    await api('PATCH', '/repos/ada/formerly', ada, { name: 'today' });
    for (const ending of ['rss', 'atom']) {
      const moved = await page(`/ada/formerly.${ending}?x=1`);
      expect([moved.statusCode, moved.headers.location]).to.equal([301, `/ada/today.${ending}?x=1`]);
      expect((await page(`/ada/today.${ending}`)).statusCode).to.equal(200);
    }
    await api('DELETE', '/repos/ada/today', ada);
  });

  it('writes feeds for readers, with signs escaped', async () => {
    const branch = await page('/ada/open/atom/branch/main');
    expect(branch.headers['content-type']).to.include('application/atom+xml');
    expect(branch.payload).to.include('<title>Add a</title>').and.include('&amp;lt;b&amp;gt;');
    expect((await page('/ada/open/rss/branch/main/a.txt')).payload.match(/<item>/g)).to.have.length(1);
    for (const path of ['branch/nope', 'branch/main/nope.txt', 'branch/'])
      expect((await page(`/ada/open/rss/${path}`)).statusCode, path).to.equal(404);
    expect((await page('/ada/open.rss')).payload).to.include('ada pushed 2 branches to ada/open');
    expect((await page('/ada.rss')).payload).to.not.include('ada/shut');
    expect((await page('/ada.rss', ada)).payload).to.include('ada/shut');
    expect((await page('/ada/shut.rss', ben)).statusCode).to.equal(404);
    expect((await page('/ada/shut.rss', ada)).statusCode).to.equal(200);
    const etag = branch.headers.etag as string;
    const again = await host.inject({ url: '/ada/open/atom/branch/main', headers: { 'if-none-match': etag } });
    expect(again.statusCode).to.equal(304);
  });

  it('FED: answers for a branch whose objects are missing, instead of failing', async () => {
    const found = await host.services.get(repositoriesRef).byPath('ada', 'open');
    const git = host.services.get(gitStoreRef);
    const tree = '3'.repeat(40);
    const text = `tree ${tree}\nauthor A <a@b.c> 1700000000 +0000\ncommitter A <a@b.c> 1700000000 +0000\n\ntorn\n`;
    const cwd = git.path(found!.id);
    await writeFile(join(folder, 'torn'), text);
    const made = await promisify(execFile)(
      'git',
      ['hash-object', '-w', '--literally', '-t', 'commit', join(folder, 'torn')],
      { cwd },
    );
    await mkdir(join(cwd, 'refs', 'heads'), { recursive: true });
    await writeFile(join(cwd, 'refs', 'heads', 'torn'), made.stdout);
    await writeFile(join(cwd, 'mortise-refs'), 'torn');
    expect((await page('/ada/open/atom/branch/torn')).statusCode).to.be.below(500);
    expect((await page('/ada/open/atom/branch/torn/a.txt')).statusCode).to.equal(404);
    expect((await page('/ada/open/atom/branch/main')).statusCode).to.equal(200);
    await rm(join(cwd, 'refs', 'heads', 'torn'));
    await writeFile(join(cwd, 'mortise-refs'), 'whole');
  });

  it('TOK-22: a public-only token sees only what is public', async () => {
    const made = await api('POST', '/users/ada/tokens', ada, { name: 'public', scopes: ['public-only', 'all'] });
    const token = { ...ada, authorization: `token ${made.json.sha1}` };
    expect((await feed('/users/ada/activities/feeds', token)).every((one) => !one.is_private)).to.be.true();
    const basic = `Basic ${Buffer.from(`ada:${made.json.sha1}`).toString('base64')}`;
    expect((await page('/ada/shut.rss', { ...ada, authorization: basic })).statusCode).to.equal(403);
  });

  it('the profile and the home page show what happened, as far as the visitor may see it', async () => {
    const profile = await host.as(ben).inject('/ada?tab=activity');
    expect(profile.payload).to.include('<svg').and.include('in the last year').and.include(' Add a</li>');
    expect(profile.payload).to.not.include('ada/shut');
    const home = await host.as(ada).inject('/');
    expect(home.payload).to.include('Recent activity').and.include('opened issue').and.include('ada/<strong>shut');
  });

  it('tells of one push once, with what its branch brought', async () => {
    expect((await api('POST', '/user/repos', ada, { name: 'tagged' })).statusCode).to.equal(201);
    const url = new URL(await host.url());
    const remote = `http://ada:${encodeURIComponent(ada.password)}@${url.host}/ada/tagged`;
    const tags = Array.from({ length: 104 }, (_, at) => `HEAD:refs/tags/t${at}`);
    await git('push', '-q', remote, ...tags, 'HEAD:main');
    await host.settle();
    await host.settle();
    const entry = /<li class="Box-row d-flex">.*?<\/li>/s;
    const pushed = (await home()).payload.match(entry)![0];
    expect(pushed).to.include('1 branch and 104 tags').and.include('Add a');
    const german = await home('de');
    expect(german.payload).to.include('1 Branch und 104 Tags').and.include('Letzte Aktivität');
    expect((german.payload.match(/ada\/tagged<\/a>/g) ?? []).length).to.equal(2);
    expect((await page('/ada/tagged.rss', ada)).payload.match(/<item>/g)).to.have.length(2);
    await git('push', '-q', remote, ':t1', ':t2');
    await host.settle();
    await host.settle();
    expect((await home()).payload).to.include('deleted 2 tags from');
    await api('DELETE', '/repos/ada/tagged', ada);
    await host.settle();
  });

  it('keeps old entries where the site says nothing', async () => {
    expect(await host.services.get(scheduledTasks).run('delete_old_actions')).to.be.false();
  });

  it('forgets deleted repositories and accounts', async () => {
    await api('DELETE', '/repos/ada/open', ada);
    await host.settle();
    expect(told(await feed('/users/ada/activities/feeds', ada))).to.equal(['create_repo']);
    expect(await feed('/users/ben/activities/feeds', ben)).to.equal([]);
  });
});
