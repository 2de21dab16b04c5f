import {
  Blankslate,
  Csrf,
  Invalid,
  Section,
  checkFields,
  pageRoute,
  type FieldOption,
  type Route,
  formRoute,
  savedFlash,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import { administerPage, repositoryHome, repositoryPageContext, type RepositoryRoute } from '../api.js';
import { userFieldIslands } from '@mortise/accounts/api';
import { LineField, RemoveButton, Select } from './form-fields.js';
import { type PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

const levels = (): FieldOption[] =>
  (['read', 'write', 'admin'] as const).map((level): FieldOption => [level, t(`collaborators.${level}`)]);

type CollaboratorPageRouteDeps = Pick<PageDeps, 'accounts' | 'layout' | 'members' | 'site'>;

/** What these routes share. */
function collaboratorPageContext(services: CollaboratorPageRouteDeps) {
  const { accounts, layout, members, site } = services;
  const page = async (context: RepositoryRoute, flash?: Flash, given: FormValues = {}) => {
    const { repository } = context.resource;
    const action = `${repositoryHome(services.site, repository)}/settings/collaboration`;
    const collaborators = await members.collaborators(repository.id);
    const known = await accounts.byIds(collaborators.map((member) => member.userId));
    return layout.settingsPage(repositoryPageContext(context), 'collaborators', () => ({
      title: t('collaborators.title'),
      islands: userFieldIslands,
      status: formStatus(flash),
      flash,
      body: (
        <Section title={t('collaborators.title')}>
          <p class="color-fg-muted">{t('collaborators.about')}</p>
          <ul class="Box list-style-none mb-3">
            {collaborators.length === 0 ? (
              <li>
                <Blankslate title={t('collaborators.none')} icon="people" level={3} plain />
              </li>
            ) : null}
            {collaborators.map(({ userId, mode }) => {
              const account = known.get(userId);
              if (!account) return null;
              return (
                <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
                  <img class="avatar avatar-user" src={accounts.avatarUrl(account)} width={32} height={32} alt="" />
                  <a class="text-bold flex-auto" href={site.path(`/${account.name}`)}>
                    {account.name}
                  </a>
                  <form method="post" action={action} class="d-flex gap-2">
                    <Csrf />
                    <input type="hidden" name="collaborator" value={account.name} />
                    <Select
                      name="permission"
                      label={t('collaborators.permissionOf', { name: account.name })}
                      value={mode}
                      choices={levels()}
                    />
                    <button class="btn btn-sm" type="submit">
                      {t('collaborators.change')}
                    </button>
                  </form>
                  <RemoveButton
                    action={action}
                    remove={account.name}
                    name={account.name}
                    confirm={t('collaborators.removeConfirm', { name: account.name })}
                  />
                </li>
              );
            })}
          </ul>
          <form method="post" action={action} class="d-flex flex-wrap gap-2">
            <Csrf />
            <LineField
              name="collaborator"
              label={t('collaborators.username')}
              value={formText(given, 'collaborator')}
              isUser
            />
            <Select
              name="permission"
              label={t('collaborators.permission')}
              value={formText(given, 'permission') || 'write'}
              choices={levels()}
            />
            <button class="btn btn-primary" type="submit">
              {t('collaborators.add')}
            </button>
          </form>
        </Section>
      ),
    }));
  };
  return { page, accounts, members, services };
}

type CollaboratorPageRouteContext = ReturnType<typeof collaboratorPageContext>;

const collaboratorList = ({ page }: CollaboratorPageRouteContext) =>
  pageRoute('/{owner}/{repo}/settings/collaboration', administerPage, (context) =>
    page(context, savedFlash(context.query)),
  );

const changeCollaborators = ({ accounts, members, services, page }: CollaboratorPageRouteContext) =>
  formRoute(
    '/{owner}/{repo}/settings/collaboration',
    administerPage,
    async (context, values) => {
      const { repository } = context.resource;
      const leaving = formText(values, 'remove');
      const name = leaving || formText(values, 'collaborator');
      await checkFields({
        async collaborator() {
          const account = await accounts.byName(name);
          if (!account) throw Invalid(t.later('error.noUser', { name }));
          if (leaving) await members.removeCollaborator(repository, account);
          else
            await members.setCollaborator(
              repository,
              account,
              formText(values, 'permission') || undefined,
              context.actor,
            );
        },
      });
      return `${repositoryHome(services.site, repository)}/settings/collaboration?saved=1`;
    },
    (context, values, flash) => page(context, flash, values),
  );

/** Who else works on a repository, and what each may. */
export function collaboratorPageRoutes(services: CollaboratorPageRouteDeps): Route[] {
  const context = collaboratorPageContext(services);
  return [collaboratorList(context), changeCollaborators(context)];
}
