import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { commitStatuses } from '@mortise/commit-status/api';
import type { Repository } from '@mortise/repositories/api';
import { branchProtections, tagProtections } from '../contract/branch-protection.js';
import { ProtectionKit } from './protection-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages for rules', () => {
  let kit: ProtectionKit;
  let repository: Repository;
  const base = '/ada/keep/settings';

  before(async () => {
    kit = await ProtectionKit.open('ada', 'ben');
    repository = await kit.repository('keep');
    await kit.clone(repository);
  });
  after(() => kit?.host.close());

  const page = (path: string, who = 'ada') => kit.host.as(kit.account(who)).inject(base + path);
  /** Fills in the form that the page shows. */
  const send = async (from: string, to: string, fields: Record<string, string | readonly string[]>) => {
    const shown = await page(from);
    const [, token = ''] = /name="_csrf" value="([^"]*)"/.exec(shown.payload) ?? [];
    const cookies = [shown.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0]);
    const sent = Object.entries({ _csrf: token, ...fields }).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    return submitForm(kit.users.get('ada')!, base + to, sent, { cookie: cookies.join('; ') });
  };
  const list = () => kit.host.services.get(branchProtections).list(repository.id);

  it('makes, changes, orders and removes rules for branches', async () => {
    expect((await page('/branches')).payload).to.contain('No protected branches');
    const made = await send('/branches/new', '/branches/new', {
      rule_name: 'main',
      push: 'listed',
      push_whitelist_usernames: 'ben, ada',
      push_whitelist_teams: '',
      force_push: 'none',
      merge: 'all',
      required_approvals: '2',
      enable_status_check: 'true',
      status_check_contexts: 'build / *\r\nlint\r\n',
      protected_file_patterns: 'keys/**',
    });
    expect(made.statusCode, made.payload).to.equal(303);
    await send('/branches/new', '/branches/new', { rule_name: 'rel/*', push: 'none' });
    const [main, rel] = await list();
    expect(main).to.include({
      ruleName: 'main',
      enablePush: true,
      enablePushAllowlist: true,
      requiredApprovals: 2,
      statusCheckContexts: ['build / *', 'lint'],
      protectedFilePatterns: 'keys/**',
    });
    expect(main!.pushAllowlist.users).to.have.length(2);
    const shown = (await page('/branches')).payload;
    expect(shown).to.contain('rel/*').and.to.contain('2 approvals').and.to.contain('Matches no branches');

    await kit.host.services.get(commitStatuses).create({
      repositoryId: repository.id,
      sha: 'a'.repeat(40),
      state: 'success',
      context: 'nightly',
      creatorId: 0,
    });
    const form = (await page(`/branches/${main!.id}`)).payload;
    expect(form)
      .to.contain('value="ben, ada"')
      .and.to.match(/value="listed" checked/)
      .and.to.match(/name="recent_contexts" value="nightly"(?! checked)/);
    await send(`/branches/${main!.id}`, `/branches/${main!.id}`, { rule_name: 'trunk', push: 'all', merge: 'listed' });
    expect((await list())[0]).to.include({
      ruleName: 'trunk',
      enablePushAllowlist: false,
      enableMergeAllowlist: true,
      enableStatusCheck: false,
      requiredApprovals: 0,
    });
    const names = async () => (await list()).map(({ ruleName }) => ruleName);
    const moved = await send('/branches', `/branches/${rel!.id}/move`, { to: 'up' });
    expect([moved.statusCode, moved.headers.location]).to.equal([303, `${base}/branches#rule-${rel!.id}`]);
    expect(await names()).to.equal(['rel/*', 'trunk']);
    const ends = (await page('/branches')).payload;
    expect(ends).to.match(/disabled aria-label="Move rule rel\/\* up"/);
    expect(ends).to.match(/disabled aria-label="Move rule trunk down"/);
    // at the ends nothing happens
    await send('/branches', `/branches/${rel!.id}/move`, { to: 'up' });
    expect(await names()).to.equal(['rel/*', 'trunk']);
    await send('/branches', `/branches/${rel!.id}/move`, { to: 'down' });
    expect(await names()).to.equal(['trunk', 'rel/*']);
    await send('/branches', '/branches/order', { ids: `${rel!.id},${main!.id}` });
    expect(await names()).to.equal(['rel/*', 'trunk']);
    // a typed place: up before the one that is there, down behind it
    await send('/branches', '/branches/order', { [`place_${rel!.id}`]: '2', [`place_${main!.id}`]: '2' });
    expect(await names()).to.equal(['trunk', 'rel/*']);
    await send('/branches', '/branches/order', { [`place_${rel!.id}`]: '1', [`place_${main!.id}`]: '' });
    expect(await names()).to.equal(['rel/*', 'trunk']);
    for (const ids of ['', 'x', '1,', '0', `${main!.id},999999`])
      expect((await send('/branches', '/branches/order', { ids })).statusCode, ids).to.be.within(400, 422);
    expect((await send('/branches', '/branches/999999/move', { to: 'up' })).statusCode).to.equal(404);
    expect((await send('/branches', `/branches/${rel!.id}/move`, { to: 'sideways' })).statusCode).to.equal(422);
    expect(await names()).to.equal(['rel/*', 'trunk']);
    expect((await send('/branches', `/branches/${rel!.id}/delete`, {})).statusCode).to.equal(303);
    expect(await list()).to.have.length(1);
  });

  it('issue 29: takes ticked teams and checks, and says in words what a rule does', async () => {
    const fields = {
      rule_name: 'said/*',
      push: 'listed',
      push_whitelist_usernames: 'ben',
      push_whitelist_teams: ['', 'even'],
      required_approvals: '1',
      enable_status_check: 'true',
      recent_contexts: 'nightly',
      status_check_contexts: 'deploy / *',
      block_on_outdated_branch: 'true',
    };
    const made = await send('/branches/new', '/branches/new', fields);
    expect(made.statusCode, made.payload).to.equal(303);
    const { id, pushAllowlist, statusCheckContexts } = (await list()).find(({ ruleName }) => ruleName === 'said/*')!;
    expect([pushAllowlist, statusCheckContexts]).to.equal([
      { users: [kit.account('ben').id], teams: [1] },
      ['nightly', 'deploy / *'],
    ]);
    const form = (await page(`/branches/${id}`)).payload;
    expect(form)
      .to.match(/name="recent_contexts" value="nightly" checked/)
      .and.to.match(/<textarea[^>]*name="status_check_contexts"[^>]*>\s*deploy \/ \*</)
      .and.to.match(/name="push_whitelist_teams" value="even" checked/);
    const sentences = [
      'Only ben and team even can push.',
      'Force pushes are blocked. Matching branches cannot be deleted.',
      'A pull request needs 1 approval.',
      'These checks must pass: nightly and deploy / *.',
      'A pull request must be up to date with the branch.',
      'Administrators can merge although requirements are not met.',
    ];
    expect(form).to.contain(sentences.map((one) => `${one}</li>`));
    expect((await page('/branches')).payload).to.contain(sentences.join(' '));
    expect((await page('/branches?lang=de')).payload).to.contain('Pushen dürfen nur: ben und Team even.');
    // only the part in which something is set is open
    const open = [...form.matchAll(/<details class="Box-row"( open)?><summary[^>]*>([^<]*)/g)];
    expect(open.map(([, isOpen, title]) => (isOpen ? title : ''))).to.equal(['', '', '', 'Merges', '']);
    // none ticked is none, not what was there
    await send(`/branches/${id}`, `/branches/${id}`, {
      ...fields,
      push_whitelist_teams: '',
      recent_contexts: [],
    });
    const changed = (await list()).find((rule) => rule.id === id)!;
    expect([changed.pushAllowlist.teams, changed.statusCheckContexts]).to.equal([[], ['deploy / *']]);
    await send('/branches', `/branches/${id}/delete`, {});
  });

  it('takes people who may write only, keeps who was there before, and no list of those who pass by when nobody does', async () => {
    const users = kit.host.services.get(accounts);
    await createAccount(kit.host, 'cleo');
    const lists = { merge: 'listed', merge_whitelist_usernames: 'ben, cleo', bypass_allowlist_usernames: 'ben' };
    const fields = { rule_name: 'kept', push: 'none', ...lists };
    const refused = await send('/branches/new', '/branches/new', fields);
    expect([refused.statusCode, refused.payload.includes('cannot be selected: cleo')]).to.equal([422, true]);
    const rule = async () => (await list()).find(({ ruleName }) => ruleName === 'kept')!;
    const ben = kit.account('ben').id;
    const { id: cleo } = (await users.byName('cleo'))!;
    const setWriter = async (on: boolean) => {
      const url = '/api/v1/repos/ada/keep/collaborators/cleo';
      const payload = on ? { permission: 'write' } : undefined;
      return kit.host.as(kit.account('ada')).inject({ method: on ? 'PUT' : 'DELETE', url, payload });
    };
    expect((await setWriter(true)).statusCode).to.equal(204);
    expect((await send('/branches/new', '/branches/new', fields)).statusCode).to.equal(303);
    const kept = await rule();
    expect([kept.mergeAllowlist.users, kept.bypassAllowlist.users]).to.equal([[ben, cleo], []]);
    expect((await setWriter(false)).statusCode).to.equal(204);
    expect((await send(`/branches/${kept.id}`, `/branches/${kept.id}`, fields)).statusCode).to.equal(303);
    expect((await rule()).mergeAllowlist.users).to.equal([ben, cleo]);
    const dan = await createAccount(kit.host, 'dan');
    const lost = { ...(await rule()).mergeAllowlist, users: [ben, cleo, dan.id] };
    await kit.host.database.write(async () =>
      kit.host.database
        .knex()('branch_protection')
        .where({ id: kept.id })
        .update({ merge_list: JSON.stringify(lost) }),
    );
    await users.delete(dan.id, { purge: true });
    expect((await send(`/branches/${kept.id}`, `/branches/${kept.id}`, fields)).statusCode).to.equal(303);
    expect((await rule()).mergeAllowlist.users).to.equal([ben, cleo]);
    await send('/branches', `/branches/${kept.id}/delete`, {});
    expect((await list()).map(({ ruleName }) => ruleName)).to.not.include('kept');
  });

  it('shows a refusal on the form, with what was typed', async () => {
    const refused = await send('/branches/new', '/branches/new', {
      rule_name: 'side',
      push: 'listed',
      push_whitelist_usernames: 'nobody-here',
    });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.contain('User &quot;nobody-here&quot; does not exist.').and.to.contain('value="side"');
    const taken = await send('/branches/new', '/branches/new', { rule_name: 'trunk' });
    expect(taken.payload).to.contain('already exists');
    const tag = await send('/tags', '/tags', { name_pattern: '/(/', whitelist_usernames: 'ben' });
    expect(tag.statusCode).to.equal(422);
    expect(tag.payload).to.contain('is not a valid tag pattern');
  });

  it('says at the fields what is wrong with them, all at once, in the language of the visitor', async () => {
    const refused = await send('/branches/new?lang=de', '/branches/new', {
      rule_name: 'a..b',
      push: 'listed',
      push_whitelist_usernames: 'nobody-here',
      protected_file_patterns: 'a[',
    });
    expect(refused.statusCode).to.equal(422);
    const wrong = [...refused.payload.matchAll(/aria-invalid="true"|id="field-(\w+)-error"/g)].flatMap(
      ([, name]) => name ?? [],
    );
    expect(wrong).to.equal(['rule_name', 'protected_file_patterns']);
    expect(refused.payload).to.contain('„a..b“ ist kein gültiger Branch-Name');
    const users = await send('/branches/new', '/branches/new', {
      rule_name: 'side',
      push_whitelist_usernames: 'nobody-here',
      merge_whitelist_usernames: 'no-one',
    });
    expect(users.payload).to.contain(['field-push_whitelist_usernames-error', 'field-merge_whitelist_usernames-error']);
    const tag = await send('/tags', '/tags', { name_pattern: '', whitelist_usernames: '' });
    expect(tag.payload).to.contain(['field-name_pattern-error', 'field-whitelist_usernames-error']);
    expect((await page('/branches?lang=zh-CN')).payload).to.contain('分支保护');
  });

  it('makes, changes and removes rules for tags', async () => {
    expect((await send('/tags', '/tags', { name_pattern: 'v*', whitelist_usernames: 'ben' })).statusCode).to.equal(303);
    const [rule] = await kit.host.services.get(tagProtections).list(repository.id);
    expect((await page('/tags')).payload)
      .to.contain('v*')
      .and.to.contain('Only ben can create, move and delete matching tags.');
    await send(`/tags/${rule!.id}`, `/tags/${rule!.id}`, { name_pattern: 'rel-*', whitelist_usernames: 'ada' });
    const [changed] = await kit.host.services.get(tagProtections).list(repository.id);
    expect(changed).to.include({ namePattern: 'rel-*', allowlist: { users: [kit.account('ada').id], teams: [] } });
    await send('/tags', `/tags/${rule!.id}/delete`, {});
    expect(await kit.host.services.get(tagProtections).list(repository.id)).to.equal([]);
  });

  it('removes nothing from an archived repository', async () => {
    const tags = kit.host.services.get(tagProtections);
    await send('/branches/new', '/branches/new', { rule_name: 'kept', push: 'none' });
    await send('/tags', '/tags', { name_pattern: 'kept', whitelist_usernames: 'ben' });
    const kept = (await list()).find(({ ruleName }) => ruleName === 'kept')!;
    const [tag] = await tags.list(repository.id);
    const at = '/repos/ada/keep';
    await kit.call('ada', 'PATCH', at, { archived: true });
    expect((await send('/branches', `/branches/${kept.id}/delete`, {})).statusCode).to.equal(423);
    expect((await send('/tags', `/tags/${tag!.id}/delete`, {})).statusCode).to.equal(423);
    expect((await kit.call('ada', 'DELETE', `${at}/tag_protections/${tag!.id}`)).status).to.equal(423);
    expect([(await list()).some(({ id }) => id === kept.id), (await tags.list(repository.id)).length]).to.equal([
      true,
      1,
    ]);
    await kit.call('ada', 'PATCH', at, { archived: false });
    expect((await kit.call('ada', 'DELETE', `${at}/tag_protections/${tag!.id}`)).status).to.equal(204);
  });

  it('is for administrators of the repository', async () => {
    for (const path of ['/branches', '/branches/new', '/tags']) {
      expect((await page(path, 'ben')).statusCode).to.equal(403);
      expect((await kit.host.inject(base + path)).statusCode).to.be.within(300, 404);
    }
  });
});
