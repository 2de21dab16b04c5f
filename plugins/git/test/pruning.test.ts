/** Objects that nothing leads to go after a while; everything that somebody may still ask for stays. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, jobs } from '@mortise/plugin-sdk';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore, gitWriter, keptCommits, refUpdates, zeroOid } from '../api.js';
import { checkObjects } from '../jobs/check.js';
import { FormerTip } from '../models/former-tip.js';
import { GitCheck } from '../models/git-check.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const ada = asActor({ id: 1, name: 'ada' });
const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };

describe('pruning', () => {
  let host: TestHost;
  let folder: string;
  let keptByPlugin: string[] = [];
  const keeper = definePlugin({
    name: 'test-keeper',
    version: '1.0.0',
    sdk: '*',
    requires: { git: '^1.0.0' },
    register(plugin) {
      plugin.contribute(keptCommits, { key: 'test', list: async () => keptByPlugin });
    },
  });
  before(async () => {
    host = await startHost({ plugins: ['git', keeper] });
    await host.services.get(gitStore).create(1);
    folder = host.services.get(gitStore).path(1);
  });
  after(() => host.close());

  let count = 0;
  const commit = async (...parents: string[]) => {
    const writer = host.services.get(gitWriter);
    const tree = await writer.writeTree(1, undefined, [{ path: 'a', content: String(++count) }]);
    return writer.writeCommit(1, { tree, parents, author: by, committer: by, message: `m ${count}` });
  };
  const set = (ref: string, old: string, next: string) =>
    host.services
      .get(refUpdates)
      .apply({ repositoryId: 1, updates: [{ ref, old, new: next }], pusher: ada, source: 'api' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  const isThere = (oid: string) => {
    try {
      git('cat-file', '-e', `${oid}^{tree}`);
      return true;
    } catch {
      return false;
    }
  };
  /** As if everything in the repository had been there for a month. */
  const age = () => {
    const then = new Date(Date.now() - 30 * 24 * 3600 * 1000);
    for (const name of readdirSync(join(folder, 'objects'), { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, 'objects', name);
      if (statSync(file).isFile()) utimesSync(file, then, then);
    }
  };
  const check = async () => {
    await host.database.write(async () => void (await host.database.query(GitCheck).delete()));
    await host.services.get(jobs).enqueue(checkObjects, {});
    await host.settle();
  };

  it('F12: takes what nothing leads to once it is old, and nothing else', async () => {
    const base = await commit();
    const main = await commit(base);
    await set('refs/heads/main', zeroOid, main);
    const forced = await commit(base);
    await set('refs/heads/topic', zeroOid, forced);
    await set('refs/heads/topic', forced, zeroOid);
    const byPlugin = await commit();
    keptByPlugin = [byPlugin, 'f'.repeat(40), 'rubbish'];
    const old = await commit();
    const forgotten = await commit();
    await set('refs/heads/gone', zeroOid, forgotten);
    await set('refs/heads/gone', forgotten, zeroOid);
    await host.database.write(
      async () => void (await host.database.query(FormerTip).where({ oid: forgotten }).patch({ replaced_at: 1 })),
    );
    age();
    const young = await commit();
    const refs = git('for-each-ref');
    await check();
    expect([main, base, forced, byPlugin, young].map(isThere)).to.equal([true, true, true, true, true]);
    expect([old, forgotten].map(isThere)).to.equal([false, false]);
    expect(git('for-each-ref')).to.equal(refs);
    expect(git('fsck', '--connectivity-only')).to.be.a.string();
    expect(
      (
        await host.services
          .get(gitReader)
          .open(1)
          .log({ from: [main] })
      ).total,
    ).to.equal(2);
    expect((await host.database.query(GitCheck))[0]?.problem).to.be.null();
    // and again, when it lies in packs
    age();
    await check();
    expect([main, base, forced, byPlugin].map(isThere)).to.equal([true, true, true, true]);
  });

  it('F12: an object that is written again is as young as a new one', async () => {
    const content = 'the same again';
    const oid = await host.services.get(gitWriter).writeBlob(1, content);
    age();
    expect(await host.services.get(gitWriter).writeBlob(1, content)).to.equal(oid);
    await check();
    expect(git('cat-file', '-t', oid)).to.equal('blob');
  });

  it('F12: what a killed run left is nobody else’s reference, and goes with the next', async () => {
    const oid = await commit();
    git('update-ref', `refs/mortise/kept/${oid}`, oid);
    const repository = host.services.get(gitReader).open(1);
    await set('refs/heads/fresh', zeroOid, await commit());
    expect((await repository.refs()).some(({ ref }) => ref.startsWith('refs/mortise'))).to.be.false();
    git('pack-refs', '--all');
    await set('refs/heads/fresher', zeroOid, await commit());
    expect((await repository.refs()).some(({ ref }) => ref.startsWith('refs/mortise'))).to.be.false();
    await commit(); // something to look at
    await check();
    expect(git('for-each-ref', 'refs/mortise')).to.equal('');
  });
});
