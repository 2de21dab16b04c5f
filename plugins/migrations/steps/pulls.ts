import type { ImportedPull } from '@mortise/pulls/api';
import type { SourcePullRequest } from '../contract/records.js';
import { pullShape } from '../services/record-shape.js';
import { cleanBranch, cleanLine, cleanOid, cleanTime } from '../services/sanitize.js';
import { issueKey, toImportedIssues } from './issues.js';
import type { ImportStepKind, StepContext } from './step.js';

/** The head lies in the repository itself, and not in a fork. */
const isOwnHead = ({ head, base }: SourcePullRequest): boolean =>
  head.repository !== undefined &&
  cleanLine(head.repository).toLowerCase() === cleanLine(base.repository).toLowerCase();

/** Services that mark drafts by titles too have beginnings of their own. */
const draftTitle = (title: string, { deps }: StepContext): string =>
  deps.pullImports.draftTitle(title.replace(/^(?:draft:|\[draft\]|\(draft\))\s*(?=\S)/i, ''));

async function toImportedPulls(items: readonly SourcePullRequest[], { options, authors }: StepContext) {
  await authors.load(items.flatMap(({ merger }) => (merger ? [merger] : [])));
  return items.map((pull): Omit<ImportedPull, 'title' | 'createdAt'> => {
    const isMerged = pull.isMerged === true;
    return {
      number: pull.number,
      baseBranch: cleanBranch(pull.base.branch) || options.repository.defaultBranch,
      headRepositoryId: isOwnHead(pull) ? options.repository.id : 0,
      headBranch: cleanBranch(pull.head.branch) || `pull-${pull.number}`,
      headOid: cleanOid(pull.head.commit),
      baseOid: cleanOid(pull.base.commit),
      isClosed: pull.isClosed === true || isMerged,
      isMerged,
      mergedAt: isMerged ? cleanTime(pull.mergedAt, cleanTime(pull.closedAt, Date.now())) : 0,
      mergerId: isMerged ? ((pull.merger && authors.accountOf(pull.merger)) ?? options.actor.id) : 0,
      mergeCommit: cleanOid(pull.mergeCommit),
    };
  });
}

export const pullStep: ImportStepKind<SourcePullRequest> = {
  step: 'pull_requests',
  kinds: ['pull_requests'],
  maxItems: 100_000,
  itemKind: 'pull',
  shape: pullShape,
  pages: (reader, _context, after) => reader.pullRequests?.(after),
  keyOf: issueKey,
  async prepare(items, context) {
    const { deps, options } = context;
    const { id } = options.repository;
    const issues = (await toImportedIssues(items, true, context)).map((issue, at) => ({
      ...issue,
      title: items[at]!.isDraft && !items[at]!.isMerged ? draftTitle(issue.title, context) : issue.title,
      isClosed: issue.isClosed || items[at]!.isMerged === true,
    }));
    const pulls = await toImportedPulls(items, context);
    const prepared = await deps.pullImports.prepare(
      id,
      pulls.map((pull, at) => ({ ...pull, title: issues[at]!.title, createdAt: issues[at]!.createdAt })),
    );
    for (const [at, { headOid }] of prepared.entries())
      if (headOid !== pulls[at]!.headOid) context.note(`#${pulls[at]!.number}: the commits of its head are gone`);
    return {
      async write() {
        const ids = await deps.issueImports.issues(id, issues);
        await deps.pullImports.insert(id, prepared, ids);
        return issues.map(({ number }, at) => ({ kind: 'pull', key: String(number), localId: ids[at]!, number }));
      },
    };
  },
  finish: ({ deps, options }) => deps.pullImports.checkOpen(options.repository.id),
};
