// Database: SQLite alone; what is looked through lies in git.
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import type { GitReader, GitStore } from '../api.js';
import { RepositoryKit } from './repository-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('git repositories, looked through', () => {
  let host: TestHost;
  let store: GitStore;
  let reader: GitReader;
  let make: RepositoryKit['make'];
  let commit: RepositoryKit['commit'];
  before(async () => {
    ({ host, store, reader, make, commit } = await RepositoryKit.start());
  });
  after(() => host.close());

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
    const { runner } = (repository as unknown as { deps: { runner: { text(args: string[]): Promise<string> } } }).deps;
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
});
