import { BadRequest, defineRoute, Invalid, Joi, queryFlag, reply, type Route, type Site } from '@mortise/plugin-sdk';
import {
  anyUserResource,
  userSchema,
  type Account,
  type AccountMail,
  type AccountChanges,
  type Accounts,
  type LoginSources,
  type AccountSearch,
  type Visibility,
} from '@mortise/accounts/api';
import { sendWelcome } from '../services/welcome.js';

const isWebAddress = (text: string) => {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol);
  } catch {
    return false;
  }
};
const text = (max: number) => Joi.string().allow('', null).max(max);
const flag = Joi.boolean().allow(null);
const visibility = Joi.string().valid('', 'public', 'limited', 'private').allow(null);

interface CreateOptions {
  readonly username: string;
  readonly email: string;
  readonly password?: string | null;
  readonly full_name?: string | null;
  readonly login_name?: string | null;
  readonly source_id?: number | null;
  readonly must_change_password?: boolean | null;
  readonly send_notify?: boolean | null;
  readonly restricted?: boolean | null;
  readonly visibility?: '' | 'public' | 'limited' | 'private' | null;
  readonly created_at?: Date | null;
}

const createOptions = Joi.object<CreateOptions>({
  username: Joi.string().required(),
  email: Joi.string().max(254).required(),
  password: text(255),
  full_name: text(100),
  login_name: text(255),
  source_id: Joi.number().integer().min(0).max(2_000_000_000).allow(null),
  must_change_password: flag,
  send_notify: flag,
  restricted: flag,
  visibility,
  created_at: Joi.date().iso().min('1970-01-01').max('2200-01-01').allow(null),
}).label('CreateUserOption');

type EditOptions = {
  readonly full_name?: string | null;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly login_name?: string | null;
  readonly source_id?: number | null;
  readonly website?: string | null;
  readonly location?: string | null;
  readonly description?: string | null;
  readonly active?: boolean | null;
  readonly admin?: boolean | null;
  readonly allow_git_hook?: boolean | null;
  readonly allow_import_local?: boolean | null;
  readonly allow_create_organization?: boolean | null;
  readonly max_repo_creation?: number | null;
  readonly must_change_password?: boolean | null;
  readonly prohibit_login?: boolean | null;
  readonly restricted?: boolean | null;
  readonly visibility?: '' | 'public' | 'limited' | 'private' | null;
};

const editOptions = Joi.object<EditOptions>({
  full_name: text(100),
  email: text(254),
  password: text(255),
  login_name: text(255),
  source_id: Joi.number().integer().min(-1).max(2_000_000_000).allow(null),
  website: text(255).custom((value: string | null, helpers) =>
    !value || isWebAddress(value) ? value : helpers.error('string.uri'),
  ),
  location: text(50),
  description: text(255),
  active: flag,
  admin: flag,
  allow_git_hook: flag,
  allow_import_local: flag,
  allow_create_organization: flag,
  max_repo_creation: Joi.number().integer().min(-1).max(2_000_000_000).allow(null),
  must_change_password: flag,
  prohibit_login: flag,
  restricted: flag,
  visibility,
}).label('EditUserOption');

interface SearchQuery {
  readonly q?: string;
  readonly source_id?: number;
  readonly login_name?: string;
  readonly sort?: string;
  readonly order?: string;
  readonly visibility?: string;
  readonly is_active?: boolean;
  readonly is_admin?: boolean;
  readonly is_restricted?: boolean;
  readonly is_2fa_enabled?: boolean;
  readonly is_prohibit_login?: boolean;
}

const searchQuery = Joi.object<SearchQuery>({
  q: Joi.string().allow(''),
  source_id: Joi.number().integer().empty(''),
  login_name: Joi.string().allow(''),
  sort: Joi.string().allow(''),
  order: Joi.string().allow(''),
  visibility: Joi.string().allow(''),
  is_active: queryFlag(),
  is_admin: queryFlag(),
  is_restricted: queryFlag(),
  is_2fa_enabled: queryFlag(),
  is_prohibit_login: queryFlag(),
});

type Given = Record<string, unknown>;
const present = <T>(value: unknown): T | undefined =>
  value === null || value === undefined ? undefined : (value as T);
const some = (value: unknown): string | undefined => present<string>(value) || undefined;

function toChanges(given: Given): AccountChanges {
  return {
    fullName: present(given.full_name),
    email: some(given.email),
    password: some(given.password),
    loginName: some(given.login_name),
    sourceId: present(given.source_id),
    website: present(given.website),
    location: present(given.location),
    description: present(given.description),
    isActive: present(given.active),
    isAdmin: present(given.admin),
    allowGitHook: present(given.allow_git_hook),
    allowImportLocal: present(given.allow_import_local),
    allowCreateOrganization: present(given.allow_create_organization),
    maxRepoCreation: present(given.max_repo_creation),
    mustChangePassword: present(given.must_change_password),
    prohibitLogin: present(given.prohibit_login),
    isRestricted: present(given.restricted),
    visibility: some(given.visibility) as AccountChanges['visibility'],
  };
}

const sorts = new Map<string, AccountSearch['sort']>([
  ['name', 'name'],
  ['created', 'oldest'],
  ['updated', 'updated'],
  ['id', 'id'],
]);

