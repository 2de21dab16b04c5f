import { actAudited, systemActor, type Database, type Events } from '@mortise/plugin-sdk';
import type { Attachments } from '@mortise/attachments/api';
import type { Repositories } from '@mortise/repositories/api';
import {
  releaseDeleted,
  releaseEdited,
  releasePublished,
  type Release,
  type ReleaseEvent,
} from '../contract/releases.js';
import { ReleaseRow, toRelease, type PendingChanges } from '../models/release.js';
import { releaseFiles } from './files.js';
import type { ReleasePresenter } from './release-presenter.js';

/** Records in events are written as the site sees things. */
export const siteActor = systemActor('releases');

/** Texts of a release as they go into the row. */
export interface ReleaseTexts {
  readonly tagName: string;
  readonly target: string;
  readonly title: string;
  readonly note: string;
  readonly isPrerelease: boolean;
}

const columns = ({ tagName, target, title, note, isPrerelease }: ReleaseTexts) => ({
  tag_name: tagName,
  lower_tag_name: tagName.toLowerCase(),
  target,
  title,
  lower_title: title.toLowerCase(),
  note,
  is_prerelease: isPrerelease,
});

const toEvent = (row: ReleaseRow, actorId: number, at: number): ReleaseEvent => ({
  repositoryId: row.repository_id,
  releaseId: row.id,
  tagName: row.tag_name,
  title: row.title,
  isPrerelease: row.is_prerelease,
  actorId,
  at,
});

/**
 * Every change of the rows, each with its counter and its event in one transaction. Only SQL: these also run inside the
 * transaction in which moved references are told of, that is, also when that happens after a kill.
 */
export class ReleaseStore {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly attachments: Attachments;
      readonly repositories: Repositories;
      readonly presenter: ReleasePresenter;
    },
  ) {}

  /** A new row: a draft, or one that stays unseen until its tag is there. */
  insert(
    repositoryId: number,
    texts: ReleaseTexts,
    more: { readonly actorId: number; readonly tagMessage: string; readonly pending?: PendingChanges },
  ): Promise<Release> {
    const { database } = this.deps;
    const now = Date.now();
    return database.write(async () => {
      const row = await database.query(ReleaseRow).insertAndFetch({
        ...columns(texts),
        repository_id: repositoryId,
        author_id: more.actorId,
        original_author: '',
        tag_message: more.tagMessage,
        state: more.pending ? 'making' : 'draft',
        pending: more.pending ?? null,
        pending_at: more.pending ? now : 0,
        created_at: now,
        published_at: 0,
        updated_at: now,
      });
      return toRelease(row);
    });
  }

  /** Notes what a release is to become once its tag is there. */
  markPending(id: number, pending: PendingChanges): Promise<void> {
    const { database } = this.deps;
    return database.write(
      async () => void (await database.query(ReleaseRow).findById(id).patch({ pending, pending_at: Date.now() })),
    );
  }

  /** Its tag is there: what was intended holds. Twice does no harm. */
  completePending(id: number, at: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      const row = await database.query(ReleaseRow).findById(id);
      if (row?.pending) await this.apply(row, { ...row.pending, isDraft: false }, at);
    });
  }

  /** Changes texts and marks; publishes or takes back. Gives the row as it is then. */
  change(
    id: number,
    changes: ReleaseTexts & {
      readonly isDraft: boolean;
      readonly actorId: number;
      readonly createdAt?: number;
      readonly tagMessage?: string;
    },
  ): Promise<Release | undefined> {
    const { database } = this.deps;
    return database.write(async () => {
      const row = await database.query(ReleaseRow).findById(id);
      return row && toRelease(await this.apply(row, changes, Date.now()));
    });
  }

  private async apply(
    row: ReleaseRow,
    changes: ReleaseTexts & {
      readonly isDraft: boolean;
      readonly actorId: number;
      readonly createdAt?: number;
      readonly tagMessage?: string;
    },
    at: number,
  ): Promise<ReleaseRow> {
    const { database, events, repositories } = this.deps;
    const was = row.state === 'published';
    const is = !changes.isDraft;
    await database
      .query(ReleaseRow)
      .findById(row.id)
      .patch({
        ...columns(changes),
        ...(changes.tagMessage === undefined ? {} : { tag_message: changes.tagMessage }),
        state: is ? 'published' : 'draft',
        pending: null,
        pending_at: 0,
        ...(is && !was ? { created_at: changes.createdAt ?? at, published_at: at } : {}),
        ...(was && !is ? { published_at: 0 } : {}),
        updated_at: at,
      });
    const now = (await database.query(ReleaseRow).findById(row.id))!;
    if (was !== is) await repositories.count(row.repository_id, 'releaseCount', is ? 1 : -1);
    const event = toEvent(now, changes.actorId, at);
    if (is && !was) await events.emit(releasePublished, event);
    else if (was) await events.emit(releaseEdited, { ...event, isDraft: !is });
    return now;
  }

  /** Their tags are gone: the published ones are drafts again. */
  removeTags(repositoryId: number, tagNames: readonly string[], actorId: number, at: number): Promise<void> {
    const { database, events, repositories } = this.deps;
    return database.write(async () => {
      for (let from = 0; from < tagNames.length; from += 500) {
        const rows = await database
          .query(ReleaseRow)
          .where({ repository_id: repositoryId, state: 'published' })
          .whereIn('tag_name', tagNames.slice(from, from + 500));
        for (const row of rows) {
          await database.query(ReleaseRow).findById(row.id).patch({ state: 'draft', published_at: 0, updated_at: at });
          await repositories.count(repositoryId, 'releaseCount', -1);
          await events.emit(releaseEdited, { ...toEvent(row, actorId, at), isDraft: true });
        }
      }
    });
  }

  /** Drafts that wait for a branch follow its new name. */
  branchRenamed(repositoryId: number, from: string, to: string): Promise<void> {
    const { database } = this.deps;
    return database.write(
      async () =>
        void (await database
          .query(ReleaseRow)
          .where({ repository_id: repositoryId, state: 'draft', target: from })
          .patch({ target: to })),
    );
  }

  /** What was begun and could not be done: as if it had not been asked for. */
  forget(id: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await database.query(ReleaseRow).deleteById(id).where('state', 'making');
      await database.query(ReleaseRow).findById(id).whereNot('state', 'making').patch({ pending: null, pending_at: 0 });
    });
  }

  /** The release goes with its files. */
  remove(id: number, actorId: number, at: number): Promise<void> {
    const { database, events, repositories, presenter, attachments } = this.deps;
    return database.write(async () => {
      const row = await database.query(ReleaseRow).findById(id);
      if (!row) return;
      if (row.state === 'published') {
        const repository = await repositories.byId(row.repository_id);
        const [record] = repository ? await presenter.toApi(repository, [toRelease(row)]) : [];
        await repositories.count(row.repository_id, 'releaseCount', -1);
        await events.emit(releaseDeleted, { ...toEvent(row, actorId, at), record: { ...record } });
      }
      await attachments.removeOf(releaseFiles, [id]);
      await database.query(ReleaseRow).deleteById(id);
      const target = { kind: 'release', id, name: row.tag_name };
      const { repository_id: repositoryId } = row;
      await events.emit(actAudited, { action: 'release.delete', target, actorId, repositoryId });
    });
  }

  /** The repository goes. */
  removeAll(repositoryId: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await database.query(ReleaseRow).delete().where('repository_id', repositoryId);
    });
  }
}
