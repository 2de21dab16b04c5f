// Database: SQLite alone; everything here lies in git.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import { isRefName, zeroOid, type GitReader, type GitStore, type GitWriter, type RefUpdates } from '../api.js';
import { ada, by, RepositoryKit } from './repository-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('git repositories', () => {
  let host: TestHost;
  let store: GitStore;
  let reader: GitReader;
  let writer: GitWriter;
  let gate: RefUpdates;
  let make: RepositoryKit['make'];
  let commit: RepositoryKit['commit'];
  before(async () => {
    ({ host, store, reader, writer, gate, make, commit } = await RepositoryKit.start());
  });
  after(() => host.close());

  it('are made empty, with paths from ids, and deleted', async () => {
    const id = await make();
    expect(store.path(id)).to.match(new RegExp(`/${id}\\.git$`));
    expect(await reader.open(id).isEmpty()).to.be.true();
    expect((await reader.open(id).head()).branch).to.equal('main');
    await store.delete(id);
    expect(await store.exists(id)).to.be.false();
    expect(await reader.open(id).resolve('main')).to.be.undefined();
  });

  it('what the server writes passes git fsck', async () => {
    const id = await make();
    const first = await commit(id, 'main', [
      { path: 'a.txt', content: 'a\n' },
      { path: 'deep/er/b.txt', content: 'b\n' },
      { path: 'run.sh', content: '#!/bin/sh\n', mode: '100755' },
    ]);
    const second = await commit(id, 'main', [
      { path: 'deep/er/b.txt', remove: true },
      { path: 'deep.txt', content: 'c\n' },
    ]);
    await run('git', ['fsck', '--strict'], { cwd: store.path(id) });
    const { stdout } = await run('git', ['ls-tree', '-r', '--name-only', second], { cwd: store.path(id) });
    expect(stdout.trim().split('\n')).to.equal(['a.txt', 'deep.txt', 'run.sh']);
    const repository = reader.open(id);
    expect((await repository.log({ from: [second] })).total).to.equal(2);
    expect(Object.fromEntries(await repository.lastCommits(second, ''))).to.equal({
      'a.txt': first,
      'deep.txt': second,
      'run.sh': first,
    });
    const third = await commit(id, 'main', [
      { path: 'a.txt', content: 'again\n' },
      { path: 'new/b', content: 'n' },
    ]);
    expect(Object.fromEntries(await repository.lastCommits(third, ''))).to.equal({
      'a.txt': third,
      'deep.txt': second,
      new: third,
      'run.sh': first,
    });
    expect((await repository.commitChanges(second)).map((change) => [change.status, change.path])).to.equal([
      ['added', 'deep.txt'],
      ['deleted', 'deep/er/b.txt'],
    ]);
  });

  it('refuse paths that leave them, folders for files and files for folders', async () => {
    const id = await make();
    const base = await commit(id, 'main', [
      { path: 'file', content: '1' },
      { path: 'folder/file', content: '2' },
    ]);
    for (const path of ['../up', '.git/config', 'a//b', '/a', 'a/', 'folder/.GIT/x']) {
      await expect(writer.writeTree(id, base, [{ path, content: 'x' }])).to.reject();
    }
    await expect(writer.writeTree(id, base, [{ path: 'folder', content: 'x' }])).to.reject(/folder/);
    await expect(writer.writeTree(id, base, [{ path: 'file/below', content: 'x' }])).to.reject(/file/);
  });

  it('resolve branches, tags, ids, short ids and ancestors', async () => {
    const id = await make();
    const first = await commit(id, 'main', [{ path: 'a', content: '1' }]);
    const second = await commit(id, 'main', [{ path: 'a', content: '2' }]);
    const tag = await writer.writeTag(id, { object: first, name: 'v1', tagger: by, message: 'one' });
    await gate.apply({
      repositoryId: id,
      updates: [{ ref: 'refs/tags/v1', old: zeroOid, new: tag }],
      pusher: ada,
      source: 'api',
    });
    const repository = reader.open(id);
    const commitOf = async (name: string) => (await repository.resolve(name))?.commit;
    expect(await commitOf('')).to.equal(second);
    expect(await commitOf('main')).to.equal(second);
    expect(await commitOf('refs/heads/main')).to.equal(second);
    expect(await commitOf('v1')).to.equal(first);
    expect(await commitOf(first.slice(0, 8))).to.equal(first);
    expect(await commitOf('main~1')).to.equal(first);
    expect(await commitOf('main^')).to.equal(first);
    for (const name of ['nothing', 'main~9', 'f'.repeat(40), '--all', 'main\nmain', 'main:a'])
      expect(await commitOf(name)).to.be.undefined();
    expect((await repository.annotatedTag(tag)).message).to.equal('one\n');
  });

  it('change references all or nothing, and only from where they are', async () => {
    const id = await make();
    const first = await commit(id, 'main', [{ path: 'a', content: '1' }]);
    const second = await commit(id, 'main', [{ path: 'a', content: '2' }]);
    const apply = (updates: { ref: string; old: string; new: string }[]) =>
      gate.apply({ repositoryId: id, updates, pusher: ada, source: 'api' });
    await expect(
      apply([
        { ref: 'refs/heads/new', old: zeroOid, new: first },
        { ref: 'refs/heads/main', old: first, new: second },
      ]),
    ).to.reject();
    expect(await reader.open(id).branch('new')).to.be.undefined();
    await expect(apply([{ ref: 'refs/heads/main/inside', old: zeroOid, new: first }])).to.reject();
    await expect(apply([{ ref: 'refs/heads/..', old: zeroOid, new: first }])).to.reject();
    await apply([
      { ref: 'refs/heads/new', old: zeroOid, new: first },
      { ref: 'refs/heads/main', old: second, new: zeroOid },
    ]);
    expect((await reader.open(id).branches()).map((branch) => branch.name)).to.equal(['new']);
  });

  it('merge, rebase, pick and revert without a work tree, and tell conflicts', async () => {
    const id = await make();
    const base = await commit(id, 'main', [
      { path: 'a', content: 'a\n' },
      { path: 'b', content: 'b\n' },
    ]);
    await gate.apply({
      repositoryId: id,
      updates: [{ ref: 'refs/heads/side', old: zeroOid, new: base }],
      pusher: ada,
      source: 'api',
    });
    const ours = await commit(id, 'main', [{ path: 'a', content: 'ours\n' }]);
    const theirs = await commit(id, 'side', [{ path: 'b', content: 'theirs\n' }]);
    const { tree } = await writer.mergeTree(id, ours, theirs);
    expect((await reader.open(id).entry(tree as string, 'b'))?.oid).to.equal(
      (await reader.open(id).entry(theirs, 'b'))?.oid,
    );
    const rebased = await writer.rebase(id, { head: theirs, upstream: ours, onto: ours });
    expect((await reader.open(id).commit(rebased.head as string)).parents).to.equal([ours]);
    const reverted = await writer.pick(id, ours, ours, { revert: true });
    expect(reverted.tree).to.equal((await reader.open(id).commit(base)).tree);
    const clash = await commit(id, 'side', [{ path: 'a', content: 'clash\n' }]);
    expect((await writer.mergeTree(id, ours, clash)).conflicts).to.equal(['a']);
    expect((await writer.rebase(id, { head: clash, upstream: ours, onto: ours })).conflicts).to.equal(['a']);
  });

  it('apply their own patches, and refuse others', async () => {
    const id = await make();
    const first = await commit(id, 'main', [{ path: 'a', content: '1\n' }]);
    const second = await commit(id, 'main', [
      { path: 'a', content: '2\n' },
      { path: 'é/ü', content: 'x' },
    ]);
    const patch = await reader.open(id).patchText(first, second);
    expect(await writer.applyPatch(id, first, patch)).to.equal((await reader.open(id).commit(second)).tree);
    await expect(writer.applyPatch(id, second, patch)).to.reject(/does not apply/);
  });

  it('are copied with everything in them, or one branch', async () => {
    const id = await make();
    await commit(id, 'main', [{ path: 'a', content: '1' }]);
    const side = await commit(id, 'side', [{ path: 'b', content: '2' }]);
    await store.copy(id, 1001);
    expect((await reader.open(1001).branches()).map((branch) => branch.name)).to.equal(['main', 'side']);
    await store.copy(id, 1002, { branch: 'side' });
    expect((await reader.open(1002).refs()).map((ref) => ref.oid)).to.equal([side]);
    await store.delete(id);
    await run('git', ['fsck', '--full'], { cwd: store.path(1001) });
  });

  it('keep notes, archives, languages and ranges of blobs', async () => {
    const id = await make();
    const oid = await commit(id, 'main', [
      { path: 'a.ts', content: 'let a = 1;\n' },
      { path: 'vendor/x.ts', content: 'x' },
    ]);
    await writer.setNote(id, oid, 'seen', { pusher: ada, signature: by });
    const repository = reader.open(id);
    expect((await repository.note(oid))?.message).to.equal('seen\n');
    expect(await repository.languages(oid)).to.equal({ TypeScript: 11 });
    const { stream, size } = await repository.blobStream((await repository.entry(oid, 'a.ts'))?.oid as string, {
      start: 4,
      end: 6,
    });
    let part = '';
    for await (const chunk of stream) part += String(chunk);
    expect([size, part]).to.equal([11, 'a =']);
    for (const format of ['zip', 'tar.gz', 'bundle'] as const) {
      let bytes = 0;
      for await (const chunk of repository.archive(oid, { format, prefix: 'x' })) bytes += (chunk as Buffer).length;
      expect(bytes).to.be.above(100);
    }
  });

  it('count no languages for names that every object has', async () => {
    const id = await make();
    const oid = await commit(id, 'main', [
      { path: 'constructor', content: 'x' },
      { path: 'x.constructor', content: 'x' },
      { path: 'y.__proto__', content: 'x' },
      { path: 'z.go', content: 'x' },
    ]);
    expect(await reader.open(id).languages(oid)).to.equal({ Go: 1 });
  });

  it('find what they look for in long lines and no more', async () => {
    const id = await make();
    const oid = await commit(id, 'main', [
      { path: 'long', content: `find ${'x'.repeat(200_000)}\nfind 2\nfind 3\n` },
      { path: 'a:b', content: 'find' },
    ]);
    const found = await reader.open(id).grep(oid, 'find', { limit: 3 });
    expect(found.map(({ path, line }) => `${path} ${line}`)).to.equal(['a:b 1', 'long 1', 'long 2']);
    expect(found[1]!.text.length).to.be.below(20_000);
    expect(await reader.open(id).grep(oid, 'FIND', { ignoreCase: true, path: 'long' })).to.have.length(3);
    expect(await reader.open(id).grep(oid, 'absent')).to.equal([]);
    await expect(reader.open(id).grep(oid, '(', { fixed: false })).to.reject(/invalid/);
  });

  it('blame lines on the commits and paths that brought them', async () => {
    const id = await make();
    const one = await commit(id, 'main', [{ path: 'old', content: 'a\nb\nc\nd\ne\n' }]);
    const two = await commit(id, 'main', [
      { path: 'old', remove: true },
      { path: 'new', content: 'a\nb\nX\nd\ne\n' },
    ]);
    const lines = await reader.open(id).blame(two, 'new');
    expect(lines.map(({ line, commit, path, text }) => [line, commit === one, path, text])).to.equal([
      [1, true, 'old', 'a'],
      [2, true, 'old', 'b'],
      [3, false, 'new', 'X'],
      [4, true, 'old', 'd'],
      [5, true, 'old', 'e'],
    ]);
  });

  it('refuses names of references that git refuses', () => {
    for (const name of ['main', 'a/b', 'fix/#1_ü-ok', 'v1.0']) expect(isRefName(name)).to.be.true();
    for (const name of ['', '@', 'a..b', 'a.lock', '.a', 'a/', 'a b', 'a~1', 'a:b', '-a', 'a@{1}', 'a/.b'])
      expect(isRefName(name)).to.be.false();
  });
});