function toSearch(query: Given): Omit<AccountSearch, 'limit' | 'offset'> {
  const sort = some(query.sort);
  const order = some(query.order);
  const requested = some(query.visibility);
  if (sort && !sorts.has(sort)) throw Invalid(`Unknown sort: ${sort}.`);
  // Without something to sort by, the direction says nothing.
  if (sort && order && !['asc', 'desc'].includes(order)) throw Invalid(`Unknown order: ${order}.`);
  if (requested && !['public', 'limited', 'private'].includes(requested))
    throw Invalid(`Unknown visibility: ${requested}.`);
  return {
    kind: 'user',
    text: some(query.q)?.trim() || undefined,
    sourceId: present(query.source_id),
    loginName: some(query.login_name),
    visibility: requested ? [requested as Visibility] : undefined,
    isActive: present(query.is_active),
    isAdmin: present(query.is_admin),
    isRestricted: present(query.is_restricted),
    prohibitLogin: present(query.is_prohibit_login),
    sort: sorts.get(sort ?? 'name'),
    descending: Boolean(sort) && order === 'desc',
  };
}

/** ADM-08: an organization is not deleted or renamed as a user. */
function onlyUsers(account: Account): void {
  if (account.kind !== 'user') throw Invalid(`${account.name} is an organization.`);
}

interface Services {
  readonly accountMail: AccountMail;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
}

const access = { actor: 'admin', scope: 'admin' } as const;

const one = { ...access, resource: anyUserResource } as const;

/** What these routes share. */
function userContext({ accounts, accountMail, loginSources, site }: Services) {
  /** ADM-06; 0: local. */
  const checkSource = async (id: number) => {
    if (id !== 0 && !(await loginSources.byId(id))) throw Invalid('The login source does not exist.');
  };
  return { accounts, checkSource, accountMail, site };
}

type UserRouteContext = ReturnType<typeof userContext>;

const adminSearchUsers = ({ accounts }: UserRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/admin/users',
    id: 'adminSearchUsers',
    tags: ['admin'],
    summary: 'Search accounts',
    access,
    request: { query: searchQuery },
    responses: { 200: Joi.array().items(userSchema) },
    handler: async ({ actor, query, page }) => {
      const search = toSearch(query);
      // A second factor comes with a plugin of its own.
      const { is_2fa_enabled: holds } = query;
      const filters = holds === undefined ? undefined : { 'second-factor': holds };
      const results = await accounts.search({ ...search, filters, limit: page.limit, offset: page.offset });
      return reply.list(
        results.items.map((account) => accounts.toApiUser(account, actor)),
        results.total,
      );
    },
  });

const adminCreateUser = ({ checkSource, accounts, accountMail, site }: UserRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/admin/users',
    id: 'adminCreateUser',
    tags: ['admin'],
    summary: 'Create an account',
    access,
    request: { payload: createOptions },
    responses: { 201: userSchema },
    handler: async ({ actor, payload }) => {
      const sourceId = payload.source_id ?? 0;
      await checkSource(sourceId);
      // ADM-01: who belongs to a directory has the password there
      if (!payload.password && sourceId === 0) throw BadRequest('A local account needs a password.');
      const account = await accounts.create({
        name: payload.username,
        email: payload.email,
        password: some(payload.password),
        sourceId,
        fullName: payload.full_name ?? '',
        // by it the source knows them
        loginName: some(payload.login_name) ?? (sourceId === 0 ? '' : payload.username),
        mustChangePassword: payload.must_change_password ?? sourceId === 0,
        isRestricted: present(payload.restricted),
        visibility: some(payload.visibility) as Account['visibility'] | undefined,
        createdAt: payload.created_at ? (payload.created_at as Date).getTime() : undefined,
      });
      if (payload.send_notify) await sendWelcome(account, accountMail, site);
      return reply.created(accounts.toApiUser(account, actor));
    },
  });

const adminEditUser = ({ checkSource, accounts }: UserRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: '/api/v1/admin/users/{username}',
    id: 'adminEditUser',
    tags: ['admin'],
    summary: 'Change an account',
    access: one,
    request: { payload: editOptions },
    responses: { 200: userSchema },
    handler: async ({ actor, resource, payload }) => {
      onlyUsers(resource);
      if (payload.source_id !== resource.sourceId) await checkSource(payload.source_id ?? 0);
      return accounts.toApiUser(await accounts.update(resource.id, toChanges(payload)), actor);
    },
  });

const adminDeleteUser = ({ accounts }: UserRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/admin/users/{username}',
    id: 'adminDeleteUser',
    tags: ['admin'],
    summary: 'Delete an account',
    access: one,
    request: { query: Joi.object<{ readonly purge?: boolean }>({ purge: queryFlag() }) },
    responses: { 204: null },
    handler: async ({ actor, resource, query }) => {
      onlyUsers(resource);
      if (resource.id === actor.id) throw Invalid('You cannot delete the account you are signed in with.');
      await accounts.delete(resource.id, { purge: query.purge ?? false });
    },
  });

const adminRenameUser = ({ accounts }: UserRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/admin/users/{username}/rename',
    id: 'adminRenameUser',
    tags: ['admin'],
    summary: 'Rename an account',
    access: one,
    request: {
      payload: Joi.object<{ readonly new_username: string }>({ new_username: Joi.string().required() }).label(
        'RenameUserOption',
      ),
    },
    responses: { 204: null },
    handler: async ({ resource, payload }) => {
      onlyUsers(resource);
      await accounts.rename(resource.id, payload.new_username);
    },
  });

/** Accounts, for administrators (ADM-01 to ADM-12). */
export function userRoutes(deps: Services): readonly Route[] {
  const context = userContext(deps);
  return [
    adminSearchUsers(context),
    adminCreateUser(context),
    adminEditUser(context),
    adminDeleteUser(context),
    adminRenameUser(context),
  ];
}
