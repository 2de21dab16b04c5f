import { createCipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { SourceFixture } from './source.js';
import { git, SourceRepositories } from './source-git.js';

type Columns = Readonly<Record<string, number | string | null>>;

/** A version of one of the servers whose schema differs from the others in what is taken over. */
export interface SourceVersion {
  readonly name: string;
  /** Number in its table `version`. Gogs counts for itself, and is read as if nothing had been added since. */
  readonly schema: number;
  readonly isGogs?: boolean;
  readonly isForgejo?: boolean;
}

export const password = 'Turn the mill';
export const token = 'a1b2c3d4e5'.repeat(4);
const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As the other server encrypts secrets: AES-256 in CFB mode over base64, in hex. */
function encrypt(text: string): string {
  const cipher = createCipheriv('aes-256-cfb', createHash('sha256').update('key').digest(), Buffer.alloc(16, 7));
  const body = Buffer.concat([cipher.update(Buffer.from(text).toString('base64')), cipher.final()]);
  return Buffer.concat([Buffer.alloc(16, 7), body]).toString('hex');
}

/** The same small team on a server of one version: only tables and columns that it had, with values as it wrote them. */
export class VersionSource {
  readonly fixture: SourceFixture;
  readonly commits: { readonly first: string; readonly side: string };
  readonly #repositories: SourceRepositories;

  constructor(private readonly version: SourceVersion) {
    this.fixture = new SourceFixture();
    this.fixture.run(`update version set version = ${version.schema}`);
    if (version.isGogs) this.fixture.table('two_factor_recovery_code', ['id']);
    if (version.isForgejo) this.fixture.table('forgejo_version', ['id']);
    this.#repositories = new SourceRepositories(this.fixture);
    const first = this.#repositories.make('ada/mill');
    const side = this.#repositories.commit('ada/mill', 'side', 'side', first);
    git(this.#repositories.folder('ada/mill'), 'update-ref', 'refs/pull/2/head', side);
    this.commits = { first, side };
    this.#fillAccounts();
    this.#fillTeams();
    this.#fillRepository();
    this.#fillIssues();
    this.#fillCredentials();
    this.#fillHooksAndRules();
  }

  /** These columns where the migration of that number has run. */
  since(migration: number, columns: Columns): Columns {
    return this.#has(migration) ? columns : {};
  }
  /** These columns where it has not run yet, or never will. */
  until(migration: number, columns: Columns): Columns {
    return this.#has(migration) ? {} : columns;
  }
  #has(migration: number): boolean {
    return !this.version.isGogs && this.version.schema > migration;
  }
  #gitea(columns: Columns): Columns {
    return this.version.isGogs ? {} : columns;
  }

  #fillAccounts(): void {
    const salt = this.#has(205) ? '00112233445566778899aabbccddeeff' : 'ten-letter';
    const saltBytes = Buffer.from(salt, this.#has(205) ? 'hex' : 'utf8');
    const rounds = this.#has(231) ? 50_000 : 10_000;
    const account = {
      ...{ full_name: '', login_source: 0, login_name: '', location: '', website: '', rands: 'r', salt, ...time },
      ...{ last_repo_visibility: 0, max_repo_creation: -1, is_active: 1, is_admin: 0, allow_git_hook: 0 },
      ...{ allow_import_local: 0, prohibit_login: 0, avatar: '', avatar_email: '', use_custom_avatar: 0 },
      ...{ num_followers: 0, num_following: 0, num_stars: 0, num_repos: 0, description: '', num_teams: 0 },
      ...{ num_members: 0, type: 0, login_type: 0, passwd: '' },
      ...this.#gitea({ keep_email_private: 0, allow_create_organization: 1, language: '' }),
      ...this.since(73, { must_change_password: 0 }),
      ...this.since(77, { theme: this.#has(280) ? 'gitea-dark' : 'arc-green' }),
      ...this.since(93, { email_notifications_preference: 'enabled' }),
      ...this.since(87, { passwd_hash_algo: rounds === 50_000 ? 'pbkdf2$50000$50' : 'pbkdf2' }),
      ...this.since(97, { repo_admin_change_team_access: 0 }),
      ...this.since(121, { is_restricted: 0 }),
      ...this.since(124, { visibility: 0 }),
      ...this.since(141, { keep_activity_private: 0 }),
    };
    const passwd = pbkdf2Sync(password, saltBytes, rounds, 50, 'sha256').toString('hex');
    this.fixture.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', email: 'Ada@example.com', ...account, passwd },
      { id: 9, lower_name: 'ben', name: 'ben', email: 'ben@example.com', ...account, login_source: 2 },
      { id: 11, lower_name: 'guild', name: 'guild', email: '', ...account, type: 1 },
    );
    const address = (id: number, uid: number, email: string, isPrimary: boolean) => ({
      ...{ id, uid, email, is_activated: 1 },
      ...this.since(133, { lower_email: email.toLowerCase() }),
      ...this.since(181, { is_primary: isPrimary ? 1 : 0 }),
    });
    this.fixture.rows('email_address', address(3, 7, 'second@example.com', false));
    if (this.#has(181))
      this.fixture.rows(
        'email_address',
        address(4, 7, 'Ada@example.com', true),
        address(5, 9, 'ben@example.com', true),
      );
    if (this.version.isForgejo)
      this.fixture.rows('forgejo_blocked_user', { id: 1, user_id: 7, block_id: 9, created_unix: 1700000000 });
    this.#fillSignInSource();
  }

  #fillSignInSource(): void {
    const directory = {
      ...{ Host: 'ldap.example.com', Port: 636, SecurityProtocol: 1, BindDN: 'cn=search', UserBase: 'ou=people' },
      ...{ AttributeUsername: 'uid', AttributeMail: 'mail', Filter: '(uid=%s)' },
      ...(this.#has(189) ? { BindPasswordEncrypt: encrypt('look') } : { BindPassword: 'look' }),
    };
    this.fixture.rows('login_source', {
      ...{ id: 2, type: 2, name: 'directory', ...time },
      ...this.#gitea({ is_sync_enabled: 0 }),
      ...this.until(189, { is_actived: 1, cfg: JSON.stringify({ Source: directory }) }),
      ...this.since(189, { is_active: 1, cfg: JSON.stringify(directory) }),
    });
  }

  /** Owners, and a team that writes code and issues; in Gogs a team writes everything. */
  #fillTeams(): void {
    const { fixture } = this;
    const team = {
      ...{ org_id: 11, description: '', num_repos: 0, num_members: 1 },
      ...this.since(109, { can_create_org_repo: 0 }),
    };
    const units = [1, 2];
    // a JSON column before it was a table
    const inColumn = (unit_types: string): Columns => this.until(69, this.#gitea({ unit_types }));
    fixture.rows(
      'team',
      {
        ...{ id: 1, lower_name: 'owners', name: 'Owners', authorize: 4, ...team },
        ...inColumn('null'),
        ...this.since(105, { includes_all_repositories: 1 }),
      },
      {
        ...{ id: 2, lower_name: 'crew', name: 'crew', authorize: 2, ...team },
        ...inColumn(JSON.stringify(units)),
        ...this.since(105, { includes_all_repositories: 0 }),
      },
    );
    if (this.#has(69))
      fixture.rows(
        'team_unit',
        ...units.map((type) => ({ id: type, org_id: 11, team_id: 2, type, ...this.since(206, { access_mode: 2 }) })),
      );
    fixture.rows('team_user', { id: 1, org_id: 11, team_id: 1, uid: 7 }, { id: 2, org_id: 11, team_id: 2, uid: 9 });
    const member = { org_id: 11, is_public: 1, ...(this.version.isGogs && { is_owner: 0, num_teams: 1 }) };
    fixture.rows('org_user', { id: 1, uid: 7, ...member }, { id: 2, uid: 9, ...member });
  }

  #fillRepository(): void {
    const { fixture } = this;
    fixture.rows('repository', {
      ...{ id: 40, owner_id: 7, lower_name: 'mill', name: 'mill', description: 'Grinds', website: '', ...time },
      ...{ default_branch: 'trunk', is_private: 0, is_mirror: 0, is_fork: 0, fork_id: 0, num_watches: 1 },
      ...{ num_issues: 1, num_closed_issues: 0, num_pulls: 1, num_closed_pulls: 0 },
      ...this.until(78, { is_bare: 0 }),
      ...this.since(78, { is_empty: 0 }),
      ...this.since(69, { topics: '["grain"]' }),
      ...this.since(99, { status: 0 }),
      ...this.since(107, { is_template: 0 }),
      ...this.since(120, { owner_name: 'ada' }),
      ...this.since(286, { object_format_name: 'sha1' }),
      ...(this.version.isForgejo && this.version.schema > 286 ? { wiki_branch: 'trunk' } : {}),
      ...this.#gogs({ is_unlisted: 0, enable_issues: 1, enable_wiki: 1, enable_pulls: 1, pulls_allow_rebase: 1 }),
    });
    const pulls = '{"IgnoreWhitespaceConflicts":false,"AllowMerge":true,"AllowRebase":true,"AllowSquash":true}';
    const units = [
      [1, null],
      [2, '{"EnableTimetracker":true,"AllowOnlyContributorsToTrackTime":true,"EnableDependencies":true}'],
      [3, pulls],
      [4, null],
      [5, null],
    ] as const;
    if (!this.version.isGogs)
      fixture.rows(
        'repo_unit',
        ...units.map(([type, config]) => ({ id: type, repo_id: 40, type, config, created_unix: 1700000000 })),
      );
    if (this.#has(69)) {
      fixture.rows('topic', { id: 1, name: 'grain', repo_count: 1, ...time });
      fixture.rows('repo_topic', { ...this.since(150, { id: 1 }), repo_id: 40, topic_id: 1 });
    }
    fixture.rows('watch', {
      ...{ id: 1, user_id: 9, repo_id: 40 },
      ...this.since(106, { mode: 1 }),
      ...this.since(154, time),
    });
    const release = {
      publisher_id: 7,
      tag_name: 'v1',
      lower_tag_name: 'v1',
      target: 'trunk',
      title: 'First',
      note: '',
    };
    fixture.rows('release', {
      ...{ id: 1, repo_id: 40, ...release, sha1: this.commits.first, num_commits: 1, is_draft: 0, is_prerelease: 0 },
      ...{ created_unix: 1700000000, ...this.#gitea({ is_tag: 0 }) },
    });
  }
  #gogs(columns: Columns): Columns {
    return this.version.isGogs ? columns : {};
  }

  #fillIssues(): void {
    const { fixture } = this;
    const issue = {
      ...{
        repo_id: 40,
        poster_id: 7,
        content: '',
        milestone_id: 0,
        priority: 0,
        is_closed: 0,
        num_comments: 0,
        ...time,
      },
      ...{ deadline_unix: 0, ...this.until(65, { assignee_id: 0 }), ...this.#gitea({ ref: '' }) },
      ...this.#gitea({ closed_unix: 0 }),
      ...this.since(80, { is_locked: 0 }),
      ...this.since(89, { original_author: '', original_author_id: 0 }),
      ...this.since(258, { pin_order: 0 }),
    };
    fixture.rows(
      'issue',
      {
        ...{ id: 50, index: 1, name: 'Dust', ...issue, is_pull: 0, ...this.until(65, { assignee_id: 9 }) },
        ...this.#gitea({ ref: this.#has(139) ? 'refs/heads/side' : 'side' }),
      },
      { id: 51, index: 2, name: 'Sieve', ...issue, is_pull: 1 },
    );
    if (this.#has(65)) fixture.rows('issue_assignees', { id: 1, assignee_id: 9, issue_id: 50 });
    if (this.#has(182)) fixture.rows('issue_index', { group_id: 40, max_index: 4 });
    fixture.rows('pull_request', {
      ...{ id: 1, type: 0, status: 2, issue_id: 51, index: 2, head_repo_id: 40, base_repo_id: 40, head_branch: 'side' },
      ...{ base_branch: 'trunk', merge_base: this.commits.first, has_merged: 0, merged_commit_id: '', merger_id: 0 },
      ...{ merged_unix: 0, ...this.until(102, { head_user_name: 'ada' }) },
      ...this.since(190, { flow: 0 }),
      ...this.since(213, { allow_maintainer_edit: 0 }),
    });
    fixture.rows('label', {
      ...{ id: 20, repo_id: 40, name: 'bug', color: '#EE0701' },
      ...this.until(104, { num_issues: 1, num_closed_issues: 0 }),
      ...this.since(135, { org_id: 0 }),
      ...this.since(243, { exclusive: 0 }),
    });
    fixture.rows('issue_label', { id: 1, issue_id: 50, label_id: 20 });
    this.#fillTimeline();
  }

  #fillTimeline(): void {
    const comment = {
      ...{ poster_id: 7, issue_id: 50, commit_id: 0, line: 0, content: '', commit_sha: '', ...time },
      ...this.#gitea({ assignee_id: 0, old_ref: '' }),
      ...this.until(65, this.#gitea({ old_assignee_id: 0 })),
      ...this.since(65, { removed_assignee: 0 }),
    };
    this.fixture.rows('comment', { id: 100, type: 0, ...comment, content: 'It *squeaks*' });
    if (this.version.isGogs) return;
    const isSeveral = this.#has(65);
    this.fixture.rows(
      'comment',
      { id: 101, type: 9, ...comment, assignee_id: 9 },
      {
        id: 102,
        type: 9,
        ...comment,
        ...(isSeveral ? { assignee_id: 9, removed_assignee: 1 } : { old_assignee_id: 9 }),
      },
      { id: 103, type: 11, ...comment, issue_id: 51, ...(this.#has(169) ? { old_ref: 'dry' } : { commit_sha: 'dry' }) },
    );
  }

  #fillCredentials(): void {
    const isHashed = this.#has(85);
    const salt = 'salt-of-it';
    this.fixture.rows('access_token', {
      ...{ id: 1, uid: 7, name: 'ci', ...time },
      ...(isHashed
        ? {
            token_hash: pbkdf2Sync(token, salt, 10_000, 50, 'sha256').toString('hex'),
            token_salt: salt,
            token_last_eight: token.slice(-8),
          }
        : { sha1: token }),
      // later versions of Gogs have the hash, and its beginning where the token was
      ...(this.version.isGogs &&
        this.version.schema > 19 && { sha1: sha256(token).slice(0, 40), sha256: sha256(token) }),
      ...this.since(239, { scope: this.#has(259) ? 'write:user' : 'user' }),
    });
    if (!this.#has(240)) return;
    this.fixture.rows('action_runner', {
      ...{ id: 1, uuid: '9d0c0000-0000-4000-8000-000000000001', name: 'wheel', owner_id: 0, repo_id: 0, base: 0 },
      ...{ repo_range: '', description: '', token_hash: 'ab'.repeat(50), token_salt: 'x', last_online: 1700000000 },
      ...{ last_active: 0, agent_labels: '["ubuntu-latest:docker://node"]', created: 1700000000, updated: 1700000000 },
      ...{ deleted: null, ...this.until(260, { custom_labels: '[]' }), ...this.since(248, { version: 'v0.2' }) },
    });
  }

  #fillHooksAndRules(): void {
    const isNamed = this.#has(130);
    const events = isNamed ? { push: true, pull_request_sync: true } : { push: true, pull_request: true };
    this.fixture.rows('webhook', {
      ...{ id: 1, repo_id: 40, url: 'https://example.com/hook', content_type: 1, secret: 'hush', is_active: 1 },
      ...{
        events: JSON.stringify({ choose_events: true, events: { ...events, ...(isNamed && { issue_assign: false }) } }),
        meta: '',
        last_status: 1,
        ...time,
      },
      ...this.until(187, { is_ssl: 0 }),
      ...this.since(131, { is_system_webhook: 0 }),
      ...this.until(162, { hook_task_type: this.version.isGogs ? 1 : 3 }),
      ...this.since(162, { type: 'gitea' }),
      ...this.until(245, { org_id: 0 }),
      ...this.since(245, { owner_id: 0 }),
      ...this.since(86, { http_method: 'POST' }),
      ...this.since(233, { header_authorization_encrypted: '' }),
    });
    if (this.version.isGogs)
      this.fixture.rows('protect_branch', {
        ...{ id: 1, repo_id: 40, name: 'trunk', protected: 1, require_pull_request: 1, enable_whitelist: 0 },
        ...{ whitelist_user_i_ds: '', whitelist_team_i_ds: '' },
      });
    else
      this.fixture.rows('protected_branch', {
        ...{ id: 1, repo_id: 40, branch_name: 'trunk', can_push: 0, enable_whitelist: 0, ...time },
        ...{ whitelist_user_i_ds: 'null', whitelist_team_i_ds: 'null', enable_merge_whitelist: 0 },
        ...this.since(74, { enable_approvals_whitelist: 0, required_approvals: 1 }),
        ...this.since(310, { priority: 1 }),
      });
  }

  close(): void {
    this.fixture.close();
  }
}
