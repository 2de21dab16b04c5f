import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  NumberField,
  RadioFields,
  Section,
  TextField,
  textOf,
  type FieldOption,
  type Text,
} from '@mortise/plugin-sdk';
import type { RuleOption } from '../contract/branch-protection.js';
import { t } from '../texts/index.js';
import { code, examples, FormSection } from './form-section.js';

/** What the form shows: the fields of the API, stored or as they were sent. */
export type RuleFields = Readonly<Record<string, unknown>>;

interface RuleFormProps {
  readonly action: string;
  readonly csrf: string;
  readonly title: Text;
  readonly fields: RuleFields;
  /** Names of teams that may be chosen; without any the fields for teams are left out. */
  readonly teams: readonly string[];
  /** Contexts of checks that were told of late. */
  readonly contexts: readonly string[];
  /** What other plugins add. */
  readonly options: readonly RuleOption[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');
const on = (value: unknown): boolean => value === true;

/** `none`, `all` or `listed`, from two switches. */
const wayOf = (enabled: boolean, listed: boolean) => (enabled ? (listed ? 'listed' : 'all') : 'none');

interface AllowListProps {
  readonly what: 'push' | 'forcePush' | 'merge' | 'bypass' | 'approve';
  /** Names of the fields. */
  readonly users: string;
  readonly teams: string;
  readonly fields: RuleFields;
  readonly known: readonly string[];
}

function AllowList({ what, users, teams, fields, known }: AllowListProps): VNode {
  return (
    <div class="ml-md-4">
      <TextField
        name={users}
        label={t('rule.usersWhat', { what })}
        value={texts(fields[users])}
        note={t('rule.usersNote')}
        data-suggest="users"
      />
      {known.length > 0 ? (
        <TextField
          name={teams}
          label={t('rule.teamsWhat', { what })}
          value={texts(fields[teams])}
          note={t('rule.teamsNote', { teams: known.join(', ') })}
        />
      ) : null}
    </div>
  );
}

function OptionField({ option, value }: { readonly option: RuleOption; readonly value: unknown }): VNode {
  const { key, label, note, default: defaultValue, min, max } = option;
  const more = { name: key, label: textOf(label), ...(note !== undefined && { note: textOf(note) }) };
  if (typeof defaultValue === 'boolean')
    return <CheckField {...more} checked={typeof value === 'boolean' ? value : defaultValue} />;
  return (
    <NumberField
      {...more}
      value={typeof value === 'number' ? value : defaultValue}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
    />
  );
}

interface SectionProps {
  readonly fields: RuleFields;
  /** Names of teams that may be chosen. */
  readonly teams: readonly string[];
}

const Check = ({
  fields,
  name,
  label,
  note,
}: Pick<SectionProps, 'fields'> & { readonly name: string; readonly label: string; readonly note?: string }): VNode => (
  <CheckField name={name} label={label} note={note} checked={on(fields[name])} />
);

const listed = (note?: string): FieldOption => ['listed', t('rule.listed'), note];
const writers = (): FieldOption => ['all', t('rule.writers')];

const BranchesSection = ({ fields }: Pick<SectionProps, 'fields'>): VNode => (
  <FormSection title={t('rule.branches')}>
    <TextField
      name="rule_name"
      label={t('rule.pattern')}
      value={text(fields.rule_name)}
      required
      placeholder={examples.branch}
      note={t.rich('rule.patternNote', {
        star: code('*'),
        question: code('?'),
        stars: code('**'),
        set: code('[ab]'),
        words: code('{a,b}'),
        example: code('release/*'),
        match: code('release/1'),
        noMatch: code('release/1/fix'),
      })}
    />
  </FormSection>
);

const PushSection = ({ fields, teams }: SectionProps): VNode => (
  <FormSection title={t('rule.pushes')}>
    <RadioFields
      name="push"
      label={t('rule.push')}
      value={wayOf(on(fields.enable_push), on(fields.enable_push_whitelist))}
      options={[['none', t('rule.nobody'), t('rule.pushNobodyNote')], writers(), listed()]}
    />
    <AllowList
      what="push"
      users="push_whitelist_usernames"
      teams="push_whitelist_teams"
      fields={fields}
      known={teams}
    />
    <Check fields={fields} name="push_whitelist_deploy_keys" label={t('rule.pushKeys')} />
    <Check fields={fields} name="require_signed_commits" label={t('rule.signed')} note={t('rule.signedNote')} />
  </FormSection>
);

const ForcePushSection = ({ fields, teams }: SectionProps): VNode => (
  <FormSection title={t('rule.forcePushes')}>
    <RadioFields
      name="force_push"
      label={t('rule.forcePush')}
      value={wayOf(on(fields.enable_force_push), on(fields.enable_force_push_allowlist))}
      options={[
        ['none', t('rule.nobody'), t('rule.forceNobodyNote')],
        ['all', t('rule.pushers')],
        listed(t('rule.forceListedNote')),
      ]}
    />
    <AllowList
      what="forcePush"
      users="force_push_allowlist_usernames"
      teams="force_push_allowlist_teams"
      fields={fields}
      known={teams}
    />
    <Check fields={fields} name="force_push_allowlist_deploy_keys" label={t('rule.forceKeys')} />
  </FormSection>
);

const FilesSection = ({ fields }: Pick<SectionProps, 'fields'>): VNode => (
  <FormSection title={t('rule.files')}>
    <TextField
      name="protected_file_patterns"
      label={t('rule.protected')}
      value={text(fields.protected_file_patterns)}
      placeholder={examples.protectedFiles}
      note={t.rich('rule.protectedNote', { stars: code('**'), example: code('**/*.lock') })}
    />
    <TextField
      name="unprotected_file_patterns"
      label={t('rule.unprotected')}
      value={text(fields.unprotected_file_patterns)}
      placeholder={examples.openFiles}
      note={t('rule.unprotectedNote')}
    />
  </FormSection>
);

const MergeSection = ({ fields, teams, options }: SectionProps & Pick<RuleFormProps, 'options'>): VNode => (
  <FormSection title={t('rule.merges')}>
    <RadioFields
      name="merge"
      label={t('rule.merge')}
      value={on(fields.enable_merge_whitelist) ? 'listed' : 'all'}
      options={[writers(), listed()]}
    />
    <AllowList
      what="merge"
      users="merge_whitelist_usernames"
      teams="merge_whitelist_teams"
      fields={fields}
      known={teams}
    />
    <Check fields={fields} name="block_on_outdated_branch" label={t('rule.outdated')} />
    <Check fields={fields} name="block_admin_merge_override" label={t('rule.admins')} />
    <Check fields={fields} name="enable_bypass_allowlist" label={t('rule.bypass')} note={t('rule.bypassNote')} />
    <AllowList
      what="bypass"
      users="bypass_allowlist_usernames"
      teams="bypass_allowlist_teams"
      fields={fields}
      known={teams}
    />
    {options.map((one) => (
      <OptionField option={one} value={fields[one.key]} />
    ))}
  </FormSection>
);

const ReviewSection = ({ fields, teams }: SectionProps): VNode => (
  <FormSection title={t('rule.reviews')}>
    <NumberField
      name="required_approvals"
      label={t('rule.approvals')}
      value={Number(fields.required_approvals) || 0}
      min={0}
      max={1000}
      note={t('rule.approvalsNote')}
    />
    <Check fields={fields} name="enable_approvals_whitelist" label={t('rule.approvalsListed')} />
    <AllowList
      what="approve"
      users="approvals_whitelist_username"
      teams="approvals_whitelist_teams"
      fields={fields}
      known={teams}
    />
    <Check fields={fields} name="block_on_rejected_reviews" label={t('rule.rejected')} />
    <Check fields={fields} name="block_on_official_review_requests" label={t('rule.requested')} />
    <Check
      fields={fields}
      name="block_on_codeowner_reviews"
      label={t('rule.codeOwners')}
      note={t('rule.codeOwnersNote')}
    />
    <Check fields={fields} name="dismiss_stale_approvals" label={t('rule.dismiss')} />
    <Check fields={fields} name="ignore_stale_approvals" label={t('rule.stale')} />
  </FormSection>
);

function CheckSection({ fields, contexts }: Pick<RuleFormProps, 'fields' | 'contexts'>): VNode {
  const recent = contexts.length > 0 ? t('rule.contextsRecent', { names: contexts.join(', ') }) : '';
  return (
    <FormSection title={t('rule.checks')}>
      <Check fields={fields} name="enable_status_check" label={t('rule.requireChecks')} />
      <TextField
        name="status_check_contexts"
        label={t('rule.contexts')}
        lines={4}
        value={Array.isArray(fields.status_check_contexts) ? fields.status_check_contexts.join('\n') : ''}
        placeholder={examples.contexts}
        note={recent ? `${t('rule.contextsNote')} ${recent}` : t('rule.contextsNote')}
      />
    </FormSection>
  );
}

export const RuleForm = ({ action, csrf, title, fields, teams, contexts, options }: RuleFormProps): VNode => (
  <Section title={textOf(title)}>
    <form method="post" action={action}>
      <Csrf token={csrf} />
      <BranchesSection fields={fields} />
      <PushSection fields={fields} teams={teams} />
      <ForcePushSection fields={fields} teams={teams} />
      <FilesSection fields={fields} />
      <MergeSection fields={fields} teams={teams} options={options} />
      <ReviewSection fields={fields} teams={teams} />
      <CheckSection fields={fields} contexts={contexts} />
      <button class="btn btn-primary" type="submit">
        {t('rule.save')}
      </button>
    </form>
  </Section>
);
