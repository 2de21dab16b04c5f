// Who keeps a repository does so with the browser: sets it up, lets others in, sees what happens in it, and gives it
// away; and others star, watch and fork it.
// Time: about 60 s
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('keeping a repository with the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let walk;
  let key;
  const home = '/root/wheel';

  before(async () => {
    server = await startServer();
    await seedHistory(server);
    browser = await launchChromium();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    walk = new Walk(await context.newPage(), server.base);
    await signIn(walk.page, server.base, 'root:password');
    const file = join(server.folder, 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada', '-f', file]);
    key = readFileSync(`${file}.pub`, 'utf8').trim();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  it('description, topics, picture and units are changed in the settings', async () => {
    await walk.open(`${home}/settings`);
    const general = 'form:has([value=update])';
    await walk.send(general, { description: 'It turns well', website: 'https://example.com', topics: 'wheel math' });
    const picture = join(server.folder, 'picture.png');
    writeFileSync(picture, pixel);
    await walk.send('form[action$="/avatar"]', { avatar: picture });
    await walk.send('form:has([value=units])', { has_packages: false });
    await walk.hides('Packages', 'nav[aria-label=Repository]');
    await walk.open(home);
    await walk.shows('It turns well', 'aside');
    await walk.shows('math', 'aside');
    await walk.open(`${home}/settings/collaboration`);
    await walk.send('form:has(input[name=collaborator]:not([type=hidden]))', {
      collaborator: 'grace',
      permission: 'read',
    });
    await walk.shows('grace');
    await walk.send('form:has([type=hidden][value=grace][name=collaborator])', { permission: 'write' });
    await walk.open(`${home}/settings/keys`);
    await walk.send('form:has([name=key])', { title: 'Machine', key: key, write: true });
    await walk.shows('Machine');
    await walk.confirm('button[aria-label="Remove Machine"]');
    await walk.open(`${home}/settings/branches`);
    await walk.follow('main a:has-text("Add rule")');
    await walk.send('form:has([name=rule_name])', {
      rule_name: 'release/*',
      push: 'listed',
      push_whitelist_usernames: 'grace',
    });
    await walk.shows('release/*');
    await walk.follow('main a:text-is("Edit")');
    await walk.unfold('main details > summary:text-is("Pushes")');
    await walk.send('form:has([name=rule_name])', { require_signed_commits: true });
    await walk.confirm('button:text-is("Delete")');
    await walk.hides('release/*');
    await walk.open(`${home}/settings/tags`);
    await walk.send('form:has([name=name_pattern])', { name_pattern: 'v*', whitelist_usernames: 'grace' });
    await walk.shows('v*');
    await walk.open(`${home}/settings/lfs/locks`);
    await walk.send('form:has([name=path])', { path: 'art/wheel.svg' });
    await walk.follow('button[aria-label="Unlock art/wheel.svg"]');
    await walk.open(`${home}/settings/hooks`);
    await walk.unfold('main summary:has-text("Add webhook")');
    await walk.follow('main a:has-text("Mortise")');
    await walk.send('form:has([name=url])', { url: 'http://127.0.0.1:9/hook', secret: 'turning' });
    await walk.shows('http://127.0.0.1:9/hook');
  });

  it('keeps keys of the account', async () => {
    await walk.open('/user/settings/keys');
    await walk.send('form:has([name=key])', { title: 'Laptop', key: key });
    await walk.shows('Laptop');
    await walk.open('/user/settings/gpg_keys');
    await walk.send('form:has([name=key])', { key: 'no key at all' });
    expect(await walk.count('.flash-error')).to.equal(1);
    const ring = join(server.folder, 'ring');
    mkdirSync(ring, { mode: 0o700 });
    const gpg = (...args) => spawnSync('gpg', ['--homedir', ring, '--batch', ...args], { encoding: 'utf8' });
    gpg('--passphrase', '', '--quick-generate-key', 'Root <root@example.com>', 'ed25519');
    await walk.send('form:has([name=key])', { key: gpg('--armor', '--export').stdout });
    await walk.shows('root@example.com');
    const work = join(server.folder, 'signed');
    const env = { GNUPGHOME: ring, GIT_AUTHOR_EMAIL: 'root@example.com', GIT_COMMITTER_EMAIL: 'root@example.com' };
    const steps = [
      ['clone', '-q', `${server.base}${home}.git`, work],
      ['-C', work, 'commit', '-q', '--allow-empty', '-Sroot@example.com', '-m', 'Sign it'],
      ['-C', work, 'push', '-q'],
    ];
    for (const args of steps) {
      const run = await server.git(args, { env });
      expect(run.code, run.err).to.equal(0);
    }
    await walk.open(`${home}/commits/branch/main`);
    expect(await walk.count('li:has(a:text-is("Sign it")) .Label:has-text("Verified")')).to.equal(1);
    await walk.follow('main a:text-is("Sign it")');
    await walk.unfold('summary:has-text("Verified")');
    await walk.shows('This commit was signed with a verified key.');
    await walk.open('/user/settings/gpg_keys');
    await walk.confirm('button:has-text("Delete")');
    await walk.open(`${home}/commits/branch/main`);
    // nobody knows the key any more: no badge
    expect(await walk.count('li:has(a:text-is("Sign it"))')).to.equal(1);
    expect(await walk.count('li:has(a:text-is("Sign it")) .Label:has-text("erified")')).to.equal(0);
    await walk.open('/user/settings/keys');
    await walk.confirm('button:has-text("Delete")');
    await walk.shows('No SSH keys yet');
  });

  it('stars, watches, forks, and brings a fork up to date', async () => {
    const other = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const hers = new Walk(await other.newPage(), server.base);
    await signIn(hers.page, server.base, grace);
    await hers.open(home);
    await hers.follow('button:has-text("Star")');
    expect(await hers.count('button:has-text("Unstar")')).to.equal(1);
    await hers.open('/grace?tab=stars');
    await hers.shows('wheel');
    await hers.open(home);
    await hers.follow('button:has-text("Unstar")');
    expect(await hers.count('button:text-is(" Star")')).to.equal(1);
    await hers.follow('button:has-text("Star")');
    await hers.follow('button:has-text("Watch")');
    await hers.follow('a[href$="/stars"]');
    await hers.shows('grace');
    await hers.follow('a[href$="/watchers"]');
    await hers.shows('grace');
    await hers.open(`${home}/fork`);
    await hers.send('main form[action$="/fork"]', { repo_name: 'my-wheel' });
    expect(hers.path).to.equal('/grace/my-wheel');
    await hers.shows('forked from');
    await hers.open(`${home}/forks`);
    await hers.shows('my-wheel');
    const body = { content: Buffer.from('ahead\n').toString('base64'), message: 'Go ahead', branch: 'main' };
    expect((await server.api('POST', `/repos${home}/contents/AHEAD`, { body })).status).to.equal(201);
    await hers.open('/grace/my-wheel');
    await hers.shows('behind root/wheel');
    await hers.follow('form[action$="/action/sync"] button');
    await hers.shows('AHEAD');
    hers.settle();
    await other.close();
  });

  it('shows what happened, and lists repositories with filters', async () => {
    for (const [path, words] of [
      [`${home}/activity`, 'commits'],
      [`${home}/activity/contributors`, 'grace'],
      [`${home}/activity/code-frequency`, 'Lines added'],
      [`${home}/activity/recent-commits`, 'Commits'],
      ['/', 'Recent activity'],
      ['/grace?tab=activity', 'my-wheel'],
      ['/root', 'wheel'],
      ['/user/repositories', 'empty'],
    ]) {
      await walk.open(path);
      await walk.waits(words);
    }
    // the list of languages is kept for minutes, so it is looked at when they are known
    for (const name of ['root/wheel', 'grace/my-wheel'])
      while ((await server.api('GET', `/repos/${name}`)).json.language !== 'JavaScript')
        await walk.page.waitForTimeout(100);
    await walk.open('/explore/repos');
    await walk.send('main form', { q: 'wheel', language: 'JavaScript', sort: { index: 1 } });
    await walk.shows('my-wheel');
    await walk.hides('empty');
    await walk.send('main form', { kind: 'fork', sort: 'alpha' });
    expect(await walk.page.locator('main li h2 a').allInnerTexts()).to.equal(['grace / my-wheel']);
    await walk.open('/root');
    await walk.follow('main a.topic-tag:text-is("math")');
    expect(walk.path).to.startWith('/explore/repos?');
    await walk.shows('root / wheel');
    await walk.open('/');
    await walk.follow('main a:text-is("root/wheel") >> nth=-1');
    expect(walk.path).to.equal('/root/wheel');
    await walk.open('/explore/users');
    await walk.send('main form', { q: 'grac' });
    await walk.follow('main a:text-is("grace")');
    await walk.follow('main button:text-is("Follow")');
    await walk.shows('1 follower');
  });

  it('makes repositories from a template, and adopts folders', async () => {
    await walk.open('/repo/create');
    await walk.send('main form', { repo_name: 'mould', template: true, auto_init: true, description: 'A mould' });
    await walk.open('/root/mould/settings');
    await walk.send('form:has([value=update])', { topics: 'casting' });
    await walk.open('/root/mould');
    await walk.follow('main a:text-is("Use this template")');
    await walk.send('main form:has([name=git_content])', { repo_name: 'cast', topics: true, private: true });
    expect(walk.path).to.equal('/root/cast');
    await walk.shows('casting', 'aside');
    await walk.shows('README.md');
    await walk.open('/user/repositories');
    await walk.send('main form', { kind: 'template' });
    await walk.shows('mould');
    await walk.hides('root / cast');
    await walk.send('main form', { q: 'CAST', kind: 'private' });
    await walk.shows('root / cast');
    await walk.send('main form', { q: 'no such thing' });
    await walk.shows('No repositories');
    const folder = join(server.env.MORTISE_WORK_DIR, 'adopt', 'grace', 'found.git');
    spawnSync('git', ['init', '-q', '--bare', '-b', 'main', folder]);
    await walk.open('/-/admin/adopt');
    await walk.follow('button[aria-label="Adopt grace/found"]');
    await walk.hides('grace/found');
    await walk.open('/grace/found');
    await walk.shows('This repository is empty');
  });

  it('archives, transfers and deletes only with the name typed', async () => {
    await walk.open(`${home}/settings`);
    await walk.confirm('button:text-is("Archive")');
    await walk.shows('This repository is archived');
    await walk.open(home);
    expect(await walk.count('summary:has-text("Add file")')).to.equal(0);
    await walk.open(`${home}/settings`);
    await walk.follow('button:text-is("Unarchive")');
    await walk.send('form:has([value=transfer])', { new_owner: 'grace', confirm: 'something else' });
    expect(await walk.count('.flash-error')).to.equal(1);
    const give = (by, from, name, to) =>
      by
        .open(`/${from}/${name}/settings`)
        .then(() => by.send('form:has([value=transfer])', { new_owner: to, confirm: name }));
    // What an administrator gives away is not asked for.
    await give(walk, 'root', 'wheel', 'grace');
    await walk.open(home);
    expect(walk.path).to.equal('/grace/wheel');
    const hers = new Walk(await (await browser.newContext()).newPage(), server.base);
    await signIn(hers.page, server.base, grace);
    await give(hers, 'grace', 'my-wheel', 'root');
    await hers.shows('to root is pending');
    await hers.follow('main button:text-is("Cancel transfer")');
    await hers.hides('to root is pending');
    await give(hers, 'grace', 'my-wheel', 'root');
    await walk.open('/grace/my-wheel');
    await walk.follow('button:text-is("Decline")');
    await give(hers, 'grace', 'my-wheel', 'root');
    await walk.open('/grace/my-wheel');
    await walk.follow('button:text-is("Accept transfer")');
    expect(walk.path).to.equal('/root/my-wheel');
    await hers.open('/grace/my-wheel');
    expect(hers.path).to.equal('/root/my-wheel');
    hers.settle();
    await hers.page.context().close();
    await walk.open('/root/mould/settings');
    await walk.confirm('button:text-is("Make private")');
    expect((await server.api('GET', '/repos/root/mould', { as: '' })).status).to.equal(404);
    await walk.confirm('button:text-is("Make public")');
    expect((await server.api('GET', '/repos/root/mould', { as: '' })).status).to.equal(200);
    await walk.open('/root/empty/settings');
    await walk.send('form:has([value=delete])', { confirm: 'full' });
    expect(await walk.count('.flash-error')).to.equal(1);
    await walk.send('form:has([value=delete])', { confirm: 'empty' });
    expect(walk.path).to.startWith('/user/repositories');
    await walk.open('/root/empty', 404);
  });
});
