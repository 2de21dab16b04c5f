import type { VNode } from 'preact';
import { SelectField, TextField, type FieldOption, isChecked, formText, type FormValues } from '@mortise/plugin-sdk';
import type { Repository, UnitKey } from '../api.js';
import { projectModes, type ExternalTracker } from '../services/units.js';
import { Check } from './parts.js';

const configOf = (repository: Repository, key: UnitKey): Readonly<Record<string, unknown>> =>
  repository.units.find((unit) => unit.key === key)?.config ?? {};

const projectLabels: Readonly<Record<string, string>> = {
  repo: 'Of this repository only',
  owner: 'Of the owner only',
  all: 'Of both',
};

/** What a unit has to choose beside being on. */
export function UnitOptions({
  repository,
  unit,
  sent,
}: {
  repository: Repository;
  unit: UnitKey;
  /** The form that was refused. */
  sent?: FormValues;
}): VNode | null {
  const text = (name: string, otherwise = '') => (sent ? formText(sent, name) : otherwise);
  const tick = (name: string, otherwise: boolean) => (sent ? isChecked(sent, name) : otherwise);
  const config = configOf(repository, unit);
  if (unit === 'projects')
    return (
      <div class="ml-4">
        <SelectField
          name="projects_mode"
          label="Project boards"
          value={text('projects_mode', String(config.projects_mode ?? 'all'))}
          options={projectModes.map((mode): FieldOption => [mode, projectLabels[mode] ?? mode])}
        />
      </div>
    );
  if (unit === 'wiki') {
    const { external_wiki_url: address = '' } = (config.external_wiki ?? {}) as { external_wiki_url?: string };
    return (
      <details class="ml-4" open={Boolean(text('external_wiki_url', address))}>
        <summary class="color-fg-muted">A wiki elsewhere</summary>
        <TextField
          name="external_wiki_url"
          label="Address"
          type="url"
          value={text('external_wiki_url', address)}
          note="Empty: the wiki is here."
        />
      </details>
    );
  }
  if (unit !== 'issues') return null;
  const tracker = (config.external_tracker ?? {}) as Partial<ExternalTracker>;
  return (
    <div class="ml-4">
      <Check
        name="enable_time_tracker"
        label="Time that was spent can be noted"
        checked={tick('enable_time_tracker', config.enable_time_tracker !== false)}
      />
      <Check
        name="allow_only_contributors_to_track_time"
        label="Only by those who may write"
        checked={tick('allow_only_contributors_to_track_time', config.allow_only_contributors_to_track_time !== false)}
      />
      <Check
        name="enable_issue_dependencies"
        label="Issues can wait for others"
        checked={tick('enable_issue_dependencies', config.enable_issue_dependencies !== false)}
      />
      <details open={Boolean(text('external_tracker_url', tracker.external_tracker_url))}>
        <summary class="color-fg-muted">An issue tracker elsewhere</summary>
        <TextField
          name="external_tracker_url"
          label="Address"
          type="url"
          value={text('external_tracker_url', tracker.external_tracker_url)}
          note="Empty: issues are here."
        />
        <TextField
          name="external_tracker_format"
          label="Address of one issue"
          value={text('external_tracker_format', tracker.external_tracker_format)}
          note="With {user}, {repo} and {index}."
        />
        <SelectField
          name="external_tracker_style"
          label="Issues are named by"
          value={text('external_tracker_style', tracker.external_tracker_style ?? 'numeric')}
          options={[
            ['numeric', '#123'],
            ['alphanumeric', 'ABC-123'],
            ['regexp', 'a pattern'],
          ]}
        />
        <TextField
          name="external_tracker_regexp_pattern"
          label="Pattern"
          maxLength={255}
          value={text('external_tracker_regexp_pattern', tracker.external_tracker_regexp_pattern)}
          mono
        />
      </details>
    </div>
  );
}

/** The form of {@link UnitOptions} as the body of a PATCH. */
export function optionBody(values: FormValues): Record<string, unknown> {
  const tracker = formText(values, 'external_tracker_url', 1024);
  const wiki = formText(values, 'external_wiki_url', 1024);
  return {
    has_issues: true,
    has_wiki: true,
    projects_mode: formText(values, 'projects_mode') || undefined,
    ...(wiki && { external_wiki: { external_wiki_url: wiki } }),
    ...(tracker
      ? {
          external_tracker: {
            external_tracker_url: tracker,
            external_tracker_format: formText(values, 'external_tracker_format', 1024),
            external_tracker_style: formText(values, 'external_tracker_style'),
            external_tracker_regexp_pattern: formText(values, 'external_tracker_regexp_pattern', 255),
          },
        }
      : {
          internal_tracker: Object.fromEntries(
            ['enable_time_tracker', 'allow_only_contributors_to_track_time', 'enable_issue_dependencies'].map(
              (flag) => [flag, isChecked(values, flag)],
            ),
          ),
        }),
  };
}

const mergeFlags: readonly (readonly [string, string])[] = [
  ['allow_merge_commits', 'Merge commits'],
  ['allow_rebase', 'Rebase, then move forward'],
  ['allow_rebase_explicit', 'Rebase, then a merge commit'],
  ['allow_squash_merge', 'Squash into one commit'],
  ['allow_fast_forward_only_merge', 'Only move forward'],
  ['allow_manual_merge', 'Mark as merged by hand'],
];
const otherFlags: readonly (readonly [string, string])[] = [
  ['autodetect_manual_merge', 'Notice merges by hand'],
  ['ignore_whitespace_conflicts', 'Pass over conflicts in white space'],
  ['default_delete_branch_after_merge', 'Propose to delete the branch after merging'],
  ['default_allow_maintainer_edit', 'Propose that maintainers may push to the branch'],
];
const mergeStyles: readonly FieldOption[] = [
  ['merge', 'Merge commit'],
  ['rebase', 'Rebase'],
  ['rebase-merge', 'Rebase with a merge commit'],
  ['squash', 'Squash'],
  ['fast-forward-only', 'Only move forward'],
  ['manually-merged', 'By hand'],
];

/** How pull requests may be merged. */
export function MergeOptions({ repository }: { repository: Repository }): VNode {
  const config = configOf(repository, 'pulls');
  const checks = (flags: readonly (readonly [string, string])[]) =>
    flags.map(([name, label]) => <Check name={name} label={label} checked={config[name] === true} />);
  return (
    <div>
      <div class="d-flex flex-wrap" style="column-gap: 48px">
        <fieldset class="mb-3">
          <legend class="text-bold f5">Ways to merge</legend>
          {checks(mergeFlags)}
        </fieldset>
        <fieldset class="mb-3">
          <legend class="text-bold f5">Ways to bring a branch up to date</legend>
          <Check name="allow_merge_update" label="Merge" checked={config.allow_merge_update === true} />
          <Check name="allow_rebase_update" label="Rebase" checked={config.allow_rebase_update === true} />
        </fieldset>
      </div>
      <div class="d-flex flex-wrap" style="column-gap: 24px">
        <SelectField
          name="default_merge_style"
          label="Proposed way to merge"
          value={String(config.default_merge_style)}
          options={mergeStyles}
        />
        <SelectField
          name="default_update_style"
          label="Proposed way to bring up to date"
          value={String(config.default_update_style)}
          options={[
            ['merge', 'Merge'],
            ['rebase', 'Rebase'],
          ]}
        />
      </div>
      {checks(otherFlags)}
    </div>
  );
}
