import { contentDisposition, zonedTime } from '@mortise/plugin-sdk';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { GitRepository } from '@mortise/git/api';
import { steppedName } from '../services/comparison.js';
import { splitPatch } from '../services/diff.js';
import { writablePath } from '../services/changes.js';
import { VerificationService } from '../services/verification.js';
import { guessPlace, splitPlace } from '../services/places.js';
import { mediaTypeOf, serveBlob } from '../services/raw.js';
import { cleanPath, includedParts, lfsPointer } from '../services/reading.js';

export const lab = Lab.script();
const { describe, it } = lab;

const oid = (letter: string) => letter.repeat(40);

/** A repository with branches, tags and one blob, as far as these services ask. */
function repository(
  branches: Record<string, string>,
  tags: Record<string, string> = {},
  blob = Buffer.from('0123456789'),
): GitRepository {
  const ref = (space: string, table: Record<string, string>) => async (name: string) =>
    table[name] ? { ref: `refs/${space}/${name}`, name, oid: table[name] } : undefined;
  return {
    branch: ref('heads', branches),
    tag: ref('tags', tags),
    peel: async (id: string) => ({ oid: id, type: 'commit' }),
    expand: async (id: string) => (oid('c').startsWith(id) ? oid('c') : undefined),
    info: async (id: string) => (id === oid('b') ? { type: 'blob', size: blob.length } : { type: 'commit', size: 200 }),
    blob: async () => blob,
  } as unknown as GitRepository;
}

describe('places in paths', () => {
  const git = repository({ main: oid('1'), 'f/one': oid('2') }, { v1: oid('3') });

  it('finds names with slashes in the table of references', async () => {
    expect(await splitPlace(git, 'branch', 'f/one/docs/a.md')).to.equal({
      place: { kind: 'branch', name: 'f/one', commit: oid('2') },
      path: 'docs/a.md',
    });
    expect(await splitPlace(git, 'tag', 'v1')).to.equal({
      place: { kind: 'tag', name: 'v1', commit: oid('3') },
      path: '',
    });
    expect((await splitPlace(git, 'commit', 'cccccccc/a.md')).place.commit).to.equal(oid('c'));
    await expect(splitPlace(git, 'tag', 'main/a')).to.reject(/does not exist/);
    await expect(splitPlace(git, 'commit', 'zzz/a')).to.reject(/does not exist/);
  });

  it('takes a path without a name as one of the default branch', async () => {
    expect(await guessPlace(git, 'main', 'docs/a.md')).to.equal({
      place: { kind: 'branch', name: 'main', commit: oid('1') },
      path: 'docs/a.md',
    });
    expect((await guessPlace(git, 'main', 'v1/a.md'))?.place.kind).to.equal('tag');
  });
});

describe('names with steps behind them', () => {
  it('are parted where the steps begin, however long they are', () => {
    for (const [text, name, steps] of [
      ['main', 'main', ''],
      ['v1.20', 'v1.20', ''],
      ['main~2^', 'main', '~2^'],
      ['a~1b^2~', 'a~1b', '^2~'],
      ['^1', '', '^1'],
      ['', '', ''],
    ] as const)
      expect(steppedName(text), text).to.equal([name, steps]);
    const long = `${'~'.repeat(100_000)}x`;
    // of this process alone: others may have the machine meanwhile
    const begun = process.cpuUsage();
    expect(steppedName(long)).to.equal([long, '']);
    expect(steppedName(`x${'~1'.repeat(50_000)}`)[0]).to.equal('x');
    expect(process.cpuUsage(begun).user / 1000).to.be.below(2000);
  });
});

describe('paths', () => {
  it('refuses the spellings that file systems take for .git (CVE-2014-9390)', () => {
    const spellings = [
      '.git /x',
      '.git./x',
      '.GIT/x',
      '.git::$INDEX_ALLOCATION/x',
      'a\\.git\\x',
      '.g\u200cit/config',
      'git~1/x',
    ];
    for (const path of spellings) expect(() => writablePath(path), path).to.throw();
    for (const path of ['.gitignore', '.github/x', 'a.git/x', 'git/x']) expect(writablePath(path)).to.equal(path);
  });

  it("refuses ways out and git's own folder", () => {
    for (const path of ['../a', 'a/../b', '.git/config', 'a/.GIT/x', 'a//b', 'a/./b', 'git~1/x', 'a\0b', ''])
      expect(() => writablePath(path), path).to.throw();
    expect(writablePath('/docs/a.md')).to.equal('docs/a.md');
    expect(() => cleanPath('a/../b')).to.throw();
    expect(cleanPath('/a//b/')).to.equal('a/b');
  });

  it('names unknown includes (CNT-20)', () => {
    expect([...includedParts('file_content, commit_message')]).to.equal(['file_content', 'commit_message']);
    expect(() => includedParts('weather')).to.throw(/unknown include/);
  });
});

