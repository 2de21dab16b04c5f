// The version of the API, texts that older clients render, and the preview of the editor.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { signInAs } from '../support/browser.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const repo = '/repos/root/wheel';

describe('requirements of versions, texts and previews', { timeout: 600_000 }, () => {
  let server;
  const get = (path, options) => server.api('GET', path, options);
  const post = (path, body, options) => server.api('POST', path, { body, ...options });
  const ok = async (answer, status = 200) => {
    const { status: given, text, json } = await answer;
    expect(given, text).to.equal(status);
    return json;
  };
  const signIn = () => signInAs(server.base, 'root', 'password');

  before(async () => {
    server = await startServer({ settings: { 'MORTISE__repository.editor__PREVIEWABLE_FILE_MODES': 'none' } });
    await ok(post('/user/repos', { name: 'wheel', default_branch: 'main', auto_init: true }), 201);
  });
  after(() => server?.close());

  it('MKP-03: /markdown works for older clients', async () => {
    const Text = '# Title\n\n[a](src/a.js) [[Page]] <script>alert(1)</script>';
    const rendered = await post('/markdown', { Text, Mode: 'gfm', Context: 'root/wheel', Wiki: false });
    expect(rendered.status).to.equal(200);
    expect(rendered.headers.get('content-type')).to.contain('text/html');
    expect(rendered.text).to.contain('Title</h1>').and.to.not.contain('<script');
    const raw = await post('/markdown/raw', Text, { headers: { 'content-type': 'text/plain' } });
    expect(raw.status).to.equal(200);
    expect(raw.text).to.contain('Title</h1>').and.to.not.contain('<script');
  });

  it('VER-01: the API has one version', async () => {
    const { version } = await ok(get('/version', { as: '' }));
    const [, major, minor] = /^(\d+)\.(\d+)/.exec(version).map(Number);
    expect(major > 1 || minor >= 27, version).to.be.true();
    for (const path of [
      '/api/v2/version',
      '/api/v0/version',
      '/api/version',
      '/api/v1.0/version',
      '/api/v3/repos/root/wheel',
    ]) {
      const answer = await get(server.base + path);
      expect([path, answer.status]).to.equal([path, 404]);
    }
  });

  it('VER-08, VER-09: the editor always offers a preview; the setting for it is unknown', async () => {
    expect(server.log).to.match(/PREVIEWABLE_FILE_MODES.*unknown/);
    const page = await signIn();
    for (const path of ['_edit/main/README.md', '_new/main']) {
      const { status, text } = await page(`/root/wheel/${path}`);
      expect([path, status]).to.equal([path, 200]);
      expect(text, path).to.match(/<button[^>]* value="preview"/);
    }
    const shown = await page('/root/wheel/_new/main', { path: 'new.md', content: '# Seen before', do: 'preview' });
    expect(shown.status).to.equal(200);
    expect(shown.text).to.contain('>Seen before<');
    expect((await get(`${repo}/contents/new.md`)).status).to.equal(404);
  });

  it('VER-10: pages render texts at another address than /markdown', async () => {
    const page = await signIn();
    await page('/root/wheel/_new/main');
    const form = { text: '# Title', mode: 'markdown' };
    expect((await page('/markdown')).status).to.equal(404);
    expect((await page('/markdown', form)).status).to.equal(404);
    await page('/root/wheel/_new/main');
    const rendered = await page('/-/markup', form);
    expect([rendered.status, rendered.text.includes('>Title<')]).to.equal([200, true]);
    expect((await post('/markdown', { Text: '# Title', Mode: 'markdown' })).status).to.equal(200);
  });
});
