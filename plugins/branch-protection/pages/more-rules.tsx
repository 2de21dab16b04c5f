import type { ComponentChildren, VNode } from 'preact';
import { CheckField, NumberField, RadioFields, TextField, textOf } from '@mortise/plugin-sdk';
import type { RuleOption } from '../contract/branch-protection.js';
import { t } from '../texts/index.js';
import { code, examples } from './form-section.js';
import {
  listed,
  on,
  RuleAllowList,
  text,
  wayOf,
  writers,
  type RuleFields,
  type RuleFormProps,
} from './rule-controls.js';

interface CheckProps {
  readonly fields: RuleFields;
  readonly name: string;
  readonly label: string;
  readonly note?: string;
  readonly children?: ComponentChildren;
}

const Check = ({ fields, name, label, note, children }: CheckProps): VNode => (
  <CheckField name={name} label={label} note={note} checked={on(fields[name])}>
    {children}
  </CheckField>
);

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

const PushFields = ({ fields }: RuleFormProps): VNode => (
  <>
    <Check fields={fields} name="push_whitelist_deploy_keys" label={t('rule.pushKeys')} />
    <Check fields={fields} name="require_signed_commits" label={t('rule.signed')} note={t('rule.signedNote')} />
  </>
);

const ForcePushFields = (props: RuleFormProps): VNode => (
  <RadioFields
    name="force_push"
    label={t('rule.forcePush')}
    value={wayOf(on(props.fields.enable_force_push), on(props.fields.enable_force_push_allowlist))}
    options={[
      ['none', t('rule.nobody'), t('rule.forceNobodyNote')],
      ['all', t('rule.pushers')],
      listed(t('rule.forceListedNote')),
    ]}
    below={{
      listed: (
        <>
          <RuleAllowList
            what="forcePush"
            users="force_push_allowlist_usernames"
            teams="force_push_allowlist_teams"
            of={props}
          />
          <Check fields={props.fields} name="force_push_allowlist_deploy_keys" label={t('rule.forceKeys')} />
        </>
      ),
    }}
  />
);

const FileFields = ({ fields }: RuleFormProps): VNode => (
  <>
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
  </>
);

const MergeFields = (props: RuleFormProps): VNode => (
  <>
    <RadioFields
      name="merge"
      label={t('rule.merge')}
      value={on(props.fields.enable_merge_whitelist) ? 'listed' : 'all'}
      options={[writers(), listed()]}
      below={{
        listed: (
          <RuleAllowList what="merge" users="merge_whitelist_usernames" teams="merge_whitelist_teams" of={props} />
        ),
      }}
    />
    <Check fields={props.fields} name="block_on_outdated_branch" label={t('rule.outdated')} />
    <Check fields={props.fields} name="block_admin_merge_override" label={t('rule.admins')} />
    <Check fields={props.fields} name="enable_bypass_allowlist" label={t('rule.bypass')} note={t('rule.bypassNote')}>
      <RuleAllowList what="bypass" users="bypass_allowlist_usernames" teams="bypass_allowlist_teams" of={props} />
    </Check>
    {props.options.map((one) => (
      <OptionField key={one.key} option={one} value={props.fields[one.key]} />
    ))}
  </>
);

const ReviewFields = (props: RuleFormProps): VNode => (
  <>
    <Check fields={props.fields} name="enable_approvals_whitelist" label={t('rule.approvalsListed')}>
      <RuleAllowList what="approve" users="approvals_whitelist_username" teams="approvals_whitelist_teams" of={props} />
    </Check>
    <Check fields={props.fields} name="block_on_rejected_reviews" label={t('rule.rejected')} />
    <Check fields={props.fields} name="block_on_official_review_requests" label={t('rule.requested')} />
    <Check
      fields={props.fields}
      name="block_on_codeowner_reviews"
      label={t('rule.codeOwners')}
      note={t('rule.codeOwnersNote')}
    />
    <Check fields={props.fields} name="dismiss_stale_approvals" label={t('rule.dismiss')} />
    <Check fields={props.fields} name="ignore_stale_approvals" label={t('rule.stale')} />
  </>
);

/** Switches and texts of each part that say something where they are on or filled. */
const partFields = {
  pushes: ['push_whitelist_deploy_keys', 'require_signed_commits'],
  forcePushes: ['enable_force_push'],
  files: ['protected_file_patterns', 'unprotected_file_patterns'],
  merges: [
    'enable_merge_whitelist',
    'block_on_outdated_branch',
    'block_admin_merge_override',
    'enable_bypass_allowlist',
  ],
  reviews: [
    'enable_approvals_whitelist',
    'block_on_rejected_reviews',
    'block_on_official_review_requests',
    'block_on_codeowner_reviews',
    'dismiss_stale_approvals',
    'ignore_stale_approvals',
  ],
} as const;

interface PartProps {
  readonly name: keyof typeof partFields;
  readonly of: RuleFormProps;
  readonly children: ComponentChildren;
}

/** A part of the form, folded as long as nothing in it is set. */
function Part({ name, of: { fields, isRefused, options }, children }: PartProps): VNode {
  const isSet = partFields[name].some((field) => Boolean(fields[field]));
  const hasOption =
    name === 'merges' && options.some((one) => fields[one.key] !== undefined && fields[one.key] !== one.default);
  return (
    <details class="Box-row" open={isRefused || isSet || hasOption}>
      <summary class="text-bold">{t(`rule.${name}`)}</summary>
      <div class="pt-3">{children}</div>
    </details>
  );
}

/** What fewer rules say. */
export const MoreRules = (props: RuleFormProps): VNode => (
  <fieldset class="Box mx-0 mt-0 mb-3 p-0">
    <legend class="sr-only">{t('rule.more')}</legend>
    <div class="Box-header py-2" aria-hidden="true">
      <div class="Box-title">{t('rule.more')}</div>
    </div>
    <Part name="pushes" of={props}>
      <PushFields {...props} />
    </Part>
    <Part name="forcePushes" of={props}>
      <ForcePushFields {...props} />
    </Part>
    <Part name="reviews" of={props}>
      <ReviewFields {...props} />
    </Part>
    <Part name="merges" of={props}>
      <MergeFields {...props} />
    </Part>
    <Part name="files" of={props}>
      <FileFields {...props} />
    </Part>
  </fieldset>
);
