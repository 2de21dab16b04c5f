import { createHash } from 'node:crypto';
import type { Accounts } from '@mortise/accounts/api';
import { isZeroOid, type GitReader, type RefsUpdated, type RefUpdate } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { ReleaseEvent } from '@mortise/releases/api';
import type { Activities, ActivityKind, PushSummary } from '../api.js';
import { pushedCommit, type PushContent } from '../services/push-content.js';

interface Services {
  readonly activities: Activities;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
}

/** A key that is the same when the event is delivered again; names may be longer than a key. */
const once = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

export async function tellCreated(
  { repositoryId, actorId }: { repositoryId: number; actorId: number },
  { activities, repositories }: Services,
): Promise<void> {
  const repository = await repositories.byId(repositoryId);
  if (!repository) return;
  await activities.record({
    actorId,
    kind: 'create_repo',
    repositoryId,
    at: repository.createdAt,
    onceKey: once('created', repositoryId),
  });
}

/** In the transaction of the release: there with it, or not at all. */
export const tellRelease = (event: ReleaseEvent, { activities }: Pick<Services, 'activities'>): Promise<void> =>
  activities.record({
    actorId: event.actorId,
    kind: 'publish_release',
    repositoryId: event.repositoryId,
    ref: `refs/tags/${event.tagName}`,
    content: event.title || event.tagName,
    at: event.at,
  });

/** A new name or a new owner, told where it is known who gave it; both are `owner/name`. */
export async function tellMoved(
  event: { repositoryId: number; from: string; to: string; actorId?: number },
  { activities }: Pick<Services, 'activities'>,
): Promise<void> {
  if (!event.actorId) return;
  const [oldOwner = '', oldName = ''] = event.from.split('/');
  const [newOwner = '', newName = ''] = event.to.split('/');
  const moved = oldOwner.toLowerCase() !== newOwner.toLowerCase();
  // Only written differently: it is where it was.
  if (!moved && oldName.toLowerCase() === newName.toLowerCase()) return;
  await activities.record({
    actorId: event.actorId,
    kind: moved ? 'transfer_repo' : 'rename_repo',
    repositoryId: event.repositoryId,
    content: moved ? event.from : oldName,
  });
}

interface Told {
  readonly kind: ActivityKind;
  readonly content: string;
  readonly part: string;
  readonly update: RefUpdate;
  /** Of a push the entry with the highest tells of it on pages. */
  readonly weight: number;
}

/** What is told of one reference that moved; a new branch is told twice: that it is there, and what it brought. */
async function tell(
  services: Services,
  repository: Repository,
  update: RefUpdate,
  event: RefsUpdated,
  max: number,
): Promise<Told[]> {
  const mirror = event.source === 'mirror';
  const branch = isBranch(update);
  const [isNew, gone] = [isZeroOid(update.old), isZeroOid(update.new)];
  if (gone) {
    const kind = mirror ? 'mirror_sync_delete' : branch ? 'delete_branch' : 'delete_tag';
    return [{ kind, content: '', part: 'gone', update, weight: 0 }];
  }
  const told: Told[] = [];
  const kind = mirror ? 'mirror_sync_create' : 'commit_repo';
  if (branch && isNew) told.push({ kind, content: '', part: 'new', update, weight: 2 });
  const content = await pushContent(services, repository, update, max);
  const weight = !branch ? 1 : content.Len === 0 && isNew ? 0 : update.ref === defaultRef(repository) ? 4 : 3;
  told.push({
    kind: mirror ? 'mirror_sync_push' : branch ? 'commit_repo' : 'push_tag',
    content: JSON.stringify(content),
    part: 'push',
    update,
    weight,
  });
  return told;
}

const isBranch = ({ ref }: RefUpdate): boolean => ref.startsWith('refs/heads/');
const defaultRef = ({ defaultBranch }: Repository): string => `refs/heads/${defaultBranch}`;

function summaryOf(updates: readonly RefUpdate[]): PushSummary {
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
  update: RefUpdate,
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

export const tellPush =
  (maxCommits: number) =>
  async (event: RefsUpdated, services: Services): Promise<void> => {
    // The first commit of a repository made here is part of its creation.
    if (event.kind !== 'code' || event.source === 'internal') return;
    const updates = event.updates.filter(({ ref }) => ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/'));
    const repository = updates.length ? await services.repositories.byId(event.repositoryId) : undefined;
    if (!repository) return;
    const actorId = event.pusherId > 0 ? event.pusherId : repository.ownerId;
    // A deploy key acts for the owner; an account that is gone tells nothing.
    if (!(await services.accounts.byId(actorId))) return;
    const told: Told[] = [];
    for (const update of chosen(updates, repository))
      told.push(...(await tell(services, repository, update, event, maxCommits)));
    const most = Math.max(...told.map(({ weight }) => weight));
    const first = told.find(({ weight }) => weight === most);
    for (const one of told) {
      const { kind, content, part, update } = one;
      await services.activities.record({
        actorId,
        kind,
        repositoryId: event.repositoryId,
        ref: update.ref,
        content,
        at: event.at,
        onceKey: once('push', event.repositoryId, update.ref, update.old, update.new, event.at, part),
        ...(one === first ? { push: summaryOf(updates) } : { isPart: true }),
      });
    }
  };

/** The default branch is always told of: what it brought tells most. */
const chosen = (updates: readonly RefUpdate[], repository: Repository): RefUpdate[] =>
  updates.length <= maxReferences
    ? [...updates]
    : [...updates]
        .sort((a, b) => Number(b.ref === defaultRef(repository)) - Number(a.ref === defaultRef(repository)))
        .slice(0, maxReferences);
