// Servers of several versions, whose schemas are those of their models and migrations at that time:
//
//   version         schema   what others have in another way
//   Gogs 0.12           19   no units, plain tokens, one assignee, numbers for types, protected branches in another table
//   Gogs 0.13           22   tokens by their SHA-256
//   Gitea 1.4           63   units of teams in a column, plain tokens, one assignee, no name of the owner in repositories
//   Gitea 1.10         102   tokens by PBKDF2, LDAP in a wrapper, branches of issues without `refs/heads/`
//   Gitea 1.16         211   primary addresses and numbers of issues in tables, rights for each unit of a team
//   Gitea 1.19         244   runners, hooks with an encrypted header, scopes by their earlier words
//   Gitea 1.21         280   scopes by category, hooks of users
//   Forgejo 1.21       280   blocked users in another table
//   Forgejo 7          294   the branch of the wiki by another name
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, loginSources } from '@mortise/accounts/api';
import { password, token, VersionSource, type SourceVersion } from './version-source.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const versions: readonly SourceVersion[] = [
  { name: 'Gogs 0.12', schema: 19, isGogs: true },
  { name: 'Gogs 0.13', schema: 22, isGogs: true },
  { name: 'Gitea 1.4', schema: 63 },
  { name: 'Gitea 1.10', schema: 102 },
  { name: 'Gitea 1.16', schema: 211 },
  { name: 'Gitea 1.19', schema: 244 },
  { name: 'Gitea 1.21', schema: 280 },
  { name: 'Forgejo 1.21', schema: 280, isForgejo: true },
  { name: 'Forgejo 7', schema: 294, isForgejo: true },
];

