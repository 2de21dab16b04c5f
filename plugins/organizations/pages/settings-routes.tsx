import {
  checkFields,
  pageRoute,
  formRoute,
  formStatus,
  formText,
  Invalid,
  isChecked,
  savedFlash,
  listHref,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import {
  avatarIslands,
  userFieldIslands,
  type AccountBlocks,
  type AccountPictures,
  type Accounts,
  type Memberships,
} from '@mortise/accounts/api';
import { administerOrganization, type OrganizationContext, type OrganizationPages } from '../api.js';
import { organizationBase, userViewOf } from './components.js';
import { Blocked, DeleteForm, Settings, type SettingsProps } from './settings.js';
import type { OrganizationService } from '../services/organizations.js';
import { visibilityOf } from './create.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly organizations: OrganizationService;
  readonly blocks: AccountBlocks;
  readonly pictures: AccountPictures;
  readonly pages: OrganizationPages;
  readonly site: Site;
}

/** What these routes share. */
function settingsPageContext(services: Services) {
  const { accounts, memberships, organizations, blocks, pictures, pages, site } = services;
  type Context = RouteContext<OrganizationContext>;
  const path = (to: string) => site.path(to);
  const access = administerOrganization;
  const here = '/org/{org}/settings';
  const base = ({ account }: Pick<OrganizationContext, 'account'>) => `${organizationBase(path, account)}/settings`;
  const page = (context: Context, flash?: Flash, sent?: SettingsProps['sent']) => {
    const { actor, resource } = context;
    return pages.settingsPage(context, 'profile', {
      title: t.later('settings.title'),
      flash,
      status: formStatus(flash),
      islands: avatarIslands,
      body: (
        <Settings
          organization={resource}
          base={base(resource)}
          avatarUrl={accounts.avatarUrl(resource.account)}
          isAdmin={actor.isAdmin}
          sent={sent}
        />
      ),
    });
  };
  const deletePage = (context: Context, flash?: Flash) =>
    pages.settingsPage(context, 'delete', {
      title: t.later('delete.title'),
      flash,
      status: formStatus(flash),
      body: <DeleteForm organization={context.resource} base={base(context.resource)} />,
    });
  const blockedPage = async (context: Context, flash?: Flash, name = '') => {
    const { page: number, limit, offset } = context.page;
    const { items, total } = await blocks.list(context.resource.account.id, { limit, offset });
    return pages.settingsPage(context, 'blocked', {
      title: t.later('blocked.title'),
      flash,
      status: formStatus(flash),
      islands: userFieldIslands,
      body: (
        <Blocked
          organization={context.resource}
          base={base(context.resource)}
          users={items.map(userViewOf(accounts))}
          total={total}
          page={number}
          limit={limit}
          name={name}
          path={path}
        />
      ),
    });
  };
  const show = (at: string, shown: (context: Context, flash?: Flash) => unknown): Route =>
    pageRoute(at, access, (context) => shown(context, savedFlash(context.query as object)));
  return {
    show,
    here,
    page,
    access,
    organizations,
    base,
    pictures,
    accounts,
    deletePage,
    path,
    blockedPage,
    blocks,
    memberships,
  };
}

type SettingsPageRouteContext = ReturnType<typeof settingsPageContext>;

const saveSettings = ({ here, access, organizations, base, page }: SettingsPageRouteContext) =>
  formRoute(
    here,
    access,
    async ({ actor, resource: { account } }, values) => {
      await organizations.update(account.id, {
        fullName: formText(values, 'full_name'),
        email: formText(values, 'email'),
        description: formText(values, 'description'),
        website: formText(values, 'website'),
        location: formText(values, 'location'),
        visibility: visibilityOf(values),
        repositoryAdminsChangeTeams: isChecked(values, 'repo_admin_change_team_access'),
        ...(actor.isAdmin && values.max_repo_creation !== undefined && { maxRepoCreation: limitOf(values) }),
      });
      return `${base({ account })}?saved=1`;
    },
    (context, values, flash) => page(context, flash, { form: '', values }),
  );

