import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { importKinds, type SourceOptions, type SourceReader } from '../contract/source.js';
import { gitBucketSource } from '../sources/gitbucket.js';
import { gitHubSource } from '../sources/github.js';
import {
  PlayedService,
  bytesOf,
  collect,
  pageOf,
  tools,
  type PlayedAnswer,
  type PlayedRequest,
} from './played-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const at = '2024-05-06T07:08:09Z';
const time = Date.parse(at);
const ada = { login: 'ada', id: 11, type: 'User' };
const times = { created_at: at, updated_at: at };
const none = { reactions: { total_count: 0 } };
const issue = (number: number, more: object = {}) => ({
  number,
  title: `issue ${number}`,
  body: 'text',
  user: ada,
  state: 'open',
  locked: false,
  labels: [],
  assignees: [],
  milestone: null,
  ...times,
  closed_at: null,
  ...none,
  ...more,
});
const oid = (digit: string) => digit.repeat(40);
const pull = (number: number, more: object = {}) => ({
  ...issue(number),
  draft: false,
  merged_at: null,
  merge_commit_sha: oid('9'),
  head: {
    ref: 'topic',
    sha: oid('a'),
    repo: { full_name: 'ben/mill', clone_url: 'https://github.example/ben/mill.git' },
  },
  base: {
    ref: 'main',
    sha: oid('b'),
    repo: { full_name: 'ada/mill', clone_url: 'https://github.example/ada/mill.git' },
  },
  ...more,
});
const line = (id: number, review: number, more: object) => ({
  id,
  pull_request_review_id: review,
  user: ada,
  body: `comment ${id}`,
  path: 'a.txt',
  side: 'RIGHT',
  line: 3,
  commit_id: oid('a'),
  original_line: 2,
  original_commit_id: oid('c'),
  diff_hunk: '@@ -1 +1,3 @@',
  ...times,
  ...none,
  ...more,
});

/** By path below the repository, in the shapes of docs.github.com/rest. */
const lists: Readonly<Record<string, readonly object[]>> = {
  '/labels': [{ name: 'red', color: 'ff0000', description: null }],
  '/milestones': [{ title: 'soon', description: null, state: 'closed', due_on: at, closed_at: at, ...times }],
  '/issues': [
    ...Array.from({ length: 150 }, (_, i) => issue(i + 1)),
    issue(151, { pull_request: { url: 'x' } }),
    issue(152, {
      user: null,
      state: 'closed',
      closed_at: at,
      locked: true,
      labels: [{ name: 'red' }],
      milestone: { title: 'soon' },
      assignees: [ada],
      reactions: { total_count: 1 },
    }),
  ],
  '/issues/152/reactions': [{ content: '+1', user: ada }],
  '/issues/151/reactions': [],
  '/issues/153/reactions': [{ content: 'hooray', user: null }],
  '/issues/comments': [
    {
      id: 5,
      issue_url: 'https://api.github.example/repos/ada/mill/issues/152',
      user: ada,
      body: 'yes',
      ...times,
      ...none,
    },
  ],
  '/pulls': [
    pull(151, { head: { ref: 'gone', sha: oid('d'), repo: null } }),
    pull(153, { state: 'closed', merged_at: at }),
  ],
  '/pulls/153/comments': [
    line(1, 70, {}),
    line(2, 71, { in_reply_to_id: 1 }),
    line(3, 70, { line: null, side: 'LEFT', reactions: { total_count: 1 } }),
  ],
  '/pulls/comments/3/reactions': [{ content: 'eyes', user: ada }],
  '/pulls/153/reviews': [
    { id: 70, user: ada, state: 'CHANGES_REQUESTED', body: 'no', commit_id: oid('a'), submitted_at: at },
    { id: 71, user: ada, state: 'COMMENTED', body: '', commit_id: oid('a'), submitted_at: at },
    { id: 72, user: ada, state: 'DISMISSED', body: 'once', commit_id: oid('a'), submitted_at: at },
    { id: 73, user: ada, state: 'PENDING', body: 'not sent', commit_id: oid('a') },
  ],
};
const releases = (url: string) => [
  {
    id: 1,
    tag_name: 'v1',
    target_commitish: 'main',
    name: 'one',
    body: null,
    draft: false,
    prerelease: true,
    author: ada,
    published_at: at,
    ...times,
    assets: [
      { id: 8, name: 'data.bin', size: 4, created_at: at, url: `${url}/api/v3/repos/ada/mill/releases/assets/8` },
    ],
  },
];
const repository = {
  name: 'mill',
  full_name: 'ada/mill',
  description: 'grinds',
  homepage: null,
  private: true,
  fork: false,
  default_branch: 'main',
  topics: ['water'],
  has_wiki: true,
  clone_url: 'https://github.example/ada/mill.git',
};

const options = (address: string, values: SourceOptions['values'] = { auth_token: 'secret' }): SourceOptions => ({
  address,
  values,
  kinds: new Set(importKinds),
});

