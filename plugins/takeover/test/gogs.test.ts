import { writeFileSync } from 'node:fs';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';
import { SourceRepositories } from './source-git.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };

describe('issue 28: what Gogs has in another way', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const rowsOf = (table: string, ...columns: string[]) => host.database.knex()(table).orderBy('id').select(columns);
  beforeEach(async () => {
    const hooks = ['webhook-mortise', 'webhook-gogs', 'webhook-slack', 'webhook-discord', 'webhook-dingtalk'];
    host = await startHost({
      plugins: ['takeover', 'activity', 'branch-protection', 'mirrors', 'pulls', 'wiki', 'refs', ...hooks],
    });
    source = new SourceFixture();
    // by it the server is known
    source.table('two_factor_recovery_code', ['id']);
    const user = { id: 7, lower_name: 'ada', name: 'ada', type: 0, email: 'a@example.com', is_active: 1, ...time };
    source.rows('user', user);
    source.rows('repository', {
      ...{ id: 40, owner_id: 7, lower_name: 'mill', name: 'mill', default_branch: 'trunk', is_mirror: 1, ...time },
      ...{ is_private: 0, is_unlisted: 1, enable_issues: 1, enable_external_tracker: 1, enable_wiki: 0 },
      ...{ external_tracker_url: 'https://bugs.example.com', enable_pulls: 1, pulls_allow_rebase: 1 },
    });
    new SourceRepositories(source).make('ada/mill');
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('units come from columns of the repository, and one that is not listed becomes private', async () => {
    await take();
    const [{ units: text, is_private }] = await rowsOf('repository', 'units', 'is_private');
    const units = JSON.parse(text) as { key: string; enabled: boolean; config: Record<string, unknown> }[];
    expect(units.filter(({ enabled }) => enabled).map(({ key }) => key)).to.only.include([
      'code',
      'releases',
      'issues',
      'pulls',
    ]);
    const configOf = (key: string) => units.find((unit) => unit.key === key)!.config;
    expect(configOf('issues').external_tracker).to.include({ external_tracker_url: 'https://bugs.example.com' });
    expect(configOf('pulls')).to.include({ allow_merge_commits: true, allow_rebase: true });
    expect(Boolean(is_private)).to.be.true();
  });

  it('webhooks have numbers for their types, and what they sent has its address in a column', async () => {
    const hook = {
      repo_id: 40,
      url: 'https://example.com/hook',
      content_type: 1,
      is_active: 1,
      secret: 'hush',
      ...time,
    };
    const events = '{"push_only":true}';
    [1, 2, 3, 4].forEach((hook_task_type) =>
      source.rows('webhook', { id: hook_task_type, hook_task_type, events, meta: '{"channel":"#a"}', ...hook }),
    );
    source.rows('hook_task', {
      ...{ id: 9, hook_id: 1, uuid: 'a'.repeat(36), type: 1, url: 'https://example.com/hook', is_delivered: 1 },
      ...{ payload_content: '{}', event_type: 'push', delivered: 1700000000000000000, is_succeed: 1 },
      ...{ request_content: '{"headers":{"X-Gogs-Event":"push"}}', response_content: '{"status":200}' },
    });
    await take();
    expect((await rowsOf('webhook', 'kind')).map(({ kind }) => kind)).to.equal([
      'gogs',
      'slack',
      'discord',
      'dingtalk',
    ]);
    const [delivery] = await rowsOf('hook_delivery', 'request');
    expect(JSON.parse(delivery.request)).to.include({ url: 'https://example.com/hook', method: 'POST' });
  });

  it('intervals of mirrors are hours', async () => {
    source.rows('mirror', { id: 1, repo_id: 40, interval: 8, enable_prune: 1, next_update_unix: 1700000000 });
    writeFileSync(
      `${new SourceRepositories(source).folder('ada/mill')}/config`,
      '[remote "origin"]\n\turl = https://example.com/mill.git\n',
    );
    await take();
    expect((await rowsOf('repository', 'mirror_interval')).map(Object.values)).to.equal([[8 * 3_600_000]]);
    expect(Number((await rowsOf('pull_mirror', 'interval'))[0].interval)).to.equal(8 * 3_600_000);
  });

  it('protected branches have a table of their own', async () => {
    const rule = { repo_id: 40, require_pull_request: 1, whitelist_team_i_ds: '' };
    source.rows(
      'protect_branch',
      { id: 1, name: 'trunk', protected: 1, enable_whitelist: 1, whitelist_user_i_ds: '7', ...rule },
      { id: 2, name: 'next', protected: 1, enable_whitelist: 0, whitelist_user_i_ds: '', ...rule },
      { id: 3, name: 'free', protected: 0, enable_whitelist: 0, whitelist_user_i_ds: '', ...rule },
    );
    await take();
    const rules = await rowsOf('branch_protection', 'rule_name', 'enable_push', 'enable_push_allowlist', 'push_list');
    expect(
      rules.map((one) => [one.rule_name, Boolean(one.enable_push), Boolean(one.enable_push_allowlist), one.push_list]),
    ).to.equal([
      ['trunk', true, true, '{"users":[7],"teams":[]}'],
      ['next', false, false, '{"users":[],"teams":[]}'],
    ]);
  });

  it('entries of feeds above fifteen are numbered in another way', async () => {
    const entry = { user_id: 7, act_user_id: 7, repo_id: 40, ref_name: 'x', content: '', is_private: 0 };
    [9, 17, 18, 19, 22].forEach((op_type, at) =>
      source.rows('action', { id: at + 1, op_type, created_unix: 1700000000 + at, ...entry }),
    );
    await take();
    expect((await rowsOf('activity', 'kind')).map(({ kind }) => kind)).to.equal([
      'push_tag',
      'delete_branch',
      'delete_tag',
      'mirror_sync_delete',
    ]);
  });
});
