import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { backups, locks } from '@mortise/plugin-sdk';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitBackup, gitReader, gitStore, gitWriter, refUpdates, zeroOid } from '../api.js';
import { thisProcess } from '../services/process-owner.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('F3: repositories in back-ups', () => {
  let host: TestHost;
  const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };
  before(async () => {
    host = await startHost({ plugins: ['git'] });
  });
  after(() => host.close());

  const make = async (id: number) => {
    await host.services.get(gitStore).create(id);
    const writer = host.services.get(gitWriter);
    const tree = await writer.writeTree(id, undefined, [{ path: 'a', content: String(id) }]);
    return writer.writeCommit(id, { tree, parents: [], author: by, committer: by, message: 'first' });
  };
  const set = (id: number, ref: string, oid: string) =>
    host.services.get(refUpdates).apply({
      repositoryId: id,
      updates: [{ ref, old: zeroOid, new: oid }],
      pusher: asActor({ id: 1, name: 'ada' }),
      source: 'api',
    });
  const refs = async (id: number) => (await host.services.get(gitReader).open(id).refs()).map(({ name }) => name);

  it('waits with changes of references while the moment is taken, and goes on after it', async () => {
    const oid = await make(1);
    const backup = host.services.get(gitBackup);
    let change: Promise<unknown> | undefined;
    let isDone = false;
    await backup.whileQuiesced!(async () => {
      change = set(1, 'refs/heads/main', oid).then(() => (isDone = true));
      // Every way on for it is a turn of the event loop or a look at the file; it has had many of both.
      const file = join(backup.folder, '.journal', 'quiet');
      for (let looks = 0; looks < 200; looks++) await readFile(file);
      expect(isDone).to.be.false();
      expect(await refs(1)).to.be.empty();
    });
    await change;
    expect(await refs(1)).to.equal(['main']);
  });

  it('waits for a change that is halfway, and not for one whose process is gone', async () => {
    const backup = host.services.get(gitBackup);
    const journal = join(backup.folder, '.journal');
    await mkdir(journal, { recursive: true });
    const owner = { ...thisProcess, process: 2 ** 22 + 1 };
    const left = { id: 'gone', repositoryId: 9, kind: 'code', updates: [], at: Date.now(), owner };
    await writeFile(join(journal, '9-code-gone.json'), JSON.stringify(left));
    await writeFile(join(journal, '9-code-torn.json'), '');
    let isReached = false;
    const began = Date.now();
    await backup.whileQuiesced!(async () => void (isReached = true));
    expect(isReached).to.be.true();
    // Far less than the patience with those that are alive.
    expect(Date.now() - began).to.be.below(9_000);
  });

  it('keeps what is deleted while a back-up runs, until the next sweep', async () => {
    const store = host.services.get(gitStore);
    await make(2);
    await make(3);
    const unit = host.services.get(gitBackup).unit(2);
    const folder = store.path(2);
    await host.services.get(locks).hold('core.backup', async () => {
      expect(await host.services.get(backups).isRunning()).to.be.true();
      await store.delete(2);
      const aside = await unit.folder();
      expect(aside).to.not.equal(folder);
      await access(join(aside!, 'HEAD'));
      expect(await store.exists(2)).to.be.false();
    });
    expect(await host.services.get(backups).isRunning()).to.be.false();
    await store.delete(3);
    expect(await host.services.get(gitBackup).unit(3).folder()).to.be.undefined();
    await (store as unknown as { sweep(): Promise<number> }).sweep();
    expect(await unit.folder()).to.be.undefined();
  });
});
