// A person works in a repository with the browser: makes it, reads its code and history, changes it, publishes,
// and writes its wiki.
// Time: about 50 s
import { writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { importHistory } from './history.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM;

describe('working in a repository with the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let walk;
  const home = '/root/wheel';

  before(async () => {
    server = await startServer();
    browser = await launchChromium();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    walk = new Walk(page, server.base);
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  it('makes a repository with options, and an empty one to push to', async () => {
    await walk.open('/repo/create');
    await page.locator('summary', { hasText: 'Advanced options' }).click();
    await walk.send('main form', {
      repo_name: 'started',
      description: 'With a README',
      private: true,
      auto_init: true,
      license: 'MIT',
      gitignores: 'Node',
      default_branch: 'trunk',
      has_wiki: false,
    });
    expect(walk.path).to.equal('/root/started');
    await walk.shows('LICENSE');
    await walk.shows('trunk');
    await walk.hides('Wiki', 'nav[aria-label=Repository]');
    await walk.open('/repo/create');
    await walk.send('main form', { repo_name: 'wheel', description: 'It turns' });
    await walk.shows('This repository is empty');
    expect(await walk.count('.clone-ssh code.clone-address:text("ssh://")')).to.equal(1);
    const bare = join(server.folder, 'wheel.git');
    spawnSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
    await importHistory(bare);
    const push = await server.git(['push', '-q', '--mirror', `${server.base}${home}.git`], { cwd: bare });
    expect(push.code, push.err).to.equal(0);
    await walk.open('/repo/create');
    await walk.send('main form', { repo_name: 'wheel' });
    await walk.shows('repository', '.flash-error');
  });

  it('reads the home page, folders and files', async () => {
    await walk.open(home);
    await walk.shows('Bring in the hub');
    await walk.shows('It turns');
    await walk.waits('JavaScript');
    expect(await page.innerHTML('#readme')).to.contain('<em>turns</em>');
    await walk.unfold('.code-clone summary');
    expect(await page.locator('.clone-ssh code').isVisible()).to.be.false();
    await page.locator('.code-clone label', { hasText: 'SSH' }).click();
    expect(await page.locator('.clone-ssh code').innerText()).to.contain('/root/wheel.git');
    expect(await page.locator('.clone-http code').isVisible()).to.be.false();
    await page.keyboard.press('Escape');
    await walk.unfold('summary:has(> [title=main])');
    await page.waitForFunction(() => document.activeElement.matches('[data-ref-menu] input'));
    await page.keyboard.type('top');
    await page.waitForFunction(() => document.querySelectorAll('[data-ref-list] a.code-ref').length === 1);
    expect((await page.locator('[data-ref-list] a.code-ref').innerText()).trim()).to.equal('topic');
    await walk.press('Enter');
    expect(walk.path).to.equal(`${home}/src/branch/topic`);
    await walk.open(home);
    await walk.follow('main a:text-is("lib")');
    await walk.follow('main a:text-is("turn.js")');
    await walk.shows('spoke29');
    await page.click('a[data-line="3"]');
    await walk.reaches(/#L3$/);
    await page.click('a[data-line="9"]', { modifiers: ['Shift'] });
    await walk.reaches(/#L3-L9$/);
    expect(await walk.count('tr.code-selected')).to.equal(7);
    await page.keyboard.press('y');
    await walk.reaches(/^\/root\/wheel\/src\/commit\/[0-9a-f]{40}\/lib\/turn\.js#L3-L9$/);
    await page.reload();
    expect(await walk.count('tr.code-selected')).to.equal(7);
    await walk.follow('main a:text-is("Blame")');
    await walk.shows('Turn the wheel 31');
    await walk.open(`${home}/src/branch/main/lib/turn.js`);
    await walk.follow('main a:text-is("History")');
    await walk.shows('Turn the wheel 40');
    const raw = await page.request.get(`${server.base}${home}/raw/branch/main/lib/turn.js`);
    expect(await raw.text()).to.contain('export const spoke29');
    for (const [path, words] of [
      ['data/table.csv', 'hub, inner'],
      ['data/notebook.ipynb', 'Measurements'],
      ['data/bytes.bin', 'Download'],
      ['latest', 'docs/guide.md'],
      ['lib/a file with spaces.txt', 'Spaces.'],
    ]) {
      await walk.open(`${home}/src/branch/main/${encodeURI(path)}`);
      await walk.shows(words);
    }
  });

  it('finds files and words by keyboard', async () => {
    await walk.open(home);
    await walk.press('t');
    await page.keyboard.type('turnjs');
    await page.waitForFunction(() => document.querySelectorAll('[data-finder-list] li').length === 1);
    await walk.press('Enter');
    expect(walk.path).to.equal(`${home}/src/branch/main/lib/turn.js`);
    await walk.open(`${home}/search/branch/main`);
    await page.keyboard.press('/');
    await page.keyboard.type('spoke17');
    await walk.press('Enter');
    await walk.shows('lib/turn.js');
    await page.keyboard.press('?');
    await page.locator('dialog[data-keys]').waitFor();
  });

  it('reads commits, their graph, one commit and comparisons', async () => {
    await walk.open(home);
    await walk.follow('main a:has-text("History")');
    await walk.shows('44 commits');
    await walk.send('main form:has([name=author])', { q: 'hub' });
    await walk.shows('Bring in the hub');
    await walk.hides('Turn the wheel 12');
    await walk.open(`${home}/commits/branch/main`);
    await walk.follow('main a:has-text("Graph")');
    await walk.shows('Grease the hub');
    await walk.open(`${home}/commit/topic`, 404);
    await walk.open(`${home}/commits/branch/topic`);
    await walk.follow('main a:text-is("Grease it more")');
    expect(await walk.count('main tr')).to.be.above(5);
    await walk.follow('main a:text-is("Split")');
    expect(walk.path).to.contain('style=split');
    await walk.follow('main a:text-is("Unified")');
    await walk.open(`${home}/compare`);
    await walk.send('main form#compare', { base: 'v1.0', head: 'main' });
    expect(walk.path).to.equal(`${home}/compare/v1.0...main`);
    await walk.shows('38 commits ahead');
    await walk.open(`${home}/compare/nothing...main`, 404);
  });

  it('makes, renames, deletes and restores branches, and makes tags', async () => {
    await walk.open(`${home}/branches`);
    await walk.unfold('summary:text-is("New branch")');
    await walk.send('form[action$="/branches/new"]', { name: 'next', from: 'v1.0' });
    await walk.shows('The branch was created.', '.flash-success');
    await walk.unfold('summary[aria-label="Rename next"]');
    await walk.send('form[action$="/branches/rename"]:has([value=next])', { to: 'later' });
    await walk.shows('The branch was renamed.', '.flash-success');
    await walk.follow('button[aria-label="Delete later"]');
    await walk.shows('Deleted branches');
    await walk.follow('button:text-is("Restore")');
    await walk.shows('The branch was restored.', '.flash-success');
    await walk.open(`${home}/tags`);
    await walk.unfold('summary:text-is("New tag")');
    await walk.send('form[action$="/tags/new"]', { name: 'trial', target: 'main', message: 'A trial' });
    await walk.shows('trial');
    await walk.confirm('button[aria-label="Delete trial"]');
    await walk.hides('A trial');
  });

  it('edits, adds, uploads, patches and deletes files', async () => {
    const write = async (text) => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText(text);
    };
    await walk.open(`${home}/src/branch/main/README.md`);
    await walk.follow('a[aria-label="Edit file"]');
    await write('\nIt is **round**.\n');
    await walk.follow('button[value=preview]');
    expect(await page.innerHTML('section[aria-label=Preview]')).to.contain('<strong>round</strong>');
    await walk.follow('button[value=diff]');
    await walk.shows('+It is **round**.', 'section[aria-label=Changes]');
    await walk.send(
      'main form',
      { summary: 'Say that it is round', target: 'branch', newBranch: 'round' },
      'button[value=save]',
    );
    expect(walk.path).to.equal(`${home}/compare/main...round`);
    await walk.shows('Say that it is round');
    await walk.open(home);
    await walk.unfold('summary:has-text("Add file")');
    await walk.follow('a:text-is("New file")');
    await write('Brakes.\n');
    await walk.send('main form', { path: 'docs/brakes.md', signoff: true }, 'button[value=save]');
    expect(walk.path).to.equal(`${home}/src/branch/main/docs/brakes.md`);
    await walk.open(`${home}/_upload/main/docs`);
    const upload = join(server.folder, 'upload.txt');
    writeFileSync(upload, 'From my machine.\n');
    await walk.send('main form[enctype]', { file: upload });
    await walk.shows('upload.txt');
    await walk.open(`${home}/_patch/main`);
    const patch =
      'diff --git a/docs/upload.txt b/docs/upload.txt\n--- a/docs/upload.txt\n+++ b/docs/upload.txt\n@@ -1 +1 @@\n-From my machine.\n+From a patch.\n';
    await walk.send('main form:has([name=patch])', { patch });
    await walk.open(`${home}/src/branch/main/docs/upload.txt`);
    await walk.shows('From a patch.');
    await walk.follow('a[aria-label="Delete file"]');
    await walk.follow('main form button:has-text("Delete file")');
    await walk.open(`${home}/src/branch/main/docs/upload.txt`, 404);
  });

  it('drafts, publishes, changes and deletes releases', async () => {
    const asset = join(server.folder, 'wheel.zip');
    writeFileSync(asset, 'not really a zip');
    await walk.open(`${home}/releases`);
    await walk.follow('main a:has-text("Draft a release")');
    await walk.send(
      'main form',
      { tag_name: 'v2.0', title: 'Second wheel', note: 'Two *wheels*', files: asset },
      'button[value=draft]',
    );
    await walk.shows('Draft');
    await walk.open(`${home}/releases`);
    await walk.follow('main a:has-text("Edit")');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.locator('.markdown-editor-preview em:text-is("wheels")').waitFor();
    await walk.follow('main button[value=publish]');
    await walk.shows('wheel.zip');
    await walk.shows('Latest');
    await walk.open(home);
    await walk.shows('Second wheel', 'aside');
    const file = await page.request.get(`${server.base}${home}/releases/download/v2.0/wheel.zip`);
    expect(await file.text()).to.equal('not really a zip');
    await walk.open(`${home}/releases/edit/v2.0`);
    await walk.unfold('summary:text-is("Delete release")');
    await walk.send('form[action*="/releases/delete/"]', { delete_tag: true });
    await walk.hides('Second wheel');
  });

  it('pages of a wiki are written, with a preview before', async () => {
    await walk.open(`${home}/wiki`);
    await walk.shows('Welcome to the wiki');
    await walk.follow('main a.btn-primary');
    await walk.send('main form', { title: 'Home', content: '# Welcome\n\nSee [[Axle]].' }, 'button[value=preview]');
    expect(await page.innerHTML('section[aria-label=Preview]')).to.contain('Welcome');
    await walk.follow('button[value=save]');
    for (const [title, content] of [
      ['Axle', 'The axle holds the wheel.'],
      ['_Sidebar', 'Read the [[Axle]] first.'],
    ]) {
      await walk.open(`${home}/wiki/_new`);
      await walk.send('main form', { title, content }, 'button[value=save]');
    }
    await walk.open(`${home}/wiki`);
    await walk.shows('Read the Axle first.');
    await walk.follow('main a:text-is("Axle")');
    await walk.follow('main a:has-text("Edit")');
    await walk.send(
      'main form',
      { content: 'The axle carries the wheel.', message: 'Better word' },
      'button[value=save]',
    );
    await walk.waitsAndFollows('main a:text-is("2 revisions")');
    await walk.shows('Better word');
    await walk.follow('button:has-text("Compare selected")');
    await walk.shows('+The axle carries the wheel.');
    await walk.open(`${home}/wiki`);
    await walk.send('aside form', { q: 'carries' });
    await walk.shows('Axle');
    await walk.open(`${home}/wiki/Axle/_delete`);
    await walk.follow('main button:text-is("Delete page")');
    await walk.open(`${home}/wiki/_pages`);
    await walk.hides('Axle', 'main ul');
  });
});
