import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { jobs } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitStore } from '../api.js';
import { maintainRepository } from '../jobs/maintain.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

describe('the maintenance of repositories', () => {
  let host: TestHost;
  let folder: string;
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', [...args], { cwd: folder, input, encoding: 'utf8' }).trim();
  const commit = (date: string, { tree = emptyTree, parent = '' } = {}) =>
    git(
      ['hash-object', '-t', 'commit', '--literally', '-w', '--stdin'],
      `tree ${tree}\n${parent && `parent ${parent}\n`}author A <a@example.com> 1700000000 +0000\ncommitter A <a@example.com> ${date}\n\nwords\n`,
    );
  const maintain = async (ref: string, oid: string) => {
    git(['update-ref', ref, oid]);
    await host.services.get(jobs).enqueue(maintainRepository, { repositoryId: 1, kind: 'code' });
    await host.settle();
  };
  const graph = () => join(folder, 'objects', 'info', 'commit-graphs', 'commit-graph-chain');

  before(async () => {
    host = await startHost({ plugins: ['git'] });
    const store = host.services.get(gitStore);
    await store.create(1);
    folder = store.path(1);
    git(['hash-object', '-t', 'tree', '-w', '--stdin']);
  });
  after(() => host.close());

  it('comes to an end where a commit was made beyond all times', async () => {
    let parent = '';
    for (const time of ['99999999999999999999', '253402300800', '1700000000'])
      parent = commit(`${time} +0000`, { parent });
    await maintain('refs/heads/late', parent);
    expect(existsSync(graph())).to.be.true();
  });

  it('leaves out what a damaged repository does not allow', async () => {
    await maintain('refs/heads/gone', commit('1700000000 +0000', { tree: '3'.repeat(40) }));
    const waiting = await host.database.knex()('job').whereNot('state', 'done').select('name');
    expect(waiting.filter(({ name }) => name === maintainRepository.id)).to.equal([]);
  });
});
