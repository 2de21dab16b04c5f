import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { importKinds } from '../contract/source.js';
import { oneDevSource } from '../sources/onedev.js';
import { readRepository } from '../testing.js';
import { PlayedService, collect, tools, type PlayedRequest } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after } = lab;

const date = '2024-08-09T22:56:16.734Z';
const oid = (digit: string) => digit.repeat(40);
const issue = (number: number, more: object = {}) => ({
  id: 300 + number,
  number,
  state: 'Open',
  title: `issue ${number}`,
  description: 'text',
  submitterId: 8,
  submitDate: date,
  fields: [{ name: 'Type', value: number % 2 ? 'Bug' : 'Idea' }],
  ...more,
});
const issues = [
  ...Array.from({ length: 120 }, (_, at) => issue(at + 1)),
  issue(121, { confidential: true }),
  issue(125, { state: 'Closed', submitterId: 9 }),
];
const pull = (number: number, more: object = {}) => ({
  id: 180 + number,
  number,
  title: `pull ${number}`,
  description: 'please',
  submitterId: 8,
  submitDate: date,
  targetBranch: 'main',
  sourceBranch: 'topic',
  baseCommitHash: oid('b'),
  status: 'OPEN',
  ...more,
});
const answers: Readonly<Record<string, unknown>> = {
  '/projects/149/iterations': [
    { id: 50, name: '1.0', description: 'first', dueDay: 18751, closed: true },
    { id: 51, name: '1.1', description: '', dueDay: 0, closed: false },
  ],
  '/issues/301/iterations': [{ id: 50, name: '1.0' }],
  '/issues/301/comments': [{ id: 7, date, userId: 9, content: 'noted' }],
  '/pulls/182/comments': [{ id: 7, date, userId: 8, content: 'well done' }],
  '/pulls/181/merge-preview': { targetHeadCommitHash: oid('c'), headCommitHash: oid('a'), mergeCommitHash: null },
  '/pulls/182/merge-preview': { targetHeadCommitHash: oid('c'), headCommitHash: oid('d'), mergeCommitHash: oid('e') },
  '/pulls/182/reviews': [
    { id: 20, userId: 9, status: 'PENDING' },
    { id: 21, userId: 9, status: 'APPROVED', statusDate: date },
    { id: 22, userId: 9, result: { commit: oid('d'), approved: false, comment: 'hm' } },
  ],
  '/users/8': { id: 8, name: 'ada', email: 'ada@example.com' },
};
const pulls = [pull(1), pull(2, { status: 'MERGED', lastActivity: { date } })];

function play({ path, query, headers }: PlayedRequest) {
  if (headers.authorization !== `Basic ${Buffer.from('ada:secret').toString('base64')}`)
    return { status: 401, body: 'Not authorized' };
  const below = path.replace('/~api', '');
  const range = <T>(all: readonly T[]) => {
    const [offset, count] = [Number(query.get('offset')), Math.min(100, Number(query.get('count')))];
    return { body: all.slice(offset, offset + count) };
  };
  const asked = query.get('query') ?? '';
  if (below === '/projects')
    return range(asked === '"Path" is "water/mill"' ? [{ id: 149, name: 'mill', description: 'grinds' }] : []);
  if (below === '/issues') return asked.startsWith('"Project" is "water/mill"') ? range(issues) : { status: 400 };
  if (below === '/pulls') return asked.startsWith('"Target Project" is "water/mill"') ? range(pulls) : { status: 400 };
  if (/^\/issues\/\d+\/(?:iterations|comments)$|\/(?:reviews|comments)$/.test(below))
    return { body: answers[below] ?? [] };
  if (below.endsWith('/iterations')) return range(answers[below] as readonly object[]);
  return Object.hasOwn(answers, below) ? { body: answers[below] } : undefined;
}

describe('imports from OneDev, by its documented REST API', () => {
  const service = new PlayedService(play);
  before(() => service.start());
  after(() => service.stop());
  const options = (more: object = {}) => ({
    address: `${service.url}/water/mill`,
    values: { auth_username: 'ada', auth_password: 'secret' },
    kinds: new Set(importKinds),
    ...more,
  });

  it('MIG-01: gives issues of all pages with types, iterations and comments, and pull requests behind them', async () => {
    const all = await readRepository(await oneDevSource.connect(options(), tools()));
    expect(all.repository).to.include({ name: 'mill', description: 'grinds', cloneUrl: `${service.url}/water/mill` });
    expect(all.repository).to.include({ pullRef: 'refs/pulls/{number}/head', pullOffset: 125 });
    expect(all.issues.map(({ number }) => number)).to.equal([...Array.from({ length: 120 }, (_, at) => at + 1), 125]);
    expect(all.issues[0]).to.include({ labels: ['Bug'], milestone: '1.0', createdAt: Date.parse(date) });
    expect(all.issues[0]!.author).to.equal({ id: 8, name: 'ada', email: 'ada@example.com' });
    expect(all.issues.at(-1)).to.include({ isClosed: true, author: { id: 9, name: 'User 9' } });
    expect(all.labels.map(({ name, color }) => [name, color])).to.equal([
      ['Bug', 'f64e60'],
      ['Idea', 'cccccc'],
    ]);
    expect(all.milestones.map(({ title, isClosed, dueAt }) => [title, isClosed, dueAt])).to.equal([
      ['1.0', true, Date.UTC(2021, 4, 4)],
      ['1.1', false, undefined],
    ]);
    expect(all.pullRequests.map(({ number, isMerged }) => [number, isMerged])).to.equal([
      [126, false],
      [127, true],
    ]);
    expect(all.pullRequests[1]).to.include({ mergeCommit: oid('e'), mergedAt: Date.parse(date) });
    expect(all.pullRequests[1]!.head).to.equal({ branch: 'topic', commit: oid('d') });
    expect(all.comments.map(({ id, issue: number, body }) => [id, number, body])).to.equal([
      ['issue-7', 1, 'noted'],
      ['pull-7', 127, 'well done'],
    ]);
    expect(all.reviews.map(({ id, pull: number, state, body }) => [id, number, state, body])).to.equal([
      ['21', 127, 'approved', ''],
      ['22', 127, 'comment', 'hm'],
    ]);
  });

  it('finds comments again when an import goes on that has not read the lists', async () => {
    const reader = await oneDevSource.connect(options(), tools());
    const subject = { number: 127, isPull: true };
    expect(await collect((at) => reader.commentsOf!(subject, at))).to.have.length(1);
    expect(await collect((at) => reader.commentsOf!({ number: 999, isPull: false }, at))).to.equal([]);
  });

  it('says what is wrong: no project, a name that is part of a query, a wrong password', async () => {
    for (const path of ['/water/none', '/x" or "Path" is "water/mill', '/'])
      expect(
        await expect(oneDevSource.connect(options({ address: `${service.url}${path}` }), tools())).to.reject(),
      ).to.include({ reason: 'notFound' });
    const wrong = options({ values: { auth_username: 'ada', auth_password: 'wrong' } });
    expect(await expect(oneDevSource.connect(wrong, tools())).to.reject()).to.include({ reason: 'unauthorized' });
  });
});
