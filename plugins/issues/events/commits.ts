import { Problem, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { isZeroOid, subjectOf, type Commit, type GitReader, type RefsUpdated, type RefUpdate } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import { unitOf, type Issue } from '../api.js';
import { TimelineRow } from '../models/timeline.js';
import { findMentions, type IssueReference } from '../services/mention-parser.js';
import { mayRecordReference } from '../services/participation.js';
import type { IssueServices } from '../services/services.js';

interface CommitDeps {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly issueServices: IssueServices;
}

/** Whoever pushes a whole history does not want thousands of entries. */
const maxBranches = 20;
const maxCommits = 200;
const heads = 'refs/heads/';

/** The option of a repository with which commits on any branch close issues. */
export const anyBranchOption = 'close_issues_via_commit_in_any_branch';

/**
 * What commits name gets an entry in its timeline, and it is closed or reopened: on the default branch, or where the
 * repository wants so on any.
 */
export async function followCommits(moved: RefsUpdated, deps: CommitDeps): Promise<void> {
  // what the site moves by itself nobody has said yet, such as candidates of a merge queue
  if (moved.kind !== 'code' || ['mirror', 'internal'].includes(moved.source) || moved.pusherId <= 0) return;
  const repository = await deps.repositories.byId(moved.repositoryId);
  const pusher = await deps.accounts.byId(moved.pusherId);
  if (!repository || !pusher) return;
  const isAnyBranch = repository.units.find(({ key }) => key === 'issues')?.config[anyBranchOption] === true;
  const branches = moved.updates.filter((update) => update.ref.startsWith(heads) && !isZeroOid(update.new));
  for (const update of branches.slice(0, maxBranches)) {
    const isDefault = update.ref === heads + repository.defaultBranch;
    for (const commit of await newCommits(repository, update, isDefault, deps))
      for (const named of findMentions(commit.message, deps.issueServices.mentionPatterns).issues)
        await addReference(
          {
            repository,
            pusher,
            commit,
            named,
            acts: isDefault || isAnyBranch,
            isMerge: moved.source === 'merge',
            at: moved.at,
          },
          deps,
        );
  }
}

/** Commits that the update brought, oldest first: of a new branch those that the default branch has not. */
async function newCommits(
  repository: Repository,
  update: RefUpdate,
  isDefault: boolean,
  { gitReader }: CommitDeps,
): Promise<readonly Commit[]> {
  const git = gitReader.open(repository.id);
  let not = isZeroOid(update.old) ? undefined : update.old;
  if (!not && !isDefault) not = (await git.branch(repository.defaultBranch))?.oid;
  // What a forced push threw away may be gone already.
  if (not && !(await git.info(not))) not = undefined;
  if (!(await git.info(update.new))) return [];
  const { commits } = await git.log({ from: [update.new], not: not ? [not] : [], limit: maxCommits });
  return [...commits].reverse();
}

interface Reference {
  readonly repository: Repository;
  readonly pusher: Account;
  readonly commit: Commit;
  readonly named: IssueReference;
  /** Closes and reopens, too. */
  readonly acts: boolean;
  /** It came by merging a pull request, whose number it bears. */
  readonly isMerge: boolean;
  readonly at: number;
}

async function addReference(
  { repository, pusher, commit, named, acts, isMerge, at }: Reference,
  deps: CommitDeps,
): Promise<void> {
  const [owner = '', name = ''] = named.repository?.split('/') ?? [];
  const target = named.repository ? await deps.repositories.byPath(owner, name) : repository;
  const issue = target && (await deps.issueServices.reader.byIndex(target.id, named.index));
  if (!target || !issue || (isMerge && issue.isPull && target.id === repository.id)) return;
  const rights = (await deps.repositoryAccess.rightsOf(pusher, [target])).get(target.id);
  if (!rights || !(await mayRecordReference(deps.accounts, { issue, context: rights }, pusher))) return;
  await deps.issueServices.entries.record({
    issue,
    kind: 'commit_ref',
    actorId: pusher.id,
    body: subjectOf(commit.message).slice(0, 255),
    subjectId: repository.id,
    data: { sha: commit.oid, repositoryId: repository.id },
    at,
    onceKey: keyOf(commit),
  });
  // a pull request is closed by its own ways
  if (acts && named.action !== 'none' && !issue.isPull && rights.may('write', unitOf(issue)))
    await applyReference(target, issue, { pusher, commit, isClosed: named.action === 'closes' }, deps);
}

const keyOf = ({ oid }: Commit) => `commit:${oid}`;

/** Once for each commit, however often it is told of; what keeps an issue open keeps it open here too. */
async function applyReference(
  repository: Repository,
  issue: Issue,
  { pusher, commit, isClosed }: { readonly pusher: Account; readonly commit: Commit; readonly isClosed: boolean },
  { database, accounts, issueServices }: CommitDeps,
): Promise<void> {
  try {
    await database.write(async () => {
      const entry = await database.query(TimelineRow).findOne({ issue_id: issue.id, once_key: keyOf(commit) });
      if (!entry || entry.data?.hasActed) return;
      await database
        .query(TimelineRow)
        .findById(entry.id)
        .patch({ data: { ...entry.data, hasActed: true } });
      await issueServices.issues.edit(
        repository,
        issue,
        { isClosed, closing: { commit: commit.oid } },
        accounts.actorOf(pusher, ''),
      );
    });
  } catch (error) {
    if (!Problem.is(error)) throw error;
  }
}
