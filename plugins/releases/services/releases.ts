import { Conflict, Invalid, NotFound, type Actor, type Database, type Locks } from '@mortise/plugin-sdk';
import type { RefUpdates, UpdateSource, GitReader } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { ReleaseRow, type PendingChanges } from '../models/release.js';
import type { ReleaseStore, ReleaseTexts } from './release-store.js';
import { checkTagName, oneLine, storable } from './tag-names.js';
import type { ReleaseReader } from './release-reader.js';
import { deletedWith, createdFor, type TagMaker } from './tags.js';
import { t } from '../texts/index.js';

interface NewRelease {
  readonly tagName: string;
  readonly target?: string;
  readonly title?: string;
  readonly note?: string;
  readonly tagMessage?: string;
  readonly isDraft?: boolean;
  readonly isPrerelease?: boolean;
}
/** Absent fields stay; which empty ones mean "none", the routes decide. */
type ReleaseChanges = Partial<NewRelease>;

/** Who asks for a change, and from where. */
export interface ReleaseRequest {
  readonly actor: Actor;
  readonly source: Extract<UpdateSource, 'api' | 'web'>;
}

/** So long a release may be in the making before somebody looks what became of it. */
const abandonedAfter = 600_000;

/**
 * Creates, changes and deletes releases. One repository's changes come one after the other; a kill between the row and
 * its tag is repaired by the journal of references (which tells the event with our facts again) or undone here.
 */
