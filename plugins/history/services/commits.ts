import { anonymous, zonedTime } from '@mortise/plugin-sdk';
import type { Actor, Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { ChangeOptions, Commit, FileChange, GitReader, GitRepository, Signature } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { CommitModels, CommitFields } from '../contract/commits.js';
import type { CommitVerification, SignatureVerification } from '../contract/signatures.js';
import type { CommitAuthors } from './commit-authors.js';

const author = (signature: Signature) => ({ name: signature.name, email: signature.email, date: zonedTime(signature) });
const words = {
  added: 'added',
  modified: 'modified',
  deleted: 'removed',
  renamed: 'added',
  copied: 'added',
  typechange: 'modified',
} as const;

/** Changed files of all commits of one answer: beyond, commits are listed without theirs, as when nobody asks for them. */
const maxListedChanges = 20_000;
const maxReadingMs = 10_000;
/** Commits that one process of git compares; as many as a page has. */
const batchSize = 50;

/** The changes of the first commits, batch by batch, until they are too many or have taken too long. */
async function changesWithin(
  git: GitRepository,
  commits: readonly Commit[],
  options: ChangeOptions,
  maxChanges: number,
): Promise<ReadonlyMap<string, readonly FileChange[]>> {
  const changesByOid = new Map<string, readonly FileChange[]>();
  const began = performance.now();
  let count = 0;
  for (let at = 0; at < commits.length; at += batchSize) {
    if (count > maxChanges || performance.now() - began > maxReadingMs) break;
    for (const [oid, changes] of await git.commitsChanges(commits.slice(at, at + batchSize), options)) {
      changesByOid.set(oid, changes);
      count += changes.length;
    }
  }
  return changesByOid;
}

interface CommitSources {
  readonly authors: CommitAuthors;
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly repositories: Repositories;
  readonly site: Site;
  readonly verification: CommitVerification;
}

export class CommitPresenter implements CommitModels {
  constructor(private readonly sources: CommitSources) {}

  api = (repository: Repository) => this.sources.repositories.apiUrl(repository);

  /** Authors are shown as anybody sees them: a commit tells no address that its account hides. */
  async commits(
    repository: Repository,
    commits: readonly Commit[],
    _actor: Actor,
    { stat = true, files = true, verification: verify = true }: CommitFields = {},
    git: GitRepository = this.sources.git.open(repository.id),
  ) {
    const authors = await this.sources.authors.of(commits);
    const base = this.api(repository);
    const verifications = verify ? await this.sources.verification.verify(commits) : [];
    const user = (email: string) => {
      const account = authors.get(email.toLowerCase());
      return account ? this.sources.accounts.toApiUser(account, anonymous) : null;
    };
    const changed =
      stat || files ? await changesWithin(git, commits, { renames: stat, stats: stat }, maxListedChanges) : undefined;
    return commits.map((commit, index) => {
      const changes = changed?.get(commit.oid);
      const url = `${base}/git/commits/${commit.oid}`;
      const created = zonedTime(commit.committer);
      return {
        url,
        sha: commit.oid,
        created,
        html_url: `${this.sources.repositories.htmlUrl(repository)}/commit/${commit.oid}`,
        commit: {
          url,
          author: author(commit.author),
          committer: author(commit.committer),
          message: commit.message,
          tree: { url: `${base}/git/trees/${commit.tree}`, sha: commit.tree, created },
          verification: verifications[index] ?? null,
        },
        author: user(commit.author.email),
        committer: user(commit.committer.email),
        parents: commit.parents.map((sha) => ({
          url: `${base}/git/commits/${sha}`,
          sha,
          created: '0001-01-01T00:00:00Z',
        })),
        files: files && changes ? changedFiles(changes) : null,
        stats: stat && changes ? totals(changes) : null,
      };
    });
  }

  /** Model `PayloadCommit` of each, as branches show their heads. */
  async payloads(repository: Repository, commits: readonly Commit[]) {
    const [authors, verifications] = await Promise.all([
      this.sources.authors.of(commits),
      this.sources.verification.verify(commits),
    ]);
    return commits.map((commit, index) => this.#payload(repository, commit, authors, verifications[index]!));
  }

  #payload(
    repository: Repository,
    commit: Commit,
    authors: ReadonlyMap<string, Account>,
    verification: SignatureVerification,
  ) {
    const named = (signature: Signature) => ({
      name: signature.name,
      email: signature.email,
      username: authors.get(signature.email.toLowerCase())?.name ?? '',
    });
    return {
      id: commit.oid,
      message: commit.message,
      url: `${this.sources.repositories.htmlUrl(repository)}/commit/${commit.oid}`,
      author: named(commit.author),
      committer: named(commit.committer),
      verification,
      timestamp: zonedTime(commit.committer),
      added: null,
      removed: null,
      modified: null,
    };
  }

  /** The commit part of an answer about a written file. */
  fileCommit(repository: Repository, commit: Commit) {
    const base = this.api(repository);
    return {
      url: `${base}/git/commits/${commit.oid}`,
      sha: commit.oid,
      created: '0001-01-01T00:00:00Z',
      html_url: `${this.sources.repositories.htmlUrl(repository)}/commit/${commit.oid}`,
      author: author(commit.author),
      committer: author(commit.committer),
      parents: commit.parents.map((sha) => ({
        url: `${base}/git/commits/${sha}`,
        sha,
        created: '0001-01-01T00:00:00Z',
      })),
      message: commit.message,
      tree: { url: `${base}/git/trees/${commit.tree}`, sha: commit.tree, created: '0001-01-01T00:00:00Z' },
    };
  }
}

/** A move counts no lines, but is told as one file removed and one added. */
function changedFiles(changes: readonly FileChange[]) {
  const files = changes.map((change) => ({ filename: change.path, status: words[change.status] }));
  const left = changes.filter(({ status }) => status === 'renamed');
  if (left.length === 0) return files;
  for (const { oldPath } of left) files.push({ filename: oldPath ?? '', status: 'removed' });
  return files.sort((a, b) => (a.filename < b.filename ? -1 : 1));
}

function totals(changes: readonly { additions: number; deletions: number }[]) {
  const additions = changes.reduce((sum, change) => sum + change.additions, 0);
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0);
  return { total: additions + deletions, additions, deletions };
}
