import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  formText,
  isChecked,
  RadioFields,
  TextField,
  checkFields,
  pageRoute,
  formRoute,
  formStatus,
  Invalid,
  NotFound,
  webPage,
  type FormValues,
  type Flash,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { Visibility, Accounts } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import type { OrganizationService } from '../services/organizations.js';

interface CreateProps {
  readonly action: string;
  /** Of a new one. */
  readonly visibility: Visibility;
  /** The form that was refused. */
  readonly sent?: FormValues;
}

/** Who sees an organization. */
export const VisibilityField = ({ value }: { value: string }): VNode => (
  <RadioFields
    name="visibility"
    label={t('settings.visibility')}
    value={value}
    options={[
      ['public', t('visibility.public'), t('settings.publicNote')],
      ['limited', t('visibility.limited'), t('settings.limitedNote')],
      ['private', t('visibility.private'), t('settings.privateNote')],
    ]}
  />
);

/** The form for a new organization. */
const CreateForm = ({ action, visibility, sent }: CreateProps): VNode => (
  <form method="post" action={action}>
    <h1 class="f2 mb-1">{t('create.title')}</h1>
    <p class="color-fg-muted">{t('create.note')}</p>
    <Csrf />
    <TextField
      name="org_name"
      input="name"
      label={t('create.name')}
      value={sent && formText(sent, 'org_name')}
      required
      maxLength={40}
      autocapitalize="none"
      autofocus
    />
    <VisibilityField value={(sent && formText(sent, 'visibility')) || visibility} />
    <CheckField
      name="repo_admin_change_team_access"
      value="on"
      label={t('settings.adminsChangeTeams')}
      checked={sent ? isChecked(sent, 'repo_admin_change_team_access') : false}
    />
    <button class="btn btn-primary mt-2" type="submit">
      {t('create.submit')}
    </button>
  </form>
);

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
  const page = (sent?: FormValues, flash?: Flash) =>
    webPage({
      title: t.later('create.title'),
      width: 'narrow',
      status: formStatus(flash),
      flash,
      body: <CreateForm action={site.path(here)} visibility={visibility} sent={sent} />,
    });

  return [
    pageRoute(here, access, async (context) => {
      await organizations.checkMayCreate(context.actor, isCreationOpen);
      return page();
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
      (_, values, flash) => page(values, flash),
    ),
  ];
}
