import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Repository } from '@mortise/repositories/api';
import { branchProtections, tagProtections } from '../contract/branch-protection.js';
import { ProtectionKit } from './protection-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('rules over the API', () => {
  let kit: ProtectionKit;
  let repository: Repository;
  let at: string;
  let count = 0;
  const call = (method: string, path: string, payload?: object, who: string | undefined = 'ada') =>
    kit.call(who, method, `${at}${path}`, payload);
  const rules = '/branch_protections';

  before(async () => {
    kit = await ProtectionKit.open('ada', 'ben');
  });
  after(() => kit?.host.close());
  beforeEach(async () => {
    repository = await kit.repository(`moat-${++count}`);
    at = `/repos/ada/${repository.name}`;
  });

  it('BRP-01, BRP-02, BRP-03, BRP-04: the list of checks has a life of its own', async () => {
    await call('POST', rules, { rule_name: 'main', enable_status_check: true, status_check_contexts: ['one', 'two'] });
    const edit = async (body: object) => {
      const { status, body: rule } = await call('PATCH', `${rules}/main`, body);
      expect(status).to.equal(200);
      return [rule.enable_status_check, rule.status_check_contexts];
    };
    expect(await edit({ required_approvals: 1 })).to.equal([true, ['one', 'two']]);
    expect(await edit({ status_check_contexts: null })).to.equal([true, ['one', 'two']]);
    expect(await edit({ enable_status_check: false })).to.equal([false, ['one', 'two']]);
    expect(await edit({ status_check_contexts: ['three'] })).to.equal([false, ['three']]);
    expect(await edit({ enable_status_check: false, status_check_contexts: ['a', 'a', ''] })).to.equal([false, ['a']]);
    expect(await edit({ status_check_contexts: [] })).to.equal([false, []]);
  });

  it('says null where no contexts were ever given, for the branch too', async () => {
    const contexts = async (path: string) => (await call('GET', path)).body.status_check_contexts;
    await call('POST', '/contents/a.txt', { content: 'YQ==', message: 'one' });
    expect(await contexts('/branches/main')).to.equal([]);
    expect((await call('POST', rules, { rule_name: 'main' })).body.status_check_contexts).to.be.null();
    await call('PATCH', `${rules}/main`, { status_check_contexts: null, required_approvals: 2 });
    expect([await contexts(`${rules}/main`), await contexts('/branches/main')]).to.equal([null, null]);
    await call('PATCH', `${rules}/main`, { status_check_contexts: [] });
    expect([await contexts(`${rules}/main`), await contexts('/branches/main')]).to.equal([[], []]);
  });

  it('passes over counts below 0, and teams where a person owns the repository', async () => {
    const made = await call('POST', rules, { rule_name: 'main', required_approvals: -1, merge_whitelist_teams: ['x'] });
    expect(made.status).to.equal(201);
    expect(made.body).to.include({ required_approvals: 0, merge_whitelist_teams: [] });
    const change = async (required_approvals: number) =>
      (await call('PATCH', `${rules}/main`, { required_approvals })).body.required_approvals;
    expect([await change(2), await change(-1), await change(0)]).to.equal([2, 2, 0]);
  });

  it('BRP-05, BRP-06: keeps every field, and changes only those that are given', async () => {
    const flags = [
      'enable_push',
      'enable_push_whitelist',
      'push_whitelist_deploy_keys',
      'enable_force_push',
      'enable_force_push_allowlist',
      'force_push_allowlist_deploy_keys',
      'enable_merge_whitelist',
      'enable_status_check',
      'enable_approvals_whitelist',
      'enable_bypass_allowlist',
      'block_on_rejected_reviews',
      'block_on_official_review_requests',
      'block_on_codeowner_reviews',
      'block_on_outdated_branch',
      'dismiss_stale_approvals',
      'ignore_stale_approvals',
      'require_signed_commits',
      'block_admin_merge_override',
    ];
    const lists = [
      ['push_whitelist_usernames', 'push_whitelist_teams'],
      ['force_push_allowlist_usernames', 'force_push_allowlist_teams'],
      ['merge_whitelist_usernames', 'merge_whitelist_teams'],
      ['approvals_whitelist_username', 'approvals_whitelist_teams'],
      ['bypass_allowlist_usernames', 'bypass_allowlist_teams'],
    ] as const;
    const full: Record<string, unknown> = {
      rule_name: 'rel/{1,3}',
      required_approvals: 2,
      priority: 7,
      status_check_contexts: ['build / *'],
      protected_file_patterns: 'keys/**',
      unprotected_file_patterns: 'docs/**',
      ...Object.fromEntries(flags.map((flag) => [flag, true])),
      ...Object.fromEntries(
        lists.flatMap(
          ([users, teams]) =>
            [
              [users, ['ben']],
              [teams, ['even']],
            ] as const,
        ),
      ),
    };
    const made = await call('POST', rules, full);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.body).to.include({ ...full, branch_name: '' });
    const path = `${rules}/${encodeURIComponent('rel/{1,3}')}`;
    expect((await call('GET', path)).body).to.equal(made.body);
    expect((await call('PATCH', path, {})).body).to.include(full);
    const nulls = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
    delete nulls.rule_name;
    expect((await call('PATCH', path, nulls)).body).to.include(full);
    expect(
      (await call('PATCH', path, { block_on_codeowner_reviews: false, merge_whitelist_teams: [] })).body,
    ).to.include({
      ...full,
      block_on_codeowner_reviews: false,
      merge_whitelist_teams: [],
    });
    expect((await call('DELETE', path)).status).to.equal(204);
    expect((await call('DELETE', path)).status).to.equal(404);
  });

  it('BRP-06: refuses what it cannot keep, and stores nothing of it', async () => {
    await call('POST', rules, { rule_name: 'main' });
    const refused: [object, number][] = [
      [{ rule_name: 'main' }, 403],
      [{}, 400],
      [{ rule_name: '' }, 400],
      [{ rule_name: 'a b' }, 422],
      [{ rule_name: 'x['.padEnd(10) }, 422],
      [{ rule_name: 'x'.repeat(192) }, 422],
      [{ rule_name: 'x', required_approvals: 1001 }, 422],
      [{ rule_name: 'x', push_whitelist_usernames: ['nobody'] }, 422],
      [{ rule_name: 'x', protected_file_patterns: 'a[' }, 422],
      [{ rule_name: 'x', status_check_contexts: 'one' }, 422],
    ];
    for (const [body, status] of refused)
      expect((await call('POST', rules, body)).status, JSON.stringify(body)).to.equal(status);
    expect((await call('PATCH', `${rules}/main`, { push_whitelist_usernames: ['nobody'] })).status).to.equal(422);
    expect((await call('GET', rules)).body).to.have.length(1);
    expect((await call('GET', `${rules}/main`)).body.branch_name).to.equal('main');
    for (const who of ['ben', undefined]) {
      const status = who ? 403 : 401;
      expect((await kit.call(who, 'GET', `${at}${rules}`)).status).to.equal(status);
      expect((await kit.call(who, 'PATCH', `${at}${rules}/main`, {})).status).to.equal(status);
    }
    await call('PATCH', '', { archived: true });
    const closed = await call('PATCH', `${rules}/main`, { enable_push: true });
    expect([closed.status, closed.body.message]).to.equal([423, 'This repository is archived and read-only.']);
    expect((await call('DELETE', `${rules}/main`)).status).to.equal(423);
  });

  it('orders rules, and refuses strangers in the order', async () => {
    for (const rule_name of ['a', 'b', 'c']) await call('POST', rules, { rule_name });
    const order = async () =>
      (await call('GET', rules)).body.map((rule: { rule_name: string; priority: number }) => [
        rule.rule_name,
        rule.priority,
      ]);
    const kept = await kit.host.services.get(branchProtections).list(repository.id);
    const id = (name: string) => kept.find(({ ruleName }) => ruleName === name)!.id;
    expect((await call('POST', `${rules}/priority`, { ids: [id('c'), id('a')] })).status).to.equal(204);
    expect(await order()).to.equal([
      ['c', 1],
      ['a', 2],
      ['b', 3],
    ]);
    expect((await call('POST', `${rules}/priority`, { ids: [999_999, id('c'), id('a')] })).status).to.equal(204);
    expect((await call('POST', `${rules}/priority`, { ids: [] })).status).to.equal(204);
    expect((await call('POST', `${rules}/priority`, {})).status).to.equal(204);
    expect((await order())[0]).to.equal(['c', 1]);
    // the word of the route is a name as any other
    await call('POST', rules, { rule_name: 'priority' });
    expect((await call('GET', `${rules}/priority`)).body.rule_name).to.equal('priority');
  });

  it('keeps what hangs on a switch only while it is on, and on lists of writers only writers', async () => {
    const flags = async (method: string, path: string, body: object, ...names: string[]) => {
      const answer = await call(method, path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.be.below(300);
      return names.map((name) => answer.body[name]);
    };
    const closed = {
      rule_name: 'main',
      enable_push_whitelist: true,
      push_whitelist_deploy_keys: true,
      enable_force_push: true,
      bypass_allowlist_usernames: ['ben'],
    };
    const asked = Object.keys(closed).slice(1);
    expect(await flags('POST', rules, closed, ...asked)).to.equal([false, false, false, []]);
    const open = { ...closed, enable_push: true, enable_bypass_allowlist: true, rule_name: undefined };
    expect(await flags('PATCH', `${rules}/main`, open, ...asked)).to.equal([true, true, true, ['ben']]);
    const shut = { enable_push: false, enable_bypass_allowlist: false };
    expect(await flags('PATCH', `${rules}/main`, shut, ...asked)).to.equal([false, false, true, []]);

    if (!kit.users.has('eve')) await kit.join('eve');
    const lists = ['push_whitelist_usernames', 'force_push_allowlist_usernames', 'merge_whitelist_usernames'];
    const both = Object.fromEntries(lists.map((list) => [list, ['eve', 'ben']]));
    expect(await flags('PATCH', `${rules}/main`, both, ...lists)).to.equal([['ben'], ['ben'], ['ben']]);
  });

  it('lets only administrators order the rules of their own repository', async () => {
    for (const rule_name of ['a', 'b', 'c']) await call('POST', rules, { rule_name });
    const other = await kit.repository(`${repository.name}-other`);
    const foreign = `/repos/ada/${other.name}${rules}`;
    await kit.call('ada', 'POST', foreign, { rule_name: 'a' });
    const { list } = kit.host.services.get(branchProtections);
    const idsOf = async (id: number) =>
      (await list.call(kit.host.services.get(branchProtections), id)).map((rule) => rule.id);
    const before = await idsOf(repository.id);
    const [first = 0, second = 0, third = 0] = before;
    const [strange = 0] = await idsOf(other.id);

    const ordered = await call('POST', `${rules}/priority`, { ids: [strange, first, second] });
    expect(ordered.status).to.equal(204);
    expect(await idsOf(other.id)).to.equal([strange]);
    for (const ids of [['x'], [0], [-1], [1.5], ['9'.repeat(30)], 'x', {}])
      expect((await call('POST', `${rules}/priority`, { ids })).status, JSON.stringify(ids)).to.equal(422);
    for (const [who, status] of [
      ['ben', 403],
      [undefined, 401],
    ] as const)
      expect((await kit.call(who, 'POST', `${at}${rules}/priority`, { ids: [third] })).status).to.equal(status);
    expect(await idsOf(repository.id)).to.equal(before);

    // twice the same rule is one place; several orders at once leave one of them, whole
    expect((await call('POST', `${rules}/priority`, { ids: [third, third, second] })).status).to.equal(204);
    expect(await idsOf(repository.id)).to.equal([third, second, first]);
    const orders = [
      [first, second, third],
      [second, third, first],
      [third, first, second],
    ];
    const answers = await Promise.all(orders.map((ids) => call('POST', `${rules}/priority`, { ids })));
    expect(answers.map(({ status }) => status)).to.equal([204, 204, 204]);
    expect(orders).to.include([await idsOf(repository.id)]);
    expect((await call('GET', rules)).body.map((rule: { priority: number }) => rule.priority)).to.equal([1, 2, 3]);

    await call('PATCH', '', { archived: true });
    expect((await call('POST', `${rules}/priority`, { ids: [first] })).status).to.equal(423);
  });

  it('makes one rule of many requests for the same name at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', rules, { rule_name: 'main' })));
    expect(answers.map(({ status }) => status).sort()).to.equal([201, ...Array<number>(7).fill(403)]);
    const tags = await Promise.all(
      Array.from({ length: 8 }, () =>
        call('POST', '/tag_protections', { name_pattern: 'v*', whitelist_usernames: ['ben'] }),
      ),
    );
    expect(tags.map(({ status }) => status).sort()).to.equal([201, ...Array<number>(7).fill(403)]);
    const different = await Promise.all(
      Array.from({ length: 6 }, (_, index) => call('POST', rules, { rule_name: `b${index}` })),
    );
    expect(different.map(({ body }) => body.priority as number).sort()).to.equal([2, 3, 4, 5, 6, 7]);
  });

  it('answers everything that merges ask of a rule', async () => {
    await call('POST', rules, {
      rule_name: 'main',
      enable_approvals_whitelist: true,
      approvals_whitelist_username: ['ben'],
      enable_bypass_allowlist: true,
      bypass_allowlist_usernames: ['ben'],
      enable_status_check: true,
      status_check_contexts: ['build / *', 'lint'],
    });
    const service = kit.host.services.get(branchProtections);
    const rule = (await service.ruleFor(repository.id, 'main'))!;
    const [ada, ben] = [kit.account('ada').id, kit.account('ben').id];
    expect([...(await rule.approversAmong([ada, ben]))]).to.equal([ben]);
    expect(await rule.mayBypass(kit.actor('ben'))).to.be.true();
    expect(await rule.mayBypass(kit.actor('ada'))).to.be.false();
    const state = (...given: [string, string][]) =>
      rule.checkState(given.map(([context, result]) => ({ context, state: result })));
    expect(state()).to.equal({ state: 'pending', missing: ['build / *', 'lint'] });
    expect(state(['build / a', 'success'], ['lint', 'skipped'])).to.equal({ state: 'success', missing: [] });
    expect(state(['build / a', 'success'], ['build / b', 'pending'], ['lint', 'success']).state).to.equal('pending');
    expect(state(['build / a', 'failure'])).to.equal({ state: 'failure', missing: ['lint'] });
    expect(state(['build / a', 'success'], ['lint', 'warning'], ['other', 'failure']).state).to.equal('success');
    expect(await service.ruleFor(repository.id, 'side')).to.be.undefined();
  });

  it('a branch record shows what the actor may do, and the name of the rule to administrators only', async () => {
    await kit.clone(repository);
    await call('POST', rules, {
      rule_name: 'm*',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['ben'],
      required_approvals: 1,
    });
    const see = async (who: string | undefined) => (await kit.call(who, 'GET', `${at}/branches/main`)).body;
    expect(await see('ada')).to.include({
      protected: true,
      user_can_push: false,
      user_can_merge: true,
      required_approvals: 1,
      effective_branch_protection_name: 'm*',
    });
    expect(await see('ben')).to.include({ user_can_push: true, effective_branch_protection_name: '' });
    expect(await see(undefined)).to.include({ protected: true, user_can_push: false, user_can_merge: false });
  });

  it('rules for tags are created and changed, and bad ones are refused', async () => {
    const tags = '/tag_protections';
    const made = await call('POST', tags, {
      name_pattern: 'v*',
      whitelist_usernames: ['ben'],
      whitelist_teams: ['even'],
    });
    expect(made.status).to.equal(201);
    expect(made.body).to.include({ name_pattern: 'v*', whitelist_usernames: ['ben'], whitelist_teams: ['even'] });
    const one = `${tags}/${made.body.id}`;
    const refused: [object, number][] = [
      [{ name_pattern: 'v*', whitelist_usernames: ['ben'] }, 403],
      [{ name_pattern: '', whitelist_usernames: ['ben'] }, 400],
      [{ name_pattern: '  ', whitelist_usernames: ['ben'] }, 400],
      [{ name_pattern: ' v* ', whitelist_usernames: ['ben'] }, 403],
      [{ name_pattern: 'x' }, 400],
      [{ name_pattern: 'x', whitelist_usernames: ['nobody'] }, 422],
      [{ name_pattern: '/(/', whitelist_usernames: ['ben'] }, 422],
    ];
    for (const [body, status] of refused)
      expect((await call('POST', tags, body)).status, JSON.stringify(body)).to.equal(status);
    expect((await call('PATCH', one, { whitelist_usernames: [] })).body).to.include({
      whitelist_usernames: [],
      whitelist_teams: ['even'],
    });
    expect((await call('PATCH', one, { name_pattern: 'rel-*' })).body.name_pattern).to.equal('rel-*');
    const service = kit.host.services.get(tagProtections);
    expect(await service.mayControl(repository.id, 'v1', kit.actor('ada'))).to.be.true();
    expect((await call('GET', tags)).body).to.have.length(1);
    expect((await call('GET', `${tags}/9999`)).status).to.equal(404);
    expect((await call('GET', tags, undefined, 'ben')).status).to.equal(403);
    // a rule of another repository is none of this one
    const other = await kit.repository(`other-${count}`);
    expect((await kit.call('ada', 'DELETE', `/repos/ada/${other.name}${one}`)).status).to.equal(404);
    expect((await call('DELETE', one)).status).to.equal(204);
    expect((await call('GET', one)).status).to.equal(404);
  });

  it('gives the rules of a template to what is made from it, where that is asked for', async () => {
    await call('POST', rules, {
      rule_name: 'main',
      required_approvals: 2,
      merge_whitelist_usernames: ['ben'],
      merge_whitelist_teams: ['even'],
    });
    await call('PATCH', '', { template: true });
    const make = async (name: string, more: object) => {
      const made = await call('POST', '/generate', { owner: 'ada', name, topics: true, ...more });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      return (await kit.call('ada', 'GET', `/repos/ada/${name}${rules}`)).body;
    };
    expect(await make(`bare-${count}`, {})).to.equal([]);
    const [copied] = await make(`whole-${count}`, { protected_branch: true });
    expect(copied).to.include({
      rule_name: 'main',
      required_approvals: 2,
      merge_whitelist_usernames: ['ben'],
      merge_whitelist_teams: [],
    });
  });

  it('forgets people who are gone, and the rules of a repository that is deleted', async () => {
    const users = { name: `gone-${count}`, email: `gone-${count}@example.com`, password: 'long enough' };
    const { accounts } = await import('@mortise/accounts/api');
    const account = await kit.host.services.get(accounts).create(users);
    await call('POST', rules, { rule_name: 'main', push_whitelist_usernames: [users.name, 'ben'] });
    await call('POST', '/tag_protections', { name_pattern: 'v*', whitelist_usernames: ['ben'] });
    await kit.host.services.get(accounts).delete(account.id, { purge: true });
    expect((await call('GET', `${rules}/main`)).body.push_whitelist_usernames).to.equal(['ben']);
    expect((await call('DELETE', '')).status).to.equal(204);
    for (const table of ['branch_protection', 'tag_protection'])
      expect(await kit.host.database.knex()(table).where('repository_id', repository.id)).to.equal([]);
  });
});
