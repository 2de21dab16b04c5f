import {
  defineRoute,
  holdsScope,
  Invalid,
  Joi,
  NotFound,
  reply,
  type Actor,
  type Route,
  pictureBytes,
} from '@mortise/plugin-sdk';
import { anyUserResource, type AccountPictures, type Visibility } from '@mortise/accounts/api';
import { organizationResource } from '../api.js';
import { organizationSchema, type NewOrganization } from '../contract/organizations.js';
import type { OrganizationService } from '../services/organizations.js';
import {
  api,
  organizationList,
  organizationPath,
  present,
  tags,
  visibility,
  words,
  type RouteServices,
} from './route-options.js';
import { t } from '../texts/index.js';

interface Fields {
  readonly full_name?: string | null;
  readonly email?: string | null;
  readonly description?: string | null;
  readonly website?: string | null;
  readonly location?: string | null;
  readonly visibility?: Visibility | '' | null;
  readonly repo_admin_change_team_access?: boolean | null;
}

const fields = {
  full_name: words(100),
  email: words(255),
  description: words(255),
  website: words(255),
  location: words(50),
  visibility,
  repo_admin_change_team_access: Joi.boolean().strict().allow(null),
};

const createOption = Joi.object<Fields & { readonly username: string }>({
  username: Joi.string().required(),
  ...fields,
}).label('CreateOrgOption');

const given = (body: Fields): Omit<NewOrganization, 'name'> => ({
  fullName: present(body.full_name),
  email: present(body.email)?.trim(),
  description: present(body.description),
  website: present(body.website),
  location: present(body.location),
  visibility: body.visibility || undefined,
  repositoryAdminsChangeTeams: present(body.repo_admin_change_team_access),
});

/** Private organizations are not listed, not even for their members; administrators see all. */
function listedTo(actor: Actor): readonly Visibility[] | undefined {
  if (actor.publicOnly || actor.kind !== 'user') return ['public'];
  return actor.isAdmin ? undefined : ['public', 'limited'];
}

type OrganizationRouteDeps = Pick<RouteServices, 'accounts'> & {
  readonly organizations: OrganizationService;
  readonly pictures: AccountPictures;
  readonly isCreationOpen: boolean;
};

const read = { actor: 'anyone', scope: 'organization', resource: organizationResource } as const;

const owner = { actor: 'user', scope: 'organization', resource: organizationResource, mode: 'owner' } as const;

const orgGetAll = ({ accounts, organizations }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: `${api}/orgs`,
    id: 'orgGetAll',
    tags,
    summary: 'Organizations that you may see',
    // what nobody needs a token for, no token is too weak for; a weak one shows no more than that
    access: { actor: 'anyone' },
    responses: { 200: organizationList },
    async handler({ actor, page }) {
      const seer = holdsScope(actor, 'organization', 'read') ? actor : { ...actor, publicOnly: true };
      const results = await accounts.search({
        kind: 'organization',
        visibility: listedTo(seer),
        visibleTo: seer,
        ...page,
      });
      const known = await organizations.byIds(results.items.map((account) => account.id));
      return reply.list(
        results.items.flatMap(({ id }) => (known.has(id) ? [organizations.toApi(known.get(id)!, seer)] : [])),
        results.total,
      );
    },
  });

const orgCreate = ({ organizations, isCreationOpen, accounts }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'POST',
    path: `${api}/orgs`,
    id: 'orgCreate',
    tags,
    summary: 'Create an organization',
    access: { actor: 'user', scope: 'organization' },
    request: { payload: createOption },
    responses: { 201: organizationSchema },
    async handler({ actor, payload }) {
      await organizations.checkMayCreate(actor, isCreationOpen);
      organizations.checkVisibility(actor, payload.visibility || undefined);
      const account = await accounts.byId(actor.id);
      if (!account) throw NotFound('user');
      const made = await organizations.create({ name: payload.username, ...given(payload) }, account);
      return reply.created(organizations.toApi(made, actor));
    },
  });

