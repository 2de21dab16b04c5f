import {
  BadRequest,
  Conflict,
  NotFound,
  Problem,
  type BackupRows,
  type Database,
  type NamedBlob,
} from '@mortise/plugin-sdk';
import type { RuntimeTask } from '@mortise/actions/api';
import { ArtifactRow, artifactStatus } from '../models/artifact.js';
import type { OrphanBlobs } from './orphan-blobs.js';
import { checkArtifactName, locationHash } from './artifact-names.js';
import type { Uploads, CompletedUpload } from './uploads.js';

export const artifactArea = 'actions-artifacts';

/** What a back-up must hold for the rows of its moment. */
export async function* namedArtifacts(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [status, key, size] of rows.rows('action_artifact', ['status', 'key', 'stored_size']))
    if (Number(status) === artifactStatus.confirmed && key)
      yield { area: artifactArea, key: String(key), size: Number(size) };
}
const day = 86_400_000;
const maxDays = 36_500;

interface ArtifactDeps {
  readonly database: Database;
  readonly uploads: Uploads;
  readonly orphanBlobs: OrphanBlobs;
  readonly retentionDays: number;
  /** Bytes. */
  readonly maxSize: number;
  readonly maxPerRun: number;
}

interface NewArtifact {
  readonly name: string;
  /** Of a file of the older protocol. */
  readonly path?: string;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt?: number;
}

/** Artifacts as jobs make and fetch them: those of their own attempt. */
export class ArtifactService {
  constructor(private readonly deps: ArtifactDeps) {}

  get maxSize(): number {
    return this.deps.maxSize;
  }

  /** Begins an upload. One that has the same place goes, as does what belongs to it. */
  async create(task: RuntimeTask, input: NewArtifact): Promise<ArtifactRow> {
    const { database, uploads, maxPerRun } = this.deps;
    const name = checkArtifactName(input.name);
    const path = input.path ?? '';
    const place_hash = locationHash(name, path);
    const now = Date.now();
    return database.write(async () => {
      const ofAttempt = database.query(ArtifactRow).where({ run_id: task.runId, run_attempt_id: task.attemptId });
      const before = await ofAttempt.clone().where({ place_hash }).first();
      if (before) await this.#remove([before]);
      else if ((await ofAttempt.clone().resultSize()) >= maxPerRun)
        throw new Problem('too_many', `A run has at most ${maxPerRun} artifacts.`);
      return database.query(ArtifactRow).insertAndFetch({
        run_id: task.runId,
        run_attempt_id: task.attemptId,
        repository_id: task.repositoryId,
        commit_sha: task.commit,
        name,
        path,
        place_hash,
        status: artifactStatus.pending,
        content_type: (input.contentType ?? '').slice(0, 255),
        content_encoding: input.contentEncoding ?? '',
        upload_id: await uploads.begin(artifactArea),
        created_at: now,
        updated_at: now,
        expires_at: this.#expiry(now, input.expiresAt),
      });
    });
  }

  /** What a client asks for counts up to a hundred years. */
  #expiry(now: number, wanted: number | undefined): number {
    if (wanted === undefined || !Number.isFinite(wanted)) return now + this.deps.retentionDays * day;
    return Math.min(Math.max(wanted, now), now + maxDays * day);
  }

  /** The whole is there: checks what the client says of it. Repeated, it says the same again. */
  async finish(
    artifact: ArtifactRow,
    claimed: { readonly size?: number; readonly sha256?: string; readonly plainSize?: number },
  ): Promise<ArtifactRow> {
    if (artifact.status === artifactStatus.confirmed) {
      if (claimed.size !== undefined && claimed.size !== Number(artifact.stored_size))
        throw Conflict('The artifact is complete, with another size.');
      return artifact;
    }
    if (artifact.status !== artifactStatus.pending) throw NotFound('artifact');
    const { database, uploads } = this.deps;
    try {
      return await uploads.finish(artifact.upload_id, async (completed) => {
        checkCompleted(completed, claimed);
        const next = {
          status: artifactStatus.confirmed,
          size: claimed.plainSize ?? completed.size,
          stored_size: completed.size,
          key: completed.key,
          upload_id: 0,
          updated_at: Date.now(),
        };
        const changed = await database.query(ArtifactRow).patch(next).where('id', artifact.id);
        if (changed === 0) throw NotFound('artifact');
        return Object.assign(artifact, next);
      });
    } catch (error) {
      // somebody else may have completed it in the meantime
      const now = await database.query(ArtifactRow).findById(artifact.id);
      if (now?.status === artifactStatus.confirmed) return this.finish(now, claimed);
      throw error;
    }
  }

  /** Of the attempt of the task; undefined: there is none. */
  async find(task: RuntimeTask, name: string, path = ''): Promise<ArtifactRow | undefined> {
    return this.deps.database.query(ArtifactRow).findOne({
      run_id: task.runId,
      run_attempt_id: task.attemptId,
      place_hash: locationHash(name, path),
    });
  }

  /** Complete ones of the attempt of the task, by name. */
  async list(task: RuntimeTask): Promise<ArtifactRow[]> {
    return this.deps.database
      .query(ArtifactRow)
      .where({ run_id: task.runId, run_attempt_id: task.attemptId, status: artifactStatus.confirmed })
      .orderBy(['name', 'path']);
  }

  /** Files of the older protocol that are not complete, of one name. */
  pending(task: RuntimeTask, name: string): Promise<ArtifactRow[]> {
    return this.deps.database
      .query(ArtifactRow)
      .where({ run_id: task.runId, run_attempt_id: task.attemptId, name, status: artifactStatus.pending })
      .whereNot('path', '')
      .execute();
  }

  byId(id: number): Promise<ArtifactRow | undefined> {
    return this.deps.database.query(ArtifactRow).findById(id).execute();
  }

  async remove(rows: readonly ArtifactRow[]): Promise<void> {
    await this.deps.database.write(() => this.#remove(rows));
  }

  async #remove(rows: readonly ArtifactRow[]): Promise<void> {
    const { database, uploads, orphanBlobs } = this.deps;
    await orphanBlobs.add(
      artifactArea,
      rows.map(({ key }) => key),
    );
    await uploads.discard(rows.map(({ upload_id }) => upload_id));
    const ids = rows.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += 500)
      await database
        .query(ArtifactRow)
        .delete()
        .whereIn('id', ids.slice(at, at + 500));
  }
}

function checkCompleted(
  completed: CompletedUpload,
  { size, sha256 }: { readonly size?: number; readonly sha256?: string },
): void {
  if (size !== undefined && size !== completed.size)
    throw BadRequest(`The artifact has ${completed.size} bytes instead of ${size}.`);
  if (sha256 !== undefined && sha256.toLowerCase() !== completed.sha256)
    throw BadRequest('The SHA-256 of the artifact is another one.');
}
