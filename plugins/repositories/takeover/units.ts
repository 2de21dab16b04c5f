import type { SourceRow, TakeoverContext } from '@mortise/plugin-sdk';
import type { Unit } from '../contract/repositories.js';

type Options = Readonly<Record<string, unknown>>;

/** Names of options there and here. */
const issueOptions = {
  EnableTimetracker: 'enable_time_tracker',
  AllowOnlyContributorsToTrackTime: 'allow_only_contributors_to_track_time',
  EnableDependencies: 'enable_issue_dependencies',
};
const pullOptions = {
  IgnoreWhitespaceConflicts: 'ignore_whitespace_conflicts',
  AllowMerge: 'allow_merge_commits',
  AllowRebase: 'allow_rebase',
  AllowRebaseMerge: 'allow_rebase_explicit',
  AllowSquash: 'allow_squash_merge',
  AllowFastForwardOnly: 'allow_fast_forward_only_merge',
  AllowManualMerge: 'allow_manual_merge',
  AutodetectManualMerge: 'autodetect_manual_merge',
  AllowRebaseUpdate: 'allow_rebase_update',
  DefaultDeleteBranchAfterMerge: 'default_delete_branch_after_merge',
  DefaultMergeStyle: 'default_merge_style',
  DefaultUpdateStyle: 'default_update_style',
  DefaultAllowMaintainerEdit: 'default_allow_maintainer_edit',
};
const trackerOptions = {
  ExternalTrackerURL: 'external_tracker_url',
  ExternalTrackerFormat: 'external_tracker_format',
  ExternalTrackerStyle: 'external_tracker_style',
  ExternalTrackerRegexpPattern: 'external_tracker_regexp_pattern',
};

/** What `repo_unit.type` is there. */
const unitTypes: Readonly<Record<number, { readonly key: string; config?(options: Options): Options }>> = {
  1: { key: 'code' },
  2: { key: 'issues', config: (options) => renamed(options, issueOptions) },
  3: { key: 'pulls', config: (options) => ({ allow_merge_update: true, ...renamed(options, pullOptions) }) },
  4: { key: 'releases' },
  5: { key: 'wiki' },
  6: {
    key: 'wiki',
    config: (options) => ({ external_wiki: { external_wiki_url: options.ExternalWikiURL ?? '' } }),
  },
  7: {
    key: 'issues',
    config: (options) => ({
      external_tracker: {
        external_tracker_format: '',
        external_tracker_regexp_pattern: '',
        ...renamed(options, trackerOptions),
        external_tracker_style: options.ExternalTrackerStyle || 'numeric',
      },
    }),
  },
  8: { key: 'projects', config: (options) => renamed(options, { ProjectsMode: 'projects_mode' }) },
  9: { key: 'packages' },
  10: { key: 'actions' },
};

/** The units of a repository: there is a row for each that is on. */
export function unitsOf(rows: readonly SourceRow[], context: TakeoverContext): Unit[] {
  const units = new Map<string, Unit>(
    Object.values(unitTypes).map(({ key }) => [key, { key, enabled: false, config: {} }]),
  );
  for (const row of rows) {
    const type = unitTypes[row.number('type')];
    if (!type) {
      context.report(`units of type ${row.number('type')} have no counterpart`);
      continue;
    }
    if (row.number('everyone_access_mode') > 0 || row.number('anonymous_access_mode') > 0)
      context.report(`${type.key} open to everybody beside the repository: this has no counterpart`);
    const config = type.config?.((row.json('config') ?? {}) as Options) ?? {};
    units.set(type.key, { key: type.key, enabled: true, config: { ...units.get(type.key)?.config, ...config } });
  }
  return [...units.values()];
}

const renamed = (options: Options, names: Readonly<Record<string, string>>): Options =>
  Object.fromEntries(
    Object.entries(names).flatMap(([there, here]) =>
      options[there] === undefined || options[there] === '' ? [] : [[here, options[there]]],
    ),
  );
