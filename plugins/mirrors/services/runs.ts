import type { Database } from '@mortise/plugin-sdk';
import type { RefUpdate } from '@mortise/git/api';
import { MirrorRunRow, type RunChange, type RunChanges, type RunTrigger } from '../models/mirror-run.js';

/** Of each mirror. */
const maxRuns = 50;
const maxChanges = 50;
/** Of the name of a reference, or why it was refused: the other side may give thousands. */
const maxRef = 250;
const maxError = 1000;

/** What went wrong, in words that may be those of the other side. */
export const cutError = (error: string): string => error.slice(0, maxError);

interface RunResult {
  readonly updates: readonly RefUpdate[];
  readonly refused?: readonly { readonly ref: string; readonly reason: string }[];
  readonly lfsObjects?: number;
}

/** The log of the last runs of mirrors, and what each of them moved. */
export class RunLog {
  constructor(private readonly database: Database) {}

  /** An earlier one of the mirror that is still open was interrupted: its process is gone. Gives the id. */
  async begin(repositoryId: number, pushMirrorId: number | null, startedBy: RunTrigger): Promise<number> {
    const { database } = this;
    const now = Date.now();
    return database.write(async () => {
      await this.#of(repositoryId, pushMirrorId)
        .where('state', 'running')
        .patch({ state: 'interrupted', ended_at: now });
      const row = await database.query(MirrorRunRow).insert({
        repository_id: repositoryId,
        push_mirror_id: pushMirrorId,
        state: 'running',
        started_by: startedBy,
        started_at: now,
        error: '',
        changes: { total: 0, first: [] },
      });
      const old = await this.#of(repositoryId, pushMirrorId)
        .select('id')
        .orderBy('id', 'desc')
        .offset(maxRuns)
        .limit(1000);
      if (old.length)
        await database
          .query(MirrorRunRow)
          .delete()
          .whereIn(
            'id',
            old.map(({ id }) => id),
          );
      return row.id;
    });
  }

  /** Inside the caller's transaction. */
  async end(id: number, result: RunResult, error = ''): Promise<void> {
    await this.database
      .query(MirrorRunRow)
      .findById(id)
      .patch({
        state: error ? 'failed' : 'succeeded',
        ended_at: Date.now(),
        error: cutError(error),
        changes: changesOf(result),
      });
  }

  /** One that ended before its time; who goes on begins another. */
  async interrupt(id: number): Promise<void> {
    const { database } = this;
    await database.write(() =>
      database
        .query(MirrorRunRow)
        .findById(id)
        .where('state', 'running')
        .patch({ state: 'interrupted', ended_at: Date.now() }),
    );
  }

  /** Those of a push mirror that have ended since, newest first. */
  async latest(repositoryId: number, pushMirrorId: number, since: number, limit: number): Promise<MirrorRunRow[]> {
    return this.#of(repositoryId, pushMirrorId).where('ended_at', '>', since).orderBy('id', 'desc').limit(limit);
  }

  /** Newest first. */
  async list(repositoryId: number, page: { limit: number; offset: number }): Promise<MirrorRunRow[]> {
    return this.database
      .query(MirrorRunRow)
      .where('repository_id', repositoryId)
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset);
  }

  #of(repositoryId: number, pushMirrorId: number | null) {
    const query = this.database.query(MirrorRunRow).where('repository_id', repositoryId);
    return pushMirrorId === null ? query.whereNull('push_mirror_id') : query.where('push_mirror_id', pushMirrorId);
  }
}

function changesOf({ updates, refused = [], lfsObjects }: RunResult): RunChanges {
  const moved: RunChange[] = updates.map(({ ref, old, new: next }) => ({ ref: shortened(ref), old, new: next }));
  const all = [
    ...refused.map(({ ref, reason }) => ({ ref: shortened(ref), old: '', new: '', refused: shortened(reason) })),
    ...moved,
  ];
  return { total: all.length, first: all.slice(0, maxChanges), ...(lfsObjects && { lfsObjects }) };
}

const shortened = (text: string): string => (text.length > maxRef ? `${text.slice(0, maxRef - 1)}…` : text);
