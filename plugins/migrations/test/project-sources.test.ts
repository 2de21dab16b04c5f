/** Boards of services that are played. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { giteaSource } from '../sources/gitea.js';
import { gitLabSource } from '../sources/gitlab.js';
import { readPages } from '../testing.js';
import { PlayedService, pageOf, tools, type PlayedAnswer, type PlayedRequest } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after } = lab;

const asList = (all: readonly object[], { query }: PlayedRequest): PlayedAnswer => {
  const { items, page, hasNext } = pageOf(all, query, 2);
  return {
    body: items,
    headers: { 'x-next-page': hasNext ? String(page + 1) : '', 'x-total-count': String(all.length) },
  };
};

describe('boards of services that are played', () => {
  let service: PlayedService;
  let play: (request: PlayedRequest) => PlayedAnswer | undefined;
  before(async () => {
    service = new PlayedService((request) => play(request));
    await service.start();
  });
  after(() => service.stop());
  const kinds = new Set(['issues'] as const);

  it('GitLab: lists of labels are columns, with the open issues of the label in the order of the board', async () => {
    const list = (id: number, position: number, name: string | null, more: object = {}) => ({
      id,
      position,
      label: name === null ? null : { id, name, color: '#F0AD4E' },
      max_issue_count: 0,
      ...more,
    });
    const byLabel: Record<string, object[]> = {
      'flow::doing': [{ iid: 5 }, { iid: 2 }, { iid: 8, confidential: true }, { iid: 9 }],
      Ready: [{ iid: 2 }, { iid: 1 }],
    };
    const asked: string[] = [];
    const lists = [list(2, 1, 'Ready', { max_issue_count: 4 }), list(1, 0, 'flow::doing'), list(3, 2, null)];
    play = (request) => {
      const path = decodeURIComponent(request.path.replace('/api/v4', ''));
      if (path === '/projects/a/b') return { body: { id: 7, path: 'b', path_with_namespace: 'a/b' } };
      if (path === '/projects/7/boards')
        return asList(
          [
            { id: 12, name: 'Second', lists: [] },
            { id: 11, name: 'First', lists },
          ],
          request,
        );
      if (path === '/projects/7/boards/11') return { body: { id: 11, name: 'First', lists } };
      if (path === '/projects/7/boards/12') return { body: { id: 12, name: 'Second', lists: [] } };
      if (path !== '/projects/7/issues') return undefined;
      const label = request.query.get('labels');
      if (label !== null) asked.push(`${request.query.get('state')} ${request.query.get('order_by')}`);
      return asList(label === null ? [] : byLabel[label]!, request);
    };
    const given = { address: `${service.url}/a/b.git`, values: { auth_token: 'x' }, kinds };
    const reader = await gitLabSource.connect(given, tools());
    const all = await readPages((at) => reader.projects!(at));
    expect(all.map(({ id, title }) => [id, title])).to.equal([
      ['11', 'First'],
      ['12', 'Second'],
    ]);
    expect(all[0]!.columns).to.equal([
      { title: 'flow/doing', color: '#F0AD4E', cardLimit: 0 },
      { title: 'Ready', color: '#F0AD4E', cardLimit: 4 },
    ]);
    expect(all[0]!.cards.map(({ issue: number, column }) => [number, column])).to.equal([
      [5, 0],
      [2, 0],
      [9, 0],
      [2, 1],
      [1, 1],
    ]);
    expect(new Set(asked)).to.equal(new Set(['opened relative_position']));
    const reason = async (status: number, token: string) => {
      play = ({ path }) =>
        path.endsWith('/boards') ? { status, body: {} } : { body: { id: 7, issues_access_level: 'enabled' } };
      const one = await gitLabSource.connect({ ...given, values: { auth_token: token }, kinds: new Set() }, tools());
      return ((await expect(readPages((at) => one.projects!(at))).to.reject()) as { reason: string }).reason;
    };
    expect([await reason(401, ''), await reason(401, 'x'), await reason(403, 'x'), await reason(404, 'x')]).to.equal([
      'notOffered',
      'unauthorized',
      'forbidden',
      'notOffered',
    ]);
  });

  it('S4: GitLab: pages without end and boards that repeat end', async () => {
    let lists: object[] = [];
    play = ({ path, query }) => {
      const next = { 'x-next-page': String(Number(query.get('page') ?? 1) + 1) };
      if (/\/projects\/a%2Fb$/.test(path)) return { body: { id: 7 } };
      if (path.endsWith('/boards/1')) return { body: { id: 1, name: 'x', lists } };
      if (path.endsWith('/boards')) return { body: [{ id: 1 }], headers: lists.length ? {} : next };
      return { body: [], headers: next };
    };
    const reader = await gitLabSource.connect(
      { address: `${service.url}/a/b.git`, values: { auth_token: 'x' }, kinds: new Set() },
      tools(),
    );
    for (const given of [[], [{ label: { name: 'a' }, position: 0 }]]) {
      lists = given;
      expect(await expect(readPages((at) => reader.projects!(at))).to.reject()).to.include({ reason: 'invalidData' });
    }
  });

  it('Gitea: boards by the operations that every site of the kind has; one without any has none', async () => {
    const base = '/api/v1/repos/a/b';
    const cards: Record<string, object[]> = {
      '31': [{ number: 4 }, { number: 1 }, { number: 2 }],
      '32': [{ number: 9 }],
    };
    play = (request) => {
      const { path } = request;
      if (path === base) return { body: { name: 'b' } };
      if (path === `${base}/projects`) return asList([{ id: 3 }], request);
      if (path === `${base}/projects/3`)
        return { body: { id: 3, title: 'Plan', state: 'closed', closed_at: '2025-01-02T00:00:00Z' } };
      if (path === `${base}/projects/3/columns`)
        return asList(
          [
            { id: 31, title: 'A', default: true },
            { id: 32, title: 'B' },
          ],
          request,
        );
      const [, column = ''] = /columns\/(\d+)\/issues$/.exec(path) ?? [];
      return column ? asList(cards[column]!, request) : undefined;
    };
    const given = { address: `${service.url}/a/b.git`, values: {}, kinds };
    const reader = await giteaSource.connect(given, tools());
    const [one] = await readPages((at) => reader.projects!(at));
    expect(one).to.include({ title: 'Plan', isClosed: true, closedAt: Date.UTC(2025, 0, 2) });
    expect(one!.cards).to.equal(
      [4, 1, 2].map((number) => ({ issue: number, column: 0 })).concat({ issue: 9, column: 1 }),
    );
    play = ({ path }) => (path === base ? { body: { name: 'b' } } : undefined);
    const without = await giteaSource.connect(given, tools());
    expect(await expect(readPages((at) => without.projects!(at))).to.reject()).to.include({ reason: 'notOffered' });
  });
});
