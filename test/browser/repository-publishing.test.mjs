// A person publishes with every option: releases with their files, a wiki with folders and old versions, and changes
// of files that meet those of others.
// Time: about 40 s
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { grace, seedHistory } from './seed.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM;
const base64 = (text) => Buffer.from(text).toString('base64');

describe('publishing with the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let walk;
  const home = '/root/wheel';
  const main = `${home}/src/branch/main`;
  const file = (name, text) => {
    const path = join(server.folder, name);
    writeFileSync(path, text);
    return path;
  };

  before(async () => {
    server = await startServer();
    await seedHistory(server);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    walk = new Walk(page, server.base);
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  it('publishes a pre-release on a new annotated tag, with files here and elsewhere', async () => {
    await walk.open(`${home}/releases/new`);
    await walk.unfold('summary:text-is("Tag message")');
    await walk.unfold('summary:text-is("Add an external link")');
    await walk.send(
      'main form',
      {
        tag_name: 'v3.0-rc1',
        target: 'topic',
        tag_message: 'Try this wheel',
        title: 'Third wheel, nearly',
        note: 'Please *try*.',
        prerelease: true,
        files: [file('one.txt', 'one'), file('two.txt', 'two')],
        external_name: 'mirror.zip',
        external_url: 'https://example.com/mirror.zip',
      },
      'button[value=publish]',
    );
    await walk.shows('Pre-release');
    for (const words of ['one.txt', 'two.txt', 'mirror.zip', 'Source code (zip)']) await walk.shows(words);
    await walk.hides('Latest');
    await walk.open(`${home}/tags`);
    await walk.shows('Try this wheel');
    await walk.open(`${home}/src/tag/v3.0-rc1`);
    await walk.shows('Grease it more');
  });

  it('renames and removes files of a release, makes it the latest, and takes it back', async () => {
    await walk.open(`${home}/releases/edit/v3.0-rc1`);
    await page.getByLabel('Name of one.txt').fill('first.txt');
    await page.locator('div:has(> [aria-label="Name of two.txt"]) input[type=checkbox]').check();
    await walk.send('main form', { title: 'Third wheel', prerelease: false }, 'button[value=publish]');
    await walk.shows('first.txt');
    await walk.hides('two.txt');
    await walk.shows('Latest');
    await walk.open(`${home}/releases`);
    await walk.send('main form[role=search]', { q: 'third' });
    await walk.shows('Third wheel');
    await walk.send('main form[role=search]', { q: 'fourth' });
    await walk.shows('No matching releases');
    const feed = await page.request.get(`${server.base}${home}/releases.rss`);
    expect(await feed.text()).to.contain('Third wheel');
    await walk.open(`${home}/releases/latest`);
    expect(walk.path).to.equal(`${home}/releases/tag/v3.0-rc1`);
    await walk.follow('main a:has-text("Edit")');
    await walk.follow('main button:text-is("Convert to draft")');
    await walk.shows('Draft');
    await walk.open(`${home}/releases/new`);
    await walk.send('main form', { tag_name: 'v..1', title: 'Refused' }, 'button[value=publish]');
    expect(await walk.count('.flash-error')).to.equal(1);
    expect(await page.inputValue('main [name=title]')).to.equal('Refused');
  });

  it('writes wiki pages in folders, moves them, and goes back to an old version', async () => {
    const write = async (title, content) => {
      await walk.open(`${home}/wiki/_new`);
      await walk.send('main form', { title, content }, 'button[value=save]');
    };
    await write('Home', '# Home\n\nFirst words.\n\n## Below\n\nMore.');
    await write('Turn or stop', 'Push *gently*.');
    await write('_Footer', 'Written by many.');
    await walk.open(`${home}/wiki`);
    await walk.shows('Written by many.');
    expect(await walk.count('nav[aria-label="Contents of this page"] a')).to.equal(2);
    await walk.unfold('summary:text-is("Clone this wiki")');
    expect(await walk.count('input[value$=".wiki.git"]')).to.be.above(0);
    await walk.open(`${home}/wiki/_pages`);
    await walk.follow('.wiki-tree a:text-is("Turn or stop")');
    await walk.follow('main a:has-text("Edit")');
    await walk.send('main form', { title: 'Spin/100%' }, 'button[value=save]');
    await walk.shows('Spin/100%');
    const work = join(server.folder, 'wiki');
    for (const [args, cwd] of [
      [['clone', '-q', `${server.base}${home}.wiki.git`, work], server.folder],
      [['add', '-A'], work],
      [['commit', '-q', '-m', 'A folder'], work],
      [['push', '-q'], work],
    ]) {
      if (args[0] === 'add') {
        mkdirSync(join(work, 'guides'));
        writeFileSync(join(work, 'guides', 'Brakes.md'), 'Brakes hold. See [home](../Home).\n');
      }
      expect((await server.git(args, { cwd })).code, args[0]).to.equal(0);
    }
    await walk.open(`${home}/wiki/_pages`);
    await walk.shows('guides');
    await walk.follow('.wiki-tree a:text-is("Brakes")');
    expect(walk.path).to.equal(`${home}/wiki/guides/Brakes`);
    await walk.follow('main a:text-is("home")');
    await walk.open(`${home}/wiki`);
    await walk.follow('main a:has-text("Edit")');
    await walk.send('main form', { content: 'Second words.' }, 'button[value=save]');
    await walk.waitsAndFollows('main a:text-is("2 revisions")');
    await walk.follow('main li:last-child a.btn');
    await walk.shows('This is an older version.');
    await walk.shows('First words.');
    await walk.follow('main a:has-text("Edit from this version")');
    await walk.send('main form', { message: 'As it was' }, 'button[value=save]');
    await walk.shows('First words.');
    await walk.waits('3 revisions');
    await walk.open(`${home}/wiki/nowhere`, 404);
    await walk.follow('main a:text-is("Create page")');
    expect(await page.inputValue('main [name=title]')).to.equal('nowhere');
  });

  it('tells of a wiki page that somebody else has changed meanwhile', async () => {
    await walk.open(`${home}/wiki/Home?action=_edit`);
    const body = { title: 'Home', content_base64: base64('Hers.') };
    expect((await server.api('PATCH', `/repos${home}/wiki/page/Home`, { body })).status).to.equal(200);
    await walk.send('main form', { content: 'Mine.' }, 'button[value=save]');
    expect(await page.innerText('.flash-error')).to.contain('Not saved');
    expect((await page.inputValue('main [name=content]')).trim()).to.equal('Mine.');
    await walk.follow('main button[value=save]');
    await walk.shows('Mine.');
  });

  it('moves a file, adds several at once on a new branch, and deletes a folder', async () => {
    await walk.open(`${home}/_edit/main/docs/guide.md`);
    await walk.send('main form', { path: 'guide.md' }, 'button[value=save]');
    expect(walk.path).to.equal(`${main}/guide.md`);
    await walk.open(`${main}/docs/guide.md`, 404);
    await walk.open(`${main}/docs`);
    await walk.unfold('summary:has-text("Add file")');
    await walk.follow('a:text-is("Upload files")');
    await walk.send('main form[enctype]', {
      folder: 'docs/new',
      file: [file('a.txt', 'A\n'), file('b.txt', 'B\n')],
      summary: 'Two at once',
      description: 'And why.',
      target: 'branch',
      newBranch: 'two',
    });
    expect(walk.path).to.equal(`${home}/compare/main...two`);
    await walk.shows('Two at once');
    await walk.shows('docs/new/a.txt');
    await walk.shows('docs/new/b.txt');
    await walk.open(`${main}/docs`);
    await walk.unfold('summary:has-text("Add file")');
    await walk.follow('a:text-is("Delete folder")');
    await walk.follow('button:has-text("Delete folder")');
    await walk.open(`${main}/docs`, 404);
    await walk.open(`${home}/_new/main`);
    await walk.send('main form', { path: 'LICENSE' }, 'button[value=save]');
    expect(await walk.count('[role=alert]')).to.equal(1);
  });

  it('tells of a file that somebody else has changed meanwhile', async () => {
    await walk.open(`${home}/_edit/main/README.md`);
    const { json } = await server.api('GET', `/repos${home}/contents/README.md`);
    const body = { content: base64('# Hers\n'), sha: json.sha, message: 'Hers' };
    expect((await server.api('PUT', `/repos${home}/contents/README.md`, { body })).status).to.equal(200);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText('Mine ');
    await walk.follow('main button[value=save]');
    expect(await walk.count('[role=alert]')).to.equal(1);
    await page.locator('.cm-content').filter({ hasText: 'Mine # Wheel' }).waitFor();
    await walk.open(`${main}/README.md`);
    await walk.shows('Hers');
  });

  it('leads those who may not push to a branch to a new one', async () => {
    const rule = { rule_name: 'main', enable_push: false };
    expect((await server.api('POST', `/repos${home}/branch_protections`, { body: rule })).status).to.equal(201);
    const body = { permission: 'write' };
    expect((await server.api('PUT', `/repos${home}/collaborators/grace`, { body })).status).to.equal(204);
    const hers = new Walk(await (await browser.newContext()).newPage(), server.base);
    await signIn(hers.page, server.base, grace);
    await hers.open(`${home}/_edit/main/README.md`);
    await hers.shows('This branch is protected');
    await hers.send('main form', { summary: 'From me', newBranch: 'from-grace' }, 'button[value=save]');
    expect(hers.path).to.equal(`${home}/compare/main...from-grace`);
    hers.settle();
    await hers.page.context().close();
  });

  it('shows large files, and finds who points to them', async () => {
    const bytes = Buffer.from('large in spirit\n');
    const oid = createHash('sha256').update(bytes).digest('hex');
    const media = 'application/vnd.git-lfs+json';
    const batch = await server.api('POST', `${server.base}${home}.git/info/lfs/objects/batch`, {
      headers: { accept: media, 'content-type': media },
      body: { operation: 'upload', transfers: ['basic'], objects: [{ oid, size: bytes.length }] },
    });
    const { href, header } = batch.json.objects[0].actions.upload;
    expect((await fetch(href, { method: 'PUT', headers: header, body: bytes })).status).to.equal(200);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
    const body = { content: base64(pointer), message: 'Large', branch: 'topic' };
    expect((await server.api('POST', `/repos${home}/contents/large.txt`, { body })).status).to.equal(201);
    await walk.open(`${home}/src/branch/topic/large.txt`);
    await walk.shows('stored with Git LFS');
    await walk.open(`${home}/settings/lfs`);
    await walk.shows(oid);
    await walk.follow('main a:text-is("Find files")');
    await walk.open(`${home}/settings/lfs`);
    await walk.unfold('summary:text-is("Delete…")');
    await walk.follow('button:text-is("Delete object")');
    await walk.shows('No objects yet');
    await walk.open(`${home}/src/branch/topic/large.txt`);
    await walk.shows('pointer to 16 B in Git LFS');
  });
});
