import type { Readable } from 'node:stream';
import {
  BadRequest,
  NotFound,
  defineRoute,
  Joi,
  reply,
  type Problem,
  type Route,
  type RouteContext,
  type Site,
  type Storage,
} from '@mortise/plugin-sdk';
import type { RuntimeTask, RuntimeTasks } from '@mortise/actions/api';
import { artifactStatus, type ArtifactRow } from '../models/artifact.js';
import type { ArtifactService } from '../services/artifacts.js';
import { storeBlock } from '../services/block-uploads.js';
import { checkArtifactName } from '../services/artifact-names.js';
import type { AddressSigner } from '../services/address-signer.js';
import type { Uploads } from '../services/uploads.js';
import { serveArtifact } from './download.js';
import {
  fieldOf,
  numberOf,
  taskCredentials,
  signedQuery,
  taskOf,
  textOf,
  type Message,
  type SignedQuery,
} from './runtime-requests.js';

const base = '/twirp/github.actions.results.api.v1.ArtifactService';
const tags = ['actions artifacts'];
const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[ \w.+=-]{1,100})?$/;

export interface ArtifactRouteDeps {
  readonly tasks: RuntimeTasks;
  readonly artifacts: ArtifactService;
  readonly uploads: Uploads;
  readonly signer: AddressSigner;
  readonly site: Site;
  readonly storage: Storage;
}

/** As Twirp tells errors. */
const codes: Readonly<Record<string, string>> = {
  bad_request: 'invalid_argument',
  conflict: 'already_exists',
  forbidden: 'permission_denied',
  not_found: 'not_found',
  too_large: 'resource_exhausted',
  too_many: 'resource_exhausted',
  unauthorized: 'unauthenticated',
  unavailable: 'unavailable',
};
export const twirpRefusal = (problem: Problem) =>
  reply.json(
    { code: codes[problem.code] ?? 'internal', msg: problem.message, message: problem.message },
    problem.status,
  );

const addressQuery = signedQuery({ artifactName: 255, taskID: 20, artifactID: 20 });
type AddressQuery = SignedQuery & Readonly<Partial<Record<'artifactName' | 'taskID' | 'artifactID', string>>>;
const anyMessage = Joi.object<Message>().unknown(true);

/** What these routes share. */
function v4Context(deps: ArtifactRouteDeps) {
  const { tasks, artifacts, uploads, signer, site, storage } = deps;
  const signed = (endpoint: string, task: RuntimeTask, { id, name }: ArtifactRow) => {
    const values = { artifactName: name, taskID: String(task.taskId), artifactID: String(id) };
    const query = new URLSearchParams({ ...signer.parameters(endpoint, Object.values(values)), ...values });
    return site.url(`${base}/${endpoint}?${query.toString()}`);
  };
  /** The artifact of a signed address, while its task runs. */
  const ofAddress = async (endpoint: string, query: AddressQuery): Promise<ArtifactRow> => {
    const { artifactName = '', taskID = '', artifactID = '' } = query;
    signer.check(endpoint, query, [artifactName, taskID, artifactID]);
    const task = await tasks.running(Number(taskID));
    const row = await artifacts.byId(Number(artifactID));
    if (!task || !row || row.run_id !== task.runId || row.run_attempt_id !== task.attemptId) throw NotFound('artifact');
    return row;
  };
  const call = (method: string, handle: (task: RuntimeTask, message: Message) => Promise<unknown>) =>
    defineRoute({
      method: 'POST',
      path: `${base}/${method}`,
      id: `artifacts${method}`,
      tags,
      summary: `${method} of the artifact service`,
      surface: 'protocol',
      access: taskCredentials,
      request: { payload: anyMessage },
      refusal: twirpRefusal,
      async handler(context: RouteContext<unknown, unknown, unknown, Message>) {
        const task = await taskOf(tasks, context);
        checkIds(task, context.payload);
        return handle(task, context.payload);
      },
    });
  const need = async (task: RuntimeTask, message: Message): Promise<ArtifactRow> => {
    const row = await artifacts.find(task, checkArtifactName(fieldOf(message, 'name')));
    if (!row) throw NotFound('artifact');
    return row;
  };
  return { call, artifacts, signed, need, ofAddress, uploads, storage };
}

type V4RouteContext = ReturnType<typeof v4Context>;

