import { Joi, defineRoute, reply, type Actor, type Route, apiTime } from '@mortise/plugin-sdk';
import { repositorySchema, repositoryResource, type RepositoryContext } from '../api.js';
import type { DeployKeyRow } from '../models/deploy-key.js';
import { repositoryPath, tag, type RouteServices } from './route-options.js';

const keySchema = Joi.object({
  id: Joi.number().integer().required(),
  key_id: Joi.number().integer().required(),
  key: Joi.string().required(),
  url: Joi.string().required(),
  title: Joi.string().required(),
  fingerprint: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
  read_only: Joi.boolean().required(),
  repository: repositorySchema.optional(),
}).label('DeployKey');

interface RepoCreateKeyPayload {
  readonly title: string;
  readonly key: string;
  readonly read_only: boolean;
}

interface RepoTransferPayload {
  readonly new_owner?: string | null;
  readonly team_ids?: readonly number[] | null;
}

type OwnershipRouteDeps = Pick<RouteServices, 'transfers' | 'deployKeys' | 'presenter' | 'repositories'>;

const owner = { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'owner' } as const;

const reader = { actor: 'user', scope: 'repository', resource: repositoryResource } as const;

const administer = { ...reader, mode: 'admin' } as const;

const keyPath = `${repositoryPath}/keys/{id}`;

const numbered = Joi.object<{ readonly owner?: string; readonly repo?: string; readonly id: number }>({
  owner: Joi.string(),
  repo: Joi.string(),
  id: Joi.number().integer().required(),
});

/** What these routes share. */
function ownershipContext({ transfers, deployKeys, presenter, repositories }: OwnershipRouteDeps) {
  const shown = async (rows: readonly DeployKeyRow[], resource: RepositoryContext, actor: Actor) => {
    const record = resource.may('owner') ? { repository: await presenter.ofContext(resource, actor) } : {};
    const base = repositories.apiUrl(resource.repository);
    return rows.map((row) => ({
      id: row.id,
      key_id: row.id,
      key: row.content,
      url: `${base}/keys/${row.id}`,
      title: row.title,
      fingerprint: row.fingerprint,
      created_at: apiTime(Number(row.created_at)),
      read_only: row.read_only,
      ...record,
    }));
  };
  const one = async (repository: RepositoryContext['repository'], actor: Actor) =>
    (await presenter.toApi([repository], actor))[0];
  return { transfers, one, presenter, deployKeys, shown };
}

type OwnershipRouteContext = ReturnType<typeof ownershipContext>;

const repoTransfer = ({ transfers, one }: OwnershipRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/transfer`,
    id: 'repoTransfer',
    tags: tag,
    summary: 'Hand a repository over',
    access: owner,
    request: {
      payload: Joi.object<RepoTransferPayload>({
        new_owner: Joi.string().allow('', null).description('404 where none is named'),
        team_ids: Joi.array().items(Joi.number().integer()).max(100).allow(null),
      }).label('TransferRepoOption'),
    },
    responses: { 201: repositorySchema, 202: repositorySchema, 409: null },
    async handler({ actor, resource, payload }) {
      const { repository, moved } = await transfers.offer(
        resource.repository,
        payload.new_owner ?? '',
        actor,
        payload.team_ids ?? [],
      );
      const record = await one(repository, actor);
      return moved ? reply.accepted(record) : reply.created(record);
    },
  });

const acceptRepoTransfer = ({ one, transfers }: OwnershipRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/transfer/accept`,
    id: 'acceptRepoTransfer',
    tags: tag,
    summary: 'Accept a repository',
    access: reader,
    responses: { 202: repositorySchema },
    handler: async ({ actor, resource }) =>
      reply.accepted(await one(await transfers.accept(resource.repository, actor), actor)),
  });

const rejectRepoTransfer = ({ presenter, transfers }: OwnershipRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/transfer/reject`,
    id: 'rejectRepoTransfer',
    tags: tag,
    summary: 'Decline a repository',
    access: reader,
    responses: { 200: repositorySchema },
    async handler({ actor, resource }) {
      const record = await presenter.ofContext(resource, actor);
      await transfers.reject(resource.repository, actor);
      return { ...record, repo_transfer: null };
    },
  });

const repoListKeys = ({ deployKeys, shown }: OwnershipRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/keys`,
    id: 'repoListKeys',
    tags: tag,
    summary: 'Deploy keys',
    access: administer,
    request: {
      query: Joi.object<{ readonly key_id?: number; readonly fingerprint?: string }>({
        key_id: Joi.number().integer().empty(''),
        fingerprint: Joi.string().allow(''),
      }),
    },
    responses: { 200: Joi.array().items(keySchema).label('DeployKeyList') },
    async handler({ actor, resource, query, page }) {
      const { items, total } = await deployKeys.list(resource.repository.id, {
        keyId: query.key_id,
        fingerprint: query.fingerprint,
        limit: page.limit,
        offset: page.offset,
      });
      return reply.list(await shown(items, resource, actor), total);
    },
  });

const repoCreateKey = ({ deployKeys, shown }: OwnershipRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/keys`,
    id: 'repoCreateKey',
    tags: tag,
    summary: 'Add a deploy key',
    access: administer,
    request: {
      payload: Joi.object<RepoCreateKeyPayload>({
        title: Joi.string().max(50).required(),
        key: Joi.string().required(),
        read_only: Joi.boolean().default(false),
      }).label('CreateKeyOption'),
    },
    responses: { 201: keySchema },
    async handler({ actor, resource, payload }) {
      const row = await deployKeys.add(resource.repository.id, {
        title: payload.title,
        key: payload.key,
        readOnly: payload.read_only,
      });
      return reply.created((await shown([row], resource, actor))[0]);
    },
  });

const repoGetKey = ({ shown, deployKeys }: OwnershipRouteContext) =>
  defineRoute({
    method: 'GET',
    path: keyPath,
    id: 'repoGetKey',
    tags: tag,
    summary: 'One deploy key',
    access: administer,
    request: { params: numbered },
    responses: { 200: keySchema },
    handler: async ({ actor, resource, params }) =>
      (await shown([await deployKeys.get(resource.repository.id, Number(params.id))], resource, actor))[0],
  });

const repoDeleteKey = ({ deployKeys }: OwnershipRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: keyPath,
    id: 'repoDeleteKey',
    tags: tag,
    summary: 'Remove a deploy key',
    access: administer,
    request: { params: numbered },
    responses: { 204: null },
    handler: async ({ resource, params }) => (
      await deployKeys.remove(resource.repository.id, Number(params.id)),
      reply.none()
    ),
  });

/** Handing a repository over, and its deploy keys. */
export function ownershipRoutes(deps: OwnershipRouteDeps): Route[] {
  const context = ownershipContext(deps);
  return [
    repoTransfer(context),
    acceptRepoTransfer(context),
    rejectRepoTransfer(context),
    repoListKeys(context),
    repoCreateKey(context),
    repoGetKey(context),
    repoDeleteKey(context),
  ];
}
