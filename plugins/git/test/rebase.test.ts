// Database: SQLite alone (what is proved lies in git)
/** U3: what `GitWriter.rebase` writes, next to what `git rebase` writes of the same commits: the same ids. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { GitClient } from '../testing.js';
import { RepositoryKit } from './repository-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const committer = { name: 'Carl', email: 'carl@example.com', time: 1_700_000_000_000, zone: '+0000' };
const dated = {
  GIT_COMMITTER_NAME: committer.name,
  GIT_COMMITTER_EMAIL: committer.email,
  GIT_COMMITTER_DATE: '1700000000 +0000',
};
const plain = 'Ada <ada@example.com> 1600000002 +0200';
const signature = '-----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----';

interface Case {
  readonly title: string;
  /** Each character is a byte. */
  readonly author?: string;
  readonly headers?: string;
  readonly message?: string;
}

const cases: readonly Case[] = [
  { title: 'Latin-1 without a header', author: 'J\xf6rg <j@e> 1600000002 +0200', message: 'Gr\xfc\xdfe\n' },
  {
    title: 'ISO-8859-1 by its header',
    author: 'J\xf6rg <j@e> 1600000002 +0200',
    headers: 'encoding ISO-8859-1\n',
    message: 'Gr\xfc\xdfe, \x80\n',
  },
  { title: 'ISO-8859-1 by another name', headers: 'encoding latin-1\n', message: '\x80 \xe4\n' },
  { title: 'Windows-1252', headers: 'encoding windows-1252\n', message: '5 \x80\n' },
  {
    title: 'Shift JIS',
    author: '\x93\xfa\x96{ <j@e> 1600000002 +0900',
    headers: 'encoding Shift_JIS\n',
    message: '\x93\xfa\x96{\n',
  },
  { title: 'EUC-JP as git names it', headers: 'encoding eucJP\n', message: '\xc6\xfc\xcb\xdc\n' },
  { title: 'ISO-2022-JP', headers: 'encoding ISO-2022-JP\n', message: '\x1b$BF|K\\\x1b(B\n' },
  { title: 'KOI8-R', headers: 'encoding KOI8-R\n', message: '\xf0\xd2\xc9\n' },
  { title: 'an encoding that nobody knows', headers: 'encoding klingon\n', message: 'Gr\xfc\xdfe\n' },
  { title: 'UTF-8 by a header', headers: 'encoding UTF-8\n', message: 'Gr\xc3\xbc\n' },
  { title: 'UTF-8 by a header that is wrong', headers: 'encoding utf8\n', message: 'Gr\xfc\n' },
  { title: 'Shift JIS by a header that is wrong', headers: 'encoding Shift_JIS\n', message: 'Gr\xff\n' },
  { title: 'ASCII by a header that is wrong', headers: 'encoding US-ASCII\n', message: 'Gr\xfc \x80\n' },
  { title: 'an encoding that is none of text', headers: 'encoding base64\n', message: 'Gr\xfc\n' },
  { title: 'UTF-7', headers: 'encoding UTF-7\n', message: '+AGEAYg-\n' },
  {
    title: 'a line feed in UTF-7',
    author: 'Ada+AAo-parent x <ada@example.com> 1600000002 +0200',
    headers: 'encoding UTF-7\n',
  },
  {
    title: 'a line feed in UTF-7 of mailboxes',
    author: 'Ada&AAo-x <a@e> 1600000002 +0200',
    headers: 'encoding utf-7-imap\n',
  },
  { title: 'overlong UTF-8', message: '\xc0\xaf \xe0\x80\xaf x\n' },
  { title: 'halves of surrogate pairs', message: '\xed\xa0\x80 x\n' },
  { title: 'beyond Unicode', message: '\xf4\x90\x80\x80 \xf8\x88\x80\x80\x80 x\n' },
  { title: 'code points that are no characters', message: '\xef\xbf\xbf \xef\xb7\x90 \xef\xbf\xbe \xf0\x9f\xbf\xbf\n' },
  { title: 'UTF-8 that is cut off', message: '\xe2\x82 \xc3\n\xe2\x82' },
  { title: 'an emoji', message: '\xf0\x9f\x98\x80\n' },
  { title: 'a byte order mark', message: '\xef\xbb\xbfsubject\n' },
  ...['+9999', '-2400', '+051800', '+1', ''].map((zone) => ({
    title: `the zone "${zone}"`,
    author: `Ada <ada@example.com> 1600000002 ${zone}`.trim(),
  })),
  { title: 'no date', author: 'Ada <ada@example.com>' },
  { title: 'a date before 1970', author: 'Ada <ada@example.com> -1600 +0000' },
  { title: 'a date beyond all numbers', author: 'Ada <ada@example.com> 99999999999999999999 +0000' },
  { title: 'a date with a zero before it', author: 'Ada <ada@example.com> 01600000002 +0000' },
  { title: 'no name', author: '<ada@example.com> 1600000002 +0000' },
  { title: 'an empty name', author: ' <ada@example.com> 1600000002 +0000' },
  { title: 'no address', author: 'Ada <> 1600000002 +0000' },
  { title: 'spaces', author: ' Ada  B   < ada@example.com > 1600000002 +0000' },
  { title: 'marks around the name', author: 'A. "x", <ada@example.com> 1600000002 +0000' },
  { title: 'two brackets', author: 'Ada <ada@example.com>> 1600000002 +0000' },
  { title: 'an address without brackets', author: 'Ada ada@example.com 1600000002 +0000' },
  { title: 'no space before the address', author: 'Ada<ada@example.com> 1600000002 +0000' },
  { title: 'a carriage return in the name', author: 'Ada\r <ada@example.com> 1600000002 +0000' },
  { title: 'no line feed at the end', message: 'no line feed' },
  { title: 'CRLF', message: 'subject\r\n\r\nbody\r\n' },
  { title: 'CR at the end', message: 'subject\r\n\r\nbody\r' },
  { title: 'blank lines around the message', message: '\n\n \t\n subject \n\n\n\nbody  \n\n\n' },
  { title: 'no message', message: '' },
  { title: 'a message of spaces', message: ' \n\n ' },
  { title: 'lines that look like comments', message: '# x\nsubject\n# y\n' },
  { title: 'NUL in the message', message: 'be\0fore\nx\n' },
  { title: 'a signature', headers: `gpgsig ${signature}\n` },
  { title: 'headers of other tools', headers: 'HG:extra foo\nmergetag object 123\n x\n' },
];