const createArtifact = ({ call, artifacts, signed }: V4RouteContext) =>
  call('CreateArtifact', async (task, message) => {
    const type = textOf(message, 'mime_type') ?? '';
    const row = await artifacts.create(task, {
      name: checkArtifactName(fieldOf(message, 'name')),
      contentType: mediaType.test(type) ? type : 'application/zip',
      expiresAt: timeOf(message),
    });
    return { ok: true, signedUploadUrl: signed('UploadArtifact', task, row) };
  });

const finalizeArtifact = ({ call, need, artifacts }: V4RouteContext) =>
  call('FinalizeArtifact', async (task, message) => {
    const row = await need(task, message);
    const size = numberOf(message, 'size') ?? 0;
    if (Number.isNaN(size)) throw BadRequest('The size is no number.');
    const hash = textOf(message, 'hash');
    const sha256 = hash === undefined || hash === '' ? undefined : /^sha256:([0-9a-f]{64})$/i.exec(hash)?.[1];
    if (hash && !sha256) throw BadRequest('The hash is no SHA-256.');
    const done = await artifacts.finish(row, { size, sha256 });
    return { ok: true, artifactId: String(done.id) };
  });

const listArtifacts = ({ call, artifacts }: V4RouteContext) =>
  call('ListArtifacts', async (task, message) => {
    const name = textOf(message, 'name_filter');
    const id = numberOf(message, 'id_filter');
    const rows = (await artifacts.list(task)).filter(
      (row) => row.path === '' && (!name || row.name === name) && (!id || row.id === id),
    );
    return {
      artifacts: rows.map((row) => ({
        workflowRunBackendId: String(task.runId),
        workflowJobRunBackendId: String(task.jobId),
        databaseId: String(row.id),
        name: row.name,
        size: String(row.size),
        createdAt: new Date(Number(row.created_at)).toISOString(),
      })),
    };
  });

const getSignedArtifactUrl = ({ call, need, signed }: V4RouteContext) =>
  call('GetSignedArtifactURL', async (task, message) => {
    const row = await need(task, message);
    if (row.status !== artifactStatus.confirmed) throw NotFound('artifact');
    return { signedUrl: signed('DownloadArtifact', task, row) };
  });

const deleteArtifact = ({ call, need, artifacts }: V4RouteContext) =>
  call('DeleteArtifact', async (task, message) => {
    const row = await need(task, message);
    await artifacts.remove([row]);
    return { ok: true, artifactId: String(row.id) };
  });

const artifactsUpload = ({ ofAddress, uploads, artifacts }: V4RouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${base}/UploadArtifact`,
    id: 'artifactsUpload',
    tags,
    summary: 'A block of an artifact, or the list of its blocks, at a signed address',
    surface: 'protocol',
    access: taskCredentials,
    request: { query: addressQuery },
    payload: { as: 'stream', maxBytes: 0 },
    refusal: twirpRefusal,
    async handler({ query, payload }) {
      const row = await ofAddress('UploadArtifact', query);
      if (row.status !== artifactStatus.pending) throw NotFound('artifact');
      const { comp, blockid: blockId } = query;
      return storeBlock(uploads, row.upload_id, {
        comp,
        blockId,
        body: payload as Readable,
        limits: { repositoryId: row.repository_id, maxBytes: artifacts.maxSize },
      });
    },
  });

const artifactsDownload = ({ ofAddress, storage }: V4RouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/DownloadArtifact`,
    id: 'artifactsDownload',
    tags,
    summary: 'The content of an artifact, at a signed address',
    surface: 'protocol',
    access: taskCredentials,
    request: { query: addressQuery },
    refusal: twirpRefusal,
    async handler({ query, raw }) {
      const row = await ofAddress('DownloadArtifact', query);
      return serveArtifact(storage, row, raw.request);
    },
  });

/** The newer way of artifacts: Twirp with JSON, and addresses that blocks are sent to. */
export function v4Routes(deps: ArtifactRouteDeps): Route[] {
  const context = v4Context(deps);
  return [
    createArtifact(context),
    finalizeArtifact(context),
    listArtifacts(context),
    getSignedArtifactUrl(context),
    deleteArtifact(context),
    artifactsUpload(context),
    artifactsDownload(context),
  ];
}

/** Run and job have to be those of the token. */
function checkIds(task: RuntimeTask, message: Message): void {
  if (
    numberOf(message, 'workflow_run_backend_id') !== task.runId ||
    numberOf(message, 'workflow_job_run_backend_id') !== task.jobId
  )
    throw BadRequest('The run or the job is another one than that of the token.');
}

function timeOf(message: Message): number | undefined {
  const expires = textOf(message, 'expires_at');
  const time = expires ? Date.parse(expires) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