const adminCreateOrg = ({ organizations }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'POST',
    path: `${api}/admin/users/{username}/orgs`,
    id: 'adminCreateOrg',
    tags: ['admin'],
    summary: 'Create an organization for a user',
    access: { actor: 'admin', scope: 'admin', resource: anyUserResource },
    request: { payload: createOption },
    responses: { 201: organizationSchema },
    async handler({ actor, resource, payload }) {
      if (resource.kind !== 'user') throw Invalid(t.later('error.notAPerson'));
      const made = await organizations.create({ name: payload.username, ...given(payload) }, resource);
      return reply.created(organizations.toApi(made, actor));
    },
  });

const adminGetAllOrgs = ({ accounts, organizations }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: `${api}/admin/orgs`,
    id: 'adminGetAllOrgs',
    tags: ['admin'],
    summary: 'All organizations',
    access: { actor: 'admin', scope: 'admin' },
    responses: { 200: organizationList },
    async handler({ actor, page }) {
      const results = await accounts.search({ kind: 'organization', ...page });
      const known = await organizations.byIds(results.items.map((account) => account.id));
      return reply.list(
        results.items.flatMap(({ id }) => (known.has(id) ? [organizations.toApi(known.get(id)!, actor)] : [])),
        results.total,
      );
    },
  });

const orgGet = ({ organizations }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: organizationPath,
    id: 'orgGet',
    tags,
    summary: 'Get an organization',
    access: read,
    responses: { 200: organizationSchema },
    handler: ({ actor, resource }) => organizations.toApi(resource, actor),
  });

const orgEdit = ({ organizations }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'PATCH',
    path: organizationPath,
    id: 'orgEdit',
    tags,
    summary: 'Edit an organization; only the given fields change',
    access: owner,
    request: { payload: Joi.object<Fields>(fields).label('EditOrgOption').allow(null) },
    responses: { 200: organizationSchema },
    handler: async ({ actor, resource, payload }) => {
      organizations.checkVisibility(actor, payload?.visibility || resource.account.visibility);
      return organizations.toApi(await organizations.update(resource.account.id, given(payload ?? {})), actor);
    },
  });

const orgDelete = ({ organizations }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'DELETE',
    path: organizationPath,
    id: 'orgDelete',
    tags,
    summary: 'Delete an organization',
    access: owner,
    responses: { 204: null },
    async handler({ resource }) {
      await organizations.delete(resource.account.id);
      return reply.none();
    },
  });

const renameOrg = ({ accounts }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'POST',
    path: `${organizationPath}/rename`,
    id: 'renameOrg',
    tags,
    summary: 'Rename an organization',
    access: owner,
    request: {
      payload: Joi.object<{ readonly new_name: string }>({ new_name: Joi.string().required() }).label(
        'RenameOrgOption',
      ),
    },
    responses: { 204: null },
    async handler({ resource, payload }) {
      await accounts.rename(resource.account.id, payload.new_name);
      return reply.none();
    },
  });

const orgUpdateAvatar = ({ pictures }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'POST',
    path: `${organizationPath}/avatar`,
    id: 'orgUpdateAvatar',
    tags,
    summary: 'Upload a picture',
    access: owner,
    request: {
      payload: Joi.object<{ readonly image: string }>({ image: Joi.string().required() }).label(
        'UpdateUserAvatarOption',
      ),
    },
    responses: { 204: null, 400: null },
    async handler({ resource, payload }) {
      await pictures.upload(resource.account.id, pictureBytes(payload.image));
      return reply.none();
    },
  });

const orgDeleteAvatar = ({ pictures }: OrganizationRouteDeps) =>
  defineRoute({
    method: 'DELETE',
    path: `${organizationPath}/avatar`,
    id: 'orgDeleteAvatar',
    tags,
    summary: 'Remove the picture',
    access: owner,
    responses: { 204: null },
    async handler({ resource }) {
      await pictures.remove(resource.account.id);
      return reply.none();
    },
  });

/** Making, changing and deleting organizations. */
export function organizationRoutes(deps: OrganizationRouteDeps): Route[] {
  return [
    orgGetAll(deps),
    orgCreate(deps),
    adminCreateOrg(deps),
    adminGetAllOrgs(deps),
    orgGet(deps),
    orgEdit(deps),
    orgDelete(deps),
    renameOrg(deps),
    orgUpdateAvatar(deps),
    orgDeleteAvatar(deps),
  ];
}
