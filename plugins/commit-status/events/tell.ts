import { apiTime, taskActor, zonedTime } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Commit, GitReader } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { WebhookEvent, Webhooks } from '@mortise/webhooks/api';
import type { CommitStatus } from '../api.js';
import type { StatusService } from '../services/statuses.js';
import { t } from '../texts/index.js';

export const statusEvent: WebhookEvent = {
  key: 'status',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
};

export interface TellParts {
  readonly webhooks: Webhooks;
  readonly statuses: StatusService;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
}

/** Whoever made the hook was allowed to see everything of the repository. */
const siteActor = taskActor('webhooks');

/** Hooks hear of a new status (HOK-16). */
export async function tellStatus({ statusId }: { statusId: number }, parts: TellParts): Promise<void> {
  const status = await parts.statuses.byId(statusId);
  const repository = status && (await parts.repositories.byId(status.repositoryId));
  if (!status || !repository) return;
  await parts.webhooks.announce({
    eventType: 'status',
    repositoryId: repository.id,
    once: `status:${status.id}`,
    payload: () => payloadOf(status, repository, parts),
  });
}

async function payloadOf(status: CommitStatus, repository: Repository, parts: TellParts) {
  const { accounts, repositories } = parts;
  const sender = status.creatorId > 0 ? await accounts.byId(status.creatorId) : undefined;
  return {
    id: status.id,
    sha: status.sha,
    context: status.context,
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    commit: await commitOf(status, repository, parts),
    repository: (await repositories.toApi([repository], siteActor))[0],
    sender: sender ? accounts.toApiUser(sender, siteActor) : accounts.ghost(),
    created_at: apiTime(status.createdAt),
    updated_at: apiTime(status.updatedAt),
  };
}

/** Model `PayloadCommit`; null when a forced push has thrown the commit away since. */
async function commitOf(
  status: CommitStatus,
  repository: Repository,
  { gitReader, accounts, repositories }: TellParts,
) {
  const git = gitReader.open(repository.id);
  const [commit] = await git.commits([status.sha]);
  if (!commit) return null;
  const people = await accounts.byEmails([...new Set([commit.author.email, commit.committer.email])]);
  const person = ({ name, email }: Commit['author']) => ({
    name,
    email,
    username: people.get(email.toLowerCase())?.name ?? '',
  });
  const files = await git.commitChanges(commit.oid, { renames: false, stats: false });
  const paths = (...kinds: string[]) => files.filter((file) => kinds.includes(file.status)).map((file) => file.path);
  return {
    id: commit.oid,
    message: commit.message,
    url: `${repositories.htmlUrl(repository)}/commit/${commit.oid}`,
    author: person(commit.author),
    committer: person(commit.committer),
    verification: null,
    timestamp: zonedTime(commit.committer),
    added: paths('added', 'copied'),
    removed: paths('deleted'),
    modified: paths('modified', 'renamed', 'typechange'),
  };
}