for (const version of versions)
  describe(`issue 28: ${version.name} is taken over`, () => {
    let host: TestHost;
    let source: VersionSource;
    let first: readonly string[];
    const { isGogs = false, schema } = version;
    const get = async (path: string, id = 7) => (await host.as({ id, name: 'ada' }).inject(`/api/v1${path}`)).json;
    const columnsOf = async (table: string, ...columns: string[]) =>
      (await host.database.knex()(table).orderBy('id').select(columns)).map((row) => Object.values(row));

    before(async () => {
      const hooks = ['webhooks', 'webhook-mortise', 'webhook-gogs'];
      host = await startHost({
        plugins: [
          'takeover',
          'organizations',
          'stars',
          'issues',
          'pulls',
          'wiki',
          'releases',
          'branch-protection',
          'auth-token',
          'auth-ldap',
          'actions-runner-protocol',
          ...hooks,
        ],
      });
      source = new VersionSource(version);
      first = await host.command('takeover', { from: source.fixture.folder });
    });
    after(async () => {
      source.close();
      await host.close();
    });

    it('without a row that is skipped, and a second pass changes nothing', async () => {
      const skipped = first.filter((line) => / skipped: (?!the source has no table)/.test(line));
      expect(skipped).to.equal([]);
      const second = await host.command('takeover', { from: source.fixture.folder });
      for (const line of second.filter((one) => / read, /.test(one)))
        expect(line).to.match(/, 0 written, .*, 0 removed/);
    });

    it('so that accounts sign in, and have their addresses, rights and blocks', async () => {
      const ada = await host.services.get(accounts).checkPassword('ada', password);
      expect(ada?.id).to.equal(7);
      expect((await host.services.get(accounts).checkPassword('ada@example.com', password))?.id).to.equal(7);
      const emails: { email: string; primary: boolean; verified: boolean }[] = await get('/user/emails');
      expect(emails.map(({ email, primary, verified }) => [email.toLowerCase(), primary, verified])).to.only.include([
        ['ada@example.com', true, true],
        ['second@example.com', false, true],
      ]);
      const [mayCreate, theme] = (await columnsOf('user', 'allow_create_organization', 'theme'))[0]!;
      expect(Boolean(mayCreate)).to.be.true();
      expect(theme).to.equal(schema > 77 ? 'dark' : '');
      const blocks = await host.database.knex()('user_block').select('blocker_id', 'blocked_id');
      expect(blocks.map(Object.values)).to.equal(version.isForgejo ? [[7, 9]] : []);
      const directory = await host.services.get(loginSources).byId(2);
      expect(directory?.settings).to.include({ host: 'ldap.example.com', security: 'ldaps', bindPassword: 'look' });
      expect((await host.services.get(accounts).byId(9))?.sourceId).to.equal(2);
    });

    it('so that tokens and runners go on', async () => {
      const answer = await host.inject({ url: '/api/v1/user', headers: { authorization: `token ${token}` } });
      expect([answer.statusCode, answer.json.login]).to.equal([200, 'ada']);
      const runners = await columnsOf('action_runner', 'name', 'labels');
      expect(runners).to.equal(schema > 240 ? [['wheel', '["ubuntu-latest"]']] : []);
    });

    it('so that teams have the units that they had', async () => {
      const teams: { name: string; permission: string; units: string[]; units_map: Record<string, string> }[] =
        await get('/orgs/guild/teams');
      const [owners, crew] = ['Owners', 'crew'].map((name) => teams.find((team) => team.name === name)!);
      expect(owners).to.include({ permission: 'owner', includes_all_repositories: true, can_create_org_repo: true });
      const written = Object.entries(crew!.units_map).filter(([, mode]) => mode === 'write');
      if (isGogs) expect(written.map(([unit]) => unit)).to.include(['repo.code', 'repo.pulls', 'repo.wiki']);
      else expect(written.map(([unit]) => unit)).to.only.include(['repo.code', 'repo.issues']);
    });

    it('with repositories, releases, rules and hooks', async () => {
      expect(await get('/repos/ada/mill')).to.include({
        ...{ id: 40, empty: false, has_issues: true, has_wiki: true, has_pull_requests: true, default_branch: 'trunk' },
        ...{ allow_rebase: true, has_releases: true },
      });
      expect((await get('/repos/ada/mill/topics')).topics).to.equal(schema > 69 ? ['grain'] : []);
      expect((await get('/repos/ada/mill/subscribers')).map(({ login }: { login: string }) => login)).to.equal(['ben']);
      expect((await get('/repos/ada/mill/releases/tags/v1')).name).to.equal('First');
      const [rule] = await get('/repos/ada/mill/branch_protections');
      expect(rule).to.include({ rule_name: 'trunk', enable_push: false });
      const [hook] = await get('/repos/ada/mill/hooks');
      expect(hook).to.include({ type: isGogs ? 'gogs' : 'gitea', active: true });
      expect(hook.events).to.include(schema > 130 ? ['push', 'pull_request_sync'] : ['push', 'pull_request']);
      if (schema > 130) expect(hook.events).to.have.length(2);
      else if (!isGogs) expect(hook.events).to.include(['pull_request_review', 'pull_request_sync']);
    });

    it('with issues and pull requests that go on with the next number', async () => {
      const issue = await get('/repos/ada/mill/issues/1');
      expect(issue).to.include({ id: 50, title: 'Dust', ref: isGogs ? '' : 'refs/heads/side' });
      expect(issue.assignees.map(({ login }: { login: string }) => login)).to.equal(['ben']);
      expect(issue.labels.map(({ name }: { name: string }) => name)).to.equal(['bug']);
      const [comment] = await get('/repos/ada/mill/issues/1/comments');
      expect(comment).to.include({ id: 100, body: 'It *squeaks*' });
      const pull = await get('/repos/ada/mill/pulls/2');
      expect(pull).to.include({ state: 'open', merge_base: source.commits.first, changed_files: 1 });
      expect(pull.head.sha).to.equal(source.commits.side);
      if (!isGogs) {
        const timeline: Record<string, unknown>[] = await get('/repos/ada/mill/issues/1/timeline');
        const assigned = timeline.filter(({ type }) => type === 'assignees') as {
          removed_assignee: boolean;
          assignee: { login: string };
        }[];
        expect(assigned.map((entry) => [entry.assignee.login, entry.removed_assignee])).to.equal([
          ['ben', false],
          ['ben', true],
        ]);
        expect((await get('/repos/ada/mill/issues/2/timeline'))[0]).to.include({
          type: 'delete_branch',
          old_ref: 'dry',
        });
      }
      const made = await host
        .as({ id: 7, name: 'ada' })
        .inject({ method: 'POST', url: '/api/v1/repos/ada/mill/issues', payload: { title: 'New' } });
      expect(made.json.number).to.equal(schema > 182 ? 5 : 3);
    });
  });
