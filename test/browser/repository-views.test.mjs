// A person looks closely: every kind of file, who wrote a line, the graph, comparisons, the search, and the charts.
// Time: about 45 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { grace, long, seed } from './seed.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
// What pages look like does not hang on the database.
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('looking closely at a repository with the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let walk;
  const home = '/root/wheel';
  const main = `${home}/src/branch/main`;

  before(async () => {
    server = await startServer();
    await seed(server);
    browser = await launchChromium();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    page = await context.newPage();
    walk = new Walk(page, server.base);
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  it('shows pictures, tables, notebooks and papers, and their source', async () => {
    await walk.open(`${main}/art/wheel.svg`);
    await page.waitForFunction(() => document.querySelector('main img[alt="wheel.svg"]').naturalWidth > 0);
    await walk.follow('main a:text-is("Source")');
    await walk.shows('<circle');
    await walk.follow('main a:text-is("Rendered")');
    await walk.open(`${main}/data/table.csv`);
    expect(await page.locator('main td, main th').allInnerTexts()).to.equal([
      'part',
      'count',
      'spoke',
      '30',
      'hub, inner',
      '1',
    ]);
    await walk.follow('main a:text-is("Source")');
    await walk.shows('"hub, inner",1');
    await walk.open(`${main}/data/notebook.ipynb`);
    await walk.shows('print(6 * 7)');
    await walk.shows('42');
    await walk.open(`${main}/data/paper.pdf`);
    const paper = page.locator('main iframe[title="paper.pdf"]');
    const answer = await page.request.get(new URL(await paper.getAttribute('src'), server.base).href);
    expect(answer.headers()['content-type']).to.equal('application/pdf');
    expect(answer.headers()['content-disposition'] ?? 'inline').to.startWith('inline');
    await walk.open(`${main}/latest`);
    await walk.follow('main a:text-is("docs/guide.md")');
    expect(walk.path).to.equal(`${main}/docs/guide.md`);
    await walk.open(home);
    await walk.follow('#readme a:text-is("the guide")');
    expect(walk.path).to.equal(`${main}/docs/guide.md`);
    await walk.follow('nav[aria-label=Path] a:text-is("docs")');
    await walk.follow('main a:text-is("deep/er/than/most")');
    await walk.shows('note.txt');
    await walk.follow('a[aria-label^="Parent folder"]');
  });

  it('wraps long lines when asked, and remembers it', async () => {
    const isWide = () =>
      page.locator('main div.code-scroll').evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
    await walk.open(`${home}/src/branch/${long.branch}/${long.file}?display=source`);
    expect(await isWide()).to.be.true();
    await page.click('label:has-text("Wrap lines")');
    expect(await isWide()).to.be.false();
    await page.reload();
    expect(await isWide()).to.be.false();
    await page.click('label:has-text("Wrap lines")');
    expect(await isWide()).to.be.true();
  });

  it('copies paths, ids and addresses', async () => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await walk.open(`${main}/lib/turn.js`);
    for (const [label, text] of [
      ['Copy path', /^lib\/turn\.js$/],
      ['Copy file contents', /^\/\/ Turns the wheel/],
    ]) {
      const button = page.locator(`button[aria-label="${label}"]`);
      // it says so for a moment only
      const isConfirmed = button.evaluate(
        (element) =>
          new Promise((resolve) =>
            new window.MutationObserver(() => element.textContent === 'Copied' && resolve()).observe(element, {
              childList: true,
            }),
          ),
      );
      await Promise.all([isConfirmed, button.click()]);
      expect(await copied()).to.match(text);
    }
    await walk.open(home);
    await walk.unfold('.code-clone summary');
    await page.locator('button[aria-label="Copy the HTTP address"]').click();
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).endsWith('/root/wheel.git'));
  });

  it('tells who wrote a line, and who before', async () => {
    await walk.open(`${home}/blame/branch/main/lib/turn.js`);
    await page.click('a[data-line="5"]');
    await walk.reaches(/#L5$/);
    await walk.follow('tbody:has(#L5) a[title="Blame before this change"]');
    expect(walk.path).to.match(/\/blame\/commit\/[0-9a-f]{40}\/lib\/turn\.js$/);
    await walk.follow('main .code-who a');
    await walk.shows('Turn the wheel');
    await walk.follow('main a[aria-label^="View file"]');
    await walk.shows('export const spoke0');
    await walk.follow('main a:text-is("History")');
    const older = page.locator('a[rel=next], a:text-is("Older")');
    expect(await older.count()).to.be.above(0);
    await walk.follow('a:text-is("Older")');
    await walk.shows('Start the wheel');
    await walk.unfold('summary[aria-label="Show full message"]');
    await walk.shows('With everything that a wheel needs.');
    await walk.follow('a[aria-label="Browse files"]');
    expect(walk.path).to.match(/\/src\/commit\/[0-9a-f]{40}\/lib\/turn\.js$/);
  });

  it('draws the graph of one branch and of all', async () => {
    await walk.open(`${home}/graph/branch/main`);
    const rows = await walk.count('.code-graph li');
    expect(await walk.count('.code-graph circle')).to.equal(rows);
    expect(await walk.count('.code-graph path')).to.be.at.least(rows);
    await walk.hides('Something old');
    await walk.follow('main a:text-is("All branches")');
    await walk.shows('Something old');
    await walk.follow('.code-graph li a:text-is("topic")');
    expect(walk.path).to.equal(`${home}/src/branch/topic`);
    await walk.open(`${home}/graph`);
    await walk.follow('.code-graph li a.text-mono');
    expect(walk.path).to.match(/\/commit\/[0-9a-f]{40}$/);
  });

  it('follows a merge to its parents, and unfolds a difference', async () => {
    await walk.open(`${home}/commits/branch/main`);
    await walk.follow('main a:text-is("Bring in the hub")');
    await walk.shows('parents');
    await walk.follow('main span:has-text("parents") a >> nth=1');
    await walk.shows('Grease it more');
    await walk.unfold('summary[aria-label^="Checks:"]');
    await walk.shows('The check passed');
    await walk.shows('Built');
    await walk.unfold('summary[aria-label^="Checks:"]');
    await page.locator('[data-diff-tree] a[title="lib/turn.js"]').click();
    await walk.reaches(/#d[0-9a-f]{12}$/);
    await walk.hides('spoke29');
    // the lines come into the page, which stays where it is
    await page.click('[data-diff-file="lib/turn.js"] a[title="Show all lines of the file"]');
    await page.locator('[data-diff-file="lib/turn.js"] td:has-text("spoke29")').first().waitFor();
    await walk.follow('main .BtnGroup a:text-is("Split")');
    await walk.follow('main .BtnGroup a:text-is("Unified")');
    await walk.follow('main a:text-is("Ignore whitespace")');
    expect(await walk.count('main a:text-is("Show whitespace")')).to.equal(1);
    const patch = await page.request.get(`${page.url().replace(/\?.*/, '')}.patch`);
    expect(await patch.text()).to.contain('Subject: [PATCH] Grease it more');
  });

  it('compares both ways, directly, with forks, and says when nothing differs', async () => {
    const picker = 'main form#compare';
    await walk.open(`${home}/compare`);
    await walk.send(picker, { base: 'main', head: 'topic' });
    await walk.shows('There are no differences to show.');
    await walk.send(picker, { base: 'main', head: 'wip/old' });
    await walk.shows('1 commit ahead, 47 behind');
    await walk.hides('spoke');
    await walk.send(picker, { dots: '..' });
    expect(walk.path).to.equal(`${home}/compare/main..wip/old`);
    await walk.shows('spoke');
    const body = { content: Buffer.from('ahead\n').toString('base64'), message: 'Go ahead', branch: 'main' };
    expect((await server.api('POST', '/repos/grace/wheel/contents/AHEAD', { body, as: grace })).status).to.equal(201);
    await walk.open(`${home}/compare`);
    await walk.unfold('summary:has-text("Choose branch to compare")');
    await page.locator('a.code-ref:has-text("grace/wheel:main")').waitFor();
    await walk.follow('a.code-ref:has-text("grace/wheel:main")');
    await walk.shows('Go ahead');
    await walk.open('/grace/wheel');
    await walk.shows('main is behind root/wheel');
    await walk.follow('button:has-text("Sync fork")');
    await walk.shows('2 commits ahead of root/wheel');
  });

  it('searches code by words, folder and expression, and leads to the line', async () => {
    const search = 'main form:has([name=mode])';
    await walk.open(`${home}/search/branch/main`);
    await walk.send(search, { q: 'TURNS the' });
    await walk.shows('lib/turn.js');
    await walk.send(search, { q: 'turn', path: 'docs' });
    await walk.shows('docs/guide.md');
    expect(await page.locator('main h2 a').allInnerTexts()).to.equal(['docs/guide.md']);
    await walk.send(search, { q: 'spoke1[0-2] =', path: '', mode: 'regex' });
    await walk.shows('3 lines in 1 file');
    await walk.follow('main td.blob-num a');
    await walk.reaches(/\/lib\/turn\.js#L\d+$/);
    expect(await walk.count('tr.code-selected')).to.equal(1);
    await walk.open(`${home}/search/branch/main`);
    await walk.send(search, { q: '(', mode: 'regex' });
    expect(await walk.count('.flash-warn')).to.equal(1);
    await walk.send(search, { q: 'nothing like this', mode: 'fixed' });
    await walk.shows('No results');
  });

  it('goes by keyboard through the finder', async () => {
    await walk.open(main);
    await walk.press('t');
    const list = page.locator('[data-finder-list] li');
    await page.locator('.code-chosen').waitFor();
    const second = await list.nth(1).innerText();
    await page.keyboard.press('ArrowDown');
    expect(await page.innerText('.code-chosen')).to.equal(second);
    await walk.press('Enter');
    expect(walk.path).to.equal(`${main}/${second}`);
    await walk.press('t');
    await page.keyboard.type('no such thing');
    await page.locator('[data-finder-list]:text-is("No matching files")').waitFor();
    await walk.open(`${home}/blame/branch/main/lib/turn.js`);
    await page.keyboard.press('y');
    await walk.reaches(/\/blame\/commit\/[0-9a-f]{40}\/lib\/turn\.js$/);
    await page.keyboard.press('?');
    await page.locator('dialog[data-keys]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog[data-keys]').waitFor({ state: 'hidden' });
    await walk.open(`${home}/branches`);
    await page.keyboard.press('/');
    await page.keyboard.type('wip');
    await walk.press('Enter');
    await walk.hides('topic');
  });

  it('draws the charts, with their numbers below', async () => {
    const body = { content: Buffer.from('now\n').toString('base64'), message: 'Turn now', branch: 'main' };
    expect((await server.api('POST', `/repos${home}/contents/NOW`, { body })).status).to.equal(201);
    await walk.open(`${home}/activity`);
    await walk.waits('Turn now');
    await walk.follow('nav[aria-label=Period] a:text-is("1 day")');
    await walk.shows('1 author pushed 4 commits');
    for (const [tab, words] of [
      ['Contributors', 'Commits to the default branch'],
      ['Code frequency', 'Lines added and deleted'],
      ['Commits', 'Commits per week in the last year'],
    ]) {
      await walk.follow(`nav[aria-label=Activity] a:text-is("${tab}")`);
      await walk.waits(words);
      expect(await walk.count('svg.insight-chart rect'), tab).to.be.above(0);
      await walk.unfold('main figure summary:text-is("Show as table")');
      expect(await walk.count('table.insight-table tbody tr'), tab).to.be.above(0);
    }
    await walk.open(`${home}/activity`);
    await walk.follow('main a:text-is("Turn now")');
    await walk.shows('NOW');
  });
});
