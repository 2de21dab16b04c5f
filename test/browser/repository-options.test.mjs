// Every option of a repository, of its rules and hooks: turned in the browser one way and the other, and read back.
// Time: about 60 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { fieldsOf, keeps } from './forms.mjs';
import { seedHistory } from './seed.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM;

describe('every option of a repository in the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let walk;
  const home = '/root/wheel';
  const settings = `${home}/settings`;

  before(async () => {
    server = await startServer({ settings: { MORTISE__security__DISABLE_GIT_HOOKS: 'false' } });
    await seedHistory(server);
    browser = await launchChromium();
    walk = new Walk(await browser.newPage({ viewport: { width: 1280, height: 900 } }), server.base);
    await signIn(walk.page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  it('keeps what is said of a repository', async () => {
    const general = 'form:has([value=update])';
    const texts = { repo_name: 'wheel', website: 'https://example.com/wheel', topics: 'math wheel' };
    await keeps(walk, settings, general, texts);
    await keeps(walk, settings, general, {
      ...texts,
      description: '',
      website: '',
      topics: '',
      default_branch: 'main',
    });
    await walk.send(general, { repo_name: 'gear' });
    expect(walk.path).to.startWith('/root/gear/settings');
    await walk.open(home);
    expect(walk.path).to.equal('/root/gear');
    await walk.open('/root/gear/settings');
    await walk.send(general, { repo_name: 'wheel' });
    await walk.send(general, { repo_name: 'empty' });
    expect(await walk.count('.flash-error')).to.equal(1);
  });

  it('keeps the parts that are on, with their options', async () => {
    const parts = 'form:has([value=units])';
    const inside = { external_tracker_url: '', external_wiki_url: '', has_issues: true };
    for (let round = 0; round < 3; round++)
      await keeps(walk, settings, parts, {
        ...inside,
        has_code: true,
        external_tracker_format: '',
        external_tracker_style: 'numeric',
        external_tracker_regexp_pattern: '',
      });
    const outside = {
      ...(await fieldsOf(walk.page.locator(parts))),
      external_tracker_url: 'https://issues.example.com/',
      external_tracker_format: 'https://issues.example.com/{user}/{repo}/{index}',
      external_wiki_url: 'https://wiki.example.com/',
    };
    await keeps(walk, settings, parts, { ...outside, external_tracker_style: 'alphanumeric' });
    await keeps(walk, settings, parts, {
      ...outside,
      external_tracker_style: 'regexp',
      external_tracker_regexp_pattern: '#([A-Z]+-\\d+)',
    });
    await keeps(walk, settings, parts, {
      ...outside,
      ...inside,
      external_tracker_format: '',
      external_tracker_style: 'numeric',
      external_tracker_regexp_pattern: '',
    });
  });

  it('keeps every field of a rule for branches, and their order', async () => {
    const rule = 'form:has([name=rule_name])';
    const grace = Object.fromEntries(
      ['push', 'merge', 'bypass']
        .map((what) => [`${what}_${what === 'bypass' ? 'allowlist' : 'whitelist'}_usernames`, 'grace'])
        .concat([
          ['force_push_allowlist_usernames', 'grace'],
          ['approvals_whitelist_username', 'grace'],
        ]),
    );
    // only who may write has a place on the lists
    const collaborator = '/repos/root/wheel/collaborators/grace';
    const body = { permission: 'write' };
    expect((await server.api('PUT', collaborator, { body })).status).to.equal(204);
    for (const rule_name of ['release/*', 'main']) {
      await walk.open(`${settings}/branches/new`);
      await walk.send(rule, { rule_name });
    }
    await walk.follow('a[aria-label="Edit rule release/*"]');
    const path = walk.path;
    const lists = { push: 'listed', force_push: 'listed', merge: 'listed' };
    const texts = {
      rule_name: 'release/**',
      protected_file_patterns: 'keys/**;*.lock',
      unprotected_file_patterns: 'docs/**',
      status_check_contexts: 'build / *\nlint',
    };
    await keeps(walk, path, rule, { ...grace, ...lists, ...texts });
    // the list of who may pass goes when it is switched off, and keys go with their list
    await keeps(walk, path, rule, { ...grace, ...lists, ...texts, bypass_allowlist_usernames: '' });
    // the other lists are hidden, and kept for whoever chooses them again, without their keys
    const nobody = { bypass_allowlist_usernames: '', approvals_whitelist_username: '' };
    const nothing = { protected_file_patterns: '', unprotected_file_patterns: '', status_check_contexts: '' };
    for (const way of ['none', 'all'])
      await keeps(walk, path, rule, {
        ...nobody,
        ...nothing,
        push_whitelist_deploy_keys: false,
        force_push_allowlist_deploy_keys: false,
        rule_name: 'release/*',
        push: way,
        force_push: way,
        merge: 'all',
      });
    await walk.open(`${settings}/branches`);
    const names = () => walk.page.locator('main ol li a.text-bold').allInnerTexts();
    expect(await names()).to.equal(['release/*', 'main']);
    await walk.page.getByLabel('Position of rule main').fill('1');
    await walk.follow('button:text-is("Save order")');
    expect(await names()).to.equal(['main', 'release/*']);
    await walk.open(`${home}/branches`);
    expect(await walk.count('li:has(a:text-is("main")) :text("protected")')).to.equal(1);
    await walk.open(`${settings}/branches`);
    await walk.confirm('button[aria-label="Delete rule main"]');
    expect(await names()).to.equal(['release/*']);
    expect((await server.api('DELETE', collaborator)).status).to.equal(204);
  });

  it('keeps rules for tags, and refuses what names nobody', async () => {
    const rule = 'form:has([name=name_pattern])';
    await walk.open(`${settings}/tags`);
    await walk.send(rule, { name_pattern: 'v*', whitelist_usernames: 'nobody-there' });
    expect(await walk.count('.flash-error')).to.equal(1);
    expect(await walk.page.inputValue(`${rule} [name=name_pattern]`)).to.equal('v*');
    await walk.send(rule, { whitelist_usernames: 'grace' });
    await walk.follow('a[aria-label="Edit rule v*"]');
    await keeps(walk, walk.path, rule, { name_pattern: '/^v[0-9]+$/', whitelist_usernames: 'grace, root' });
    await walk.open(`${settings}/tags`);
    await walk.confirm('button:text-is("Delete")');
    await walk.shows('No protected tags');
  });

  it('keeps every option of a webhook', async () => {
    await walk.open(`${settings}/hooks/new?type=mortise`);
    const hook = 'form:has([name=url])';
    await walk.send(hook, { url: 'http://127.0.0.1:9/hook', secret: 'turning', authorization_header: 'Bearer x' });
    const { path } = walk;
    // what removes a secret is gone with it, and how long the one before counts is asked anew with each
    const kept = {
      secret_remove: false,
      authorization_remove: false,
      secret_overlap_hours: '0',
      event_choice: 'chosen',
    };
    const other = { url: 'http://127.0.0.1:9/other', name: 'The other', branch_filter: 'main' };
    await keeps(walk, path, hook, { ...kept, ...other });
    // pushes alone are a choice of their own
    const one = { url: 'http://127.0.0.1:9/hook', name: '', branch_filter: '', 'events=create': true };
    await keeps(walk, path, hook, { ...kept, ...one });
    await walk.shows('A secret is set; leave blank to keep it.');
    await walk.confirm('button:text-is("Delete webhook")');
    await walk.hides('127.0.0.1:9');
    await walk.shows('No webhooks yet');
  });

  it('keeps git hooks, that then refuse a push', async () => {
    await walk.open(`${settings}/git-hooks`);
    const hook = 'form:has([value=pre-receive])';
    await walk.send(hook, { content: '#!/bin/sh\necho "not today" >&2\nexit 1\n' });
    expect(await walk.page.inputValue('#hook-pre-receive')).to.contain('not today');
    await walk.open(`${home}/branches`);
    await walk.unfold('summary:text-is("New branch")');
    await walk.send('form[action$="/branches/new"]', { name: 'tomorrow', from: 'main' });
    await walk.shows('not today', '.flash-error');
    await walk.open(`${settings}/git-hooks`);
    await walk.send(hook, { content: '' });
    expect(await walk.page.inputValue('#hook-pre-receive')).to.equal('');
  });

  it('changes and removes collaborators, and refuses unknown names', async () => {
    const add = 'form:has(input[name=collaborator]:not([type=hidden]))';
    const level = 'form:has([type=hidden][value=grace][name=collaborator])';
    await walk.open(`${settings}/collaboration`);
    await walk.send(add, { collaborator: 'nobody-there' });
    expect(await walk.count('.flash-error')).to.equal(1);
    await walk.send(add, { collaborator: 'grace', permission: 'read' });
    for (const permission of ['write', 'admin', 'read'])
      await keeps(walk, `${settings}/collaboration`, level, { permission });
    await walk.confirm('button[aria-label="Remove grace"]');
    await walk.shows('No collaborators yet');
  });

  it('keeps the options of the account', async () => {
    const profile = 'form:has([name=full_name])';
    await keeps(walk, '/user/settings', profile, { website: 'https://example.com/ada', description: 'Turns wheels' });
    for (let round = 0; round < 2; round++) await keeps(walk, '/user/settings', profile, { website: '' });
    for (let round = 0; round < 6; round++) await keeps(walk, '/user/settings/appearance', 'form:has([name=theme])');
  });
});
