import {
  apiTime,
  defineRoute,
  Joi,
  NotFound,
  pageOf,
  reply,
  type Database,
  type Route,
  type Site,
  type Storage,
} from '@mortise/plugin-sdk';
import { repositoryResource, type Repository } from '@mortise/repositories/api';
import { artifactStatus, ArtifactRow } from '../models/artifact.js';
import type { ArtifactService } from '../services/artifacts.js';
import type { AddressSigner } from '../services/address-signer.js';
import { serveArtifact } from './download.js';

const base = '/api/v1/repos/{owner}/{repo}/actions';
const tags = ['repository'];
const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'actions' } as const;
const id = Joi.number().integer().required();
const byId = Joi.object<{ readonly artifact_id: number }>({ artifact_id: id });
const byName = Joi.object<{ readonly name?: string }>({
  name: Joi.string().allow('').max(255).description('Only those of this name'),
});

const artifactSchema = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  size_in_bytes: Joi.number().integer().required(),
  url: Joi.string().required(),
  archive_download_url: Joi.string().required(),
  expired: Joi.boolean().required(),
  workflow_run: Joi.object({
    id: Joi.number().integer().required(),
    repository_id: Joi.number().integer().required(),
    head_sha: Joi.string().required(),
  })
    .required()
    .label('ActionArtifactRun'),
  created_at: Joi.string().isoDate().required(),
  updated_at: Joi.string().isoDate().required(),
  expires_at: Joi.string().isoDate().required(),
}).label('ActionArtifact');
const listSchema = Joi.object({
  total_count: Joi.number().integer().required(),
  artifacts: Joi.array().items(artifactSchema).required(),
}).label('ActionArtifactsResponse');

interface ArtifactApiDeps {
  readonly database: Database;
  readonly artifacts: ArtifactService;
  readonly signer: AddressSigner;
  readonly site: Site;
  readonly storage: Storage;
}

const endpoint = 'artifact-zip';

/** What these routes share. */
function restContext({ database, artifacts, signer, site, storage }: ArtifactApiDeps) {
  const urlOf = ({ ownerName, name }: Repository, row: ArtifactRow) =>
    site.url(`/api/v1/repos/${ownerName}/${name}/actions/artifacts/${row.id}`);
  const present = (repository: Repository, row: ArtifactRow) => ({
    id: row.id,
    name: row.name,
    size_in_bytes: Number(row.size),
    url: urlOf(repository, row),
    archive_download_url: `${urlOf(repository, row)}/zip`,
    expired: row.status === artifactStatus.expired,
    workflow_run: { id: row.run_id, repository_id: row.repository_id, head_sha: row.commit_sha },
    created_at: apiTime(Number(row.created_at)),
    updated_at: apiTime(Number(row.updated_at)),
    expires_at: apiTime(Number(row.expires_at)),
  });
  const ended = (repository: Repository) =>
    database
      .query(ArtifactRow)
      .where({ repository_id: repository.id, path: '' })
      .whereIn('status', [artifactStatus.confirmed, artifactStatus.expired]);
  const need = async (repository: Repository, artifactId: number): Promise<ArtifactRow> => {
    const row = await ended(repository).findById(artifactId);
    if (!row) throw NotFound('artifact');
    return row;
  };
  const list = async (
    repository: Repository,
    query: ReturnType<typeof ended>,
    { name }: { readonly name?: string },
    page: { readonly limit: number; readonly offset: number },
  ) => {
    if (name) void query.where('name', name);
    const { rows, total } = await pageOf(query.orderBy('id', 'desc'), page);
    return { total_count: total, artifacts: rows.map((row) => present(repository, row)) };
  };
  return { list, ended, present, need, artifacts, signer, urlOf, storage };
}

type RestRouteContext = ReturnType<typeof restContext>;

const getArtifacts = ({ list, ended }: RestRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/artifacts`,
    id: 'getArtifacts',
    tags,
    summary: 'Artifacts of a repository, newest first',
    access: read,
    request: { query: byName },
    responses: { 200: listSchema },
    handler: ({ resource: { repository }, query, page }) => list(repository, ended(repository), query, page),
  });

const getArtifactsOfRun = ({ list, ended }: RestRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/runs/{run}/artifacts`,
    id: 'getArtifactsOfRun',
    tags,
    summary: 'Artifacts of all attempts of a run, newest first',
    access: read,
    request: { params: Joi.object<{ readonly run: number }>({ run: id }), query: byName },
    responses: { 200: listSchema },
    handler: ({ resource: { repository }, params, query, page }) =>
      list(repository, ended(repository).where('run_id', params.run), query, page),
  });

const getArtifact = ({ present, need }: RestRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/artifacts/{artifact_id}`,
    id: 'getArtifact',
    tags,
    summary: 'One artifact',
    access: read,
    request: { params: byId },
    responses: { 200: artifactSchema },
    async handler({ resource: { repository }, params }) {
      return present(repository, await need(repository, params.artifact_id));
    },
  });

const deleteArtifact = ({ artifacts, need }: RestRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/artifacts/{artifact_id}`,
    id: 'deleteArtifact',
    tags,
    summary: 'Delete an artifact',
    access: { ...read, mode: 'write', noSignIn: true },
    request: { params: byId },
    responses: { 204: null },
    async handler({ resource: { repository }, params }) {
      await artifacts.remove([await need(repository, params.artifact_id)]);
    },
  });

const downloadArtifact = ({ need, signer, urlOf }: RestRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/artifacts/{artifact_id}/zip`,
    id: 'downloadArtifact',
    tags,
    summary: 'To the content of an artifact',
    access: read,
    request: { params: byId },
    responses: { 302: null },
    async handler({ resource: { repository }, params }) {
      const row = await need(repository, params.artifact_id);
      if (row.status !== artifactStatus.confirmed) throw NotFound('artifact');
      const query = new URLSearchParams(signer.parameters(endpoint, [repository.id, row.id]));
      return reply.redirect(`${urlOf(repository, row)}/zip/raw?${query.toString()}`, 302);
    },
  });

// the signature was given to somebody who may read the artifact, and is all that is asked for
const rawArtifact = ({ artifacts, signer, storage }: RestRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/artifacts/{artifact_id}/zip/raw`,
    access: { actor: 'anyone', always: true, ownCredentials: true },
    request: {
      params: byId.unknown(true),
      query: Joi.object<{ readonly sig?: string; readonly expires?: string }>({
        sig: Joi.string().allow('').max(200),
        expires: Joi.string().allow('').max(20),
      }).unknown(true),
    },
    async handler({ params, query, raw }) {
      const row = await artifacts.byId(params.artifact_id);
      signer.check(endpoint, query, [row?.repository_id ?? 0, params.artifact_id]);
      if (!row) throw NotFound('artifact');
      return serveArtifact(storage, row, raw.request);
    },
  });

/** ACT-25: artifacts of a repository and of a run. Those of the older protocol are of several files and are not listed. */
export function artifactApiRoutes(deps: ArtifactApiDeps): Route[] {
  const context = restContext(deps);
  return [
    getArtifacts(context),
    getArtifactsOfRun(context),
    getArtifact(context),
    deleteArtifact(context),
    downloadArtifact(context),
    rawArtifact(context),
  ];
}
