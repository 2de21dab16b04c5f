import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { contentDisposition, mediaTypeOf } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { cleanPath } from '@mortise/history/api';
import { writablePath } from '../services/change-service.js';
import { serveBlob } from '../services/serve-blob.js';
import { includedParts } from '../services/contents-reader.js';

export const lab = Lab.script();
const { describe, it } = lab;

const oid = (letter: string) => letter.repeat(40);

/** A repository with one blob, as far as serving asks. */
const blob = Buffer.from('0123456789');
const repository = () =>
  ({ info: async () => ({ type: 'blob', size: blob.length }), blob: async () => blob }) as unknown as GitRepository;

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
    expect(() => includedParts('weather')).to.throw(/Unknown value of includes: weather/);
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
    const git = repository();
    const served = { oid: oid('b'), name: 'a.txt', modifiedAt: 0, isPrivate: true };
    const ask = (headers: Record<string, string>) => serveBlob(git, served, { headers });
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
