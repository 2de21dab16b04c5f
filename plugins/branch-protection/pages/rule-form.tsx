import type { VNode } from 'preact';
import { CheckField, Csrf, NumberField, RadioFields, Section, TextField } from '@mortise/plugin-sdk';
import { Part } from './parts.js';

/** What the form shows: the fields of the API, stored or as they were sent. */
export type RuleFields = Readonly<Record<string, unknown>>;

export interface RuleFormProps {
  readonly action: string;
  readonly csrf: string;
  readonly title: string;
  readonly fields: RuleFields;
  /** Names of teams that may be chosen; without any the fields for teams are left out. */
  readonly teams: readonly string[];
  /** Contexts of checks that were told of late. */
  readonly contexts: readonly string[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');
const on = (value: unknown): boolean => value === true;

/** `none`, `all` or `listed`, from two switches. */
const wayOf = (enabled: boolean, listed: boolean) => (enabled ? (listed ? 'listed' : 'all') : 'none');

function People({
  what,
  users,
  teams,
  fields,
  known,
}: {
  what: string;
  users: string;
  teams: string;
  fields: RuleFields;
  known: readonly string[];
}): VNode {
  return (
    <div class="ml-md-4">
      <TextField
        name={users}
        label={`People who may ${what}`}
        value={words(fields[users])}
        note="Names of accounts, separated by commas."
      />
      {known.length > 0 ? (
        <TextField
          name={teams}
          label={`Teams who may ${what}`}
          value={words(fields[teams])}
          note={`Separated by commas. There are: ${known.join(', ')}.`}
        />
      ) : null}
    </div>
  );
}

export function RuleForm({ action, csrf, title, fields, teams, contexts }: RuleFormProps): VNode {
  const seen = contexts.length > 0 ? ` Told of late: ${contexts.join(', ')}.` : '';
  const check = (name: string, label: string, note?: string) => (
    <CheckField name={name} label={label} note={note} checked={on(fields[name])} />
  );
  return (
    <Section title={title}>
      <form method="post" action={action}>
        <Csrf token={csrf} />
        <Part title="Branches">
          <TextField
            name="rule_name"
            label="Branch or pattern"
            value={text(fields.rule_name)}
            required
            placeholder="main"
            note={
              <>
                A name, or a pattern: <code>*</code> and <code>?</code> stand for signs up to the next slash,{' '}
                <code>**</code> for anything, <code>[ab]</code> for one of these signs, <code>{'{a,b}'}</code> for one
                of these words. <code>release/*</code> fits <code>release/1</code>, and not <code>release/1/fix</code>.
                Such branches cannot be deleted while the rule is there.
              </>
            }
          />
        </Part>
        <Part title="Pushes">
          <RadioFields
            name="push"
            label="Who may push"
            value={wayOf(on(fields.enable_push), on(fields.enable_push_whitelist))}
            options={[
              ['none', 'Nobody', 'Changes come in by pull requests only.'],
              ['all', 'Everyone with write access'],
              ['listed', 'Only those on this list'],
            ]}
          />
          <People
            what="push"
            users="push_whitelist_usernames"
            teams="push_whitelist_teams"
            fields={fields}
            known={teams}
          />
          {check('push_whitelist_deploy_keys', 'Deploy keys that may write are on the list')}
          {check(
            'require_signed_commits',
            'Commits must be signed',
            'A push with a commit whose signature is missing or cannot be verified is refused.',
          )}
        </Part>
        <Part title="Forced pushes">
          <RadioFields
            name="force_push"
            label="Who may force a push"
            value={wayOf(on(fields.enable_force_push), on(fields.enable_force_push_allowlist))}
            options={[
              ['none', 'Nobody', 'History is never rewritten.'],
              ['all', 'Everyone who may push'],
              ['listed', 'Only those on this list', 'They must be allowed to push as well.'],
            ]}
          />
          <People
            what="force a push"
            users="force_push_allowlist_usernames"
            teams="force_push_allowlist_teams"
            fields={fields}
            known={teams}
          />
          {check('force_push_allowlist_deploy_keys', 'Deploy keys that may push are on the list')}
        </Part>
        <Part title="Files">
          <TextField
            name="protected_file_patterns"
            label="Protected files"
            value={text(fields.protected_file_patterns)}
            placeholder="keys/**;*.lock"
            note="Nobody changes these by a push. Patterns separated by semicolons; ** crosses folders, so **/*.lock fits in every folder."
          />
          <TextField
            name="unprotected_file_patterns"
            label="Files open to pushes"
            value={text(fields.unprotected_file_patterns)}
            placeholder="docs/**"
            note="Everyone who may write pushes changes to these alone, though the branch is closed otherwise."
          />
        </Part>
        <Part title="Merges">
          <RadioFields
            name="merge"
            label="Who may merge"
            value={on(fields.enable_merge_whitelist) ? 'listed' : 'all'}
            options={[
              ['all', 'Everyone with write access'],
              ['listed', 'Only those on this list'],
            ]}
          />
          <People
            what="merge"
            users="merge_whitelist_usernames"
            teams="merge_whitelist_teams"
            fields={fields}
            known={teams}
          />
          {check('block_on_outdated_branch', 'The pull request must be up to date with the branch')}
          {check('block_admin_merge_override', 'Administrators are bound by these rules as well')}
          {check('enable_bypass_allowlist', 'Those on this list may merge although something is missing')}
          <People
            what="merge all the same"
            users="bypass_allowlist_usernames"
            teams="bypass_allowlist_teams"
            fields={fields}
            known={teams}
          />
        </Part>
        <Part title="Reviews">
          <NumberField
            name="required_approvals"
            label="Required approvals"
            value={Number(fields.required_approvals) || 0}
            min={0}
            max={1000}
            note="0: a pull request may be merged without any."
          />
          {check('enable_approvals_whitelist', 'Only approvals of those on this list count')}
          <People
            what="approve"
            users="approvals_whitelist_username"
            teams="approvals_whitelist_teams"
            fields={fields}
            known={teams}
          />
          {check('block_on_rejected_reviews', 'A review that asks for changes blocks the merge')}
          {check('block_on_official_review_requests', 'A review that was asked for and not given blocks the merge')}
          {check(
            'block_on_codeowner_reviews',
            'Code owners must approve',
            'For every matching line of the file CODEOWNERS at least one owner.',
          )}
          {check('dismiss_stale_approvals', 'A push to the pull request dismisses its approvals')}
          {check('ignore_stale_approvals', 'Approvals from before the last push do not count')}
        </Part>
        <Part title="Status checks">
          {check('enable_status_check', 'Checks must end well before a merge')}
          <TextField
            name="status_check_contexts"
            label="Required checks"
            lines={4}
            value={Array.isArray(fields.status_check_contexts) ? fields.status_check_contexts.join('\n') : ''}
            placeholder={'build / *'}
            note={`One context or pattern in each line; the list is kept while checks are off.${seen}`}
          />
        </Part>
        <button class="btn btn-primary" type="submit">
          Save rule
        </button>
      </form>
    </Section>
  );
}
