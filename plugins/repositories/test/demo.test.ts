import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import { repositories } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('mortise admin demo', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['repositories'] });
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

  it('leaves a site alone that has such people already', async () => {
    await expect(host.command('admin demo', {})).to.reject(/User ada already exists/);
  });
});
