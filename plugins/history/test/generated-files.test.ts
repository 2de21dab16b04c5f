/** What a diff shows of files that nobody wrote by hand, and of pictures. */
// Database: SQLite alone; differences are made by git.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** The smallest picture there is, and one that differs in its last byte. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const otherPng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('generated files and pictures in a diff', () => {
  let host: TestHost;
  let ada: TestClient;
  let page: (path: string) => Promise<string>;
  const boxOf = (html: string, path: string) =>
    html.split('data-diff-file="').find((part) => part.startsWith(`${path}"`)) ?? '';

  before(async () => {
    host = await startHost({ plugins: ['history', 'files', 'refs'] });
    ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'r', default_branch: 'main' } });
    const write = async (files: readonly object[], more: object = {}) => {
      const answer = await ada.inject({
        method: 'POST',
        url: '/api/v1/repos/ada/r/contents',
        payload: { files, message: 'Change', ...more },
      });
      expect(answer.statusCode, answer.payload).to.equal(201);
    };
    const create = (path: string, text: string) => ({ operation: 'create', path, content: base64(text) });
    await write([
      { operation: 'create', path: 'dot.png', content: png },
      create(
        '.gitattributes',
        'api/*.js linguist-generated\nthird/** linguist-vendored\nyarn.lock -linguist-generated\n',
      ),
      create('api/deep/.gitattributes', 'own.txt linguist-generated=true\n'),
    ]);
    await write(
      [
        create('api/client.js', 'made by a tool\n'),
        create('new/.gitattributes', '*.js linguist-generated\n'),
        create('new/hidden.js', 'hides itself\n'),
        create('api/deep/own.txt', 'made below\n'),
        create('own.txt', 'written above\n'),
        create('third/lib.js', 'made by others\n'),
        create('package-lock.json', '{"lock": 1}\n'),
        create('yarn.lock', 'written by hand\n'),
        create('plain.js', 'written by us\n'),
        { operation: 'upload', path: 'dot.png', content: otherPng },
      ],
      { new_branch: 'topic' },
    );
    page = async (path) => {
      const answer = await ada.inject({ url: `/ada/r/${path}` });
      expect(answer.statusCode, answer.payload.slice(0, 300)).to.equal(200);
      return answer.payload;
    };
  });
  after(() => host.close());

  it('issue 29: are collapsed by attributes and by name, and loaded when asked', async () => {
    const html = await page('compare/main...topic');
    for (const path of ['api/client.js', 'api/deep/own.txt', 'package-lock.json'])
      expect(boxOf(html, path), path).to.contain('Generated files are not shown').and.contain('Load diff');
    expect(boxOf(html, 'third/lib.js')).to.contain('Vendored files are not shown').and.not.contain('made by others');
    for (const path of ['own.txt', 'yarn.lock', 'plain.js', 'new/hidden.js'])
      expect(boxOf(html, path), path).to.contain('class="blob-code diff-add"').and.not.contain('not shown by default');
    expect(await page('compare/main...topic?file=package-lock.json&piece=1'))
      .to.contain('lock')
      .and.not.contain('<html');
    expect(await page('compare/main...topic?file=third/lib.js')).to.contain('made by others');
  });

  it('issue 29: changed pictures have their sizes and ways to compare them', async () => {
    const box = boxOf(await page('compare/main...topic'), 'dot.png');
    expect(box).to.contain('Before · 70 B').and.contain('After · 70 B');
    for (const mode of ['side', 'swipe', 'onion']) expect(box).to.match(new RegExp(`type="radio"[^>]*value="${mode}"`));
    // without a script they stand side by side
    expect(box).to.match(/<fieldset[^>]* hidden/);
  });
});
