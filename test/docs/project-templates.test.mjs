// The templates of this project's own issues and pull requests, read by Mortise itself.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('templates of the project', { timeout: 120_000 }, () => {
  let server;
  const forms = readdirSync(join(root, '.mortise/ISSUE_TEMPLATE')).map((name) => `.mortise/ISSUE_TEMPLATE/${name}`);

  before(async () => {
    server = await startServer();
    await server.api('POST', '/user/repos', { body: { name: 'mortise', auto_init: true, default_branch: 'main' } });
    const files = [...forms, '.mortise/PULL_REQUEST_TEMPLATE.md'].map((path) => ({
      operation: 'create',
      path,
      content: readFileSync(join(root, path)).toString('base64'),
    }));
    const written = await server.api('POST', '/repos/root/mortise/contents', { body: { files, branch: 'main' } });
    expect(written.status, written.text).to.equal(201);
  });
  after(() => server?.close());

  it('are forms for bugs and features that Mortise reads', async () => {
    const { json } = await server.api('GET', '/repos/root/mortise/issue_templates');
    expect(json.map(({ name, file_name: file }) => [name, file]).toSorted()).to.equal([
      ['Bug', '.mortise/ISSUE_TEMPLATE/bug.yaml'],
      ['Feature', '.mortise/ISSUE_TEMPLATE/feature.yaml'],
    ]);
    expect(json.every(({ body }) => body.length > 2)).to.be.true();
  });

  it('begin a pull request with what is to be checked', async () => {
    const body = {
      content: Buffer.from('x').toString('base64'),
      new_branch: 'topic',
      branch: 'main',
      message: 'Add x',
    };
    await server.api('POST', '/repos/root/mortise/contents/x', { body });
    const page = await fetch(`${server.base}/root/mortise/pulls/new?base=main&head=topic`, {
      headers: { cookie: await signedIn(server) },
    });
    const [, text] = /<textarea[^>]*>([^<]*)/.exec(await page.text());
    expect(text).to.contain('A test fails without this change');
  });
});

/** The cookie of a browser in which root has signed in. */
async function signedIn({ base }) {
  const form = await fetch(`${base}/user/login`);
  const cookies = (answer) =>
    answer.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
  const [, csrf] = /name="_csrf" value="([^"]+)"/.exec(await form.text());
  const done = await fetch(`${base}/user/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies(form), origin: base },
    body: new URLSearchParams({ user_name: 'root', password: 'password', _csrf: csrf }),
  });
  return cookies(done);
}
