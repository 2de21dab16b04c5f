import type { Readable } from 'node:stream';
import { BadRequest, NotFound, defineRoute, Joi, type Route, type RouteContext } from '@mortise/plugin-sdk';
import type { RuntimeTask } from '@mortise/actions/api';
import { artifactStatus } from '../models/artifact.js';
import { checkArtifactName, checkItemPath, nameHash } from '../services/artifact-names.js';
import { serveArtifact } from './download.js';
import { fieldOf, numberOf, taskCredentials, taskOf, type Message } from './runtime-requests.js';
import type { ArtifactRouteDeps } from './v4.js';

const base = '/api/actions_pipeline/_apis/pipelines/workflows/{run}/artifacts';
const tags = ['actions artifacts'];
const day = 86_400_000;

const id = Joi.number().integer().positive().required();
const ofRun = Joi.object<{ readonly run: number }>({ run: id }).unknown(true);
const hash = Joi.string().max(100).required();
const ofHash = Joi.object<{ readonly run: number; readonly hash: string }>({ run: id, hash });

/** What these routes share. */
function v3Context({ tasks, artifacts, uploads, site, storage }: ArtifactRouteDeps) {
  const open = async (context: RouteContext<unknown, { readonly run: number }>): Promise<RuntimeTask> => {
    const task = await taskOf(tasks, context);
    if (task.runId !== context.params.run) throw BadRequest('The run is another one than that of the token.');
    return task;
  };
  const urlOf = (task: RuntimeTask, end: string) => site.url(`${base.replace('{run}', String(task.runId))}/${end}`);
  /** Files of artifacts of that name. */
  const filesOf = async (task: RuntimeTask, hash: string) =>
    (await artifacts.list(task)).filter(({ name, path }) => path !== '' && nameHash(name) === hash.toLowerCase());
  return { open, urlOf, artifacts, uploads, filesOf, storage };
}

type V3RouteContext = ReturnType<typeof v3Context>;

const artifactsV3Create = ({ open, urlOf }: V3RouteContext) =>
  defineRoute({
    method: 'POST',
    path: base,
    id: 'artifactsV3Create',
    tags,
    summary: 'Where the files of an artifact are to be sent',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: ofRun, payload: Joi.object<Message>().unknown(true) },
    async handler(context) {
      const task = await open(context);
      const name = checkArtifactName(fieldOf(context.payload, 'Name'));
      const days = numberOf(context.payload, 'RetentionDays');
      const query = days ? `?retentionDays=${days}` : '';
      return { fileContainerResourceUrl: urlOf(task, `${nameHash(name)}/upload${query}`) };
    },
  });

