import { Csrf, Invalid, Section, defineRoute, type FieldOption, type Route } from '@mortise/plugin-sdk';
import { RemoveButton, Select } from './parts.js';
import {
  administer,
  formRoute,
  pathOf,
  place,
  savedFlash,
  statusOf,
  textOf,
  type Flash,
  type PageServices,
  type RepositoryRoute,
  type Values,
} from './shared.js';

const levels: readonly FieldOption[] = [
  ['read', 'Read'],
  ['write', 'Write'],
  ['admin', 'Administer'],
];

/** Who else works on a repository, and what each may. */
export function collaboratorPageRoutes(services: PageServices): Route[] {
  const { accounts, layout, people, site } = services;

  const page = async (context: RepositoryRoute, flash?: Flash, given: Values = {}) => {
    const { repository } = context.subject;
    const action = `${pathOf(services, repository)}/settings/collaboration`;
    const members = await people.collaborators(repository.id);
    const known = await accounts.byIds(members.map((member) => member.userId));
    return layout.settingsPage(place(context), 'collaborators', {
      title: 'Collaborators',
      status: statusOf(flash),
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
              value={textOf(given, 'collaborator')}
            />
            <Select name="permission" label="Level" value={textOf(given, 'permission') || 'write'} choices={levels} />
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
      access: administer,
      handler: (context) => page(context, savedFlash(context.query)),
    }),
    formRoute(
      '/{owner}/{repo}/settings/collaboration',
      administer,
      async (context, values) => {
        const { repository } = context.subject;
        const leaving = textOf(values, 'remove');
        const account = await accounts.byName(leaving || textOf(values, 'collaborator'));
        if (!account) throw Invalid('there is no such user');
        if (leaving) await people.removeCollaborator(repository, account);
        else await people.setCollaborator(repository, account, textOf(values, 'permission'));
        return `${pathOf(services, repository)}/settings/collaboration?saved=1`;
      },
      (context, values, flash) => page(context, flash, values),
    ),
  ];
}
