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
import type { Reviews } from '../api.js';
import type { ReviewSettings } from '../settings.js';
import { ReviewCommentWriter } from './comments.js';
import { LineFollower } from './follow-lines.js';
import { Freshness } from './freshness.js';
import { OfficialReviews } from './official-reviews.js';
import { OwnerRequests } from './owner-requests.js';
import { CodeOwners } from './owners.js';
import { Reviewers, type OptionalSources } from './people.js';
import { CommentPlaces } from './places.js';
import { ReviewPresenter } from './present.js';
import { ReviewReader } from './reader.js';
import { ReviewRequests } from './requests.js';
import { Suggestions } from './suggestions.js';
import { ViewedFiles } from './viewed.js';
import { ReviewWriter } from './writer.js';

export interface ReviewServiceDeps {
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
  readonly freshness: Freshness;
  readonly follower: LineFollower;
  readonly official: OfficialReviews;
  readonly owners: CodeOwners;
  readonly ownerRequests: OwnerRequests;
  readonly suggestions: Suggestions;
  readonly viewed: ViewedFiles;
  /** What other plugins get. */
  readonly shared: Reviews;
}
export const reviewServices = defineService<ReviewServices>('reviews.services');

export function makeServices(
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
  const places = new CommentPlaces({ ...deps, linesAbove: settings.CODE_COMMENT_LINES });
  const comments = new ReviewCommentWriter({ ...deps, reader });
  const freshness = new Freshness(deps);
  const follower = new LineFollower(deps);
  const writer = new ReviewWriter({ ...deps, log, reader, reviewers, places, comments, freshness, follower });
  const owners = new CodeOwners({ ...deps, reviewers });
  const ownerRequests = new OwnerRequests({ ...deps, reader, reviewers, owners, requests });
  const suggestions = new Suggestions({ ...deps, reader, follower });
  return {
    reader,
    presenter,
    reviewers,
    requests,
    writer,
    comments,
    freshness,
    follower,
    official,
    owners,
    ownerRequests,
    suggestions,
    viewed: new ViewedFiles(deps.database),
    shared: {
      byId: (id) => reader.byId(id),
      list: (issueId, actor, page) => reader.list(issueId, actor, page),
      summary: (issueIds) => reader.summary(issueIds),
      comments: (issueId, actor) => reader.comments(issueId, actor),
      submit: (context, review, actor) => writer.submit(context, review, actor),
      reply: (context, to, body, actor) => comments.reply(context, to, body, actor),
      resolve: (context, comment, isResolved, actor) => comments.resolve(context.issue, comment, isResolved, actor),
      applySuggestions: (context, wish, actor) => suggestions.apply(context, wish, actor),
      toApi: (reviews, actor) => presenter.reviews(reviews, actor),
      commentsToApi: (list, actor) => presenter.comments(list, actor),
    },
  };
}
