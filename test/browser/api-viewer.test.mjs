// The viewer of the API: the command for a shell, and a request that is sent from the page.
// Time: about 10 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('issue 29: the viewer of the API', { timeout: 300_000, skip }, () => {
  let server;
  let browser;
  let walk;
  before(async () => {
    server = await startServer();
    browser = await launchChromium();
    const page = await (await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US' })).newPage();
    await signIn(page, server.base, 'root:password');
    walk = new Walk(page, server.base);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Status and body of what the page was answered. */
  const send = async () => {
    const { page } = walk;
    const answer = page.waitForResponse((one) => one.url().includes('/api/v1/'));
    await page.getByRole('button', { name: 'Send request' }).click();
    await answer;
    await page.locator('.api-answer').filter({ hasText: /^\d/ }).waitFor();
    const [status, , ...body] = (await page.textContent('.api-answer')).split('\n');
    return { status: Number.parseInt(status, 10), json: body.length ? JSON.parse(body.join('\n')) : undefined };
  };

  it('shows the command, and sends what is written, as the person who is signed in', async () => {
    await walk.open('/api/swagger?operation=createCurrentUserRepo');
    await walk.shows(`curl -X POST -H 'Authorization: token YOUR_TOKEN'`);
    await walk.unfold('.api-try > summary');
    await walk.page.fill('#try-body', '{"name": "wheel", "auto_init": true}');
    const made = await send();
    expect(made.status).to.equal(201);
    expect(made.json.full_name).to.equal('root/wheel');
    const again = await send();
    expect(again.status).to.equal(409);
    walk.complaints.splice(0);
  });

  it('puts parameters into the path and the query', async () => {
    await walk.open('/api/swagger?operation=repoGetContents');
    await walk.unfold('.api-try > summary');
    for (const [name, value] of Object.entries({ owner: 'root', repo: 'wheel', filepath: 'README.md', ref: 'main' }))
      await walk.page.fill(`#try-${name}`, value);
    const { status, json } = await send();
    expect([status, json.path]).to.equal([200, 'README.md']);
    walk.settle();
  });

  it('lists what package managers and git speak last', async () => {
    await walk.open('/api/swagger');
    const groups = await walk.page.locator('.api-viewer-groups a').allInnerTexts();
    const at = (name) => groups.findIndex((one) => one.startsWith(name));
    expect(at('user')).to.be.above(-1);
    expect(at('lfs')).to.be.above(at('user'));
    walk.settle();
  });
});
