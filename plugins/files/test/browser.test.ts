import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60"/></svg>';

/** A tetrahedron, as text. */
const wedge = (() => {
  const corners = ['0 0 0', '1 0 0', '0 1 0', '0 0 1'];
  const facet = (omitted: number) =>
    `facet normal 0 0 0\nouter loop\n${corners
      .filter((_, at) => at !== omitted)
      .map((corner) => `vertex ${corner}\n`)
      .join('')}endloop\nendfacet\n`;
  return `solid wedge\n${[0, 1, 2, 3].map(facet).join('')}endsolid wedge\n`;
})();

/** A triangle as glTF in one file: a header, a chunk of JSON and one of bytes, each a multiple of four bytes long. */
const triangle = (further: readonly object[] = []): Buffer => {
  const points = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const scene = JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    buffers: [{ byteLength: points.length }],
    bufferViews: [{ buffer: 0, byteLength: points.length }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      ...further,
    ],
  });
  const chunk = (kind: string, bytes: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(bytes.length);
    return Buffer.concat([head, Buffer.from(kind), bytes]);
  };
  const json = Buffer.from(scene.padEnd(Math.ceil(scene.length / 4) * 4));
  const chunks = Buffer.concat([chunk('JSON', json), chunk('BIN\0', points)]);
  const head = Buffer.from('glTF\x02\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(head.length + chunks.length, 8);
  return Buffer.concat([head, chunks]);
};

/** It says that it has 12 GB of zeros. */
const vast = triangle([{ componentType: 5126, count: 1_000_000_000, type: 'VEC3' }]);

