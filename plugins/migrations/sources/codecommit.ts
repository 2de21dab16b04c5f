import { type MigrationSource } from '../api.js';
import { SourceFailure, type SourcePages, type SourceReader, type SourceSubject } from '../contract/source.js';
import type {
  SourceComment,
  SourcePullBranch,
  SourcePullRequest,
  SourceRepository,
  SourceReview,
  SourceReviewComment,
  SourceUser,
} from '../contract/records.js';
import { t } from '../texts/index.js';
import { CodeCommitApi, codeCommitAddress } from './codecommit-api.js';
import { numberOf, pageRecords, recordOf, recordsOf, textOf, type Answered } from './gitea-api.js';
import { each } from './linked-pages.js';

const pageSize = 100;
/** Of a position, which is stored. */
const maxToken = 500;

const timeOf = (seconds: unknown): number | undefined => Math.floor(numberOf(seconds) * 1000) || undefined;

/** `arn:aws:iam::123456789012:user/ada`: the account has no name but the last part. */
const userOf = (arn: unknown): SourceUser => ({ name: textOf(arn).split('/').at(-1) || 'Ghost' });

const branchOf = (reference: unknown, commit: unknown): SourcePullBranch => ({
  branch: textOf(reference).replace(/^refs\/heads\//, ''),
  commit: textOf(commit),
});

/** Undefined on the last page. */
function nextOf({ nextToken }: Answered): string | undefined {
  const token = textOf(nextToken);
  if (token.length > maxToken)
    throw new SourceFailure('invalidData', `The source gives a position of more than ${maxToken} characters.`);
  return token || undefined;
}

class CodeCommitReader implements SourceReader {
  constructor(
    private readonly api: CodeCommitApi,
    private readonly record: Answered,
    private readonly name: string,
    private readonly cloneUrl: string,
  ) {}

  repository(): Promise<SourceRepository> {
    return Promise.resolve({
      name: this.name,
      description: textOf(this.record.repositoryDescription),
      isPrivate: true,
      defaultBranch: textOf(this.record.defaultBranch),
      topics: [],
      cloneUrl: this.cloneUrl,
    });
  }

  async *pullRequests(after?: string): SourcePages<SourcePullRequest> {
    for (let token = after; ;) {
      const page = await this.api.ask('ListPullRequests', {
        repositoryName: this.name,
        maxResults: pageSize,
        ...(token && { nextToken: token }),
      });
      const ids = Array.isArray(page.pullRequestIds) ? page.pullRequestIds.slice(0, pageSize).map(textOf) : [];
      const validIds = ids.filter((id) => /^\d{1,10}$/.test(id));
      token = nextOf(page);
      yield { items: await each(validIds, this.#pull), ...(token && { next: token }) };
      if (!token) return;
    }
  }

  commentsOf = (subject: SourceSubject, after?: string): SourcePages<SourceComment> =>
    this.#discussions(subject, after, (one) =>
      positionOf(one).path ? [] : textsOf(one).map(commentOf(subject.number)),
    );

  /** What was said at lines. */
  reviewsOf = (pull: SourceSubject, after?: string): SourcePages<SourceReview> =>
    this.#discussions(pull, after, (one) => reviewOf(one, pull.number) ?? []);

  #pull = async (id: string): Promise<SourcePullRequest> => {
    const pull = recordOf((await this.api.ask('GetPullRequest', { pullRequestId: id })).pullRequest);
    const target = recordsOf(pull.pullRequestTargets)[0] ?? {};
    const merge = recordOf(target.mergeMetadata);
    const lastAt = timeOf(pull.lastActivityDate);
    const isClosed = pull.pullRequestStatus === 'CLOSED';
    const isMerged = merge.isMerged === true;
    return {
      number: Number(id),
      title: textOf(pull.title),
      body: textOf(pull.description),
      author: userOf(pull.authorArn),
      isClosed,
      isLocked: false,
      labels: [],
      assignees: [],
      reactions: [],
      head: branchOf(target.sourceReference, target.sourceCommit),
      base: branchOf(target.destinationReference, target.destinationCommit),
      isMerged,
      createdAt: timeOf(pull.creationDate),
      updatedAt: lastAt,
      ...(isClosed && { closedAt: lastAt }),
      ...(isMerged && { mergedAt: lastAt, mergeCommit: textOf(merge.mergeCommitId), merger: userOf(merge.mergedBy) }),
    };
  };

  async *#discussions<T>(
    { number }: SourceSubject,
    after: string | undefined,
    read: (discussion: Answered) => T | readonly T[],
  ): SourcePages<T> {
    for (let token = after; ;) {
      const page = await this.api.ask('GetCommentsForPullRequest', {
        pullRequestId: String(number),
        maxResults: pageSize,
        ...(token && { nextToken: token }),
      });
      token = nextOf(page);
      const items = pageRecords(page.commentsForPullRequestData).flatMap(read);
      yield { items, ...(token && { next: token }) };
      if (!token) return;
    }
  }
}

const positionOf = ({ location }: Answered) => {
  const { filePath, filePosition, relativeFileVersion } = recordOf(location);
  return {
    path: textOf(filePath),
    line: numberOf(filePosition),
    side: relativeFileVersion === 'BEFORE' ? ('old' as const) : ('new' as const),
  };
};

const textsOf = ({ comments }: Answered): Answered[] =>
  pageRecords(comments).filter(({ deleted, content }) => deleted !== true && textOf(content));

const commentOf =
  (issue: number) =>
  (one: Answered): SourceComment => ({
    id: textOf(one.commentId),
    issue,
    body: textOf(one.content),
    author: userOf(one.authorArn),
    reactions: [],
    createdAt: timeOf(one.creationDate),
    updatedAt: timeOf(one.lastModifiedDate),
  });

/** A discussion at a line as a review; undefined for others. */
function reviewOf(discussion: Answered, pull: number): SourceReview | undefined {
  const position = positionOf(discussion);
  const texts = textsOf(discussion);
  const [first] = texts;
  if (!position.path || !first) return undefined;
  const commit = textOf(position.side === 'old' ? discussion.beforeCommitId : discussion.afterCommitId);
  const comments = texts.map((one, at): SourceReviewComment => {
    const { issue: _issue, ...comment } = commentOf(pull)(one);
    return { ...comment, ...position, commit, ...(at > 0 && { replyTo: textOf(first.commentId) }) };
  });
  const [{ id, author, createdAt }] = [comments[0]!];
  return {
    id,
    pull,
    state: 'comment',
    author,
    body: '',
    commit: textOf(discussion.afterCommitId),
    comments,
    createdAt,
  };
}

export const codeCommitSource: MigrationSource = {
  key: 'codecommit',
  label: t.later('codecommit.label'),
  description: t.later('codecommit.description'),
  icon: 'repo',
  order: 90,
  addressPlaceholder: 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/name',
  fields: [
    { name: 'aws_access_key_id', label: t.later('codecommit.keyId'), type: 'password', required: true },
    { name: 'aws_secret_access_key', label: t.later('codecommit.secret'), type: 'password', required: true },
    { name: 'auth_username', label: t.later('codecommit.username'), help: t.later('codecommit.gitNote') },
    { name: 'auth_password', label: t.later('codecommit.password'), type: 'password' },
  ],
  kinds: ['pull_requests'],
  async connect(options, tools) {
    const address = codeCommitAddress(options.address);
    const api = new CodeCommitApi(tools, address, options);
    const { repositoryMetadata } = await api.ask('GetRepository', { repositoryName: address.name });
    return new CodeCommitReader(api, recordOf(repositoryMetadata), address.name, options.address);
  },
};
