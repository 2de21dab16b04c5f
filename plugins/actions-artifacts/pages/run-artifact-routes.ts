import { createGunzip } from 'node:zlib';
import {
  contentDisposition,
  defineRoute,
  Joi,
  NotFound,
  pageRoute,
  postRoute,
  reply,
  toId,
  type Database,
  type Route,
  type Site,
  type Storage,
} from '@mortise/plugin-sdk';
import { zipStream, type RunAttempts, type ZipEntry } from '@mortise/actions/api';
import { repositoryHome, repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import type { RunArtifacts } from '../contract/artifacts.js';
import { ArtifactRow, artifactStatus } from '../models/artifact.js';
import { serveArtifact } from '../routes/download.js';
import { artifactArea } from '../services/artifacts.js';

interface PageDeps {
  readonly database: Database;
  readonly runArtifacts: RunArtifacts;
  readonly runAttempts: RunAttempts;
  readonly site: Site;
  readonly storage: Storage;
}

const path = '/{owner}/{repo}/actions/runs/{run}/artifacts/{name}';
const read = { actor: 'anyone', resource: repositoryResource, unit: 'actions' } as const;
const write = { ...read, actor: 'user', mode: 'write' } as const;
const params = Joi.object<{ readonly run: number; readonly name: string }>({
  run: Joi.number().integer().min(1).required(),
  name: Joi.string().max(255).required(),
}).unknown();

/** Artifacts of a run for browsers. */
export function runArtifactRoutes({ database, runArtifacts, runAttempts, site, storage }: PageDeps): Route[] {
  const attemptOf = async ({ repository }: RepositoryContext, run: number, number: unknown): Promise<number> => {
    const id = await runAttempts.idOf(repository.id, run, toId(number));
    if (id === undefined) throw NotFound('run');
    return id;
  };
  /** The files of one of the older protocol, as they were before they were packed. */
  const entriesOf = (rows: readonly ArtifactRow[]): readonly ZipEntry[] =>
    rows.map((row) => ({
      name: row.path,
      modifiedAt: Number(row.updated_at),
      async open() {
        const area = storage.area(artifactArea);
        if (!(await area.stat(row.key))) return undefined;
        const { stream } = await area.get(row.key);
        if (row.content_encoding !== 'gzip') return stream;
        const plain = createGunzip();
        stream.on('error', (error) => plain.destroy(error));
        plain.on('close', () => stream.destroy());
        return stream.pipe(plain);
      },
    }));
  const remove = async (resource: RepositoryContext, run: number, name: string, attempt: unknown) => {
    const attemptId = await attemptOf(resource, run, attempt);
    if (!(await runArtifacts.remove(run, attemptId, name))) throw NotFound('artifact');
  };

  return [
    pageRoute(
      path,
      read,
      async ({ resource, params: { run, name }, query, raw }) => {
        const { attempt } = query as { readonly attempt?: unknown };
        const rows = await database
          .query(ArtifactRow)
          .where({ run_id: run, run_attempt_id: await attemptOf(resource, run, attempt), name })
          .where('status', artifactStatus.confirmed)
          .orderBy('path');
        const [first] = rows;
        if (!first) throw NotFound('artifact');
        if (first.path === '') return serveArtifact(storage, first, raw.request);
        return reply
          .bytes(zipStream(entriesOf(rows)), 'application/zip')
          .header('content-disposition', contentDisposition('attachment', `${name}.zip`));
      },
      { params },
    ),
    defineRoute({
      method: 'DELETE',
      path,
      surface: 'page',
      access: write,
      request: { params },
      async handler({ resource, params: { run, name }, query }) {
        await remove(resource, run, name, (query as { readonly attempt?: unknown }).attempt);
        return reply.none();
      },
    }),
    postRoute(
      `${path}/delete`,
      write,
      async ({ resource, params: { run, name }, payload }) => {
        await remove(resource, run, name, payload.attempt);
        const own = `${repositoryHome(site, resource.repository)}/actions/runs/${run}`;
        return reply.redirect(toId(payload.attempt) ? `${own}/attempts/${toId(payload.attempt)}` : own);
      },
      {
        params,
        payload: Joi.object<{ readonly attempt?: string }>({ attempt: Joi.string() }).options({ stripUnknown: true }),
      },
    ),
  ];
}
