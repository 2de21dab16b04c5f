import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { VerificationService } from '../services/verification.js';
import { bodyOf, subjectOf } from '../contract/pages.js';
import { guessRevision, splitRevision, steppedName } from '../contract/revisions.js';
import { lfsPointer } from '../contract/lfs-pointer.js';
import { splitPatch } from '../services/diff.js';
import type { GitRepository } from '@mortise/git/api';
import { zonedTime } from '@mortise/plugin-sdk';

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

describe('messages of commits', () => {
  it('U11: begin with their first line that is not blank', () => {
    for (const blank of ['', '\n\n', ' \n\t\r\n'])
      expect([subjectOf(`${blank}Mend it\r\n\nBody\n`), bodyOf(`${blank}Mend it\r\n\nBody\n`)]).to.equal([
        'Mend it',
        'Body',
      ]);
    expect([subjectOf('\n \n'), bodyOf('\n \n')]).to.equal(['', '']);
  });
});

describe('revisions in paths', () => {
  const git = repository({ main: oid('1'), 'f/one': oid('2') }, { v1: oid('3') });

  it('finds names with slashes in the table of references', async () => {
    expect(await splitRevision(git, 'branch', 'f/one/docs/a.md')).to.equal({
      revision: { kind: 'branch', name: 'f/one', commit: oid('2') },
      path: 'docs/a.md',
    });
    expect(await splitRevision(git, 'tag', 'v1')).to.equal({
      revision: { kind: 'tag', name: 'v1', commit: oid('3') },
      path: '',
    });
    expect((await splitRevision(git, 'commit', 'cccccccc/a.md')).revision.commit).to.equal(oid('c'));
    await expect(splitRevision(git, 'tag', 'main/a')).to.reject(/does not exist/);
    await expect(splitRevision(git, 'commit', 'zzz/a')).to.reject(/does not exist/);
  });

  it('takes a path without a name as one of the default branch', async () => {
    expect(await guessRevision(git, 'main', 'docs/a.md')).to.equal({
      revision: { kind: 'branch', name: 'main', commit: oid('1') },
      path: 'docs/a.md',
    });
    expect((await guessRevision(git, 'main', 'v1/a.md'))?.revision.kind).to.equal('tag');
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

describe('models', () => {
  it('writes times in the zone of the signature (GEN-10)', () => {
    expect(zonedTime({ time: 0, zone: '+0000' })).to.equal('1970-01-01T00:00:00Z');
    expect(zonedTime({ time: 0, zone: '-0330' })).to.equal('1969-12-31T20:30:00-03:30');
    expect(zonedTime({ time: Number.NaN, zone: '+0000' })).to.equal('0001-01-01T00:00:00Z');
  });

  it('U10: writes times in UTC where RFC 3339 knows no zone or year like that of the commit', () => {
    for (const zone of ['+9999', '-2400', '+2460', '+0260', '+02000', 'UTC', '', '-0000'])
      expect(zonedTime({ time: 0, zone }), zone).to.equal('1970-01-01T00:00:00Z');
    expect(zonedTime({ time: 0, zone: '+2359' })).to.equal('1970-01-01T23:59:00+23:59');
    for (const time of [253_402_300_800_000, -62_198_755_200_000])
      expect(zonedTime({ time, zone: '+0000' }), String(time)).to.equal('0001-01-01T00:00:00Z');
    expect(zonedTime({ time: 253_402_300_799_000, zone: '+0001' })).to.equal('0001-01-01T00:00:00Z');
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