describe('imports from GitHub, by its documented REST API', () => {
  const waits: PlayedAnswer[] = [];
  const play = ({ path, query, headers }: PlayedRequest, url: string): PlayedAnswer | undefined => {
    if (headers.authorization !== 'Bearer secret')
      return path === '/elsewhere' ? { body: 'data' } : { status: 401, body: {} };
    const wait = waits.shift();
    if (wait) return wait;
    const below = path.replace('/api/v3/repos/ada/mill', '');
    if (path === '/api/v3/users/ada') return { body: ada };
    if (path === '/api/v3/user') return { body: ada };
    if (path === '/api/v3/user/repos') return { body: [repository] };
    if (below === '') return { body: repository };
    if (below === '/releases/assets/8')
      return headers.accept === 'application/octet-stream'
        ? { status: 302, headers: { location: `${url.replace('127.0.0.1', 'localhost')}/elsewhere` } }
        : { body: {} };
    const list = below === '/releases' ? releases(url) : lists[below];
    if (!list) return undefined;
    const { items, page, hasNext } = pageOf(list, query);
    const next = new URLSearchParams(query);
    next.set('page', String(page + 1));
    return {
      body: items,
      headers: hasNext ? { link: `<${url}${path}?${next}>; rel="next", <${url}${path}>; rel="last"` } : {},
    };
  };
  const service = new PlayedService(play);
  let reader: SourceReader;
  before(async () => {
    await service.start();
    reader = await gitHubSource.connect(options(`${service.url}/ada/mill.git`), tools());
  });
  after(() => service.stop());

  it('MIG-01: what the repository is', async () => {
    expect(await reader.repository()).to.equal({
      name: 'mill',
      description: 'grinds',
      website: '',
      isPrivate: true,
      defaultBranch: 'main',
      topics: ['water'],
      cloneUrl: `${service.url}/ada/mill.git`,
      wikiUrl: `${service.url}/ada/mill.wiki.git`,
      pullRef: 'refs/pull/{number}/head',
    });
    expect(await collect((position) => reader.labels!(position))).to.equal([
      { id: '', name: 'red', color: 'ff0000', description: '', isExclusive: false, isArchived: false },
    ]);
    const [milestone] = await collect((position) => reader.milestones!(position));
    expect(milestone).to.include({ title: 'soon', isClosed: true, dueAt: time, closedAt: time });
  });

  it('MIG-01: issues of all pages without pull requests, also of authors that are gone', async () => {
    const issues = await collect((position) => reader.issues!(position));
    expect(issues.map(({ number }) => number)).to.equal([...Array.from({ length: 150 }, (_, i) => i + 1), 152]);
    expect(issues.at(-1)).to.include({
      isClosed: true,
      isLocked: true,
      labels: ['red'],
      milestone: 'soon',
      closedAt: time,
    });
    expect(issues.at(-1)!.author).to.equal({ id: 0, name: 'ghost' });
    expect(issues.at(-1)!.reactions).to.equal([{ content: '+1', user: { id: 11, name: 'ada' } }]);
    const [comment] = await collect((position) => reader.comments!(position));
    expect(comment).to.include({ id: '5', issue: 152, body: 'yes', createdAt: time });
  });

  it('MIG-01: pull requests, also of forks that are gone, with reviews at their lines', async () => {
    const [gone, merged] = await collect((position) => reader.pullRequests!(position));
    expect(gone).to.include({ number: 151, isMerged: false });
    expect(gone!.head).to.equal({ branch: 'gone', commit: oid('d') });
    expect(merged).to.include({ number: 153, isMerged: true, isClosed: true, mergedAt: time, mergeCommit: oid('9') });
    expect(merged!.head.repository).to.equal('ben/mill');
    const reviews = await collect((position) => reader.reviewsOf!({ number: 153, isPull: true }, position));
    expect(reviews.map(({ state, isDismissed }) => [state, isDismissed])).to.equal([
      ['rejected', false],
      ['comment', true],
    ]);
    const [first, answer, old] = reviews[0]!.comments;
    expect(first).to.include({ id: '1', side: 'new', line: 3, commit: oid('a') });
    expect(answer, 'an answer stands with what it answers').to.include({ id: '2', replyTo: '1' });
    expect(old, 'an outdated one where it was written').to.include({ side: 'old', line: 2, commit: oid('c') });
    expect(old!.reactions).to.equal([{ content: 'eyes', user: { id: 11, name: 'ada' } }]);
  });

  it('MIG-01: releases with files, whose token stays with the service', async () => {
    const [release] = await collect((position) => reader.releases!(position));
    expect(release).to.include({ tagName: 'v1', note: '', isPrerelease: true, publishedAt: time });
    expect(await release!.assets[0]!.read(bytesOf, new AbortController().signal)).to.equal('data');
    const last = service.requests.at(-1)!;
    expect([last.path, last.headers.authorization]).to.equal(['/elsewhere', undefined]);
  });

  it('MIG-01: repositories of an owner, with private ones of the owner of the token', async () => {
    const source = gitHubSource.listRepositories!;
    const listed = await collect((position) => source(options(`${service.url}/ada`), tools(), position));
    expect(listed).to.equal([
      {
        fullName: 'ada/mill',
        name: 'mill',
        description: 'grinds',
        isPrivate: true,
        isFork: false,
        address: 'https://github.example/ada/mill.git',
      },
    ]);
  });

  it('waits as Retry-After of a secondary limit says, and ends where the pause is long', async () => {
    const limit = { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } };
    waits.push({ ...limit, headers: { 'retry-after': '1' } });
    const began = Date.now();
    expect(await collect((position) => reader.labels!(position))).to.have.length(1);
    expect(Date.now() - began).to.be.at.least(950);
    const reset = Math.floor(Date.now() / 1000) + 3000;
    waits.push({
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) },
      body: { message: 'API rate limit exceeded' },
    });
    const failure = await expect(gitHubSource.connect(options(`${service.url}/ada/mill`), tools())).to.reject();
    expect(failure).to.include({ reason: 'limited', until: reset * 1000 });
  });

  it('says why there is nothing: wrong token, no such repository, issues switched off', async () => {
    const wrong = gitHubSource.connect(options(`${service.url}/ada/mill`, { auth_token: 'bad' }), tools());
    expect(await expect(wrong).to.reject()).to.include({ reason: 'unauthorized' });
    const missing = gitHubSource.connect(options(`${service.url}/ada/none`), tools());
    expect(await expect(missing).to.reject()).to.include({ reason: 'notFound' });
    waits.push({ status: 410, body: { message: 'Issues are disabled for this repo' } });
    const off = collect((position) => reader.issues!(position));
    expect(await expect(off).to.reject()).to.include({ reason: 'notOffered' });
    const nameless = gitHubSource.connect(options(`${service.url}/ada`), tools());
    expect(await expect(nameless).to.reject()).to.include({ reason: 'notFound' });
  });

  it('S4: pages that lead on without end are not followed without end, nor pages of a million records', async () => {
    const link = `<${service.url}/api/v3/x?page=2>; rel="next"`;
    for (let page = 0; page < 500; page++) waits.push({ body: [], headers: { link } });
    const before = service.requests.length;
    const reviews = reader.reviewsOf!({ number: 153, isPull: true })[Symbol.asyncIterator]();
    await reviews.next();
    expect(service.requests.length - before).to.be.below(150);
    waits.length = 0;
    waits.push({ body: Array.from({ length: 100_000 }, () => ({ name: 'x' })) });
    const many = collect((position) => reader.labels!(position));
    expect(await expect(many).to.reject()).to.include({ reason: 'invalidData' });
  });

  it('follows no header to another repository', async () => {
    waits.push({ body: [], headers: { link: '<https://evil.example/x?page=2>; rel="next"' } });
    await collect((position) => reader.labels!(position));
    expect(service.requests.at(-1)!.path).to.equal('/api/v3/repos/ada/mill/labels');
  });
});

