import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { jobs } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitStore } from '../api.js';
import { forgetChanges } from '../jobs/forget-changes.js';
import { maintainRepository } from '../jobs/maintain.js';

import { checkObjects } from '../jobs/check.js';
import { GitCheck } from '../models/git-check.js';
import { gitIntegrity, refGate } from '../services/service-refs.js';
import { checkRepositories } from '../services/doctor.js';

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

  it('F12: takes away what killed pushes left, and nothing that may still be written', async () => {
    const old = new Date(Date.now() - 25 * 3600 * 1000);
    const left = [
      'tmp_objdir-incoming-a/pack/tmp_pack_1',
      'incoming-b/x',
      'pack/tmp_pack_2',
      'pack/tmp_idx_3',
      'ab/tmp_obj_4',
    ];
    const alive = ['tmp_objdir-incoming-c/pack/tmp_pack_5', 'pack/tmp_pack_6'];
    for (const name of [...left, ...alive]) {
      const file = join(folder, 'objects', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
      const age = (path: string) => utimesSync(path, old, old);
      if (left.includes(name)) age(file);
      // of a push that goes on only the file is young
      for (let at = dirname(file); /objects\/(?:tmp_|inc)/.test(at); at = dirname(at)) age(at);
    }
    await host.services.get(jobs).enqueue(forgetChanges, {});
    await host.settle();
    const there = (name: string) => existsSync(join(folder, 'objects', name));
    expect(left.filter(there)).to.equal(['ab/tmp_obj_4']);
    expect(existsSync(join(folder, 'objects', 'incoming-b'))).to.be.false();
    const doctor = async (fix: boolean) => {
      const found: string[] = [];
      for await (const { text } of checkRepositories(host.services.get(refGate), { fix })) found.push(text);
      return found;
    };
    expect(await doctor(false)).to.equal(['repository 1 holds 1 leftovers of pushes that never ended']);
    await doctor(true);
    expect(await doctor(false)).to.be.empty();
    expect(left.some(there)).to.be.false();
    expect(alive.every(there)).to.be.true();
  });

  it('F12: damage is found by the regular check, and told by doctor and metrics until it is mended', async () => {
    const integrity = host.services.get(gitIntegrity);
    const doctor = async () => {
      const found: string[] = [];
      for await (const { level, text } of integrity.findings()) found.push(`${level} ${text}`);
      return found;
    };
    await host.services.get(gitStore).create(2);
    const cwd = host.services.get(gitStore).path(2);
    const at = { cwd, encoding: 'utf8' } as const;
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { ...at, input: 'precious' }).trim();
    const tree = execFileSync('git', ['mktree'], { ...at, input: `100644 blob ${blob}\tx\n` }).trim();
    const made = execFileSync(
      'git',
      ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit-tree', '-m', 'x', tree],
      at,
    ).trim();
    execFileSync('git', ['update-ref', 'refs/heads/main', made], at);
    const check = async () => {
      await host.services.get(jobs).enqueue(checkObjects, {});
      await host.settle();
    };
    await check();
    expect(await doctor()).to.be.empty();
    const file = join(cwd, 'objects', blob.slice(0, 2), blob.slice(2));
    renameSync(file, join(cwd, 'aside'));
    await check(); // its turn has not come again
    expect(await integrity.damaged()).to.equal(0);
    await host.database.write(async () => void (await host.database.query(GitCheck).patch({ checked_at: 1 })));
    await check();
    expect(await integrity.damaged()).to.equal(1);
    const [told] = await doctor();
    expect(told).to.contain('error repository 2 is damaged');
    expect(told).to.contain(blob);
    expect(told).to.not.contain(host.workDir);
    renameSync(join(cwd, 'aside'), file);
    expect(await doctor()).to.equal(['ok repository 2 was damaged and is well again']);
    expect(await integrity.damaged()).to.equal(0);
    await host.services.get(gitStore).delete(2);
    await check();
    expect((await host.database.query(GitCheck)).map((row) => row.repository_id)).to.equal([1]);
  });

  it('leaves out what a damaged repository does not allow', async () => {
    await maintain('refs/heads/gone', commit('1700000000 +0000', { tree: '3'.repeat(40) }));
    const waiting = await host.database.knex()('job').whereNot('state', 'done').select('name');
    expect(waiting.filter(({ name }) => name === maintainRepository.id)).to.equal([]);
  });
});
