import type { ImportedIssue } from '@mortise/issues/api';
import type { SourceIssue, SourceUser } from '../contract/records.js';
import { reactingUsers } from '../services/authors.js';
import { issueShape } from '../services/record-shape.js';
import { cleanBranch, cleanLine, cleanList, cleanNumber, cleanText, cleanTime } from '../services/sanitize.js';
import { labelName } from './labels.js';
import { findNamed, type Named } from './named.js';
import type { ImportStepKind, StepContext } from './step.js';

const maxLabels = 100;
const maxAssignees = 100;

export const issueKey = ({ number }: { readonly number: number }): string => String(cleanNumber(number) ?? '');

const usersOf = (issue: SourceIssue): SourceUser[] => [
  issue.author,
  ...cleanList(issue.assignees, maxAssignees),
  ...reactingUsers(issue.reactions),
];

function fullRef(ref: string | undefined): string {
  const [, prefix, name = ''] = /^(refs\/(?:heads|tags)\/)?(.*)$/s.exec(ref ?? '') ?? [];
  const branch = cleanBranch(name);
  return branch ? `${prefix ?? 'refs/heads/'}${branch}`.slice(0, 255) : '';
}

const labelsOf = (issue: SourceIssue): Named[] => {
  const ids = cleanList(issue.labelIds, maxLabels);
  return cleanList(issue.labels, maxLabels).map((name, at) => ({ name: labelName(name), id: cleanLine(ids[at]) }));
};
const milestoneOf = ({ milestone, milestoneId }: SourceIssue): Named => ({
  name: cleanLine(milestone),
  id: cleanLine(milestoneId),
});

/** What issues and pull requests have in common, with the labels, milestones and accounts of this site. */
export async function toImportedIssues(
  items: readonly SourceIssue[],
  isPull: boolean,
  context: StepContext,
): Promise<ImportedIssue[]> {
  const { authors } = context;
  const [findLabel, findMilestone] = await Promise.all([
    findNamed('label', items.flatMap(labelsOf), context),
    findNamed('milestone', items.map(milestoneOf), context),
    authors.load(items.flatMap(usersOf)),
  ]);
  const idsOf = (issue: SourceIssue, named: readonly Named[], find: typeof findLabel): number[] =>
    named.flatMap((one) => {
      const found = find(one);
      if (found?.isOneOfSeveral) context.note(`#${issue.number}: has the first of several that are called ${one.name}`);
      return found?.localId ?? [];
    });
  const now = Date.now();
  return items.map((issue) => {
    const author = authors.of(issue.author);
    const isClosed = issue.isClosed === true;
    const createdAt = cleanTime(issue.createdAt, now);
    const updatedAt = cleanTime(issue.updatedAt, createdAt);
    return {
      originalAuthor: author.originalAuthor,
      originalAuthorId: author.originalAuthorId,
      posterId: author.accountId,
      number: issue.number,
      isPull,
      title: cleanLine(issue.title) || `#${issue.number}`,
      body: cleanText(issue.body),
      isClosed,
      isLocked: issue.isLocked === true,
      ref: fullRef(issue.ref),
      labelIds: idsOf(issue, labelsOf(issue), findLabel),
      milestoneId: idsOf(issue, [milestoneOf(issue)], findMilestone)[0] ?? 0,
      assigneeIds: cleanList(issue.assignees, maxAssignees).flatMap((user) => authors.accountOf(user) ?? []),
      reactions: authors.reactions(issue.reactions),
      createdAt,
      updatedAt,
      closedAt: isClosed ? cleanTime(issue.closedAt, updatedAt) : 0,
      startAt: cleanTime(issue.startAt, 0),
      dueAt: cleanTime(issue.dueAt, 0),
    };
  });
}

export const issueStep: ImportStepKind<SourceIssue> = {
  step: 'issues',
  kinds: ['issues'],
  maxItems: 200_000,
  itemKind: 'issue',
  shape: issueShape,
  pages: (reader, _context, after) => reader.issues?.(after),
  keyOf: issueKey,
  async prepare(items, context) {
    const { deps, options } = context;
    const issues = await toImportedIssues(items, false, context);
    return {
      async write() {
        const ids = await deps.issueImports.issues(options.repository.id, issues);
        return issues.map(({ number }, at) => ({ kind: 'issue', key: String(number), localId: ids[at]!, number }));
      },
    };
  },
};
