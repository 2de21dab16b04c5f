// A person reads code: the outline of a file, chosen lines and what can be done with them, and changes.
// Time: about 40 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { axe, violationsOf } from './axe.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
// What pages look like does not hang on the database.
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const base64 = (content) => Buffer.from(content).toString('base64');

const methods = Array.from({ length: 20 }, (_, index) => `  spoke${index}() {\n    return ${index};\n  }\n`).join('\n');
const wheel = `export class Wheel {\n${methods}}\n\nexport function turn() {}\n`;

describe('reading code with the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let walk;
  const home = '/root/wheel';
  const file = `${home}/src/branch/main/lib/wheel.ts`;
  const expectNoFaults = async () => expect(await violationsOf(page)).to.equal([]);
  const becomes = (expression, wanted) =>
    page.waitForFunction(([code, value]) => String(globalThis.eval(code)) === value, [expression, wanted]);
  const chosen = () => page.locator('tr.code-selected').count();

  before(async () => {
    server = await startServer();
    const call = async (method, path, body) => {
      const answer = await server.api(method, path, { body, as: 'root:password' });
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    };
    await call('POST', '/user/repos', { name: 'wheel', default_branch: 'main' });
    await call('POST', `/repos${home}/contents`, {
      files: [{ operation: 'create', path: 'lib/wheel.ts', content: base64(wheel) }],
      message: 'Start the wheel',
    });
    browser = await launchChromium();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await context.addInitScript(axe);
    page = await context.newPage();
    walk = new Walk(page, server.base);
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  it('issue 29: opens the outline beside the lines, filters it, and goes to a symbol', async () => {
    await walk.open(file);
    const button = page.locator('button[aria-controls=symbols]');
    await button.press('Enter');
    await page.waitForSelector('#symbols input:focus');
    expect(await page.locator('#symbols li').count()).to.equal(22);
    await expectNoFaults();
    await page.keyboard.type('SPOKE12');
    await page.waitForFunction(() => document.querySelectorAll('#symbols li:not([hidden])').length === 2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await walk.reaches(/#L50$/);
    expect(await page.locator('tr.code-selected').innerText()).to.contain('spoke12()');
    await page.locator('#symbols a').first().press('Escape');
    expect(await page.locator('#symbols').isHidden()).to.be.true();
    expect(await button.getAttribute('aria-expanded')).to.equal('false');
  });

  it('issue 29: gives the outline on a page of its own where no script runs', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(server.base + file);
    await plain.click('main a:has-text("Symbols")');
    await plain.click('main a:has-text("turn")');
    expect(plain.url()).to.endWith(`${file}#L83`);
    await context.close();
  });

  it('issue 29: chooses lines by dragging and by keys, and opens their menu', async () => {
    await walk.open(file);
    const box = (line) => page.locator(`a[data-line="${line}"]`).boundingBox();
    const [from, to] = [await box(9), await box(4)];
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + 5, { steps: 8 });
    await page.mouse.up();
    await walk.reaches(/#L4-L9$/);
    expect(await chosen()).to.equal(6);
    await page.locator('a[data-line="2"]').click();
    await walk.reaches(/#L2$/);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await walk.reaches(/#L2-L4$/);
    expect(await page.evaluate(() => document.activeElement.dataset.line)).to.equal('4');

    await page.locator('.line-menu-button').press('Enter');
    await page.waitForSelector('#line-menu:popover-open');
    await page.waitForSelector('#line-menu button:focus');
    await expectNoFaults();
    await page.keyboard.press('Enter');
    await becomes('document.querySelector("[data-line-copy]").textContent.trim()', 'Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal('  spoke0() {\n    return 0;\n  }');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await becomes('document.querySelector("[data-line-link]").textContent.trim()', 'Copied');
    const permalink = await page.evaluate(() => navigator.clipboard.readText());
    expect(permalink).to.match(/\/root\/wheel\/src\/commit\/[0-9a-f]{40}\/lib\/wheel\.ts#L2-L4$/);
    await page.keyboard.press('Escape');
    expect(await page.locator('#line-menu').isHidden()).to.be.true();

    await page.locator('.line-menu-button').click();
    await walk.follow('#line-menu a:has-text("View blame")');
    await walk.reaches(/\/blame\/branch\/main\/lib\/wheel\.ts#L2-L4$/);
    expect(await chosen()).to.equal(3);
    await page.goto(permalink);
    await page.locator('.line-menu-button').click();
    await walk.follow('#line-menu a:has-text("Open an issue")');
    expect(await page.locator('textarea[name=body]').inputValue()).to.equal(`${permalink}\n\n`);
  });

  it('issue 29: puts the outline over the lines of a narrow window', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await walk.open(file);
    await page.locator('button[aria-controls=symbols]').click();
    await page.locator('#symbols a[title=turn]').click();
    await walk.reaches(/#L83$/);
    expect(await page.locator('#symbols').isHidden()).to.be.true();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(390);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
