// Somebody protects a branch: names people, teams and checks, and reads in words what the rule does.
// Time: about 60 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM;

describe('branch rules in the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let walk;
  const settings = '/works/engine/settings';
  const form = 'form:has([name=rule_name])';

  before(async () => {
    server = await startServer();
    const call = async (method, path, body) => {
      const answer = await server.api(method, path, { body, as: 'root:password' });
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json;
    };
    await call('POST', '/admin/users', {
      username: 'grace',
      password: 'Tr1cky-passw0rd!',
      email: 'grace@example.com',
      must_change_password: false,
    });
    await call('POST', '/orgs', { username: 'works' });
    await call('POST', '/orgs/works/repos', { name: 'engine', auto_init: true, default_branch: 'main' });
    await call('POST', '/orgs/works/teams', {
      name: 'keepers',
      permission: 'write',
      units: ['repo.code'],
      includes_all_repositories: true,
    });
    await call('PUT', '/repos/works/engine/collaborators/grace', { permission: 'write' });
    const { commit } = await call('GET', '/repos/works/engine/branches/main');
    for (const context of ['build', 'lint'])
      await call('POST', `/repos/works/engine/statuses/${commit.id}`, { context, state: 'success' });
    browser = await launchChromium();
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    walk = new Walk(page, server.base);
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk?.settle());

  it('issue 29: a rule with people, a team and ticked checks says in words what it does', async () => {
    await walk.open(`${settings}/branches`);
    await walk.follow('main a:has-text("Add rule")');
    const { page } = walk;
    const people = page.locator('#field-push_whitelist_usernames');
    expect(await people.isVisible()).to.be.false();
    await page.check('[name=push][value=listed]');
    await people.pressSequentially('gra');
    await page.locator('#field-push_whitelist_usernames + datalist option[value=grace]').waitFor({ state: 'attached' });
    await page.check('[name=push_whitelist_teams][value=keepers]');
    await page.check('[name=enable_status_check]');
    await page.check('[name=recent_contexts][value=build]');
    expect(await page.locator('[name=block_on_outdated_branch]').isVisible()).to.be.false();
    await walk.unfold('main details > summary:text-is("Merges")');
    await walk.send(form, {
      rule_name: 'main',
      push_whitelist_usernames: 'grace',
      required_approvals: '2',
      block_on_outdated_branch: true,
    });
    const sentences = [
      'Only grace and team keepers can push.',
      'A pull request needs 2 approvals.',
      'This check must pass: build.',
      'A pull request must be up to date with the branch.',
    ];
    for (const sentence of sentences) await walk.shows(sentence);
    await walk.follow('main a:text-is("Edit")');
    for (const sentence of sentences) await walk.shows(sentence, '#words');
    expect(await people.inputValue()).to.equal('grace');
    expect(await page.isChecked('[name=push_whitelist_teams][value=keepers]')).to.be.true();
    expect(await page.locator('[name=block_on_outdated_branch]').isVisible()).to.be.true();
    await walk.open(`${settings}/tags`);
    await page.check('[name=whitelist_teams][value=keepers]');
    await walk.send('form:has([name=name_pattern])', { name_pattern: 'v*' });
    await walk.shows('Only team keepers can create, move and delete matching tags.');
  });

  it('issue 29: in German and without scripts', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      locale: 'de-DE',
      storageState: await walk.page.context().storageState(),
    });
    const plain = new Walk(await context.newPage(), server.base);
    await plain.open(`${settings}/branches/new`);
    await plain.page.check('[name=enable_status_check]');
    await plain.page.check('[name=recent_contexts][value=lint]');
    await plain.unfold('main details > summary:text-is("Pushes")');
    await plain.send(form, { rule_name: 'release/*', push: 'none', require_signed_commits: true });
    await plain.shows('Niemand darf pushen: Änderungen erfordern einen Pull Request.');
    await plain.shows('Commits müssen signiert sein.');
    await plain.shows('Diese Prüfung muss erfolgreich sein: lint.');
    plain.settle();
    await context.close();
  });
});
