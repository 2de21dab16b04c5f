/** What the server writes itself is as clean as what is pushed (CVE-2014-9390, CVE-2018-11235 and their kin). */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { zeroOid, type TreeChange, type UpdateSource } from '../api.js';
import { ada, by, RepositoryKit } from './repository-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const submodule = (setting: string) => `[submodule "a"]\n\tpath = a\n\turl = https://example.com/a.git\n\t${setting}\n`;

describe('S3: content that the server writes', () => {
  let kit: RepositoryKit;
  before(async () => {
    kit = await RepositoryKit.start();
  });
  after(() => kit.host.close());

  const commitOf = async (id: number, changes: readonly TreeChange[], kind: 'code' | 'wiki' = 'code') => {
    const tree = await kit.writer.writeTree(id, undefined, changes, kind);
    return kit.writer.writeCommit(id, { tree, parents: [], author: by, committer: by, message: 'm' }, kind);
  };
  const set = (id: number, oid: string, source: UpdateSource, kind: 'code' | 'wiki' = 'code') =>
    kit.gate.apply({
      repositoryId: id,
      kind,
      updates: [{ ref: `refs/heads/${source}`, old: zeroOid, new: oid }],
      pusher: ada,
      source,
    });

  it('is refused with 422 and a reason where a push of it would be, wherever it comes from', async () => {
    const id = await kit.make();
    const link = { path: '.gitmodules', content: 'README.md', mode: '120000' };
    for (const [change, reason] of [
      [{ path: '.g\u200cit/config', content: 'x' }, /name that some systems take for \.git/],
      [{ path: 'a/b/GIT~1', content: 'x' }, /name that some systems take for \.git/],
      [{ path: '.git .', content: 'x' }, /name that some systems take for \.git/],
      [{ path: '.git\u200d', content: 'x' }, /name that some systems take for \.git/],
      [{ path: 'a\\.git', content: 'x' }, /name that some systems take for \.git/],
      [{ path: '.git::$INDEX_ALLOCATION/config', content: 'x' }, /name that some systems take for \.git/],
      [link, /\.gitmodules is a symbolic link/],
      [{ ...link, path: '.g\u200citmodules' }, /\.gitmodules is a symbolic link/],
      [{ ...link, path: 'GITMOD~1' }, /\.gitmodules is a symbolic link/],
      [{ path: '.gitmodules', content: submodule('url = -u./x') }, /disallowed submodule url: -u\.\/x/],
      [{ path: '.gitmodules', content: submodule('update = !x') }, /disallowed submodule update/],
      [{ path: '.gitmodules', content: '[submodule "../a"]\npath = a\nurl = b\n' }, /disallowed submodule name/],
    ] as const)
      for (const source of ['api', 'web', 'merge', 'internal', 'agit'] as const) {
        const written = commitOf(id, [change]).then((oid) => set(id, oid, source));
        const refused = await expect(written, `${change.path} by ${source}`).to.reject(reason);
        expect(refused).to.include({ code: 'invalid' });
        expect(await kit.reader.open(id).refs()).to.be.empty();
      }
    await kit.store.create(id, {}, 'wiki');
    for (const kind of ['code', 'wiki'] as const) {
      const bad = await commitOf(id, [{ path: '.g\u200cit', content: 'x' }], kind);
      await expect(set(id, bad, 'web', kind)).to.reject(/contains what no push may contain/);
      const good = await commitOf(id, [{ path: '.gitmodules', content: submodule('branch = main') }], kind);
      await set(id, good, 'web', kind);
    }
    const temporary = join(kit.store.path(id), '..', '..', '.temporary');
    expect((await readdir(temporary)).filter((name) => name.startsWith('check-'))).to.be.empty();
  });

  it('is refused where a commit further back holds it, and an annotated tag leads to it', async () => {
    const id = await kit.make();
    const first = await commitOf(id, [{ path: '.GIT\u200e', content: 'x' }]);
    const tree = await kit.writer.writeTree(id, undefined, [{ path: 'a', content: 'x' }]);
    const draft = { tree, parents: [first], author: by, committer: by, message: 'm' };
    const second = await kit.writer.writeCommit(id, draft);
    const tag = await kit.writer.writeTag(id, { object: second, name: 'v1', tagger: by, message: 'm' });
    for (const oid of [second, tag]) await expect(set(id, oid, 'api')).to.reject(/no push may contain/);
  });

  it('is not asked about what references lead to already, nor about faults that pushes may have', async () => {
    const id = await kit.make();
    const odd = { ...by, line: 'A <a@example.com> 1700000000 +051800' };
    const tree = await kit.writer.writeTree(id, undefined, [{ path: 'a', content: 'x' }]);
    const old = await kit.writer.writeCommit(id, { tree, parents: [], author: odd, committer: odd, message: 'm' });
    await set(id, old, 'api');
    // as an import brought it
    const imported = await kit.make();
    const bad = await commitOf(imported, [{ path: '.g\u200cit', content: 'x' }]);
    await kit.reader.open(imported).run(['update-ref', 'refs/heads/imported', bad]);
    await set(imported, bad, 'web');
  });

  it('does not come in by a patch', async () => {
    const id = await kit.make();
    const head = await kit.commit(id, 'main', [{ path: 'a', content: 'x' }]);
    for (const path of ['.g\u200cit/config', 'GIT~1', '.GIT/config']) {
      const patch = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
      expect(await expect(kit.writer.applyPatch(id, head, patch)).to.reject()).to.include({ code: 'invalid' });
    }
  });
});
