import { taskActor, zonedTime } from '@mortise/plugin-sdk';
import {
  isZeroOid,
  type Commit,
  type GitReader,
  type GitRepository,
  type RefUpdate,
  type Signature,
} from '@mortise/git/api';
import type { Accounts, ApiUser } from '@mortise/accounts/api';
import type { ApiRepository, Repositories, Repository } from '@mortise/repositories/api';
import type { HookPayload } from '../api.js';

export interface PayloadParts {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly gitReader: GitReader;
  readonly maxCommits: number;
}

/** Payloads are written as the site sees things; whoever made the hook was allowed to. */
export const siteActor = taskActor('webhooks');

export const shortName = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '');
const refType = (ref: string) => (ref.startsWith('refs/tags/') ? 'tag' : 'branch');

/** Bodies of the events that this plugin tells itself (HOK-28). */
export class Payloads {
  constructor(private readonly parts: PayloadParts) {}

  async user(id: number, fallbackId?: number): Promise<ApiUser> {
    const { accounts } = this.parts;
    const account =
      (id > 0 ? await accounts.byId(id) : undefined) ?? (fallbackId ? await accounts.byId(fallbackId) : undefined);
    return account ? accounts.toApiUser(account, siteActor) : accounts.ghost();
  }

  async repository(repository: Repository): Promise<ApiRepository> {
    return (await this.parts.repositories.toApi([repository], siteActor))[0]!;
  }

  async create(repository: Repository, update: RefUpdate, pusherId: number): Promise<HookPayload> {
    return {
      sha: update.new,
      ref: shortName(update.ref),
      ref_type: refType(update.ref),
      repository: await this.repository(repository),
      sender: await this.user(pusherId, repository.ownerId),
    };
  }

  async delete(repository: Repository, update: RefUpdate, pusherId: number): Promise<HookPayload> {
    return {
      ref: shortName(update.ref),
      ref_type: refType(update.ref),
      pusher_type: 'user',
      repository: await this.repository(repository),
      sender: await this.user(pusherId, repository.ownerId),
    };
  }

  async push(repository: Repository, update: RefUpdate, pusherId: number): Promise<HookPayload> {
    const { htmlUrl } = this.parts.repositories;
    const home = htmlUrl.call(this.parts.repositories, repository);
    const { commits, total } = await this.pushed(repository, update);
    const listed = await this.commits(this.parts.gitReader.open(repository.id), commits, home);
    const pusher = await this.user(pusherId, repository.ownerId);
    const head = isZeroOid(update.new) ? null : (listed[0] ?? (await this.head(repository, update.new, home)));
    return {
      ref: update.ref,
      before: update.old,
      after: update.new,
      compare_url: compareUrl(home, repository, update),
      commits: listed,
      total_commits: total,
      head_commit: head,
      repository: await this.repository(repository),
      pusher,
      sender: pusher,
    };
  }

  /** What the push of the newest commits of a branch looks like, for trying a hook (HOK-21). Undefined: nothing there. */
  async trial(repository: Repository, ref: string, senderId: number): Promise<HookPayload | undefined> {
    const git = this.parts.gitReader.open(repository.id);
    const resolved = await git.resolve(ref || repository.defaultBranch);
    if (!resolved) return undefined;
    const home = this.parts.repositories.htmlUrl(repository);
    const [newest] = await this.commits(git, [await git.commit(resolved.commit)], home);
    const sender = await this.user(senderId, repository.ownerId);
    return {
      ref: resolved.ref ?? `refs/heads/${repository.defaultBranch}`,
      before: resolved.commit,
      after: resolved.commit,
      compare_url: `${home}/compare/${resolved.commit}...${resolved.commit}`,
      commits: [newest],
      total_commits: 1,
      head_commit: newest,
      repository: await this.repository(repository),
      pusher: sender,
      sender,
    };
  }

  /** Commits that the push brought: for a new branch those that the default branch has not. */
  private async pushed(repository: Repository, update: RefUpdate): Promise<{ commits: Commit[]; total: number }> {
    if (isZeroOid(update.new) || update.ref.startsWith('refs/tags/')) return { commits: [], total: 0 };
    const git = this.parts.gitReader.open(repository.id);
    let not: string | undefined = isZeroOid(update.old) ? undefined : update.old;
    if (!not && update.ref !== `refs/heads/${repository.defaultBranch}`)
      not = (await git.branch(repository.defaultBranch))?.oid;
    // a commit that was thrown away by a forced push may be gone already
    if (not && !(await git.info(not))) not = undefined;
    if (!(await git.info(update.new))) return { commits: [], total: 0 };
    return git.log({ from: [update.new], not: not ? [not] : [], limit: this.parts.maxCommits });
  }

  private async head(repository: Repository, oid: string, home: string): Promise<unknown> {
    const git = this.parts.gitReader.open(repository.id);
    const peeled = await git.peel(oid);
    if (peeled?.type !== 'commit') return null;
    return (await this.commits(git, [await git.commit(peeled.oid)], home))[0] ?? null;
  }

  private async commits(
    git: GitRepository,
    commits: readonly Commit[],
    home: string,
  ): Promise<Record<string, unknown>[]> {
    const people = await this.parts.accounts.byEmails([
      ...new Set(commits.flatMap(({ author, committer }) => [author.email, committer.email])),
    ]);
    const person = ({ name, email }: Signature) => ({
      name,
      email,
      username: people.get(email.toLowerCase())?.name ?? '',
    });
    const listed: Record<string, unknown>[] = [];
    for (const commit of commits) {
      const files = await git.commitChanges(commit.oid, { renames: false, stats: false });
      const paths = (...kinds: string[]) =>
        files.filter((file) => kinds.includes(file.status)).map((file) => file.path);
      listed.push({
        id: commit.oid,
        message: commit.message,
        url: `${home}/commit/${commit.oid}`,
        author: person(commit.author),
        committer: person(commit.committer),
        verification: null,
        timestamp: zonedTime(commit.committer),
        added: paths('added', 'copied'),
        removed: paths('deleted'),
        modified: paths('modified', 'renamed', 'typechange'),
      });
    }
    return listed;
  }
}

function compareUrl(home: string, repository: Repository, update: RefUpdate): string {
  if (isZeroOid(update.new)) return home;
  const encoded = (name: string) => name.split('/').map(encodeURIComponent).join('/');
  if (isZeroOid(update.old)) {
    return update.ref.startsWith('refs/heads/')
      ? `${home}/compare/${encoded(repository.defaultBranch)}...${encoded(shortName(update.ref))}`
      : `${home}/commit/${update.new}`;
  }
  return `${home}/compare/${update.old}...${update.new}`;
}
