import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitLabSource } from '../sources/gitlab.js';
import { sourceMemory } from '../services/source-memory.js';
import { readRepository } from '../testing.js';
import {
  PlayedService,
  bytesOf,
  collect,
  pageOf,
  tools,
  type PlayedAnswer,
  type PlayedRequest,
} from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const time = '2024-03-01T10:00:00.123Z';
const [ada, ben] = [
  { id: 1, username: 'ada', name: 'Ada L', state: 'active' },
  { id: 2, username: 'ben', name: 'Ben' },
];
const oid = (digit: string) => digit.repeat(40);
const project = {
  id: 7,
  path: 'mill',
  path_with_namespace: 'water/works/mill',
  description: 'grinds',
  visibility: 'private',
  default_branch: 'main',
  topics: ['water'],
  wiki_access_level: 'enabled',
};
const issue = (iid: number, more: object = {}) => ({
  id: 100 + iid,
  iid,
  title: `issue ${iid}`,
  description: 'text',
  state: 'opened',
  author: ada,
  assignees: [ben],
  labels: ['priority::high', 'bug'],
  milestone: { title: 'soon' },
  discussion_locked: null,
  created_at: time,
  updated_at: time,
  closed_at: null,
  due_date: '2025-01-02',
  ...more,
});
const position = {
  base_sha: oid('a'),
  start_sha: oid('a'),
  head_sha: oid('b'),
  old_path: 'a.txt',
  new_path: 'b.txt',
  position_type: 'text',
};
const note = (id: number, more: object = {}) => ({
  id,
  type: null,
  body: `note ${id}`,
  author: ben,
  system: false,
  created_at: time,
  updated_at: time,
  ...more,
});
const pull = {
  ...issue(1),
  title: 'merge me',
  state: 'merged',
  source_branch: 'topic',
  target_branch: 'main',
  source_project_id: 7,
  target_project_id: 7,
  sha: oid('b'),
  merge_commit_sha: oid('c'),
  merged_at: time,
  merge_user: ben,
  draft: false,
};

