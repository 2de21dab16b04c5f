import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Actor } from '@mortise/plugin-sdk';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  gitReader,
  gitStore,
  gitWriter,
  isRefName,
  refUpdates,
  zeroOid,
  type GitReader,
  type GitStore,
  type GitWriter,
  type RefUpdates,
  type Signature,
  type TreeChange,
} from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('git repositories', () => {
  let host: TestHost;
  let store: GitStore;
  let reader: GitReader;
  let writer: GitWriter;
  let gate: RefUpdates;
  const ada: Actor = asActor({ id: 1, name: 'ada' });
  const by: Signature = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0100' };
  let last = 0;
  const make = async () => {
    await store.create(++last);
    return last;
  };
  const commit = async (id: number, branch: string, changes: readonly TreeChange[], message = 'words') => {
    const now = await reader.open(id).branch(branch);
    const tree = await writer.writeTree(id, now?.oid, changes);
    const oid = await writer.writeCommit(id, {
      tree,
      parents: now ? [now.oid] : [],
      author: by,
      committer: by,
      message,
    });
    await gate.apply({
      repositoryId: id,
      updates: [{ ref: `refs/heads/${branch}`, old: now?.oid ?? zeroOid, new: oid }],
      pusher: ada,
      source: 'api',
    });
    return oid;
  };

  before(async () => {
    host = await startHost({ plugins: ['git'] });
    store = host.services.get(gitStore);
    reader = host.services.get(gitReader);
    writer = host.services.get(gitWriter);
    gate = host.services.get(refUpdates);
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

  it('hold what git itself finds well made', async () => {
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

  it('find the last commits of a folder in a long history without walking through all of it', async () => {
    const id = await make();
    const folder = store.path(id);
    const commits = 700;
    // so long that what git tells of all commits comes in several pieces
    const [odd = '', even = ''] = ['o', 'e'].map((sign) => sign.repeat(200));
    const file = (path: string, text: string) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
    const text = Array.from({ length: commits }, (_, at) => {
      const who = `Ada <ada@example.com> ${1_700_000_000 + at} +0000`;
      const begun = at === 0 ? file('old', 'a') + file('sub/old', 'b') : at === 3 ? file('older', 'c') : '';
      const parent = at === 0 ? '' : `from :${at}\n`;
      const head = `commit refs/heads/main\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\ndata 1\nx\n`;
      return `${head}${parent}${begun}${file(`sub/${at % 2 ? odd : even}`, String(at))}`;
    }).join('\n');
    await new Promise<void>((resolve, reject) => {
      const git = execFile('git', ['-C', folder, 'fast-import', '--quiet'], (error) =>
        error ? reject(error) : resolve(),
      );
      git.stdin!.end(text);
    });
    const repository = reader.open(id);
    const { stdout } = await run('git', ['rev-list', '--reverse', 'main'], { cwd: folder });
    const oids = stdout.trim().split('\n');
    const head = oids.at(-1)!;
    const { runner } = (repository as unknown as { parts: { runner: { text(args: string[]): Promise<string> } } })
      .parts;
    const { text: ask } = runner;
    const asked: (string | undefined)[] = [];
    runner.text = (...given) => {
      asked.push(given[0].at(-1));
      return ask.apply(runner, given);
    };
    try {
      expect(Object.fromEntries(await repository.lastCommits(head, ''))).to.equal({
        old: oids[0],
        older: oids[3],
        sub: head,
      });
    } finally {
      runner.text = ask;
    }
    expect(asked.sort()).to.equal(['old', 'older']);
    expect(Object.fromEntries(await repository.lastCommits(head, 'sub'))).to.equal({
      [even]: oids.at(-2),
      [odd]: head,
      old: oids[0],
    });
  });

  it('keep what their home page needs between starts, for the commit that it is of', async () => {
    const id = await make();
    const first = await commit(id, 'main', [
      { path: 'a.js', content: 'let a;\n' },
      { path: '__proto__', content: 'x' },
    ]);
    const second = await commit(id, 'main', [{ path: 'b.ts', content: 'let b;\n' }]);
    await reader.open(id).prepareHome(second);
    const file = join(store.path(id), 'mortise-home');
    const kept = JSON.parse(await readFile(file, 'utf8')) as { count: number; lastCommits: Record<string, string> };
    expect([kept.count, Object.entries(kept.lastCommits).sort()]).to.equal([
      2,
      [
        ['__proto__', first],
        ['a.js', first],
        ['b.ts', second],
      ],
    ]);
    // as another process finds it, which has asked git for nothing yet
    const copyWith = async (text: string) => {
      const copy = await make();
      await rm(store.path(copy), { recursive: true });
      await cp(store.path(id), store.path(copy), { recursive: true });
      await writeFile(join(store.path(copy), 'mortise-home'), text);
      return reader.open(copy);
    };
    const lastCommits = { ...kept.lastCommits, 'a.js': second };
    const copy = await copyWith(JSON.stringify({ ...kept, count: 41, languages: { Kept: 1 }, lastCommits }));
    expect(await copy.count(second)).to.equal(41);
    expect(await copy.languages(second)).to.equal({ Kept: 1 });
    expect((await copy.lastCommits(second, '')).get('a.js')).to.equal(second);
    // of another commit nothing is taken from it
    expect(await copy.count(first)).to.equal(1);
    expect(await copy.languages(first)).to.equal({ JavaScript: 7 });
    expect((await copy.lastCommits(first, '')).get('a.js')).to.equal(first);
    for (const text of ['', '{', '{"format":0}', '[]', 'null'])
      expect((await (await copyWith(text)).lastCommits(second, '')).get('a.js')).to.equal(first);
  });

  it('tell the changes of many commits by one process, as of each alone', async () => {
    const id = await make();
    const oids = [await commit(id, 'main', [{ path: 'a\nb', content: 'x\n'.repeat(30) }])];
    for (const name of ['one', 'two', 'three'])
      oids.push(
        await commit(id, 'main', [
          { path: name, content: `${name}\n`.repeat(20) },
          { path: 'bytes', content: `\0${name}` },
        ]),
      );
    oids.push(
      await commit(id, 'main', [
        { path: 'one', remove: true },
        { path: 'moved', content: 'one\n'.repeat(20) },
      ]),
    );
    const tree = (await reader.open(id).commit(oids.at(-1)!)).tree;
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: store.path(id) }).then(({ stdout }) =>
        stdout.trim(),
      );
    // nothing changed; and two parents
    oids.push(await git('commit-tree', tree, '-p', oids.at(-1)!, '-m', 'nothing'));
    oids.push(await git('commit-tree', tree, '-p', oids[1]!, '-p', oids[4]!, '-m', 'merge'));
    for (const options of [
      {},
      { renames: false },
      { stats: false },
      { renames: false, stats: false },
      { path: 'one' },
    ]) {
      const list = await reader.open(id).commits([...oids, oids[0]!]);
      const alone = await Promise.all(oids.map((oid) => reader.open(id).commitChanges(oid, options)));
      // another name for the same objects: nothing of it is kept yet
      const together = await reader.across(id, [id]).commitsChanges(list, options);
      expect([...together.keys()].sort()).to.equal([...oids].sort());
      expect(oids.map((oid) => together.get(oid))).to.equal(alone);
      expect(await reader.open(id).commitsChanges(list, options)).to.equal(together);
    }
  });

  it('tell the changes of those commits that can be read', async () => {
    const id = await make();
    const oids: string[] = [];
    for (const content of ['1', '2', '3']) oids.push(await commit(id, 'main', [{ path: 'a', content }]));
    const list = await reader.open(id).commits(oids);
    const lost = list[1]!.tree;
    await run('rm', ['-f', join(store.path(id), 'objects', lost.slice(0, 2), lost.slice(2))]);
    const found = await reader.across(id, [id]).commitsChanges(list);
    expect([...found.keys()]).to.equal([oids[0]]);
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
    await expect(reader.open(id).grep(oid, '(', { fixed: false })).to.reject(/not valid/);
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

  it('take names as git does', () => {
    for (const name of ['main', 'a/b', 'fix/#1_ü-ok', 'v1.0']) expect(isRefName(name)).to.be.true();
    for (const name of ['', '@', 'a..b', 'a.lock', '.a', 'a/', 'a b', 'a~1', 'a:b', '-a', 'a@{1}', 'a/.b'])
      expect(isRefName(name)).to.be.false();
  });
});