describe('bytes of files', () => {
  it('never gives a type that a browser would run', () => {
    for (const name of ['a.html', 'a.js', 'a.css', 'a.xml'])
      expect(mediaTypeOf(name, Buffer.from('<b>x</b>'))).to.equal('text/plain; charset=utf-8');
    expect(mediaTypeOf('a.txt', Buffer.from('89504e470d0a1a0a0000', 'hex'))).to.equal('image/png');
    expect(mediaTypeOf('a.bin', Buffer.from([0, 1, 2]))).to.equal('application/octet-stream');
    expect(mediaTypeOf('empty', Buffer.alloc(0))).to.equal('text/plain; charset=utf-8');
  });

  it('serves parts, ignores other units, and fences the content in', async () => {
    const git = repository({});
    const blob = { oid: oid('b'), name: 'a.txt', modifiedAt: 0, isPrivate: true };
    const ask = (headers: Record<string, string>) => serveBlob(git, blob, { headers });
    const part = await ask({ range: 'bytes=2-4' });
    expect([part.status, String(part.body), part.headers['content-range']]).to.equal([206, '234', 'bytes 2-4/10']);
    expect(String((await ask({ range: 'bytes=-3' })).body)).to.equal('789');
    expect((await ask({ range: 'lines=1-2' })).status).to.equal(200);
    expect((await ask({ range: 'bytes=0-2', 'if-none-match': `"${oid('b')}"` })).status).to.equal(200);
    for (const [held, status] of [
      [`"${oid('b')}"`, 206],
      ['Thu, 01 Jan 1970 00:00:00 GMT', 206],
      [`"${oid('c')}"`, 200],
      [`"${oid('b')}-br"`, 200],
      ['Thu, 01 Jan 1970 00:00:01 GMT', 200],
    ] as const)
      expect((await ask({ range: 'bytes=5-', 'if-range': held })).status, held).to.equal(status);
    await expect(ask({ range: 'bytes=10-' })).to.reject(/only 10 bytes/);
    const whole = await ask({});
    expect(whole.headers['content-security-policy']).to.include("default-src 'none'");
    expect(String(whole.headers['cache-control'])).to.startWith('private');
  });

  it('keeps quotes and line ends out of file names', () => {
    expect(contentDisposition('inline', 'a"\r\nb.txt')).to.startWith('inline; filename="a___b.txt"');
    expect(contentDisposition('attachment', 'grün.txt')).to.endWith("filename*=UTF-8''gr%C3%BCn.txt");
  });
});

describe('models', () => {
  it('writes times in the zone of the signature (GEN-10)', () => {
    expect(zonedTime({ time: 0, zone: '+0000' })).to.equal('1970-01-01T00:00:00Z');
    expect(zonedTime({ time: 0, zone: '-0330' })).to.equal('1969-12-31T20:30:00-03:30');
    expect(zonedTime({ time: Number.NaN, zone: '+0000' })).to.equal('0001-01-01T00:00:00Z');
  });

  it('says that an unsigned commit is not signed, and asks verifiers for the others (CNT-05)', async () => {
    const plain = { oid: oid('1'), committer: { name: 'A', email: 'a@b', time: 0, zone: '+0000' } };
    const signed = { ...plain, oid: oid('2'), signature: 's', payload: 'p' };
    const asked: number[] = [];
    const proof = { verified: true, reason: 'Ada', signature: 's', payload: 'p', signer: null };
    const list = [
      { key: 'broken', verify: () => Promise.reject(new Error('broken')) },
      { key: 'none', verify: async (objects: readonly unknown[]) => (asked.push(objects.length), [undefined]) },
      { key: 'one', verify: async (objects: readonly unknown[]) => [proof, undefined].slice(0, objects.length) },
    ];
    const verifiers = { list: () => list, get: () => undefined, ownerOf: () => undefined };
    const service = new VerificationService({ verifiers, log: { warn: () => undefined } });
    const [unsigned, first, second] = await service.verify([plain, signed, { ...signed, oid: oid('3') }]);
    expect(asked).to.equal([2]);
    expect(unsigned).to.include({ verified: false, reason: 'gpg.error.not_signed_commit' });
    expect(first).to.equal(proof);
    expect(second).to.include({ verified: false, reason: 'gpg.error.no_gpg_keys_found', payload: 'p' });
  });

  it('reads pointers to large files', () => {
    expect(lfsPointer(`version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`)).to.equal({
      oid: 'a'.repeat(64),
      size: 12,
    });
    expect(lfsPointer('text')).to.be.undefined();
  });

  it('cuts a difference into its files', () => {
    expect(splitPatch('diff --git a/x b/x\n-1\n+2\ndiff --git a/y b/y\n+diff --git\n')).to.have.length(2);
  });
});
