import type { Accounts } from '@mortise/accounts/api';
import type { ActivityEvent, PushData } from '@mortise/activity-events/api';
import { isZeroOid, type GitReader } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { Activities, ActivityKind, PushSummary } from '../contract/activity.js';
import { pushedCommit, type PushContent } from '../services/push-content.js';

interface Services {
  readonly activities: Activities;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
}

interface Entry {
  readonly activityEvent: ActivityEvent<PushData>;
  readonly kind: ActivityKind;
  readonly content: string;
  /** Of a push the entry with the highest tells of it on pages. */
  readonly weight: number;
}

const isBranch = ({ ref }: PushData): boolean => ref.startsWith('refs/heads/');
const defaultRef = ({ defaultBranch }: Repository): string => `refs/heads/${defaultBranch}`;

/** The entry of an activity event; a tag that was made is recorded by its push. */
async function entryOf(
  activityEvent: ActivityEvent<PushData>,
  repository: Repository,
  services: Services,
  max: number,
): Promise<Entry | undefined> {
  const { data } = activityEvent;
  const mirror = data.source === 'mirror';
  const branch = isBranch(data);
  if (activityEvent.kind === 'delete') {
    const kind = mirror ? 'mirror_sync_delete' : branch ? 'delete_branch' : 'delete_tag';
    return { activityEvent, kind, content: '', weight: 0 };
  }
  if (activityEvent.kind === 'create')
    return branch
      ? { activityEvent, kind: mirror ? 'mirror_sync_create' : 'commit_repo', content: '', weight: 2 }
      : undefined;
  if (activityEvent.kind !== 'push' || isZeroOid(data.new)) return undefined;
  const content = await pushContent(services, repository, data, max);
  const nothingNew = content.Len === 0 && isZeroOid(data.old);
  const weight = !branch ? 1 : nothingNew ? 0 : data.ref === defaultRef(repository) ? 4 : 3;
  const kind = mirror ? 'mirror_sync_push' : branch ? 'commit_repo' : 'push_tag';
  return { activityEvent, kind, content: JSON.stringify(content), weight };
}

function summaryOf(updates: readonly PushData[]): PushSummary {
  const gone = updates.filter((update) => isZeroOid(update.new));
  const there = updates.filter((update) => !isZeroOid(update.new));
  return {
    branches: there.filter(isBranch).length,
    tags: there.length - there.filter(isBranch).length,
    deletedBranches: gone.filter(isBranch).length,
    deletedTags: gone.length - gone.filter(isBranch).length,
    isNew: updates.length === 1 && isZeroOid(updates[0]!.old),
  };
}

/** Commits that came with the reference; nothing when they are gone again already. */
async function pushContent(
  { gitReader }: Services,
  repository: Repository,
  update: PushData,
  max: number,
): Promise<PushContent> {
  const isNew = isZeroOid(update.old);
  const base = `${repository.ownerName}/${repository.name}`;
  const CompareURL = isNew ? '' : `${base}/compare/${update.old}...${update.new}`;
  const nothing = { Commits: [], HeadCommit: null, CompareURL, Len: 0 };
  const git = gitReader.open(repository.id);
  try {
    const head = await git.commit(update.new);
    if (update.ref.startsWith('refs/tags/')) return { ...nothing, HeadCommit: pushedCommit(head) };
    const main = isNew ? await git.branch(repository.defaultBranch) : undefined;
    const known = isNew ? (main && main.ref !== update.ref ? [main.oid] : []) : [update.old];
    const { commits, total } = await git.log({ from: [update.new], not: known, limit: Math.max(1, max) });
    return { Commits: commits.slice(0, max).map(pushedCommit), HeadCommit: pushedCommit(head), CompareURL, Len: total };
  } catch {
    // The branch has moved on, and what it was is collected.
    return nothing;
  }
}

/** Whoever pushes a whole mirror does not want thousands of entries. */
const maxReferences = 100;

/** The default branch is always among them: what it brought tells most. */
function chosen(updates: readonly PushData[], repository: Repository): Set<string> {
  const isDefault = ({ ref }: PushData) => Number(ref === defaultRef(repository));
  const sorted = updates.length <= maxReferences ? updates : [...updates].sort((a, b) => isDefault(b) - isDefault(a));
  return new Set(sorted.slice(0, maxReferences).map(({ ref }) => ref));
}

const kinds: ReadonlySet<string> = new Set(['create', 'push', 'delete']);

export const movesReferences = ({ activityEvents }: { readonly activityEvents: readonly ActivityEvent[] }): boolean =>
  activityEvents.some(({ kind }) => kinds.has(kind));

/**
 * Records a push: its references are recorded together. A new branch is two entries: that it is there, and what it
 * brought.
 */
export const recordPushes =
  (maxCommits: number) =>
  async (
    { activityEvents }: { readonly activityEvents: readonly ActivityEvent[] },
    services: Services,
  ): Promise<void> => {
    const moved = activityEvents.filter(({ kind }) => kinds.has(kind)) as ActivityEvent<PushData>[];
    const event = moved[0];
    // The first commit of a repository made here is part of its creation.
    if (!event || event.data.source === 'internal') return;
    const repository = await services.repositories.byId(event.resource.repositoryId ?? 0);
    if (!repository) return;
    const actorId = event.actorId > 0 ? event.actorId : repository.ownerId;
    // A deploy key acts for the owner; an account that is gone has no feed.
    if (!(await services.accounts.byId(actorId))) return;
    const updates = [...new Map(moved.map(({ data }) => [data.ref, data])).values()];
    const refs = chosen(updates, repository);
    const entries: Entry[] = [];
    for (const one of moved) {
      const entry = refs.has(one.data.ref) ? await entryOf(one, repository, services, maxCommits) : undefined;
      if (entry) entries.push(entry);
    }
    const max = Math.max(...entries.map(({ weight }) => weight));
    const first = entries.find(({ weight }) => weight === max);
    for (const entry of entries) {
      const { activityEvent, kind, content } = entry;
      await services.activities.record({
        actorId,
        kind,
        repositoryId: repository.id,
        ref: activityEvent.data.ref,
        content,
        at: activityEvent.at,
        onceKey: activityEvent.id,
        ...(entry === first ? { push: summaryOf(updates) } : { isPart: true }),
      });
    }
  };
