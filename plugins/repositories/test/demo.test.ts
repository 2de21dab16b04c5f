import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import { repositories } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('mortise admin demo', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['repositories'], settings: { ui: { SITEMAP_PAGING_NUM: 2 } } });
  });
  after(() => host.close());

  it('makes people who can sign in, and repositories with history, branches and tags', async () => {
    const lines = await host.command('admin demo', {});
    const [, password] = /^Password of ada, grace, alan: (\S+)$/m.exec(lines.join('\n'))!;
    const { services } = host;
    expect(await services.get(accounts).checkPassword('grace', password!)).to.include({ name: 'grace' });
    const abacus = (await services.get(repositories).byPath('ada', 'abacus'))!;
    const basics = (await services.get(repositories).basicsById(abacus.id))!;
    expect({ ...abacus, ...basics }).to.equal(abacus);
    const counted = Object.keys(abacus).filter((key) => !(key in basics));
    expect(counted.every((key) => key.endsWith('Count'))).to.be.true();
    const reader = services.get(gitReader).open(abacus.id);
    expect((await reader.refs()).map(({ name }) => name).sort()).to.equal(['divide', 'main', 'v0.1', 'v0.2']);
    const page = await host.inject('/api/v1/repos/ada/abacus');
    expect(page.json).to.include({ empty: false, default_branch: 'main' });
  });

  it('issue 30: maps of the site have as many addresses as [ui] SITEMAP_PAGING_NUM says', async () => {
    const { payload: index } = await host.inject('/sitemap.xml');
    const maps = [...index.matchAll(/<loc>[^<]*(\/explore[^<]*)<\/loc>/g)].map(([, path]) => path!);
    const answers = await Promise.all(maps.map((path) => host.inject(path)));
    const counts = answers.map(({ payload }) => payload.split('<url>').length - 1);
    const { total } = await host.services.get(repositories).search({ limit: 1, offset: 0 }, anonymous);
    expect(total).to.be.above(2);
    expect(counts).to.equal([...Array<number>(Math.ceil(total / 2) - 1).fill(2), total % 2 || 2]);
  });

  it('leaves a site alone that has such people already', async () => {
    await expect(host.command('admin demo', {})).to.reject(/User ada already exists/);
  });
});
