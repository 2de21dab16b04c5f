import type { SourceRow, TakeoverContext } from '@mortise/plugin-sdk';
import type { Unit } from '../contract/repositories.js';

type Options = Readonly<Record<string, unknown>>;

/** A column there, an option of issues here. */
const anyBranch = 'close_issues_via_commit_in_any_branch';

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

interface SourceUnit {
  readonly type: number;
  readonly options?: Options;
}

/** There is a row for each unit that is on. */
function unitsInRows(rows: readonly SourceRow[], context: TakeoverContext): SourceUnit[] {
  return rows.map((row) => {
    const type = row.number('type');
    if (row.number('everyone_access_mode') > 0 || row.number('anonymous_access_mode') > 0)
      context.report(`${unitTypes[type]?.key} open to everybody beside the repository: this has no counterpart`);
    return { type, options: (row.json('config') ?? {}) as Options };
  });
}

/** Gogs has columns of the repository instead. */
function unitsInColumns(row: SourceRow): SourceUnit[] {
  const tracker = {
    ExternalTrackerURL: row.text('external_tracker_url'),
    ExternalTrackerFormat: row.text('external_tracker_format'),
    ExternalTrackerStyle: row.text('external_tracker_style'),
  };
  const issues = row.flag('enable_external_tracker') ? { type: 7, options: tracker } : { type: 2 };
  const externalWiki = { ExternalWikiURL: row.text('external_wiki_url') };
  const wiki = row.flag('enable_external_wiki') ? { type: 6, options: externalWiki } : { type: 5 };
  const pullOptions = {
    IgnoreWhitespaceConflicts: row.flag('pulls_ignore_whitespace'),
    AllowMerge: true,
    AllowRebase: row.flag('pulls_allow_rebase'),
  };
  return [
    { type: 1 },
    { type: 4 },
    ...(row.flag('enable_issues') ? [issues] : []),
    ...(row.flag('enable_wiki') ? [wiki] : []),
    ...(row.flag('enable_pulls') ? [{ type: 3, options: pullOptions }] : []),
  ];
}

/** The units of a repository. */
export function unitsOf(row: SourceRow, context: TakeoverContext): Unit[] {
  const units = new Map<string, Unit>(
    Object.values(unitTypes).map(({ key }) => [key, { key, enabled: false, config: {} }]),
  );
  const sourceUnits = context.isGogs ? unitsInColumns(row) : unitsInRows(row.related('units'), context);
  for (const { type: number, options = {} } of sourceUnits) {
    const type = unitTypes[number];
    if (!type) {
      context.report(`units of type ${number} have no counterpart`);
      continue;
    }
    const config = type.config?.(options) ?? {};
    units.set(type.key, { key: type.key, enabled: true, config: { ...units.get(type.key)?.config, ...config } });
  }
  const issues = units.get('issues');
  if (issues && row.has(anyBranch) && row.flag(anyBranch))
    units.set('issues', { ...issues, config: { ...issues.config, [anyBranch]: true } });
  return [...units.values()];
}

const renamed = (options: Options, names: Readonly<Record<string, string>>): Options =>
  Object.fromEntries(
    Object.entries(names).flatMap(([there, here]) =>
      options[there] === undefined || options[there] === '' ? [] : [[here, options[there]]],
    ),
  );
