import { Invalid, type Text } from '@mortise/plugin-sdk';
import type { Unit, UnitKey } from '../api.js';
import { t } from '../texts/index.js';

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
  if (!units.some((unit) => unit.enabled)) throw Invalid(t.later('error.units'));
  return units;
}

/** One way of updating a pull request's branch must stay, and the default must be one of those. */
export function checkUpdateStyles(unit: Unit | undefined): void {
  if (!unit?.enabled) return;
  const config = { ...defaults.pulls, ...unit.config };
  if (!config.allow_merge_update && !config.allow_rebase_update) throw Invalid(t.later('error.updateStyles'));
  const style = config.default_update_style;
  if (!['merge', 'rebase'].includes(String(style)) || !config[`allow_${String(style)}_update`])
    throw Invalid(t.later('error.updateStyle'), { inputs: { default_update_style: t.later('error.updateStyle') } });
}

const refused = (input: string, text: Text) => Invalid(text, { inputs: { [input]: text } });
const isAddress = (text: unknown): boolean => typeof text === 'string' && /^https?:\/\/[^\s/$.?#][^\s]*$/i.test(text);
export const trackerStyles = ['numeric', 'alphanumeric', 'regexp'] as const;

export interface ExternalTracker {
  readonly external_tracker_url: string;
  readonly external_tracker_format: string;
  readonly external_tracker_style: string;
  readonly external_tracker_regexp_pattern: string;
}

/** An issue tracker elsewhere: its address, and how the address of one issue is made. */
export function checkTracker(given: Partial<ExternalTracker>): ExternalTracker {
  if (!isAddress(given.external_tracker_url)) throw refused('external_tracker_url', t.later('error.trackerUrl'));
  const format = given.external_tracker_format ?? '';
  // Placeholders stand for user, repository and number.
  if (format && !isAddress(format.replace(/\{(user|repo|index)\}/g, '1')))
    throw refused('external_tracker_format', t.later('error.trackerFormat'));
  const style = given.external_tracker_style || 'numeric';
  if (!(trackerStyles as readonly string[]).includes(style))
    throw Invalid(t.later('error.oneOf', { field: 'external_tracker_style', values: trackerStyles.join(', ') }));
  return {
    external_tracker_url: given.external_tracker_url!,
    external_tracker_format: format,
    external_tracker_style: style,
    external_tracker_regexp_pattern: given.external_tracker_regexp_pattern ?? '',
  };
}

/** A wiki elsewhere. */
export function checkWiki(given: { readonly external_wiki_url?: string }): { readonly external_wiki_url: string } {
  if (!isAddress(given.external_wiki_url)) throw refused('external_wiki_url', t.later('error.wikiUrl'));
  return { external_wiki_url: given.external_wiki_url! };
}

export const projectModes = ['repo', 'owner', 'all'] as const;