const changeAvatar = ({ here, access, pictures, base, page }: SettingsPageRouteContext) =>
  formRoute(
    `${here}/avatar`,
    access,
    async ({ resource, payload }) => {
      const { avatar } = payload as { readonly avatar?: unknown };
      await pictures.uploadFile(resource.account.id, avatar);
      return `${base(resource)}?saved=1`;
    },
    (context, _values, flash) => page(context, flash),
    { as: 'multipart', maxBytes: pictures.maxBytes + 64 * 1024 },
  );

const deleteAvatar = ({ here, access, pictures, base, page }: SettingsPageRouteContext) =>
  formRoute(
    `${here}/avatar/delete`,
    access,
    async ({ resource }) => {
      await pictures.remove(resource.account.id);
      return `${base(resource)}?saved=1`;
    },
    (context, _values, flash) => page(context, flash),
  );

const renameOrganization = ({ here, access, accounts, base, page }: SettingsPageRouteContext) =>
  formRoute(
    `${here}/rename`,
    access,
    async ({ resource: { account } }, values) => {
      const name = formText(values, 'new_org_name');
      const isOther = name.toLowerCase() !== account.lowerName;
      await checkFields({ name: () => (isOther ? accounts.checkNewName(name) : accounts.checkName(name)) });
      return `${base({ account: await accounts.rename(account.id, name) })}?saved=1`;
    },
    (context, values, flash) => page(context, flash, { form: 'rename', values }),
  );

const deleteOrganization = ({ here, access, organizations, path, deletePage }: SettingsPageRouteContext) =>
  formRoute(
    `${here}/delete`,
    access,
    async ({ resource: { account } }, values) => {
      await checkFields({
        org_name() {
          if (formText(values, 'org_name') !== account.name) throw Invalid(t.later('error.confirm'));
        },
      });
      await organizations.delete(account.id);
      return listHref(path('/user/settings/organization'), { deleted: account.name });
    },
    (context, _values, flash) => deletePage(context, flash),
  );

const changeBlockedUsers = ({
  here,
  access,
  accounts,
  blocks,
  memberships,
  base,
  blockedPage,
}: SettingsPageRouteContext) =>
  formRoute(
    `${here}/blocked_users`,
    access,
    async ({ actor, resource }, values) => {
      const name = formText(values, 'name');
      const account = await accounts.byName(name);
      if (formText(values, 'action') === 'unblock') {
        if (account) await blocks.unblock(resource.account.id, account.id);
      } else
        await checkFields({
          // Nobody learns of accounts here that they may not see.
          async name() {
            if (!account || !(await memberships.mayView(actor, account)))
              throw Invalid(t.later('error.noUser', { name }));
            await blocks.block(resource.account.id, account, '');
          },
        });
      return `${base(resource)}/blocked_users?saved=1`;
    },
    (context, values, flash) =>
      blockedPage(context, flash, formText(values, 'action') === 'unblock' ? '' : formText(values, 'name')),
  );

/** `/org/{org}/settings`, for owners. */
export function settingsPageRoutes(services: Services): readonly Route[] {
  const context = settingsPageContext(services);
  const { show, here, page, deletePage, blockedPage } = context;
  return [
    show(here, page),
    saveSettings(context),
    changeAvatar(context),
    deleteAvatar(context),
    renameOrganization(context),
    show(`${here}/delete`, deletePage),
    deleteOrganization(context),
    show(`${here}/blocked_users`, blockedPage),
    changeBlockedUsers(context),
  ];
}

function limitOf(values: FormValues): number {
  const limit = Number(formText(values, 'max_repo_creation'));
  if (Number.isInteger(limit) && limit >= -1 && limit <= 2_000_000_000) return limit;
  const text = t.later('error.limit');
  throw Invalid(text, { inputs: { max_repo_creation: text } });
}