const artifactsV3Upload = ({ open, artifacts, uploads }: V3RouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${base}/{hash}/upload`,
    id: 'artifactsV3Upload',
    tags,
    summary: 'A piece of a file of an artifact',
    surface: 'protocol',
    access: taskCredentials,
    request: {
      params: ofHash,
      query: Joi.object<{ readonly itemPath: string; readonly retentionDays?: number }>({
        itemPath: Joi.string().max(1300).required(),
        retentionDays: Joi.number().integer().min(0).max(36_500),
      }).unknown(true),
    },
    payload: { as: 'stream', maxBytes: 0 },
    async handler(context) {
      const task = await open(context);
      const { itemPath, retentionDays } = context.query;
      const name = checkArtifactName(itemPath.replaceAll('\\', '/').split('/')[0]);
      if (nameHash(name) !== context.params.hash.toLowerCase())
        throw BadRequest('The path belongs to another artifact.');
      const path = checkItemPath(name, itemPath);
      const range = rangeOf(context.headers);
      const known = await artifacts.find(task, name, path);
      const encoding = context.headers['content-encoding'] === 'gzip' ? 'gzip' : '';
      const row =
        known?.status === artifactStatus.pending && range.start > 0
          ? known
          : range.start > 0
            ? undefined
            : await artifacts.create(task, {
                name,
                path,
                contentType: 'application/octet-stream',
                contentEncoding: encoding,
                ...(retentionDays ? { expiresAt: Date.now() + retentionDays * day } : {}),
              });
      if (!row) throw BadRequest('The first piece of the file was not sent.');
      const body = context.payload as Readable;
      const limits = { repositoryId: row.repository_id, maxBytes: artifacts.maxSize };
      const blob = await uploads.putAt(row.upload_id, range.start, body, limits);
      const sum = context.headers['x-actions-results-md5'];
      const isBroken =
        (sum !== undefined && sum !== Buffer.from(blob.md5, 'hex').toString('base64')) ||
        (range.length !== undefined && range.length !== blob.size);
      if (isBroken) {
        await artifacts.remove([row]);
        throw BadRequest('The piece is not what its headers say.');
      }
      return { message: 'success' };
    },
  });

const artifactsV3Finish = ({ open, artifacts }: V3RouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: base,
    id: 'artifactsV3Finish',
    tags,
    summary: 'All files of an artifact were sent',
    surface: 'protocol',
    access: taskCredentials,
    request: {
      params: ofRun,
      query: Joi.object<{ readonly artifactName?: string }>({ artifactName: Joi.string().max(255) }).unknown(true),
    },
    // some clients send the size, of a type that says nothing
    payload: { as: 'buffer' },
    async handler(context) {
      const task = await open(context);
      const name = checkArtifactName(context.query.artifactName);
      for (const row of await artifacts.pending(task, name)) await artifacts.finish(row, {});
      return { message: 'success' };
    },
  });

const artifactsV3List = ({ open, artifacts, urlOf }: V3RouteContext) =>
  defineRoute({
    method: 'GET',
    path: base,
    id: 'artifactsV3List',
    tags,
    summary: 'Artifacts of the attempt that the task belongs to',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: ofRun },
    async handler(context) {
      const task = await open(context);
      const names = new Set((await artifacts.list(task)).filter(({ path }) => path !== '').map(({ name }) => name));
      if (names.size === 0) throw NotFound('artifact');
      const value = [...names].map((name) => ({
        name,
        fileContainerResourceUrl: urlOf(task, `${nameHash(name)}/download_url`),
      }));
      return { count: value.length, value };
    },
  });

const artifactsV3Files = ({ open, filesOf, urlOf }: V3RouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/{hash}/download_url`,
    id: 'artifactsV3Files',
    tags,
    summary: 'Where the files of an artifact are',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: ofHash },
    async handler(context) {
      const task = await open(context);
      const rows = await filesOf(task, context.params.hash);
      if (rows.length === 0) throw NotFound('artifact');
      return {
        value: rows.map(({ id, name, path }) => ({
          path: `${name}/${path}`,
          itemType: 'file',
          contentLocation: urlOf(task, `${id}/download`),
        })),
      };
    },
  });

const artifactsV3Download = ({ open, artifacts, storage }: V3RouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/{artifact}/download`,
    id: 'artifactsV3Download',
    tags,
    summary: 'A file of an artifact',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: Joi.object<{ readonly run: number; readonly artifact: number }>({ run: id, artifact: id }) },
    async handler(context) {
      const task = await open(context);
      const row = await artifacts.byId(context.params.artifact);
      if (!row) throw NotFound('artifact');
      if (row.run_id !== task.runId || row.run_attempt_id !== task.attemptId)
        throw BadRequest('The artifact belongs to another run or attempt.');
      return serveArtifact(storage, row, context.raw.request);
    },
  });

/** The older way of artifacts: each file by itself, in pieces with their place. */
export function v3Routes(deps: ArtifactRouteDeps): Route[] {
  const context = v3Context(deps);
  return [
    artifactsV3Create(context),
    artifactsV3Upload(context),
    artifactsV3Finish(context),
    artifactsV3List(context),
    artifactsV3Files(context),
    artifactsV3Download(context),
  ];
}

/** Place and length of a piece; without a range it is all of the file. */
function rangeOf(headers: Readonly<Record<string, string | undefined>>): {
  readonly start: number;
  readonly length: number | undefined;
} {
  const range = headers['content-range'];
  if (range === undefined) return { start: 0, length: undefined };
  const [, from, to] = /^bytes (\d{1,15})-(\d{1,15})\/(?:\d{1,15}|\*)$/.exec(range) ?? [];
  // an empty file is said to end before it begins, by some
  const length = Number(to) - Number(from) + 1;
  if (from === undefined || length < 0) throw BadRequest('The range cannot be read.');
  const declared = headers['content-length'];
  return { start: Number(from), length: declared === '0' ? 0 : length };
}
