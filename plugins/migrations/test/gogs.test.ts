import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gogsSource } from '../sources/gogs.js';
import { readRepository } from '../testing.js';
import { PlayedService, collect, tools } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const time = '2020-02-03T04:05:06Z';
const [ada, ben] = [
  { id: 1, login: 'ada', username: 'ada', email: 'ada@example.com' },
  { id: 2, login: 'ben', username: 'ben', email: 'ben@example.com' },
];
const issue = (number: number, state: string, more: object = {}) => ({
  id: number + 50,
  number,
  user: ada,
  title: `issue ${number}`,
  body: 'text',
  labels: [{ id: 1, name: 'bug', color: 'ff0000' }],
  milestone: { id: 1, title: 'soon' },
  assignee: null,
  state,
  comments: 0,
  created_at: time,
  updated_at: time,
  pull_request: null,
  ...more,
});

describe('imports from Gogs, by its documented API', () => {
  const pageSize = 2;
  let isOld: boolean;
  const issues: Record<string, readonly object[]> = {
    open: [issue(1, 'open'), issue(3, 'open'), issue(4, 'open', { pull_request: { merged: false } })],
    closed: [issue(2, 'closed', { user: ben }), issue(5, 'closed', { pull_request: { merged: true } })],
  };
  /** Lists of issues have pages of a size that nobody chooses; other lists come at once, whatever page is asked for. */
  const service = new PlayedService(({ path, query, headers }) => {
    if (headers.authorization !== 'token secret') return { status: 401, body: {} };
    const repo = '/api/v1/repos/ada/mill';
    if (path === `${repo}/issues`) {
      const page = Number(query.get('page') ?? 1);
      return { body: issues[query.get('state') ?? 'open']!.slice((page - 1) * pageSize, page * pageSize) };
    }
    if (isOld && path === `${repo}/releases`) return undefined;
    const answers: Record<string, unknown> = {
      [repo]: { name: 'mill', full_name: 'ada/mill', description: 'grinds', private: true, default_branch: 'master' },
      [`${repo}/labels`]: [{ id: 1, name: 'bug', color: 'ff0000' }],
      [`${repo}/milestones`]: [
        { id: 1, title: 'soon', description: 'not yet', state: 'open', due_on: '2030-01-02T00:00:00Z' },
        { id: 2, title: 'past', state: 'closed', closed_at: time },
      ],
      [`${repo}/releases`]: [
        {
          id: 1,
          tag_name: 'v1',
          target_commitish: 'master',
          name: 'one',
          body: 'first',
          author: ada,
          created_at: time,
        },
      ],
      [`${repo}/issues/1/comments`]: [
        { id: 7, user: ben, body: 'by ben', created_at: time, updated_at: time },
        { id: 8, user: null, body: 'by nobody', created_at: time, updated_at: time },
      ],
      [`${repo}/issues/2/comments`]: [],
      '/api/v1/users/ada/repos': [
        { full_name: 'ada/mill', description: '', clone_url: 'http://gogs.example/ada/mill.git' },
      ],
    };
    return Object.hasOwn(answers, path) ? { body: answers[path] } : undefined;
  });
  before(() => service.start());
  after(() => service.stop());
  beforeEach(() => {
    isOld = false;
  });

  const kinds = new Set(gogsSource.kinds);
  const options = () => ({ address: `${service.url}/ada/mill.git`, values: { auth_token: 'secret' }, kinds });

  it('MIG-01: gives open and closed issues, without pull requests, with comments, labels and milestones', async () => {
    const all = await readRepository(await gogsSource.connect(options(), tools()));
    expect(all.repository).to.include({
      name: 'mill',
      description: 'grinds',
      isPrivate: true,
      defaultBranch: 'master',
    });
    expect(all.repository.wikiUrl).to.equal(`${service.url}/ada/mill.wiki.git`);
    expect(all.issues.map(({ number, isClosed, author }) => [number, isClosed, author.name])).to.equal([
      [1, false, 'ada'],
      [3, false, 'ada'],
      [2, true, 'ben'],
    ]);
    expect(all.issues[0]).to.include({ labels: ['bug'], milestone: 'soon', createdAt: Date.parse(time) });
    expect(all.comments.map(({ id, issue: number, author }) => [id, number, author.name])).to.equal([
      ['7', 1, 'ben'],
      ['8', 1, 'Ghost'],
    ]);
    expect(all.labels.map(({ name, color }) => [name, color])).to.equal([['bug', 'ff0000']]);
    expect(all.milestones.map(({ title, isClosed }) => [title, isClosed])).to.equal([
      ['soon', false],
      ['past', true],
    ]);
    expect(all.releases.map(({ tagName, title }) => [tagName, title])).to.equal([['v1', 'one']]);
    expect(all.pullRequests).to.equal([]);
  });

  it('says that an older version has no list, and what a wrong token means', async () => {
    isOld = true;
    const reader = await gogsSource.connect(options(), tools());
    const failure = await collect((at) => reader.releases!(at)).catch((error: unknown) => error);
    expect(failure).to.include({ reason: 'notOffered' });
    const refused = await gogsSource
      .connect({ ...options(), values: { auth_token: 'wrong' } }, tools())
      .catch((error: unknown) => error);
    expect(refused).to.include({ reason: 'unauthorized' });
  });

  it('lists the repositories of an owner', async () => {
    const listed = await collect((at) =>
      gogsSource.listRepositories!({ ...options(), address: `${service.url}/ada` }, tools(), at),
    );
    expect(listed.map(({ fullName, name }) => [fullName, name])).to.equal([['ada/mill', 'mill']]);
  });
});
