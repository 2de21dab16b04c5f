import { Invalid } from '@mortise/plugin-sdk';
import type { Unit, UnitKey } from '../api.js';

export const unitKeys: readonly UnitKey[] = [
  'code',
  'issues',
  'pulls',
  'releases',
  'wiki',
  'projects',
  'packages',
  'actions',
];

/** Field of the REST record that switches the unit (REP-02, REP-03). */
export const unitFields: Readonly<Record<UnitKey, string>> = {
  code: 'has_code',
  issues: 'has_issues',
  pulls: 'has_pull_requests',
  releases: 'has_releases',
  wiki: 'has_wiki',
  projects: 'has_projects',
  packages: 'has_packages',
  actions: 'has_actions',
};

const defaults: Readonly<Partial<Record<UnitKey, Readonly<Record<string, unknown>>>>> = {
  issues: { enable_time_tracker: true, allow_only_contributors_to_track_time: true, enable_issue_dependencies: true },
  projects: { projects_mode: 'all' },
  pulls: {
    ignore_whitespace_conflicts: false,
    allow_merge_commits: true,
    allow_rebase: true,
    allow_rebase_explicit: true,
    allow_squash_merge: true,
    allow_fast_forward_only_merge: true,
    allow_merge_update: true,
    allow_rebase_update: true,
    allow_manual_merge: false,
    autodetect_manual_merge: false,
    default_delete_branch_after_merge: false,
    default_merge_style: 'merge',
    default_update_style: 'merge',
    default_allow_maintainer_edit: true,
  },
};

/** Options that PATCH sets, by unit. */
export const unitOptions = (key: UnitKey): readonly string[] => Object.keys(defaults[key] ?? {});
export const unitDefaults = (key: UnitKey): Readonly<Record<string, unknown>> => defaults[key] ?? {};

export function initialUnits(
  enabled: ReadonlySet<string>,
  asked: Readonly<Partial<Record<UnitKey, boolean>>> = {},
): Unit[] {
  const units = unitKeys.map((key) => ({ key, enabled: asked[key] ?? enabled.has(key), config: { ...defaults[key] } }));
  return atLeastOne(units);
}

/** REP-06 */
export function atLeastOne(units: Unit[]): Unit[] {
  if (!units.some((unit) => unit.enabled)) throw Invalid('at least one unit of a repository must stay enabled');
  return units;
}

/** One way of updating a pull request's branch must stay, and the default must be one of those. */
export function checkUpdateStyles(unit: Unit | undefined): void {
  if (!unit?.enabled) return;
  const config = { ...defaults.pulls, ...unit.config };
  if (!config.allow_merge_update && !config.allow_rebase_update)
    throw Invalid('at least one update style must stay allowed');
  const style = config.default_update_style;
  if (!['merge', 'rebase'].includes(String(style)) || !config[`allow_${String(style)}_update`])
    throw Invalid('default_update_style is not allowed here');
}

const isAddress = (text: unknown): boolean => typeof text === 'string' && /^https?:\/\/[^\s/$.?#][^\s]*$/i.test(text);
const trackerStyles = ['numeric', 'alphanumeric', 'regexp'];

export interface ExternalTracker {
  readonly external_tracker_url: string;
  readonly external_tracker_format: string;
  readonly external_tracker_style: string;
  readonly external_tracker_regexp_pattern: string;
}

/** An issue tracker elsewhere: its address, and how the address of one issue is made. */
export function checkTracker(given: Partial<ExternalTracker>): ExternalTracker {
  if (!isAddress(given.external_tracker_url)) throw Invalid('the address of the issue tracker is no web address');
  const format = given.external_tracker_format ?? '';
  // Placeholders stand for user, repository and number.
  if (format && !isAddress(format.replace(/\{(user|repo|index)\}/g, '1')))
    throw Invalid('the address of an issue is no web address');
  const style = given.external_tracker_style || 'numeric';
  if (!trackerStyles.includes(style)) throw Invalid(`external_tracker_style is one of ${trackerStyles.join(', ')}`);
  return {
    external_tracker_url: given.external_tracker_url!,
    external_tracker_format: format,
    external_tracker_style: style,
    external_tracker_regexp_pattern: given.external_tracker_regexp_pattern ?? '',
  };
}

/** A wiki elsewhere. */
export function checkWiki(given: { readonly external_wiki_url?: string }): { readonly external_wiki_url: string } {
  if (!isAddress(given.external_wiki_url)) throw Invalid('the address of the wiki is no web address');
  return { external_wiki_url: given.external_wiki_url! };
}

export const projectModes: readonly string[] = ['repo', 'owner', 'all'];
