import { apiTime, BadRequest, defineRoute, Invalid, Joi, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import {
  formatInterval,
  mustBeActive,
  repositoryApi,
  repositoryTags,
  type Repository,
} from '@mortise/repositories/api';
import { administeredResource } from './administered-resource.js';
import type { PushMirrorRow } from '../models/push-mirror.js';
import type { PushMirrorService } from '../services/push-mirrors.js';
import type { RequestedPushes } from '../services/requested-pushes.js';
import { maxIntervalLength } from '../services/interval.js';
import { t } from '../texts/index.js';

interface PushRouteDeps {
  readonly pushMirrors: PushMirrorService;
  readonly requestedPushes: RequestedPushes;
}

interface NewPushMirrorBody {
  readonly remote_address: string;
  readonly remote_username?: string | null;
  readonly remote_password?: string | null;
  readonly interval?: string | null;
  readonly sync_on_commit?: boolean | null;
  readonly branch_filter?: string | null;
  readonly use_ssh?: boolean | null;
}

const text = () => Joi.string().allow('').required();
const pushMirrorSchema = Joi.object({
  repo_name: text(),
  remote_name: text(),
  remote_address: text().description('Without user name and password'),
  created: Joi.string().isoDate().required(),
  last_update: text().description('Time of the last run'),
  last_error: text(),
  interval: text().description('Such as 8h0m0s; 0s: not by itself'),
  sync_on_commit: Joi.boolean().required(),
  branch_filter: text().description('Patterns of branches, separated by commas; empty: all'),
  public_key: text().description('Key for ssh, which the other server must let in; empty: none'),
}).label('PushMirror');

const pushMirrorRecord = ({ name: repositoryName }: Repository, row: PushMirrorRow) => ({
  repo_name: repositoryName,
  remote_name: row.name,
  remote_address: row.remote_url,
  created: apiTime(Number(row.created_at)),
  last_update: apiTime(Number(row.last_run_at)),
  last_error: row.last_error,
  interval: formatInterval(Number(row.interval)),
  sync_on_commit: row.sync_on_commit,
  branch_filter: row.branches,
  public_key: row.public_key,
});

const access = { actor: 'anyone', scope: 'repository', resource: administeredResource, mode: 'admin' } as const;
const base = `${repositoryApi}/push_mirrors`;
const routeOptions = { tags: repositoryTags, access };

export const pushRoutes = ({ pushMirrors, requestedPushes }: PushRouteDeps): Route[] => {
  const mustBeOn = () => {
    if (!pushMirrors.isEnabled) throw BadRequest(t.later('error.off'));
  };
  return [
    defineRoute({
      ...routeOptions,
      method: 'GET',
      path: base,
      id: 'repoListPushMirrors',
      summary: 'List the push mirrors of a repository',
      responses: { 200: Joi.array().items(pushMirrorSchema).label('PushMirrorList'), 400: null },
      async handler({ resource, page }) {
        mustBeOn();
        const { rows, total } = await pushMirrors.list(resource.repository.id, page);
        return reply.list(
          rows.map((row) => pushMirrorRecord(resource.repository, row)),
          total,
        );
      },
    }),
    defineRoute({
      ...routeOptions,
      method: 'POST',
      path: base,
      id: 'repoAddPushMirror',
      summary: 'Add a push mirror (MIR-02)',
      request: {
        payload: Joi.object<NewPushMirrorBody>({
          remote_address: Joi.string().allow('').required(),
          remote_username: Joi.string().allow('', null).max(255),
          remote_password: Joi.string().allow('', null).max(4096),
          interval: Joi.string().allow('', null).max(maxIntervalLength),
          sync_on_commit: Joi.boolean().allow(null),
          branch_filter: Joi.string().allow('', null).max(1000),
          use_ssh: Joi.boolean().allow(null).description('Make a key, and use an address of ssh'),
        }).label('CreatePushMirrorOption'),
      },
      responses: { 200: pushMirrorSchema, 400: null, 423: null },
      async handler({ actor, resource, payload }) {
        mustBeOn();
        mustBeActive(resource);
        const input = {
          address: payload.remote_address,
          username: payload.remote_username ?? '',
          password: payload.remote_password ?? '',
          interval: payload.interval ?? '',
          syncOnCommit: payload.sync_on_commit ?? false,
          branches: payload.branch_filter ?? '',
          useSsh: payload.use_ssh ?? false,
        };
        return pushMirrorRecord(resource.repository, await pushMirrors.create(resource.repository, input, actor));
      },
    }),
    defineRoute({
      ...routeOptions,
      method: 'POST',
      path: `${base}-sync`,
      id: 'repoPushMirrorSync',
      summary: 'Synchronize all push mirrors of a repository, and wait for the end',
      responses: { 200: null, 400: null, 422: null, 423: null },
      async handler({ resource, signal }) {
        mustBeOn();
        mustBeActive(resource);
        const mirrors = await pushMirrors.all(resource.repository.id);
        const failed = await requestedPushes.run(resource.repository.ownerId, mirrors, signal);
        if (failed) throw Invalid(t.later('error.someFailed', { count: failed }));
        return reply.empty(200);
      },
    }),
    defineRoute({
      ...routeOptions,
      method: 'GET',
      path: `${base}/{name}`,
      id: 'repoGetPushMirrorByRemoteName',
      summary: 'Get a push mirror by its name',
      responses: { 200: pushMirrorSchema, 400: null },
      async handler({ resource, params }) {
        mustBeOn();
        const row = await pushMirrors.byName(resource.repository.id, params['name'] ?? '');
        if (!row) throw NotFound('push mirror');
        return pushMirrorRecord(resource.repository, row);
      },
    }),
    defineRoute({
      ...routeOptions,
      method: 'DELETE',
      path: `${base}/{name}`,
      id: 'repoDeletePushMirror',
      summary: 'Delete a push mirror; what was sent stays at the other server',
      responses: { 204: null, 400: null, 423: null },
      async handler({ resource, params }) {
        mustBeOn();
        mustBeActive(resource);
        await pushMirrors.delete(resource.repository.id, params['name'] ?? '');
        return reply.none();
      },
    }),
  ];
};
