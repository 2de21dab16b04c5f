import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { giteaSource } from '../sources/gitea.js';
import { PlayedService, pageOf, tools } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const ada = { id: 1, login: 'ada' };
const repo = '/api/v1/repos/ada/mill';

describe('reactions in imports from services with the API of Gitea', () => {
  /** Another Mortise gives those of many texts at once; others take the word for the number of an issue. */
  let many: 'has' | 'refuses' | 'has not';
  const issues = Array.from({ length: 70 }, (_, at) => ({ number: at + 1, title: 'x', user: ada, state: 'open' }));
  const service = new PlayedService(({ path, query }) => {
    if (path === repo) return { body: { name: 'mill', full_name: 'ada/mill' } };
    if (path === `${repo}/issues`)
      return { body: pageOf(issues, new URLSearchParams({ page: query.get('page')!, per_page: '50' })).items };
    if (path === `${repo}/issues/reactions` && many === 'has')
      return {
        body: (query.get('issues') ?? '')
          .split(',')
          .filter((number) => number === '3' || number === '60')
          .map((number) => ({ issue: Number(number), comment: 0, content: 'heart', user: ada })),
      };
    if (path === `${repo}/issues/reactions`) return { status: many === 'refuses' ? 422 : 404, body: {} };
    const [, number] = /\/issues\/(\d+)\/reactions$/.exec(path) ?? [];
    return number ? { body: number === '3' || number === '60' ? [{ content: 'heart', user: ada }] : [] } : undefined;
  });
  before(() => service.start());
  after(() => service.stop());
  beforeEach(() => {
    service.requests.length = 0;
  });

  const read = async () => {
    const kinds = new Set(['issues'] as const);
    const reader = await giteaSource.connect({ address: `${service.url}/ada/mill.git`, values: {}, kinds }, tools());
    const all = [];
    for await (const { items } of reader.issues!()) all.push(...items);
    return all.filter(({ reactions }) => reactions.length).map(({ number }) => number);
  };
  const asked = (pattern: RegExp) => service.requests.filter(({ path }) => pattern.test(path)).length;

  it('come in one request for a page where the source can, and the same one by one where it cannot', async () => {
    many = 'has';
    expect(await read()).to.equal([3, 60]);
    expect(asked(/\/issues\/reactions$/)).to.equal(2);
    expect(asked(/\/issues\/\d+\/reactions$/)).to.equal(0);
    for (const one of ['has not', 'refuses'] as const) {
      service.requests.length = 0;
      many = one;
      expect(await read()).to.equal([3, 60]);
      // asked once whether it can
      expect(asked(/\/issues\/reactions$/)).to.equal(1);
      expect(asked(/\/issues\/\d+\/reactions$/)).to.equal(70);
    }
  });
});