export class ReleaseService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly locks: Locks;
      readonly git: GitReader;
      readonly refs: RefUpdates;
      readonly reader: ReleaseReader;
      readonly releaseStore: ReleaseStore;
      readonly tags: TagMaker;
    },
  ) {}

  /** REL-05 */
  async create(repository: Repository, input: NewRelease, asked: ReleaseRequest): Promise<Release> {
    const texts = textsOf(input, {
      tagName: '',
      target: input.target ?? '',
      title: '',
      note: '',
      isPrerelease: false,
    });
    checkTagName(texts.tagName);
    if (await this.deps.git.open(repository.id).isEmpty()) throw Invalid(t.later('error.empty'));
    const tagMessage = storable(input.tagMessage ?? '');
    return this.alone(repository.id, async () => {
      await this.checkFree(repository.id, texts.tagName);
      const actorId = asked.actor.id;
      if (input.isDraft) {
        const target = texts.target || repository.defaultBranch;
        return this.deps.releaseStore.insert(repository.id, { ...texts, target }, { actorId, tagMessage });
      }
      const plan = await this.deps.tags.plan(repository, texts);
      if ('there' in plan) {
        const { database, releaseStore } = this.deps;
        const made = await database.write(async () => {
          const row = await releaseStore.insert(repository.id, texts, { actorId, tagMessage });
          return releaseStore.change(row.id, { ...texts, isDraft: false, actorId, createdAt: plan.there });
        });
        return this.checkPresent(repository, present(made), actorId);
      }
      const pending = { ...texts, target: texts.target || repository.defaultBranch, actorId };
      const row = await this.deps.releaseStore.insert(repository.id, pending, { actorId, tagMessage, pending });
      return this.publish(repository, row, pending, plan.commit, asked);
    });
  }

  async edit(repository: Repository, release: Release, input: ReleaseChanges, asked: ReleaseRequest): Promise<Release> {
    if (input.tagName !== undefined && input.tagName !== release.tagName) checkTagName(input.tagName);
    return this.alone(repository.id, async () => {
      const now = await this.deps.reader.byId(release.id);
      if (!now) throw NotFound('release');
      const texts = textsOf(input, now);
      if (texts.tagName !== now.tagName) await this.checkFree(repository.id, texts.tagName);
      const tagMessage = input.tagMessage === undefined ? undefined : storable(input.tagMessage);
      const isDraft = input.isDraft ?? now.isDraft;
      const actorId = asked.actor.id;
      if (isDraft)
        return present(await this.deps.releaseStore.change(now.id, { ...texts, isDraft, actorId, tagMessage }));
      const plan = await this.deps.tags.plan(repository, texts);
      if ('there' in plan) {
        const changes = { ...texts, isDraft, actorId, tagMessage, createdAt: plan.there };
        return this.checkPresent(repository, present(await this.deps.releaseStore.change(now.id, changes)), actorId);
      }
      const pending = { ...texts, target: texts.target || repository.defaultBranch, actorId };
      await this.deps.releaseStore.markPending(now.id, pending);
      return this.publish(
        repository,
        { ...now, tagMessage: tagMessage ?? now.tagMessage },
        pending,
        plan.commit,
        asked,
      );
    });
  }

  /** `withTag`: the tag goes in the same moment. */
  async delete(repository: Repository, release: Release, asked: ReleaseRequest, withTag = false): Promise<void> {
    if (withTag) {
      const facts = deletedWith.with(release.id);
      if (await this.deps.tags.remove(repository, release.tagName, { ...asked, facts })) return;
    }
    await this.deps.releaseStore.remove(release.id, asked.actor.id, Date.now());
  }

  /** The tag is made and the release seen in one transaction, or neither. */
  private async publish(
    repository: Repository,
    release: Release,
    pending: PendingChanges,
    commit: string,
    asked: ReleaseRequest,
  ): Promise<Release> {
    const { releaseStore, tags, reader } = this.deps;
    try {
      const input = { tagName: pending.tagName, target: pending.target, message: release.tagMessage };
      await tags.make(repository, input, commit, { ...asked, facts: createdFor.with(release.id) });
    } catch (error) {
      await releaseStore.forget(release.id);
      throw error;
    }
    return present(await reader.byId(release.id));
  }

  /** Whoever deleted the tag in the moment between looking and writing was told of no release. */
  private async checkPresent(repository: Repository, release: Release, actorId: number): Promise<Release> {
    const { tags, releaseStore, reader } = this.deps;
    if (await tags.exists(repository.id, release.tagName)) return release;
    await releaseStore.removeTags(repository.id, [release.tagName], actorId, Date.now());
    return (await reader.byId(release.id)) ?? release;
  }

  private async checkFree(repositoryId: number, tagName: string): Promise<void> {
    if (await this.deps.reader.byTag(repositoryId, tagName))
      throw Conflict(t.later('error.taken', { name: tagName }), {
        inputs: { tag_name: t.later('error.taken', { name: tagName }) },
      });
  }

  /** One change of a repository's releases at a time; what a killed process left of the last one is settled first. */
  private alone<T>(repositoryId: number, work: () => Promise<T>): Promise<T> {
    return this.deps.locks.hold(`releases:${repositoryId}`, async () => {
      await this.resolvePending(repositoryId);
      return work();
    });
  }

  private async resolvePending(repositoryId: number): Promise<void> {
    const { database, refs, releaseStore } = this.deps;
    const left = () =>
      database.query(ReleaseRow).select('id').where('repository_id', repositoryId).where('pending_at', '>', 0);
    if ((await left()).length === 0) return;
    await refs.repair(repositoryId);
    for (const { id } of await left()) await releaseStore.forget(id);
  }

  /** Settles what nobody has touched since a kill; tells how many repositories had something. */
  async sweep(olderThan = abandonedAfter): Promise<number> {
    const rows = await this.deps.database
      .query(ReleaseRow)
      .distinct('repository_id')
      .where('pending_at', '>', 0)
      .where('pending_at', '<=', Date.now() - olderThan);
    for (const { repository_id } of rows) await this.alone(repository_id, () => Promise.resolve());
    return rows.length;
  }
}

/** Somebody may have deleted it meanwhile. */
function present(release: Release | undefined): Release {
  if (!release) throw NotFound('release');
  return release;
}

function textsOf(input: ReleaseChanges, now: ReleaseTexts): ReleaseTexts {
  const title = input.title === undefined ? now.title : oneLine(input.title);
  const target = oneLine(input.target ?? now.target);
  if (title.length > 255) throw Invalid(t.later('error.titleLong'), { inputs: { title: t.later('error.titleLong') } });
  if (target.length > 255)
    throw Invalid(t.later('error.targetLong'), { inputs: { target: t.later('error.targetLong') } });
  return {
    tagName: input.tagName ?? now.tagName,
    target,
    title,
    note: input.note === undefined ? now.note : storable(input.note),
    isPrerelease: input.isPrerelease ?? now.isPrerelease,
  };
}
