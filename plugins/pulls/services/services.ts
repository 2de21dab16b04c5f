import {
  defineService,
  type Cache,
  type Database,
  type Events,
  type Jobs,
  type Locks,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { BranchProtections } from '@mortise/branch-protection/api';
import type { GitReader, GitStore, GitWriter, RefUpdates } from '@mortise/git/api';
import type { CloseCheck, Issues, Timeline } from '@mortise/issues/api';
import type {
  BranchAccess,
  CommitWriter,
  Repositories,
  RepositoryAccess,
  RepositoryQuota,
} from '@mortise/repositories/api';
import type {
  MergeRequirement,
  MergeTemplateVariables,
  PullFields,
  PullImports,
  PullExtension,
  Pulls,
} from '../api.js';
import type { PullSettings } from '../settings.js';
import { AgitReceiver } from './agit.js';
import { Approvers } from './approvers.js';
import { AutoMerger } from './auto-merge.js';
import { BranchPushers } from './branch-pushers.js';
import { BranchCleaner } from './branch-cleaner.js';
import { PullCreator } from './pull-creator.js';
import { DifferenceFinder } from './difference.js';
import { DraftTitles } from './draft-titles.js';
import { PullEditor } from './pull-editor.js';
import { BranchFinder } from './branch-finder.js';
import { PullImportService } from './imports.js';
import { PullMerger } from './pull-merger.js';
import { MergeMessages } from './merge-messages.js';
import { RepositoryTexts } from './repository-texts.js';
import { MergeabilityChecker } from './mergeability.js';
import { PullPresenter } from './pull-presenter.js';
import { rightsBy } from './protection-requirement.js';
import { PullRanges } from './pull-ranges.js';
import { RecentPushes } from './recent-pushes.js';
import { PullReader } from './pull-reader.js';
import { PullRefs } from './pull-refs.js';
import { MergeRecorder } from './merge-recorder.js';
import { PullSyncer } from './pull-syncer.js';
import { PullUpdater } from './pull-updater.js';

interface PullServiceDeps {
  readonly database: Database;
  readonly events: Events;
  readonly cache: Cache;
  readonly jobs: Jobs;
  readonly locks: Locks;
  readonly accounts: Accounts;
  readonly store: GitStore;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly refUpdates: RefUpdates;
  readonly issues: Issues;
  readonly timeline: Timeline;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly repositoryQuota: RepositoryQuota;
  readonly branchAccess: BranchAccess;
  readonly commitWriter: CommitWriter;
}

interface PullPoints {
  readonly fields: PointReader<PullFields>;
  readonly extensions: PointReader<PullExtension>;
  readonly requirements: PointReader<MergeRequirement>;
  readonly templateVariables: PointReader<MergeTemplateVariables>;
  readonly closeChecks: PointReader<CloseCheck>;
  /** Undefined where no plugin protects branches. */
  readonly protections: () => BranchProtections | undefined;
}

/** Everything of this plugin, built once; not part of the contract. */
export interface PullServices {
  readonly reader: PullReader;
  readonly presenter: PullPresenter;
  readonly settings: PullSettings;
  readonly drafts: DraftTitles;
  readonly branchFinder: BranchFinder;
  readonly creator: PullCreator;
  readonly editor: PullEditor;
  readonly syncer: PullSyncer;
  readonly mergeRecorder: MergeRecorder;
  readonly merger: PullMerger;
  readonly updater: PullUpdater;
  readonly cleaner: BranchCleaner;
  readonly mergeability: MergeabilityChecker;
  readonly ranges: PullRanges;
  readonly refs: PullRefs;
  readonly differences: DifferenceFinder;
  readonly autoMerger: AutoMerger;
  readonly agit: AgitReceiver;
  readonly texts: RepositoryTexts;
  readonly messages: MergeMessages;
  readonly recent: RecentPushes;
  readonly branchPushers: BranchPushers;
  /** What other plugins get. */
  readonly imports: PullImports;
  readonly contract: Pulls;
}
export const pullServices = defineService<PullServices>('pulls.services');

export function createServices(deps: PullServiceDeps, points: PullPoints, settings: PullSettings): PullServices {
  const reader = new PullReader(deps);
  const presenter = new PullPresenter({ ...deps, reader, fields: points.fields });
  const drafts = new DraftTitles(settings);
  const differences = new DifferenceFinder({ reader: deps.gitReader, writer: deps.gitWriter });
  const refs = new PullRefs(deps);
  const ranges = new PullRanges(deps.gitReader);
  const creator = new PullCreator({ ...deps, reader, differences, drafts, refs, extensions: points.extensions });
  const editor = new PullEditor({ ...deps, differences });
  const branchPushers = new BranchPushers({ ...deps, reader });
  const syncer = new PullSyncer({ ...deps, reader, differences, refs, pushers: branchPushers });
  const mergeRecorder = new MergeRecorder(deps);
  const mergeability = new MergeabilityChecker({
    requirements: points.requirements,
    closeChecks: points.closeChecks,
    rights: (context, actor) => rightsBy(points.protections())(context, actor),
  });
  const texts = new RepositoryTexts(deps.gitReader);
  const messages = new MergeMessages({ ...deps, texts, settings, words: points.templateVariables });
  const merger = new PullMerger({ ...deps, reader, syncer, mergeRecorder, mergeability, messages, settings });
  const updater = new PullUpdater({ ...deps, reader, syncer });
  const cleaner = new BranchCleaner({ ...deps, reader });
  const merge: Pulls['merge'] = async (context, options, actor) => {
    const merged = await merger.merge(context, options, actor);
    await cleaner.clean(merged.issueId);
    return merged;
  };
  const approvers = new Approvers({ ...deps, pushers: branchPushers });
  const autoMerger = new AutoMerger({ ...deps, reader, mergeability, merge });
  return {
    settings,
    reader,
    presenter,
    drafts,
    branchFinder: new BranchFinder({ ...deps, reader: deps.gitReader }),
    creator,
    editor,
    syncer,
    mergeRecorder,
    merger,
    updater,
    cleaner,
    mergeability,
    ranges,
    refs,
    texts,
    messages,
    recent: new RecentPushes({ ...deps, reader }),
    branchPushers,
    autoMerger,
    imports: new PullImportService({ ...deps, refs, differences, drafts }),
    differences,
    agit: new AgitReceiver({ ...deps, reader, creator, syncer, drafts }),
    contract: {
      byIssueId: (issueId) => reader.byIssueId(issueId),
      byIssueIds: (issueIds) => reader.byIssueIds(issueIds),
      openFrom: (repositoryId, branch) => reader.openFrom(repositoryId, branch),
      openFromAny: (heads) => reader.openFromAny(heads),
      openInto: (repositoryId, branch) => reader.openInto(repositoryId, branch),
      mergedAs: (repositoryId, commits) => reader.mergedAs(repositoryId, commits),
      firstMerges: (repositoryId, posterIds) => reader.firstMerges(repositoryId, posterIds),
      create: (repository, input, actor) => creator.create(repository, input, actor),
      toApi: (issues, actor) => presenter.toApi(issues, actor),
      range: (pull) => ranges.of(pull),
      changes: (pull) => ranges.changes(pull),
      blockers: (context, actor) => mergeability.blockers(context, actor),
      contextOf: (issueId, actor) => autoMerger.context(issueId, actor),
      build: (context, options, actor, onto) => merger.build(context, options, actor, onto),
      merge,
      versions: (pull) => reader.versions(pull),
      qualifiedApprovers: (subject, userIds, unit) => approvers.among(subject, userIds, unit),
      activeWriters: (repository, userIds, unit) => approvers.writersAmong(repository, userIds, unit),
      isPushedOnlyBy: (pull, userId) => branchPushers.areAllOf(pull, userId),
    },
  };
}