describe('imports from GitLab, by the documented API version 4', () => {
  let issues: object[];
  let limitedOnce: boolean;
  let isFlooding = false;
  const service = new PlayedService((request, url) => {
    if (request.headers['private-token'] !== 'secret') return { status: 401, body: { message: '401 Unauthorized' } };
    if (request.path === '/uploads/data.bin') return { body: 'asset data' };
    if (limitedOnce && request.path.endsWith('/labels')) {
      limitedOnce = false;
      isFlooding = false;
      return { status: 429, headers: { 'retry-after': '0' }, body: { message: 'Retry later' } };
    }
    return answer(request, url);
  });
  /** By `X-Next-Page`, and for notes by a `Link` with a cursor, as keyset paging does. */
  const list = (all: readonly object[], { path, query }: PlayedRequest, url: string, max = 2): PlayedAnswer => {
    if (path.endsWith('/notes')) {
      const from = Number(query.get('cursor') ?? 0);
      const next = `<${url}${path}?pagination=keyset&cursor=${from + max}>; rel="next"`;
      return { body: all.slice(from, from + max), headers: from + max < all.length ? { link: next } : {} };
    }
    const { items, page, hasNext } = pageOf(all, query, max);
    return { body: items, headers: { 'x-next-page': hasNext ? String(page + 1) : '', 'x-total': String(all.length) } };
  };
  function answer(request: PlayedRequest, url: string): PlayedAnswer | undefined {
    const path = decodeURIComponent(request.path.replace('/api/v4', ''));
    const lists: Record<string, readonly object[]> = {
      '/projects/7/labels': [
        { id: 1, name: 'priority::high', color: '#FF0000', description: null },
        { id: 2, name: 'bug', color: '#00ff00', description: 'wrong' },
        { id: 3, name: 'a::b::c', color: '#fff', description: '' },
      ],
      '/projects/7/milestones': [
        { id: 1, iid: 1, title: 'soon', description: '', state: 'active', due_date: '2030-05-06', created_at: time },
        { id: 2, iid: 2, title: 'past', description: '', state: 'closed', due_date: null, updated_at: time },
      ],
      '/projects/7/issues': issues,
      '/projects/7/merge_requests': [pull],
      '/projects/7/issues/1/award_emoji': [{ id: 1, name: 'thumbsup', user: ben }],
      '/projects/7/issues/1/notes': [
        note(1),
        note(2, { system: true, body: 'changed the description' }),
        note(3),
        note(4, { internal: true }),
        note(5),
      ],
      '/projects/7/issues/1/notes/3/award_emoji': [{ id: 2, name: 'heart', user: ada }],
      '/projects/7/merge_requests/1/notes': [note(6), note(7, { type: 'DiffNote' })],
      '/projects/7/merge_requests/1/discussions': [
        { id: 'aa', individual_note: true, notes: [note(6)] },
        {
          id: 'bb',
          notes: [
            note(7, {
              type: 'DiffNote',
              resolved: true,
              position: { ...position, old_line: null, new_line: 3, line_range: { start: { new_line: 2 } } },
            }),
            note(8, { type: 'DiffNote', author: ada, position }),
          ],
        },
        { id: 'cc', notes: [note(9, { type: 'DiffNote', position: { ...position, old_line: 4, new_line: null } })] },
      ],
      '/projects/7/releases': [
        {
          tag_name: 'v1',
          name: 'one',
          description: 'first',
          created_at: time,
          released_at: time,
          author: ada,
          commit: { id: oid('a') },
          assets: {
            links: [
              { id: 1, name: 'data.bin', direct_asset_url: `${url}/uploads/data.bin` },
              { id: 2, name: 'gone.bin', url: 'http://127.0.0.1:9/gone.bin' },
            ],
          },
        },
      ],
      '/groups/water/works/projects': [{ ...project, http_url_to_repo: `${url}/water/works/mill.git` }],
    };
    if (isFlooding && path === '/projects/7/labels')
      return { body: Array.from({ length: 1001 }, () => ({ name: 'x' })) };
    if (Object.hasOwn(lists, path)) return list(lists[path]!, request, url);
    if (/\/award_emoji$/.test(path)) return list([], request, url);
    if (/\/issues\/\d+\/notes$/.test(path)) return list([], request, url);
    const records: Record<string, unknown> = {
      '/projects/water/works/mill': project,
      '/projects/7/merge_requests/1': { ...pull, diff_refs: { base_sha: oid('a'), head_sha: oid('b') } },
      '/projects/7/merge_requests/1/approvals': { approved_by: [{ user: ben }] },
      '/groups/water/works': { id: 3 },
    };
    return Object.hasOwn(records, path) ? { body: records[path] } : undefined;
  }

  before(() => service.start());
  after(() => service.stop());
  beforeEach(() => {
    issues = [issue(1), issue(2, { state: 'closed', closed_at: time }), issue(9), issue(4, { confidential: true })];
    limitedOnce = false;
  });

  const kinds = new Set(['labels', 'milestones', 'releases', 'issues', 'pull_requests'] as const);
  const options = () => ({ address: `${service.url}/water/works/mill.git`, values: { auth_token: 'secret' }, kinds });

  it('MIG-01: gives everything, page by page, with merge requests behind the issues', async () => {
    limitedOnce = true;
    const all = await readRepository(await gitLabSource.connect(options(), tools()));
    expect(all.repository).to.include({ name: 'mill', isPrivate: true, defaultBranch: 'main', pullOffset: 9 });
    expect(all.repository.pullRef).to.equal('refs/merge-requests/{number}/head');
    expect(all.labels.map(({ name, isExclusive }) => [name, isExclusive])).to.equal([
      ['priority/high', true],
      ['bug', false],
      ['a/b/c', true],
    ]);
    expect(all.milestones.map(({ title, isClosed, dueAt }) => [title, isClosed, dueAt])).to.equal([
      ['soon', false, Date.UTC(2030, 4, 6)],
      ['past', true, undefined],
    ]);
    expect(all.issues.map(({ number, isClosed }) => [number, isClosed])).to.equal([
      [1, false],
      [2, true],
      [9, false],
    ]);
    expect(all.issues[0]).to.include({ labels: ['priority/high', 'bug'], milestone: 'soon', title: 'issue 1' });
    expect(all.issues[0]!.reactions.map(({ content, user }) => [content, user.name])).to.equal([['+1', 'ben']]);
    expect(all.pullRequests).to.have.length(1);
    expect(all.pullRequests[0]).to.include({ number: 10, isMerged: true, isClosed: true, mergeCommit: oid('c') });
    expect(all.pullRequests[0]!.head).to.equal({ branch: 'topic', commit: oid('b'), repository: 'water/works/mill' });
    expect(all.pullRequests[0]!.base.commit).to.equal(oid('a'));
    expect(all.comments.map(({ id, issue: number }) => [id, number])).to.equal([
      ['1', 1],
      ['3', 1],
      ['5', 1],
      ['6', 10],
    ]);
    expect(all.comments[1]!.reactions.map(({ content }) => content)).to.equal(['heart']);
    expect(all.reviews.map(({ pull: number, state, author }) => [number, state, author.name])).to.equal([
      [10, 'comment', 'ben'],
      [10, 'comment', 'ben'],
      [10, 'approved', 'ben'],
    ]);
    const [first, answered] = all.reviews[0]!.comments;
    expect(first).to.include({ path: 'b.txt', side: 'new', line: 3, startLine: 2, commit: oid('b'), isResolved: true });
    expect(answered).to.include({ replyTo: '7', line: 3 });
    expect(all.reviews[1]!.comments[0]).to.include({ path: 'a.txt', side: 'old', line: 4 });
    const [data, gone] = all.releases[0]!.assets;
    const { signal } = new AbortController();
    expect(await data!.read(bytesOf, signal)).to.equal('asset data');
    const failure = await gone!.read(bytesOf, signal).catch((error: unknown) => error);
    expect(failure).to.include({ reason: 'notFound' });
  });

  it('keeps the numbers of merge requests when an import goes on after more issues came', async () => {
    let stored: Readonly<Record<string, string>> = {};
    const memory = () => sourceMemory(stored, async (all) => void (stored = all));
    const before = await gitLabSource.connect(options(), tools(memory()));
    issues.push(issue(30));
    const again = await gitLabSource.connect(options(), tools(memory()));
    for (const reader of [before, again])
      expect((await collect((at) => reader.pullRequests!(at))).map(({ number }) => number)).to.equal([10]);
  });

  it('says what is wrong: no project, a wrong token, what is switched off', async () => {
    const fails = async (more: object) =>
      (await gitLabSource.connect({ ...options(), ...more }, tools()).catch((error: unknown) => error)) as object;
    expect(await fails({ address: `${service.url}/water/none` })).to.include({ reason: 'notFound' });
    expect(await fails({ address: `${service.url}/water` })).to.include({ reason: 'notFound' });
    expect(await fails({ values: { auth_token: 'wrong' } })).to.include({ reason: 'unauthorized' });
  });

  it('a list that is refused is switched off where the project says so, and else an error', async () => {
    const refused = async (list: 'issues' | 'milestones', token: string, settings: object, body: object = {}) => {
      const played = new PlayedService(({ path }) =>
        /^\/api\/v4\/projects\/(?:7|a\/b|a%2Fb)$/.test(path)
          ? { body: { ...project, ...settings } }
          : { status: 403, body },
      );
      await played.start();
      try {
        const asked = { address: `${played.url}/a/b`, values: { auth_token: token }, kinds: new Set<never>() };
        const reader = await gitLabSource.connect(asked, tools());
        return ((await expect(collect((at) => reader[list]!(at) as never)).to.reject()) as { reason: string }).reason;
      } finally {
        await played.stop();
      }
    };
    expect(await refused('issues', 'secret', { issues_access_level: 'disabled' })).to.equal('notOffered');
    expect(await refused('issues', 'secret', { issues_enabled: false })).to.equal('notOffered');
    expect(await refused('issues', 'secret', { issues_access_level: 'private' })).to.equal('forbidden');
    expect(await refused('issues', 'secret', {})).to.equal('forbidden');
    expect(await refused('milestones', 'secret', { issues_access_level: 'disabled' })).to.equal('forbidden');
    const off = { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' };
    expect(await refused('milestones', 'secret', off)).to.equal('notOffered');
    expect(await refused('issues', '', {})).to.equal('notOffered');
  });

  it('S4: a page of more records than any service gives is refused', async () => {
    const reader = await gitLabSource.connect(options(), tools());
    isFlooding = true;
    const many = collect((position) => reader.labels!(position));
    expect(await expect(many).to.reject()).to.include({ reason: 'invalidData' });
  });

  it('lists the projects of a group', async () => {
    const listed = await collect((at) =>
      gitLabSource.listRepositories!({ ...options(), address: `${service.url}/water/works` }, tools(), at),
    );
    expect(listed.map(({ fullName, address }) => [fullName, address])).to.equal([
      ['water/works/mill', `${service.url}/water/works/mill.git`],
    ]);
  });
});
