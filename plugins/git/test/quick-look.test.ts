// Database: SQLite alone; only files of a repository are looked at.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitStore } from '../api.js';
import type { ObjectFormat } from '../contract/names.js';
import { probeRepository } from '../services/probe.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a look without git', () => {
  let host: TestHost;
  let last = 0;
  before(async () => {
    host = await startHost({ plugins: ['git'] });
  });
  after(() => host.close());

  /** A repository with one commit on main and a tag of it, all loose; `git` runs in it. */
  async function make(objectFormat: ObjectFormat = 'sha1') {
    const store = host.services.get(gitStore);
    await store.create(++last, { objectFormat });
    const cwd = store.path(last);
    const git = (args: readonly string[], input = '') =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
        cwd,
        input,
        encoding: 'utf8',
      }).trim();
    const tree = git(['mktree']);
    const commit = git(['commit-tree', '-m', 'x', tree]);
    git(['update-ref', 'refs/heads/main', commit]);
    git(['tag', '-a', '-m', 'y', 'v1', commit]);
    return { cwd, git, commit, file: join(cwd, 'objects', commit.slice(0, 2), commit.slice(2)) };
  }

  it('finds well what is well, empty or not, in both formats of objects', async () => {
    await host.services.get(gitStore).create(++last);
    expect(await probeRepository(host.services.get(gitStore).path(last))).to.be.true();
    for (const format of ['sha1', 'sha256'] as const)
      expect(await probeRepository((await make(format)).cwd)).to.be.true();
  });

  it('leaves to git what is packed, odd, or damaged in any way', async () => {
    const spoil: Record<string, (made: Awaited<ReturnType<typeof make>>) => void> = {
      'packed objects': ({ git }) => git(['repack', '-adq']),
      'packed references': ({ git }) => git(['pack-refs', '--all']),
      'a lost commit': ({ file }) => rmSync(file, { force: true }),
      'a commit of another id': ({ file }) => {
        const bytes = inflateSync(readFileSync(file));
        bytes[bytes.length - 2]! ^= 1;
        chmodSync(file, 0o644);
        writeFileSync(file, deflateSync(bytes));
      },
      'a commit cut off': ({ file }) => {
        chmodSync(file, 0o644);
        writeFileSync(file, readFileSync(file).subarray(0, 20));
      },
      'a reference that is none': ({ cwd }) => writeFileSync(join(cwd, 'refs/heads/other'), 'nonsense\n'),
      'an empty reference': ({ cwd }) => writeFileSync(join(cwd, 'refs/heads/other'), ''),
      'a reference to nothing': ({ cwd }) => writeFileSync(join(cwd, 'refs/heads/other'), `${'1'.repeat(40)}\n`),
      'no HEAD': ({ cwd }) => rmSync(join(cwd, 'HEAD')),
      'no references': ({ cwd }) => renameSync(join(cwd, 'refs'), join(cwd, 'aside')),
      'no objects': ({ cwd }) => renameSync(join(cwd, 'objects'), join(cwd, 'aside')),
      'a broken configuration': ({ cwd }) => appendFileSync(join(cwd, 'config'), '[core\n'),
      'a folder in place of it': ({ cwd }) => {
        rmSync(join(cwd, 'config'));
        mkdirSync(join(cwd, 'config'));
      },
    };
    for (const [what, change] of Object.entries(spoil)) {
      const made = await make();
      expect(await probeRepository(made.cwd), what).to.be.true();
      change(made);
      expect(await probeRepository(made.cwd), what).to.be.undefined();
    }
  });
});
