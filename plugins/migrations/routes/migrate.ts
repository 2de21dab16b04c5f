import {
  Conflict,
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  defineRoute,
  reply,
  type Actor,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { PullMirrors } from '@mortise/mirrors/api';
import { repositorySchema, type Repositories, type RepositoryCreator } from '@mortise/repositories/api';
import type { ImportKind } from '../contract/source.js';
import type { ImportService } from '../services/import-service.js';
import type { ImportRunner } from '../services/import-runner.js';
import { credentialFields } from '../services/options.js';
import type { ImportSettings } from '../settings.js';
import { t } from '../texts/index.js';

interface MigrateRouteDeps {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly creator: RepositoryCreator;
  readonly service: ImportService;
  readonly importRunner: Pick<ImportRunner, 'descriptionOf'>;
  readonly settings: ImportSettings;
  readonly isDisabled: boolean;
  /** Undefined: there are none on this site. */
  readonly mirrors: PullMirrors | undefined;
}

/** So long a client of the API waits; the import goes on behind it. */
const maxWaitMs = 15 * 60_000;

const word = (max: number, note: string) => Joi.string().allow('', null).max(max).description(note);
const flag = (note: string) => Joi.boolean().allow(null).description(note);

interface MigrateBody {
  readonly clone_addr: string;
  readonly repo_name: string;
  readonly service?: string | null;
  readonly uid?: number | null;
  readonly repo_owner?: string | null;
  readonly description?: string | null;
  readonly private?: boolean | null;
  readonly mirror?: boolean | null;
  readonly mirror_interval?: string | null;
  readonly lfs_endpoint?: string | null;
  readonly auth_username?: string | null;
  readonly auth_password?: string | null;
  readonly auth_token?: string | null;
  readonly aws_access_key_id?: string | null;
  readonly aws_secret_access_key?: string | null;
  readonly [kind: string]: unknown;
}

const flags: Readonly<Record<ImportKind, string>> = {
  lfs: 'Objects of LFS',
  wiki: 'The wiki',
  labels: 'Labels',
  milestones: 'Milestones',
  releases: 'Releases with their files',
  issues: 'Issues with their comments',
  pull_requests: 'Pull requests with their comments and reviews',
};

const migrateBody = Joi.object<MigrateBody>({
  clone_addr: Joi.string().max(2000).required().description('Where it lies: the address that git clones from'),
  repo_name: Joi.string().max(255).required(),
  service: word(40, 'Kind of the other service; default: `git`').valid(
    'git',
    'github',
    'gitea',
    'gitlab',
    'gogs',
    'onedev',
    'gitbucket',
    'codebase',
    'codecommit',
    '',
    null,
  ),
  uid: Joi.number().integer().min(0).allow(null).description('Id of the owner; deprecated for `repo_owner`'),
  repo_owner: word(255, 'Name of the owner; default: who asks'),
  description: word(2048, 'Default: that of the source'),
  private: flag('Only for those who are given access'),
  mirror: flag('Follows the other repository from then on'),
  mirror_interval: word(40, 'How often a mirror looks: `8h0m0s`'),
  lfs_endpoint: word(2000, 'Where objects of LFS are; default: as the address says'),
  ...Object.fromEntries(credentialFields.map((name) => [name, word(4096, 'Of the other service')])),
  ...Object.fromEntries(Object.entries(flags).map(([name, note]) => [name, flag(note)])),
}).label('MigrateRepoOptions');

/** Who is to own it: by name, by id, or who asks. */
async function ownerOf({ repo_owner: name, uid }: MigrateBody, actor: Actor, deps: MigrateRouteDeps): Promise<Account> {
  if (name) return deps.creator.ownerFor(actor, name);
  if (!uid) return deps.creator.ownerFor(actor);
  const account = await deps.accounts.byId(uid);
  if (!account) throw NotFound('user');
  return deps.creator.ownerFor(actor, account.name);
}

const valuesOf = (payload: MigrateBody): Record<string, string> =>
  Object.fromEntries(credentialFields.map((name) => [name, payload[name] ?? '']));

/** What can be refused without asking anybody. */
async function checkMirror(
  { clone_addr: address, repo_name: name }: MigrateBody,
  owner: Account,
  actor: Actor,
  mirrors: PullMirrors,
  { repositories, service }: MigrateRouteDeps,
): Promise<void> {
  if (!mirrors.mayCreate(actor)) throw Forbidden(t.later('error.mirrorsOff'));
  repositories.checkName(name);
  service.addressOf({ address });
  const taken = t.later('error.nameTaken');
  if (await repositories.byPath(owner.name, name)) throw Conflict(taken, { inputs: { name: taken } });
}

/** A repository that follows the other one; its record when everything has come. */
async function mirrorOf(
  payload: MigrateBody,
  owner: Account,
  { actor, signal }: Pick<RouteContext, 'actor' | 'signal'>,
  deps: MigrateRouteDeps,
) {
  if (!deps.mirrors) throw Invalid(t.later('error.noMirrors'));
  // before the source is asked, and gets the credentials
  await checkMirror(payload, owner, actor, deps.mirrors, deps);
  const { auth_username: username, auth_password: password, auth_token: token } = payload;
  const repository = await deps.mirrors.create(
    {
      address: payload.clone_addr,
      // as compatible services sign in with a token alone
      username: username || (token ? 'oauth2' : ''),
      password: password || token || '',
      name: payload.repo_name,
      description:
        payload.description ||
        (await deps.importRunner.descriptionOf(
          payload.service || 'git',
          payload.clone_addr,
          valuesOf(payload),
          signal,
        )),
      isPrivate: payload.private === true,
      interval: payload.mirror_interval ?? '',
      wiki: payload['wiki'] === true,
      lfs: payload['lfs'] === true,
    },
    owner,
    actor,
    { signal },
  );
  return (await deps.repositories.toApi([repository], actor))[0]!;
}

export const migrateRoutes = (deps: MigrateRouteDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/v1/repos/migrate',
    id: 'repoMigrate',
    tags: ['repository'],
    summary: 'Import a repository from another service',
    access: { actor: 'user', scope: 'repository' },
    request: { payload: migrateBody },
    responses: { 201: repositorySchema, 403: null, 404: null, 409: null, 422: null },
    async handler({ actor, payload, signal }) {
      if (actor.publicOnly) throw Forbidden(t.later('error.publicOnly'));
      if (deps.isDisabled) throw Forbidden(t.later('error.disabled'));
      const { service, repositories } = deps;
      const owner = await ownerOf(payload, actor, deps);
      if (payload.mirror) return reply.created(await mirrorOf(payload, owner, { actor, signal }, deps));
      const values = valuesOf(payload);
      const started = await service.start(
        {
          service: payload.service || 'git',
          address: payload.clone_addr,
          name: payload.repo_name,
          isPrivate: payload.private === true,
          description: payload.description ?? '',
          kinds: (Object.keys(flags) as ImportKind[]).filter((kind) => payload[kind] === true),
          values,
          lfsEndpoint: payload.lfs_endpoint ?? '',
          authors: { by: deps.settings.MAP_AUTHORS, accounts: {} },
          batch: '',
        },
        owner,
        actor,
      );
      const repositoryImport = await service.waitFor(started.id, maxWaitMs, signal);
      // what came stays, as whoever cancelled it was told
      if (repositoryImport?.state === 'cancelled') throw Conflict(t.later('error.cancelled'));
      if (repositoryImport?.state === 'failed' && (await service.discard(started, repositoryImport, actor.id)))
        throw Invalid(repositoryImport.error);
      const repository = await repositories.byId(started.id);
      const [record] = repository ? await repositories.toApi([repository], actor) : [];
      if (!record) throw NotFound('repository');
      // as compatible services answer: the repository as it was when its code had come
      return reply.created({ ...record, open_issues_count: 0, open_pr_counter: 0, topics: [] });
    },
  }),
];
