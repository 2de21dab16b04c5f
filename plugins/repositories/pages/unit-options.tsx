import type { VNode } from 'preact';
import { SelectField, TextField, type FieldOption, isChecked, formText, type FormValues } from '@mortise/plugin-sdk';
import type { Repository, UnitKey } from '../api.js';
import { projectModes, trackerStyles, type ExternalTracker } from '../services/units.js';
import { Check } from './parts.js';
import { t } from '../texts/index.js';

const configOf = (repository: Repository, key: UnitKey): Readonly<Record<string, unknown>> =>
  repository.units.find((unit) => unit.key === key)?.config ?? {};

const placeholder = (text: string) => (): VNode => <code>{text}</code>;

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
          label={t('option.projects')}
          value={text('projects_mode', String(config.projects_mode ?? 'all'))}
          options={projectModes.map((mode): FieldOption => [mode, t(`option.projects.${mode}`)])}
        />
      </div>
    );
  if (unit === 'wiki') {
    const { external_wiki_url: address = '' } = (config.external_wiki ?? {}) as { external_wiki_url?: string };
    return (
      <details class="ml-4" open={Boolean(text('external_wiki_url', address))}>
        <summary class="color-fg-muted">{t('option.externalWiki')}</summary>
        <TextField
          name="external_wiki_url"
          label={t('option.externalWikiUrl')}
          type="url"
          value={text('external_wiki_url', address)}
          note={t('option.externalWikiNote')}
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
        label={t('option.time')}
        checked={tick('enable_time_tracker', config.enable_time_tracker !== false)}
      />
      <Check
        name="allow_only_contributors_to_track_time"
        label={t('option.timeContributors')}
        checked={tick('allow_only_contributors_to_track_time', config.allow_only_contributors_to_track_time !== false)}
      />
      <Check
        name="enable_issue_dependencies"
        label={t('option.dependencies')}
        checked={tick('enable_issue_dependencies', config.enable_issue_dependencies !== false)}
      />
      <details open={Boolean(text('external_tracker_url', tracker.external_tracker_url))}>
        <summary class="color-fg-muted">{t('option.tracker')}</summary>
        <TextField
          name="external_tracker_url"
          label={t('option.trackerUrl')}
          type="url"
          value={text('external_tracker_url', tracker.external_tracker_url)}
          note={t('option.trackerNote')}
        />
        <TextField
          name="external_tracker_format"
          label={t('option.trackerFormat')}
          value={text('external_tracker_format', tracker.external_tracker_format)}
          note={t.rich('option.trackerFormatNote', {
            user: placeholder('{user}'),
            repo: placeholder('{repo}'),
            index: placeholder('{index}'),
          })}
        />
        <SelectField
          name="external_tracker_style"
          label={t('option.trackerStyle')}
          value={text('external_tracker_style', tracker.external_tracker_style ?? 'numeric')}
          options={trackerStyles.map((style): FieldOption => [style, t(`option.trackerStyle.${style}`)])}
        />
        <TextField
          name="external_tracker_regexp_pattern"
          label={t('option.trackerPattern')}
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

const mergeFlags = [
  'allow_merge_commits',
  'allow_rebase',
  'allow_rebase_explicit',
  'allow_squash_merge',
  'allow_fast_forward_only_merge',
  'allow_manual_merge',
] as const;
const updateFlags = ['allow_merge_update', 'allow_rebase_update'] as const;
const otherFlags = [
  'autodetect_manual_merge',
  'ignore_whitespace_conflicts',
  'default_delete_branch_after_merge',
  'default_allow_maintainer_edit',
] as const;
type MergeFlag = (typeof mergeFlags | typeof updateFlags | typeof otherFlags)[number];
/** Values of the default merge method, each with the flag that allows it. */
const mergeStyles = [
  ['merge', 'allow_merge_commits'],
  ['rebase', 'allow_rebase'],
  ['rebase-merge', 'allow_rebase_explicit'],
  ['squash', 'allow_squash_merge'],
  ['fast-forward-only', 'allow_fast_forward_only_merge'],
  ['manually-merged', 'allow_manual_merge'],
] as const;

/** How pull requests may be merged. */
export function MergeOptions({ repository }: { repository: Repository }): VNode {
  const config = configOf(repository, 'pulls');
  const checks = (flags: readonly MergeFlag[]) =>
    flags.map((name) => <Check name={name} label={t(`merge.${name}`)} checked={config[name] === true} />);
  return (
    <div>
      <div class="d-flex flex-wrap field-row">
        <fieldset class="mb-3">
          <legend class="text-bold f5">{t('merge.styles')}</legend>
          {checks(mergeFlags)}
        </fieldset>
        <fieldset class="mb-3">
          <legend class="text-bold f5">{t('merge.updates')}</legend>
          {checks(updateFlags)}
        </fieldset>
      </div>
      <div class="d-flex flex-wrap field-row">
        <SelectField
          name="default_merge_style"
          label={t('merge.defaultStyle')}
          value={String(config.default_merge_style)}
          options={mergeStyles.map(([style, flag]): FieldOption => [style, t(`merge.${flag}`)])}
        />
        <SelectField
          name="default_update_style"
          label={t('merge.defaultUpdate')}
          value={String(config.default_update_style)}
          options={[
            ['merge', t('merge.allow_merge_update')],
            ['rebase', t('merge.allow_rebase_update')],
          ]}
        />
      </div>
      {checks(otherFlags)}
    </div>
  );
}
