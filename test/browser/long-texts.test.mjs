// Long texts: an outline of their headings, addresses of headings, diagrams that move nothing.
// Time: about 10 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf, overhangOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const who = 'root:password';
const filler = 'Wheels turn. '.repeat(200);
const text = `# Wheel

\`\`\`mermaid
graph TD
  a[Rim] --> b[Spokes] --> c[Nipples] --> d[Hub] --> e[Axle] --> f[Fork] --> g[Frame]
\`\`\`

$$x^2 + y^2$$

## Spokes

${filler}

## Hub & *axle*

${filler}
`;

const wide = `\`\`\`mermaid
graph LR
${Array.from({ length: 20 }, (_, at) => `  a${at}[A long name ${at}] --> a${at + 1}[A long name ${at + 1}]`).join('\n')}
\`\`\`
`;

describe('issue 29: long texts', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let complaints;
  const call = async (method, path, body) => {
    const answer = await server.api(method, path, { body, as: who });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  before(async () => {
    server = await startServer();
    await call('POST', '/user/repos', { name: 'wheel', default_branch: 'main' });
    const content = Buffer.from(text).toString('base64');
    await call('POST', '/repos/root/wheel/contents/README.md', { content, branch: 'main' });
    await call('POST', '/repos/root/wheel/contents/WIDE.md', {
      content: Buffer.from(wide).toString('base64'),
      branch: 'main',
    });
    await call('POST', '/repos/root/wheel/issues', { title: 'Long', body: text });
    await call('POST', '/repos/root/wheel/issues/1/comments', { body: text });
    await call('POST', '/repos/root/wheel/wiki/new', { title: 'Home', content_base64: content });
    browser = await launchChromium();
    const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await context.newPage();
    complaints = complaintsOf(page);
    await signIn(page, server.base, who);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('a diagram takes the place of its text, and nothing moves', async () => {
    await page.goto(`${server.base}/root/wheel/src/branch/main/README.md`);
    await page.evaluate(() => {
      globalThis.moved = 0;
      new globalThis.PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.moved += value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.locator('iframe.markup-diagram:not([data-drawing])').waitFor();
    await page.evaluate(() => new Promise((done) => globalThis.requestAnimationFrame(() => setTimeout(done))));
    expect(await page.evaluate(() => globalThis.moved)).to.be.below(0.01);
    const diagram = page.locator('iframe.markup-diagram');
    const fitting = (await diagram.boundingBox()).height;
    await page.locator('.markup-code').hover();
    await page.getByRole('button', { name: 'Full size' }).click();
    expect((await diagram.boundingBox()).height).to.be.above(fitting);
    await page.getByRole('button', { name: 'Fit' }).click();
    expect((await diagram.boundingBox()).height).to.equal(fitting);
  });

  it('a wide diagram fits, and is scrolled in its full size, by keys as well', async () => {
    await page.goto(`${server.base}/root/wheel/src/branch/main/WIDE.md`);
    const diagram = page.locator('iframe.markup-diagram:not([data-drawing])');
    await diagram.waitFor();
    const widthOf = async () => Math.round((await diagram.boundingBox()).width);
    const fitting = await widthOf();
    await page.locator('.markup-code').hover();
    await page.getByRole('button', { name: 'Full size' }).click();
    expect(await widthOf()).to.be.above(fitting * 1.5);
    expect(await overhangOf(page)).to.be.undefined();
    await page.locator('.markup-diagram-scroll').press('ArrowRight');
    await page.waitForFunction(() => globalThis.document.querySelector('.markup-diagram-scroll').scrollLeft > 0);
    await page.getByRole('button', { name: 'Fit' }).click();
    expect(await widthOf()).to.equal(fitting);
  });

  it('an outline leads to each heading of a readme, a comment and a wiki page, by keyboard and on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [path, around] of [
      ['/root/wheel', '#readme'],
      ['/root/wheel/issues/1', '#issuecomment-1'],
      ['/root/wheel/wiki', '.wiki-main'],
    ]) {
      await page.goto(server.base + path);
      const menu = page.locator(`${around} .markup-outline`);
      await menu.locator('summary').press('Enter');
      expect(await menu.locator('a').allTextContents(), path).to.equal(['Wheel', 'Spokes', 'Hub & axle']);
      expect(await overhangOf(page), path).to.be.undefined();
      await menu.getByText('Hub & axle').press('Enter');
      const heading = page.locator(`${around} h2`, { hasText: 'Hub & axle' });
      await page.waitForFunction((one) => one.getBoundingClientRect().top < 400, await heading.elementHandle());
      expect(await menu.locator('details').getAttribute('open'), path).to.be.null();
    }
  });

  it('the link at a heading is copied as it is followed', async () => {
    await page.goto(`${server.base}/root/wheel`);
    const link = page.locator('#readme h2 .anchor').last();
    await link.press('Enter');
    await page.locator('#readme .anchor[data-copied]').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(page.url());
    expect(page.url()).to.match(/#user-content-hub--axle$/);
  });

  it('without a complaint of the browser', () => {
    expect(complaints).to.equal([]);
  });
});
