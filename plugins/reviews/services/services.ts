import {
  defineService,
  type Cache,
  type Database,
  type Events,
  type Jobs,
  type Logger,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader, GitWriter } from '@mortise/git/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';
import type {
  BranchAccess,
  AccessSource,
  CommitWriter,
  Repositories,
  RepositoryAccess,
} from '@mortise/repositories/api';
import type { Reviews } from '../contract/reviews.js';
import type { ReviewSettings } from '../settings.js';
import { ReviewCommentWriter } from './review-comment-writer.js';
import { LineTracker } from './line-tracker.js';
import { StalenessTracker } from './staleness.js';
import { OfficialReviews } from './official-reviews.js';
import { OwnerRequests } from './owner-requests.js';
import { CodeOwners } from './code-owners.js';
import { Reviewers, type OptionalSources } from './reviewers.js';
import { CommentPositions } from './diff-position.js';
import { ReviewPresenter } from './review-presenter.js';
import { ReviewReader } from './review-reader.js';
import { ReviewRequests } from './review-requests.js';
import { Suggestions } from './suggestions.js';
import { ViewedFiles } from './viewed-files.js';
import { ReviewWriter } from './review-writer.js';

interface ReviewServiceDeps {
  readonly database: Database;
  readonly cache: Cache;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly commitWriter: CommitWriter;
  readonly issues: Issues;
  readonly timeline: Timeline;
  readonly pulls: Pulls;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly branchAccess: BranchAccess;
}

/** Everything of this plugin, built once; not part of the contract. */
export interface ReviewServices {
  readonly reader: ReviewReader;
  readonly presenter: ReviewPresenter;
  readonly reviewers: Reviewers;
  readonly requests: ReviewRequests;
  readonly writer: ReviewWriter;
  readonly comments: ReviewCommentWriter;
  readonly staleness: StalenessTracker;
  readonly lineTracker: LineTracker;
  readonly official: OfficialReviews;
  readonly owners: CodeOwners;
  readonly ownerRequests: OwnerRequests;
  readonly suggestions: Suggestions;
  readonly viewed: ViewedFiles;
  /** What other plugins get. */
  readonly contract: Reviews;
}
export const reviewServices = defineService<ReviewServices>('reviews.services');

export function createServices(
  deps: ReviewServiceDeps,
  sources: OptionalSources & { readonly accessSources: PointReader<AccessSource> },
  settings: ReviewSettings,
  log: Pick<Logger, 'warn'>,
): ReviewServices {
  const reader = new ReviewReader(deps.database, deps.cache);
  const reviewers = new Reviewers({ ...deps, ...sources });
  const official = new OfficialReviews({ ...deps, reviewers });
  const presenter = new ReviewPresenter({ ...deps, reader, reviewers, official });
  const requests = new ReviewRequests(deps);
  const positions = new CommentPositions({ ...deps, linesAbove: settings.CODE_COMMENT_LINES });
  const comments = new ReviewCommentWriter({ ...deps, reader });
  const staleness = new StalenessTracker(deps);
  const lineTracker = new LineTracker(deps);
  const writer = new ReviewWriter({ ...deps, log, reader, reviewers, positions, comments, staleness, lineTracker });
  const owners = new CodeOwners({ ...deps, reviewers });
  const ownerRequests = new OwnerRequests({ ...deps, reader, reviewers, owners, requests });
  const suggestions = new Suggestions({ ...deps, reader, lineTracker });
  return {
    reader,
    presenter,
    reviewers,
    requests,
    writer,
    comments,
    staleness,
    lineTracker,
    official,
    owners,
    ownerRequests,
    suggestions,
    viewed: new ViewedFiles(deps.database),
    contract: {
      byId: (id) => reader.byId(id),
      list: (issueId, actor, page) => reader.list(issueId, actor, page),
      summary: (issueIds) => reader.summary(issueIds),
      comments: (issueId, actor) => reader.comments(issueId, actor),
      submit: (context, review, actor) => writer.submit(context, review, actor),
      reply: (context, to, body, actor) => comments.reply(context, to, body, actor),
      resolve: (context, comment, isResolved, actor) => comments.resolve(context.issue, comment, isResolved, actor),
      applySuggestions: (context, input, actor) => suggestions.apply(context, input, actor),
      toApi: (reviews, actor) => presenter.reviews(reviews, actor),
      commentsToApi: (list, actor) => presenter.comments(list, actor),
    },
  };
}