describe('imports from GitBucket, by its documented API', () => {
  const service = new PlayedService(({ path, query, headers }) => {
    if (headers.authorization !== `Basic ${Buffer.from('ada:pass').toString('base64')}`)
      return { status: 401, body: {} };
    const below = path.replace('/api/v3/repos/ada/mill', '');
    if (below === '') return { body: { ...repository, topics: undefined } };
    if (below === '/issues/152/comments')
      return { body: query.get('page') === '1' ? [{ id: 6, user: ada, body: 'by number', ...times }] : [] };
    const list = lists[below];
    // pages of 25, whatever is asked for, and no header Link
    return (
      list && { body: pageOf(list, new URLSearchParams({ page: query.get('page') ?? '1', per_page: '25' })).items }
    );
  });
  before(() => service.start());
  after(() => service.stop());

  it('MIG-01: issues of all pages with their comments, and pull requests', async () => {
    const values = { auth_username: 'ada', auth_password: 'pass' };
    const reader = await gitBucketSource.connect(options(`${service.url}/git/ada/mill.git`, values), tools());
    expect(await reader.repository()).to.include({
      name: 'mill',
      cloneUrl: `${service.url}/git/ada/mill.git`,
      topics: [],
    });
    expect(await collect((position) => reader.issues!(position))).to.have.length(151);
    expect([reader.comments, reader.reviewsOf]).to.equal([undefined, undefined]);
    const [comment] = await collect((position) => reader.commentsOf!({ number: 152, isPull: false }, position));
    expect(comment).to.include({ id: '6', issue: 152, body: 'by number' });
    expect(await collect((position) => reader.pullRequests!(position))).to.have.length(2);
  });
});