describe('rebasing', { timeout: 300_000 }, () => {
  let kit: RepositoryKit;
  let client: GitClient;

  before(async () => {
    kit = await RepositoryKit.start();
    client = new GitClient(kit.host, { environment: dated });
  });
  after(() => kit.host.close());

  const git = (folder: string, ...args: string[]) => client.text(folder, ...args);

  /** A commit of what lies in the work tree, with these bytes, onto HEAD. */
  const commitRaw = async (folder: string, { title, author = plain, headers = '', message = 'm\n' }: Case) => {
    await writeFile(join(folder, `${title.replace(/\W+/g, '-')}.txt`), title);
    await git(folder, 'add', '-A');
    const [tree, parent] = [await git(folder, 'write-tree'), await git(folder, 'rev-parse', 'HEAD')];
    const text = `tree ${tree}\nparent ${parent}\nauthor ${author}\ncommitter X <x@e> 1600000003 +0100\n${headers}\n${message}`;
    const input = Buffer.from(text, 'latin1');
    const options = { cwd: folder, env: client.environment, input };
    const made = spawnSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], options);
    await git(folder, 'reset', '-q', '--soft', made.stdout.toString().trim());
  };

  /** Bytes of the commits since main, oldest first. */
  const written = async (folder: string, head: string) => {
    const oids = (await git(folder, 'rev-list', '--reverse', '--topo-order', `main..${head}`)).split('\n');
    return oids.filter(Boolean).map((oid) => {
      const shown = spawnSync('git', ['cat-file', 'commit', oid], { cwd: folder, env: client.environment });
      return shown.stdout.toString('latin1').replace(/^tree .*\n(parent .*\n)+/, '');
    });
  };

  /** What both make of the branch `topic` of a work tree; `git rebase` goes last. */
  const both = async (folder: string) => {
    const id = await kit.make();
    await kit.store.delete(id);
    await kit.store.cloneFrom(id, folder, { local: true, mirror: true });
    const repository = kit.reader.open(id);
    const [head, main] = [(await repository.branch('topic'))!.oid, (await repository.branch('main'))!.oid];
    const ours = await kit.writer.rebase(id, { head, upstream: main, onto: main, committer });
    expect(ours.conflicts).to.equal([]);
    await git(folder, 'checkout', '-q', '-f', 'topic');
    await git(folder, 'rebase', '-q', 'main');
    await git(folder, 'fetch', '-q', kit.store.path(id), ours.head!);
    return {
      ours: { head: ours.head!, commits: await written(folder, ours.head!) },
      theirs: { head: await git(folder, 'rev-parse', 'HEAD'), commits: await written(folder, 'HEAD') },
    };
  };
  const start = async () => {
    const folder = await client.workTree({ base: 'base' });
    await git(folder, 'checkout', '-q', '-b', 'topic');
    return folder;
  };
  const moveMain = async (folder: string, files: Record<string, string> = { main: 'moved' }) => {
    await git(folder, 'checkout', '-q', '-f', 'main');
    await client.commit(folder, files, 'main moves');
  };

  it('U3: a rebase keeps the bytes of authors and messages that git rebase keeps', async () => {
    const folder = await start();
    for (const one of cases) await commitRaw(folder, one);
    await moveMain(folder);
    const { ours, theirs } = await both(folder);
    const named = (commits: readonly string[]) => commits.map((commit, at) => [cases[at]?.title, commit]);
    for (const [at, commit] of named(theirs.commits).entries()) expect(named(ours.commits)[at]).to.equal(commit);
    expect(ours.commits.length).to.equal(cases.length);
    expect(ours.head).to.equal(theirs.head);
  });

  it('U3: a rebase keeps commits that were empty from the start and drops those that become empty', async () => {
    const folder = await start();
    await client.commit(folder, {}, 'trigger ci');
    await client.commit(folder, { same: 'same' }, 'same change by two');
    await client.commit(folder, { one: '1', two: '2' }, 'becomes empty');
    await client.commit(folder, {}, 'empty on both sides');
    await client.commit(folder, { topic: 'topic' }, 'stays');
    await git(folder, 'checkout', '-q', 'main');
    await client.commit(folder, { same: 'same' }, 'same change by another');
    await client.commit(folder, { one: '1' }, 'one half');
    await client.commit(folder, { two: '2' }, 'the other half');
    await client.commit(folder, {}, 'empty on both sides');
    const { ours, theirs } = await both(folder);
    expect(ours).to.equal(theirs);
    const subjects = ours.commits.map((commit) => commit.split('\n').at(-2));
    expect(subjects).to.equal(['trigger ci', 'empty on both sides', 'stays']);
  });

  it('U3: a rebase goes past merges as git rebase does', async () => {
    const folder = await start();
    await client.commit(folder, { a: 'a' }, 'before');
    await git(folder, 'checkout', '-q', '-b', 'side');
    await client.commit(folder, { side: 'side' }, 'side');
    await git(folder, 'checkout', '-q', 'topic');
    await client.commit(folder, { b: 'b' }, 'beside');
    await git(folder, 'merge', '-q', '--no-ff', '-m', 'merge', 'side');
    await client.commit(folder, { c: 'c' }, 'after');
    await moveMain(folder);
    const { ours, theirs } = await both(folder);
    expect(ours).to.equal(theirs);
    expect(ours.commits.length).to.equal(4);
  });

  it('U3: a rebase of a history of its own, with an empty first commit', async () => {
    const folder = await start();
    await git(folder, 'checkout', '-q', '--orphan', 'other');
    await git(folder, 'rm', '-rqf', '.');
    await client.commit(folder, {}, 'empty root');
    await client.commit(folder, { other: 'other' }, 'other');
    await git(folder, 'branch', '-qf', 'topic', 'other');
    await moveMain(folder);
    const { ours, theirs } = await both(folder);
    expect(ours).to.equal(theirs);
    expect(ours.commits.length).to.equal(2);
  });

  it('U3: what is in place already keeps its id', async () => {
    const folder = await start();
    await commitRaw(folder, { title: 'signed', headers: `gpgsig ${signature}\n` });
    await client.commit(folder, {}, 'empty');
    const { ours, theirs } = await both(folder);
    expect(ours).to.equal(theirs);
    expect(ours.commits[0]).to.contain('gpgsig');
  });

  it('U3: commits that are not UTF-8 can be read, and their signed bytes are kept', async () => {
    const folder = await start();
    await commitRaw(folder, { ...cases[0]!, headers: `gpgsig ${signature}\n` });
    const id = await kit.make();
    await kit.store.delete(id);
    await kit.store.cloneFrom(id, folder, { local: true, mirror: true });
    const { oid } = (await kit.reader.open(id).branch('topic'))!;
    const commit = await kit.reader.open(id).commit(oid);
    expect([commit.author.name, commit.author.line, commit.message]).to.equal(['Jörg', undefined, 'Grüße\n']);
    const { content } = (await kit.reader.open(id).raw(oid))!;
    const unsigned = content.toString('latin1').replace(`gpgsig ${signature}\n`, '');
    expect(commit.payloadBytes?.toString('latin1')).to.equal(unsigned);
  });

  it('U3: a folder that is written anew keeps names that are not UTF-8', async () => {
    const id = await kit.make();
    const [one, two] = [Buffer.from('J\xf6rg.txt', 'latin1'), Buffer.from('J\xf8rg.txt', 'latin1')];
    const blob = await kit.writer.writeBlob(id, 'x');
    const entry = (name: Buffer) =>
      Buffer.concat([Buffer.from('100644 '), name, Buffer.of(0), Buffer.from(blob, 'hex')]);
    const input = Buffer.concat([entry(one), entry(two)]);
    const path = kit.store.path(id);
    const made = spawnSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd: path, input });
    const below = [{ path: 'folder', oid: made.stdout.toString().trim(), mode: '040000' }];
    const base = await kit.writer.writeTree(id, undefined, below);
    const names = async (tree: string) =>
      spawnSync('git', ['ls-tree', '-r', '-z', '--name-only', tree], { cwd: path })
        .stdout.toString('latin1')
        .split('\0');
    const more = await kit.writer.writeTree(id, base, [{ path: 'folder/more', content: 'y' }]);
    expect(await names(more)).to.equal(['folder/J\xf6rg.txt', 'folder/J\xf8rg.txt', 'folder/more', '']);
    const less = await kit.writer.writeTree(id, more, [{ path: 'folder/J\ufffdrg.txt', remove: true }]);
    expect(await names(less)).to.equal(['folder/J\xf8rg.txt', 'folder/more', '']);
  });
});
