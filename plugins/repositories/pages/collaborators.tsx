import {
  Csrf,
  Invalid,
  Section,
  defineRoute,
  type FieldOption,
  type Route,
  formRoute,
  savedFlash,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import { administerPage, repositoryHome, repositoryPlace, type RepositoryRoute } from '../api.js';
import { RemoveButton, Select } from './parts.js';
import { type PageServices } from './shared.js';

const levels: readonly FieldOption[] = [
  ['read', 'Read'],
  ['write', 'Write'],
  ['admin', 'Administer'],
];

/** Who else works on a repository, and what each may. */
export function collaboratorPageRoutes(
  services: Pick<PageServices, 'accounts' | 'layout' | 'people' | 'site'>,
): Route[] {
  const { accounts, layout, people, site } = services;

  const page = async (context: RepositoryRoute, flash?: Flash, given: FormValues = {}) => {
    const { repository } = context.subject;
    const action = `${repositoryHome(services.site, repository)}/settings/collaboration`;
    const members = await people.collaborators(repository.id);
    const known = await accounts.byIds(members.map((member) => member.userId));
    return layout.settingsPage(repositoryPlace(context), 'collaborators', {
      title: 'Collaborators',
      status: formStatus(flash),
      flash,
      body: (
        <Section title="Collaborators">
          <p class="color-fg-muted">
            They see the repository also when it is private. Readers take part in issues, writers push, administrators
            change these settings too; only its owner can delete it or hand it over.
          </p>
          <ul class="Box list-style-none mb-3">
            {members.length === 0 ? <li class="Box-row color-fg-muted">Nobody yet.</li> : null}
            {members.map(({ userId, mode }) => {
              const account = known.get(userId);
              if (!account) return null;
              return (
                <li class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
                  <img class="avatar avatar-user" src={accounts.avatarUrl(account)} width={32} height={32} alt="" />
                  <a class="text-bold flex-auto" href={site.path(`/${account.name}`)}>
                    {account.name}
                  </a>
                  <form method="post" action={action} class="d-flex" style="gap: 8px">
                    <Csrf token={context.csrf} />
                    <input type="hidden" name="collaborator" value={account.name} />
                    <Select name="permission" label={`Level of ${account.name}`} value={mode} choices={levels} />
                    <button class="btn btn-sm" type="submit">
                      Change
                    </button>
                  </form>
                  <RemoveButton action={action} csrf={context.csrf} remove={account.name} name={account.name} />
                </li>
              );
            })}
          </ul>
          <form method="post" action={action} class="d-flex flex-wrap" style="gap: 8px">
            <Csrf token={context.csrf} />
            <input
              class="form-control"
              name="collaborator"
              placeholder="User name"
              aria-label="User name"
              autocomplete="off"
              required
              value={formText(given, 'collaborator')}
            />
            <Select name="permission" label="Level" value={formText(given, 'permission') || 'write'} choices={levels} />
            <button class="btn btn-primary" type="submit">
              Add
            </button>
          </form>
        </Section>
      ),
    });
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/settings/collaboration',
      surface: 'page',
      access: administerPage,
      handler: (context) => page(context, savedFlash(context.query)),
    }),
    formRoute(
      '/{owner}/{repo}/settings/collaboration',
      administerPage,
      async (context, values) => {
        const { repository } = context.subject;
        const leaving = formText(values, 'remove');
        const account = await accounts.byName(leaving || formText(values, 'collaborator'));
        if (!account) throw Invalid('there is no such user');
        if (leaving) await people.removeCollaborator(repository, account);
        else await people.setCollaborator(repository, account, formText(values, 'permission'));
        return `${repositoryHome(services.site, repository)}/settings/collaboration?saved=1`;
      },
      (context, values, flash) => page(context, flash, values),
    ),
  ];
}
