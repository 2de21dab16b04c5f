import type { VNode } from 'preact';
import { formatList, textOf } from '@mortise/plugin-sdk';
import type { RuleOption } from '../contract/branch-protection.js';
import { t } from '../texts/index.js';
import { on, wayOf, type RuleFields } from './rule-controls.js';

interface WordsProps {
  readonly fields: RuleFields;
  /** What other plugins add. */
  readonly options: readonly RuleOption[];
}

/** More names than these are counted. */
const maxNames = 6;

function listOf(names: readonly string[]): string {
  const more = names.length - maxNames;
  return formatList(more > 0 ? [...names.slice(0, maxNames), t('words.more', { count: more })] : names);
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** Users and teams of two fields, and deploy keys where they count; empty: nobody. */
function whoOf(fields: RuleFields, users: string, teams: string, deployKeys?: string): string {
  return listOf([
    ...texts(fields[users]),
    ...texts(fields[teams]).map((name) => t('words.team', { name })),
    ...(deployKeys && on(fields[deployKeys]) ? [t('words.deployKeys')] : []),
  ]);
}

const patternsOf = (value: unknown): readonly string[] =>
  (typeof value === 'string' ? value : '')
    .split(';')
    .map((pattern) => pattern.trim())
    .filter(Boolean);

function pushWords(fields: RuleFields): string[] {
  const way = wayOf(on(fields.enable_push), on(fields.enable_push_whitelist));
  const who = whoOf(fields, 'push_whitelist_usernames', 'push_whitelist_teams', 'push_whitelist_deploy_keys');
  const isOpen = way === 'all' || (way === 'listed' && who !== '');
  const open = patternsOf(fields.unprotected_file_patterns);
  const closed = patternsOf(fields.protected_file_patterns);
  return [
    !isOpen ? t('words.pushNone') : way === 'all' ? t('words.pushAll') : t('words.pushListed', { who }),
    isOpen ? forceWords(fields) : t('words.forceNone'),
    on(fields.require_signed_commits) ? t('words.signed') : '',
    open.length > 0 ? t('words.openFiles', { files: listOf(open) }) : '',
    closed.length > 0 ? t('words.protectedFiles', { files: listOf(closed) }) : '',
  ];
}

function forceWords(fields: RuleFields): string {
  const way = wayOf(on(fields.enable_force_push), on(fields.enable_force_push_allowlist));
  if (way === 'all') return t('words.forceAll');
  const keys = 'force_push_allowlist_deploy_keys';
  const who = whoOf(fields, 'force_push_allowlist_usernames', 'force_push_allowlist_teams', keys);
  return way === 'listed' && who ? t('words.forceListed', { who }) : t('words.forceNone');
}

function approvalWords(fields: RuleFields): string {
  const count = Number(fields.required_approvals) || 0;
  if (count === 0) return '';
  if (!on(fields.enable_approvals_whitelist)) return t('words.approvals', { count });
  const who = whoOf(fields, 'approvals_whitelist_username', 'approvals_whitelist_teams');
  return who ? t('words.approvalsBy', { count, who }) : t('words.approvalsByNobody', { count });
}

/** What a pull request needs before it is merged. */
function requirementWords(fields: RuleFields): string[] {
  const checks = on(fields.enable_status_check) ? texts(fields.status_check_contexts) : [];
  return [
    approvalWords(fields),
    on(fields.block_on_codeowner_reviews) ? t('words.codeOwners') : '',
    on(fields.block_on_rejected_reviews) ? t('words.rejected') : '',
    on(fields.block_on_official_review_requests) ? t('words.requested') : '',
    on(fields.dismiss_stale_approvals) ? t('words.dismiss') : '',
    on(fields.ignore_stale_approvals) ? t('words.stale') : '',
    checks.length > 0 ? t('words.checks', { count: checks.length, checks: listOf(checks) }) : '',
    on(fields.block_on_outdated_branch) ? t('words.outdated') : '',
  ].filter(Boolean);
}

function mergeWords(fields: RuleFields): string {
  if (!on(fields.enable_merge_whitelist)) return '';
  const who = whoOf(fields, 'merge_whitelist_usernames', 'merge_whitelist_teams');
  return who ? t('words.mergeListed', { who }) : t('words.mergeNone');
}

/** Who may go past the requirements. */
function exceptionWords(fields: RuleFields): string[] {
  const who = on(fields.enable_bypass_allowlist)
    ? whoOf(fields, 'bypass_allowlist_usernames', 'bypass_allowlist_teams')
    : '';
  return [
    who ? t('words.bypass', { who }) : '',
    t(on(fields.block_admin_merge_override) ? 'words.adminsToo' : 'words.adminsNot'),
  ];
}

/** What a rule does, in sentences. */
function wordsOf({ fields, options }: WordsProps): string[] {
  const requirements = requirementWords(fields);
  const added = options.filter(({ key }) => on(fields[key]));
  return [
    ...pushWords(fields),
    ...requirements,
    mergeWords(fields),
    ...added.map(({ label }) => t('words.option', { label: textOf(label) })),
    ...(requirements.length + added.length > 0 ? exceptionWords(fields) : []),
  ].filter(Boolean);
}

/** What a rule does, below its form. */
export const RuleWords = (props: WordsProps): VNode => (
  <div class="Box mb-3" id="words">
    <div class="Box-header py-2">
      <h3 class="Box-title">{t('words.title')}</h3>
    </div>
    <ul class="Box-body pl-5 mb-0">
      {wordsOf(props).map((sentence) => (
        <li key={sentence} class="wb-break-word">
          {sentence}
        </li>
      ))}
    </ul>
  </div>
);

/** What a rule does, in a list of rules. */
export const RuleSentences = (props: WordsProps): VNode => (
  <div class="color-fg-muted text-small wb-break-word">{wordsOf(props).join(' ')}</div>
);

/** What a rule for tags does. */
export function TagSentence({ fields }: Pick<WordsProps, 'fields'>): VNode {
  const who = whoOf(fields, 'whitelist_usernames', 'whitelist_teams');
  return (
    <div class="color-fg-muted text-small wb-break-word">
      {who ? t('words.tagsListed', { who }) : t('words.tagsNobody')}
    </div>
  );
}