describe('pages of code in a browser', { timeout: 600_000, skip }, () => {
  let host: TestHost;
  let browser: Browser;
  let page: Page;
  let base: string;
  const faults: string[] = [];
  // What a click leads to is waited for: it may come later than the click's answer.
  const shows = async (words: string, where = 'main', on = page) =>
    void (await on.locator(where, { hasText: words }).first().waitFor());
  /** Asks the page from outside: what polls within it is code that its own policy forbids. */
  const becomesTrue = async (expression: string) => {
    while (!(await page.evaluate(expression))) await page.waitForTimeout(20);
  };
  const showsFlash = (words: string) => shows(words, '.flash');

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files', 'sessions', 'auth-basic'], background: true });
    const accounts = host.services.get(accountsRef);
    const ada = await createAccount(host, 'ada', { password: 'long enough 1' });
    const client = host.as(accounts.actorOf(ada, 'test'));
    const send = (method: 'POST' | 'PUT', url: string, payload: object) => client.inject({ method, url, payload });
    await send('POST', '/api/v1/user/repos', { name: 'wheel', default_branch: 'main' });
    const lines = Array.from({ length: 60 }, (_, index) => `export const value${index + 1} = ${index + 1};`).join('\n');
    const create = (path: string, text: string) => ({ operation: 'create', path, content: base64(text) });
    await send('POST', '/api/v1/repos/ada/wheel/contents', {
      files: [
        create('README.md', '# Wheel\n\n![p](pic.svg) [a](src/a.ts)\n'),
        create('src/a.ts', `${lines}\n`),
        create('wedge.stl', wedge),
        create('open.stl', `solid ${'solid '.repeat(200)}`),
        create('nested.py', 'class Hub:\n    def turn(self):\n        spin()\n\n        stop()\n\nrim = 1\n'),
        create('src/deep/er/b.txt', 'b\n'),
        create('pic.svg', picture),
        create('people.csv', 'name,age\nAda,36\n'),
      ],
    });
    const changed = { operation: 'upload', path: 'src/a.ts', content: base64(lines.replace('= 3;', '= 33;')) };
    await send('POST', '/api/v1/repos/ada/wheel/contents', {
      files: [changed],
      new_branch: 'side',
      message: 'Change three',
    });
    const models = [
      { operation: 'upload', path: 'wedge.stl', content: base64(wedge.replace('0 0 1', '0 0 2')) },
      { operation: 'create', path: 'box.glb', content: triangle().toString('base64') },
      { operation: 'create', path: 'vast.glb', content: vast.toString('base64') },
    ];
    await send('POST', '/api/v1/repos/ada/wheel/contents', { files: models, new_branch: 'models', message: 'Models' });
    base = await host.url();
    browser = await chromium.launch({
      executablePath: process.env.MORTISE_TEST_CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      timeout: 120_000,
    });
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${base}/user/login`);
    await page.fill('input[name=user_name]', 'ada');
    await page.fill('input[name=password]', 'long enough 1');
    await page.click('main button[type=submit]');
    await page.waitForURL((url) => !url.pathname.endsWith('/user/login'));
  });
  after(async () => {
    await browser?.close();
    await host?.close();
  });

  it('finds a file with t, selects lines, goes to the permanent address with y, shows the keys with ?', async () => {
    await page.goto(`${base}/ada/wheel`);
    await becomesTrue('document.querySelector("#readme img").naturalWidth === 80');
    await page.keyboard.press('t');
    await page.waitForURL(/\/find\//);
    await page.waitForSelector('[data-finder-list] li.code-chosen');
    await page.keyboard.type('srcats');
    await shows('src/a.ts', '[data-finder-list] li:first-child');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/src\/branch\/main\/src\/a\.ts/);
    await page.click('a[data-line="5"]');
    await page.click('a[data-line="9"]', { modifiers: ['Shift'] });
    await page.waitForURL(/#L5-L9$/);
    expect(await page.locator('tr.code-selected').count()).to.equal(5);
    await page.keyboard.press('y');
    await page.waitForURL(/\/src\/commit\/[0-9a-f]{40}\/src\/a\.ts#L5-L9$/);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[data-keys]', { state: 'visible' });
    await page.keyboard.press('Escape');
  });

  it('folds lines below the line that they are indented under, by mouse and by keys', async () => {
    await page.goto(`${base}/ada/wheel/src/branch/main/nested.py`);
    const shown = () => page.locator('[data-code-lines] tr:visible').evaluateAll((rows) => rows.map(({ id }) => id));
    await page.click('button[aria-label="Lines 3 to 5"]');
    expect(await shown()).to.equal(['L1', 'L2', 'L6', 'L7']);
    await page.focus('a[data-line="1"]');
    await page.keyboard.press('ArrowLeft');
    expect(await shown()).to.equal(['L1', 'L6', 'L7']);
    await page.keyboard.press('ArrowRight');
    expect(await shown()).to.equal(['L1', 'L2', 'L6', 'L7']);
    // where an address leads is unfolded
    await page.evaluate('location.hash = "#L5"');
    await becomesTrue('document.querySelectorAll("[data-code-lines] tr[hidden]").length === 0');
    await page.click('button[aria-label="Lines 3 to 5"]');
    expect(await page.getAttribute('button[aria-label="Lines 3 to 5"]', 'aria-expanded')).to.equal('false');
  });

  it('draws a 3D model, which the arrow keys turn; its source is a link away', async () => {
    await page.goto(`${base}/ada/wheel/src/branch/main/wedge.stl`);
    const canvas = page.locator('canvas[role=img]');
    await canvas.waitFor();
    expect(await canvas.getAttribute('aria-label')).to.match(/^3D model wedge\.stl/);
    const before = await canvas.screenshot();
    await canvas.focus();
    await page.keyboard.press('ArrowLeft');
    expect((await canvas.screenshot()).equals(before)).to.be.false();
    await page.click('a[href$="display=source"]');
    await shows('solid wedge');
    expect(await page.locator('canvas').count()).to.equal(0);
    const warned = page.waitForEvent('console', { predicate: (line) => line.text().includes('are not closed') });
    await page.goto(`${base}/ada/wheel/src/branch/main/open.stl`);
    await warned;
    expect(await page.locator('canvas').count()).to.equal(0);
    await page.goto(`${base}/ada/wheel/compare/main...models`);
    expect(await page.locator('canvas').count()).to.equal(0);
    for (const title of await page.locator('[data-diff-models] > summary').all()) await title.click();
    await page.locator('canvas[aria-label*="wedge.stl: Before"]').waitFor();
    await page.locator('canvas[aria-label*="wedge.stl: After"]').waitFor();
    await page.locator('canvas[aria-label*="box.glb: After"]').waitFor();
    const refused = page.waitForEvent('console', { predicate: (line) => line.text().includes('larger than its file') });
    await page.goto(`${base}/ada/wheel/src/branch/models/vast.glb`);
    await refused;
    expect(await page.locator('canvas').count()).to.equal(0);
  });

  it('adds a part of a page that was late without giving an icon its id twice', async () => {
    const address = `${base}/ada/wheel/src/branch/main/src`;
    await page.route(address, async (route) => {
      const answer = await route.fetch();
      const late = '<div class="test-late" data-later="?part=list"></div></main>';
      await route.fulfill({ response: answer, body: (await answer.text()).replace('</main>', late) });
    });
    await page.goto(address);
    await page.waitForSelector('.test-late', { state: 'detached' });
    expect(await page.locator('main [role=table]').count()).to.equal(2);
    const ids = await page.locator('symbol').evaluateAll((symbols) => symbols.map(({ id }) => id));
    expect(ids).to.equal([...new Set(ids)]);
    await page.unroute(address);
  });

  it('searches the branches of the switcher and goes where Enter says', async () => {
    await page.goto(`${base}/ada/wheel`);
    await page.click('summary:has-text("main")');
    await becomesTrue('document.activeElement.tagName === "INPUT"');
    await page.keyboard.type('sid');
    await becomesTrue('document.querySelectorAll("a.code-ref").length === 1');
    const ids = await page.locator('symbol').evaluateAll((symbols) => symbols.map(({ id }) => id));
    expect(ids).to.equal([...new Set(ids)]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/src\/branch\/side/);
  });

  it('makes, renames, deletes and restores a branch', async () => {
    await page.goto(`${base}/ada/wheel/branches`);
    await page.click('summary:has-text("New branch")');
    await page.fill('form[action$="/branches/new"] input[name=name]', 'made/here');
    await page.click('form[action$="/branches/new"] button');
    await showsFlash('created');
    await page.click('summary[aria-label="Rename made/here"]');
    await page.fill('li:has-text("made/here") form[action$=rename] input[name=to]', 'made/there');
    await page.click('li:has-text("made/here") form[action$=rename] button');
    await showsFlash('renamed');
    await page.click('button[aria-label="Delete made/there"]');
    await showsFlash('deleted');
    await page.click('button:has-text("Restore")');
    await showsFlash('restored');
  });

  it('compares through the pickers, and shows both forms of the difference', async () => {
    await page.goto(`${base}/ada/wheel/compare`);
    await page.fill('input[name=head]', 'side');
    await page.click('form#compare button');
    await page.waitForURL(/compare\/main\.\.\.side/);
    await shows('1 commit');
    await shows('Change three');
    await page.click('a:has-text("Split")');
    await page.waitForURL(/style=split/);
    await page.waitForSelector('table.code-split .diff-add');
  });

  it('shows kinds of files, without any fault of a script', async () => {
    for (const [path, selector] of [
      ['src/branch/main/pic.svg', '.Box-body img'],
      ['src/branch/main/people.csv', '.markdown-body table'],
      ['src/branch/main/src', 'a:has-text("deep/er")'],
      ['blame/branch/main/src/a.ts', '.code-blame .code-who'],
      ['graph', '.code-graph svg circle'],
      ['commits', 'li:has-text("Add README.md")'],
      ['search?q=value12', 'mark'],
      ['tags', '.blankslate'],
    ] as const) {
      await page.goto(`${base}/ada/wheel/${path}`);
      await page.locator(selector).first().waitFor({ state: 'attached' });
    }
    expect(faults).to.equal([]);
  });

  it('can be read without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    plain.setDefaultTimeout(120_000);
    await plain.goto(`${base}/ada/wheel`);
    await plain.click('summary:has-text("main")');
    await plain.click('a:has-text("All branches and tags")');
    await plain.click('a:has-text("side")');
    await plain.click('a:has-text("src")');
    await plain.click('a:has-text("a.ts")');
    await shows('value3', 'main', plain);
    await plain.goto(`${base}/ada/wheel/find/branch/main?q=deep`);
    await shows('src/deep/er/b.txt', '[data-finder-list]', plain);
    await plain.goto(`${base}/ada/wheel/commits/branch/side`);
    await plain.click('a:has-text("Change three")');
    await plain.locator('.diff-add').first().waitFor();
    await context.close();
  });
});
