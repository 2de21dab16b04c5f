/** What pages show of large texts, of hidden characters, and of who wrote a line. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('pages of files', () => {
  let host: TestHost;
  let sha: string;
  let page: (path: string) => Promise<string>;
  before(async () => {
    host = await startHost({ plugins: ['files', 'refs'] });
    const accounts = host.services.get(accountsRef);
    const ada = await accounts.create({ name: 'ada', email: 'ada@example.com' });
    const client = host.as(accounts.actorOf(ada, 'test'));
    await client.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'r' } });
    const large = Array.from({ length: 120_000 }, (_, index) => `line ${index + 1}\n`).join('');
    const long = Array.from({ length: 1_000 }, (_, index) => `\tlet a${index + 1} = '<';\n`).join('');
    const create = (path: string, text: string) => ({ operation: 'create', path, content: base64(text) });
    const made = await client.inject({
      method: 'POST',
      url: '/api/v1/repos/ada/r/contents',
      payload: {
        files: [create('large.txt', large), create('long.js', long), create('turned.js', 'if (a\u202e) {}\n')],
      },
    });
    expect(made.statusCode, made.payload.slice(0, 300)).to.equal(201);
    sha = (JSON.parse(made.payload) as { commit: { sha: string } }).commit.sha;
    page = async (path) => {
      const answer = await client.inject(`/ada/r/${path}`);
      expect(answer.statusCode, answer.payload.slice(0, 300)).to.equal(200);
      return answer.payload;
    };
  });
  after(() => host.close());

  it('show the first part of a large text', async () => {
    const html = await page('src/branch/main/large.txt');
    expect(html).to.include('line 1<').and.include('Only its first part').and.not.include('line 119999<');
    expect(html).to.not.include('/blame/');
  });

  it('show every line of a long text once and in order, as do blame and the diff, though they are made in pieces', async () => {
    const shown = Array.from({ length: 1_000 }, (_, index) => String(index + 1));
    const numbers = (html: string) => [...html.matchAll(/<td class="blob-num"[^>]*><a [^>]*data-line="(\d+)"/g)];
    for (const path of ['src/branch/main/long.js', 'blame/branch/main/long.js', `commit/${sha}?file=long.js`]) {
      const html = await page(path);
      expect(
        numbers(html).map(([, line]) => line),
        path,
      ).to.equal(shown);
      expect(html.match(/<\/html>/g), path).to.have.length(1);
      expect(html.indexOf('a1000'), path).to.be.below(html.indexOf('</table>'));
      expect(html, path).to.not.match(/<!--[\w-]{22} \d+-->/);
      // icons of the parts that are made later are there too
      if (path.startsWith('commit')) expect(html).to.include('<symbol id="icon-chevron-down-16"');
    }
  });

  it('mark characters that change the direction of text where they stand', async () => {
    expect(await page('src/branch/main/turned.js')).to.match(/<span class="bidi-mark"[^>]*>U\+202E<\/span>/);
  });

  it('show avatars beside the last commit and in blame', async () => {
    for (const path of ['src/branch/main/turned.js', 'blame/branch/main/turned.js', 'commits'])
      expect(await page(path), path).to.match(/<img class="avatar avatar-user" src="[^"]+"/);
  });
});
