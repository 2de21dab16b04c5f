import {
  ResponseCache,
  definePoint,
  defineService,
  type Actor,
  type Cache,
  type Database,
  type Events,
  type Logger,
  type PointReader,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import type { GitReader } from '@mortise/git/api';
import type { TextDiffs } from '@mortise/history/api';
import type { Repositories, RepositoryAccess, RepositoryMembers, RepositoryRelation } from '@mortise/repositories/api';
import type { SearchIndex } from '@mortise/search/api';
import type { CloseCheck, IssueModelFields, IssueProjects, Issues, TimelineKind } from '../api.js';
import type { IssueFilter, IssueRecord, IssueVisits } from '../contract/points.js';
import type { KeywordSettings, Limits } from '../settings.js';
import { AssigneeService } from './assignees.js';
import { applyCloseReferences } from './close-references.js';
import { CommentService } from './comments.js';
import { createConversationCaches, type ConversationCaches } from './conversation.js';
import { DependencyService } from './dependencies.js';
import { HiddenComments } from './hidden-comments.js';
import { labelEditor, type EditLabel } from './label-editor.js';
import { IssueFiles, type ReadConfig } from './issue-files.js';
import type { IssueTemplate } from './issue-template.js';
import { IssueService } from './issues.js';
import { IssueLabels, LabelService } from './labels.js';
import { MailedFiles } from './mailed-files.js';
import { findMentions, createMentionPatterns, type MentionPatterns } from './mention-parser.js';
import { MilestoneExchange } from './milestone-exchange.js';
import { MilestoneService } from './milestones.js';
import { ModerationService } from './moderation.js';
import { TimelinePresenter } from './timeline-presenter.js';
import { IssuePresenter } from './issue-presenter.js';
import { ReactionService } from './reactions.js';
import { IssueReader } from './issue-reader.js';
import { SubscriptionService } from './subscriptions.js';
import { TextFollower } from './text-follower.js';
import { TimelineService } from './timeline.js';

interface IssueServiceDeps {
  readonly database: Database;
  readonly events: Events;
  readonly cache: Cache;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly attachments: Attachments;
  readonly gitReader: GitReader;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly repositoryMembers: RepositoryMembers;
  readonly search: SearchIndex;
  readonly log: Logger;
}

/** What others contribute. */
interface IssuePoints {
  readonly fields: PointReader<IssueModelFields>;
  readonly filters: PointReader<IssueFilter>;
  readonly projects: PointReader<IssueProjects>;
  readonly closeChecks: PointReader<CloseCheck>;
  readonly visits: PointReader<IssueVisits>;
  readonly records: PointReader<IssueRecord>;
  readonly kinds: PointReader<TimelineKind>;
  readonly relations: PointReader<RepositoryRelation>;
  readonly teams: PointReader<TeamFinder>;
  readonly comparisons: PointReader<TextComparison>;
}

/** Finds teams by name; contributed where there are organizations. */
export interface TeamFinder {
  /** The number of a team that the actor may know of. */
  find(name: string, organization: Account, actor: Actor): Promise<number | undefined>;
}
export const teamFinder = definePoint.one<TeamFinder>('issues.teamFinder');

/** Compares versions of texts; contributed where code has a history. */
type TextComparison = Pick<TextDiffs, 'compare'>;
export const textComparison = definePoint.one<TextComparison>('issues.textComparison');

/** Everything of this plugin, built once; not part of the contract. */
export interface IssueServices {
  readonly deps: IssueServiceDeps;
  readonly points: IssuePoints;
  readonly reader: IssueReader;
  readonly presenter: IssuePresenter;
  readonly labels: LabelService;
  readonly editLabel: EditLabel;
  readonly milestones: MilestoneService;
  readonly exchange: MilestoneExchange;
  readonly entries: TimelineService;
  readonly follower: TextFollower;
  readonly mentionPatterns: MentionPatterns;
  readonly assignees: AssigneeService;
  readonly issues: IssueService;
  readonly timelinePresenter: TimelinePresenter;
  readonly comments: CommentService;
  readonly mailedFiles: MailedFiles;
  readonly reactions: ReactionService;
  readonly moderation: ModerationService;
  readonly hiddenComments: HiddenComments;
  readonly subscriptions: SubscriptionService;
  readonly dependencies: DependencyService;
  readonly issueFiles: IssueFiles;
  /** What the API answers, while nothing in it changes. */
  readonly responseCache: ResponseCache;
  /** For pages. */
  readonly conversationCaches: ConversationCaches;
  /** What other plugins get. */
  readonly contract: Issues;
}
export const issueServices = defineService<IssueServices>('issues.services');

export function createServices(
  deps: IssueServiceDeps,
  points: IssuePoints,
  limits: Limits,
  keywords: KeywordSettings,
): IssueServices {
  const mentionPatterns = createMentionPatterns(deps.site.rootUrl, keywords);
  const reader = new IssueReader({ ...deps, ...points });
  const presenter = new IssuePresenter({ ...deps, ...points, reader });
  const labels = new LabelService(deps);
  const timeline = new TimelineService(deps.database);
  const issueLabels = new IssueLabels({ ...deps, timeline });
  const assignees = new AssigneeService({ ...deps, timeline });
  const follower = new TextFollower({ ...deps, mentionPatterns, timeline });
  const issues = new IssueService({
    ...deps,
    ...points,
    presenter,
    labels,
    issueLabels,
    assignees,
    timeline,
    follower,
  });
  const timelinePresenter = new TimelinePresenter({ ...deps, ...points, reader, presenter });
  const subscriptions = new SubscriptionService(deps);
  const moderation = new ModerationService({ ...deps, ...limits, timeline });
  return {
    deps,
    points,
    reader,
    presenter,
    labels,
    editLabel: labelEditor({ ...deps, labels, issues, reader }),
    milestones: new MilestoneService(deps),
    exchange: new MilestoneExchange(deps),
    entries: timeline,
    timelinePresenter,
    comments: new CommentService({ ...deps, ...points, timeline, follower, presenter: timelinePresenter }),
    mailedFiles: new MailedFiles(deps),
    reactions: new ReactionService({ ...deps, allowed: limits.reactions }),
    moderation,
    hiddenComments: new HiddenComments({ ...deps, timeline }),
    subscriptions,
    dependencies: new DependencyService({ ...deps, ...limits, reader, timeline }),
    issueFiles: new IssueFiles(
      deps.gitReader,
      deps.cache.memory<readonly IssueTemplate[]>('issues.templates'),
      deps.cache.memory<ReadConfig>('issues.configs'),
    ),
    responseCache: new ResponseCache(deps.cache, 'issues.answers'),
    conversationCaches: createConversationCaches(deps.cache),
    follower,
    mentionPatterns,
    assignees,
    issues,
    contract: {
      byId: (id) => reader.byId(id),
      byIds: (ids) => reader.byIds(ids),
      byIndex: (repositoryId, index) => reader.byIndex(repositoryId, index),
      byRefs: (refs) => reader.byRefs(refs),
      search: (search, actor) => reader.search(search, actor),
      create: (repository, issue, actor) => issues.create(repository, issue, actor),
      edit: (repository, issue, changes, actor) => issues.edit(repository, issue, changes, actor),
      applyCloseReferences: (issue, actor) => applyCloseReferences(issue, actor, { ...deps, issues, reader }),
      readable: (actor) => reader.filters.readable(actor),
      toApi: (list, actor) => presenter.toApi(list, actor),
      labels: (ids) => reader.labels(ids),
      assignees: (ids) => reader.assignees(ids),
      milestones: (ids) => reader.milestones(ids),
      followers: (issue) => subscriptions.followers(issue),
      followersOf: (issues) => subscriptions.followersOf(issues),
      subscribe: (issue, userId, isSubscribed) => subscriptions.set(issue, userId, isSubscribed),
      pinned: (repositoryId, isPull) => moderation.pinned(repositoryId, isPull),
      htmlUrl: (repository, issue) => presenter.htmlUrl(repository, issue),
      closedBy: (text) =>
        findMentions(text, mentionPatterns)
          .issues.filter(({ action }) => action === 'closes')
          .map(({ repository = '', index }) => `${repository}#${index}`),
    },
  };
}
