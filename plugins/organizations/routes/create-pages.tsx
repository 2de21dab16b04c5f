import {
  checkFields,
  defineRoute,
  formRoute,
  formStatus,
  formText,
  Invalid,
  isChecked,
  NotFound,
  webPage,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts, Visibility } from '@mortise/accounts/api';
import { CreateForm } from '../pages/create.js';
import type { OrganizationService } from '../services/organizations.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly organizations: OrganizationService;
  readonly site: Site;
  readonly isCreationOpen: boolean;
  /** Of a new organization. */
  readonly visibility: Visibility;
}

export const visibilityOf = (values: FormValues): Visibility => {
  const given = formText(values, 'visibility');
  if (given !== 'public' && given !== 'limited' && given !== 'private') throw Invalid(t.later('error.visibility'));
  return given;
};

/** `/org/create`. */
export function createPageRoutes(services: Services): readonly Route[] {
  const { accounts, organizations, site, isCreationOpen, visibility } = services;
  const here = '/org/create';
  const access = { actor: 'user' } as const;
  const page = ({ csrf }: RouteContext, sent?: FormValues, flash?: Flash) =>
    webPage({
      title: t.later('create.title'),
      width: 'narrow',
      status: formStatus(flash),
      flash,
      body: <CreateForm csrf={csrf} action={site.path(here)} visibility={visibility} sent={sent} />,
    });

  return [
    defineRoute({
      method: 'GET',
      path: here,
      surface: 'page',
      access,
      async handler(context) {
        await organizations.checkMayCreate(context.actor, isCreationOpen);
        return page(context);
      },
    }),
    formRoute(
      here,
      access,
      async ({ actor }, values) => {
        await organizations.checkMayCreate(actor, isCreationOpen);
        const owner = await accounts.byId(actor.id);
        if (!owner) throw NotFound('user');
        const name = formText(values, 'org_name');
        await checkFields({ name: () => accounts.checkNewName(name), visibility: () => visibilityOf(values) });
        const made = await organizations.create(
          {
            name,
            visibility: visibilityOf(values),
            repositoryAdminsChangeTeams: isChecked(values, 'repo_admin_change_team_access'),
          },
          owner,
        );
        return site.path(`/${made.account.name}`);
      },
      page,
    ),
  ];
}
