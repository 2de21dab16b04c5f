import { systemActor, zonedTime, type Site } from '@mortise/plugin-sdk';
import type { Accounts, ApiUser } from '@mortise/accounts/api';
import type { Commit, GitReader, Signature } from '@mortise/git/api';
import type { ApiRepository, Repositories, Repository } from '@mortise/repositories/api';
import type { ActivityEvent, ActivityModels } from '../api.js';

/** Payloads are written as the site sees things; whoever listens was allowed to. */
const siteActor = systemActor('activity-events');

/** What payloads are made of. */
export class PayloadBuilder implements ActivityModels {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly gitReader: GitReader;
      readonly site: Site;
    },
  ) {}

  async user(id: number, fallbackId?: number): Promise<ApiUser> {
    const { accounts } = this.deps;
    const account =
      (id > 0 ? await accounts.byId(id) : undefined) ?? (fallbackId ? await accounts.byId(fallbackId) : undefined);
    return account ? accounts.toApiUser(account, siteActor) : accounts.ghost();
  }

  async repository(repository: Repository): Promise<ApiRepository> {
    return (await this.deps.repositories.toApi([repository], siteActor))[0]!;
  }

  async commits(repository: Repository, commits: readonly Commit[]): Promise<Record<string, unknown>[]> {
    const { accounts, gitReader, repositories } = this.deps;
    const git = gitReader.open(repository.id);
    const home = repositories.htmlUrl(repository);
    const authors = await accounts.byEmails([
      ...new Set(commits.flatMap(({ author, committer }) => [author.email, committer.email])),
    ]);
    const person = ({ name, email }: Signature) => ({
      name,
      email,
      username: authors.get(email.toLowerCase())?.name ?? '',
    });
    const changed = await git.commitsChanges(commits, { renames: false, stats: false });
    const listed: Record<string, unknown>[] = [];
    for (const commit of commits) {
      // what could not be read says why
      const files = changed.get(commit.oid) ?? (await git.commitChanges(commit.oid, { renames: false, stats: false }));
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

  async names({
    actorId,
    resource,
  }: ActivityEvent): Promise<{ actor: string; repository: string; repositoryUrl: string }> {
    const { accounts, repositories, site } = this.deps;
    const { repositoryId, ownerId, title } = resource;
    const repository = repositoryId ? await repositories.byId(repositoryId) : undefined;
    const owner = repository ? undefined : ownerId ? await accounts.byId(ownerId) : undefined;
    const actor = (await this.user(actorId, repository?.ownerId ?? ownerId)).login;
    if (repository)
      return {
        actor,
        repository: `${repository.ownerName}/${repository.name}`,
        repositoryUrl: repositories.htmlUrl(repository),
      };
    return {
      actor,
      repository: title,
      repositoryUrl: owner ? accounts.toApiUser(owner, siteActor).html_url : site.url('/'),
    };
  }
}
