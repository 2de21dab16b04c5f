import {
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  Problem,
  defineRoute,
  icon,
  reply,
  webPage,
  type Route,
  type RouteContext,
  Csrf,
} from '@mortise/plugin-sdk';
import { repositorySubject, type Repository, type RepositoryContext, type UnitKey } from '../api.js';
import { unitFields, unitKeys } from '../services/units.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { licenseTemplates } from '../templates/licenses.js';
import { Check, Field, Pager, type Layout } from './layout.js';
import type { RouteServices } from '../routes/shared.js';

type Values = Readonly<Record<string, string | undefined>>;
const unitLabels: Readonly<Record<UnitKey, string>> = {
  code: 'Code',
  issues: 'Issues',
  pulls: 'Pull requests',
  releases: 'Releases',
  wiki: 'Wiki',
  projects: 'Projects',
  packages: 'Packages',
  actions: 'Actions',
};
const form = Joi.object().unknown();

export function repositoryPageRoutes({ layout, ...services }: RouteServices & { layout: Layout }): Route[] {
  const { accounts, repositories, people, forks, site } = services;
  const pathOf = (repository: Repository) => site.path(`/${repository.ownerName}/${repository.name}`);
  const place = (context: RouteContext<RepositoryContext>) => ({
    context: context.subject,
    actor: context.actor,
    csrf: context.csrf,
  });
  /** What a refused form shows again, with the reason on top. */
  const refused = (error: unknown) => {
    if (!Problem.is(error)) throw error;
    return { kind: 'error' as const, text: error.message };
  };
  const administer = { actor: 'user', subject: repositorySubject, mode: 'admin' } as const;

  const createPage = (context: RouteContext, values: Values = {}, flash?: { kind: 'error'; text: string }) =>
    webPage({
      title: 'New repository',
      width: 'narrow',
      status: flash ? 422 : 200,
      flash,
      body: (
        <form method="post" action={site.path('/repo/create')}>
          <h1 class="f2 mb-1">New repository</h1>
          <p class="color-fg-muted">
            It belongs to <strong>{context.actor.name}</strong>.
          </p>
          <Csrf token={context.csrf} />
          <Field label="Name" help='Letters, digits, "-", "_" and ".".'>
            <input
              class="form-control input-block"
              name="repo_name"
              required
              maxLength={100}
              pattern="[A-Za-z0-9_.\-]+"
              autofocus
              value={values.repo_name}
            />
          </Field>
          <Field label="Description">
            <input class="form-control input-block" name="description" maxLength={2048} value={values.description} />
          </Field>
          <Check
            name="private"
            label="Private"
            checked={values.private === 'on'}
            help="Only you and the people you invite see it."
          />
          <Check
            name="template"
            label="Template"
            checked={values.template === 'on'}
            help="Others can start their repositories from its files."
          />
          <fieldset class="mt-3 mb-3 Box p-3" style="min-width: 0">
            <legend class="f5 text-bold px-1">First commit</legend>
            <Check
              name="auto_init"
              label="Start with a README, and with the files chosen here"
              checked={values.auto_init === 'on'}
              help="Leave it off to push what you have already."
            />
            <Field label="Licence">
              <select class="form-select" name="license">
                <option value="">none</option>
                {[...licenseTemplates().keys()].map((key) => (
                  <option selected={values.license === key}>{key}</option>
                ))}
              </select>
            </Field>
            <Field label=".gitignore">
              <select class="form-select" name="gitignores">
                <option value="">none</option>
                {[...gitignoreTemplates.keys()].map((key) => (
                  <option selected={values.gitignores === key}>{key}</option>
                ))}
              </select>
            </Field>
            <Field label="Default branch">
              <input
                class="form-control"
                name="default_branch"
                value={values.default_branch ?? services.settings.DEFAULT_BRANCH}
              />
            </Field>
          </fieldset>
          <button class="btn btn-primary" type="submit">
            Create repository
          </button>
        </form>
      ),
    });

  const settingsPage = (
    context: RouteContext<RepositoryContext>,
    flash?: { kind: 'error' | 'success'; text: string },
  ) => {
    const { repository } = context.subject;
    const csrf = <Csrf token={context.csrf} />;
    const action = `${pathOf(repository)}/settings`;
    return layout.settingsPage(place(context), 'general', {
      title: 'Settings',
      status: flash?.kind === 'error' ? 422 : 200,
      flash,
      body: (
        <div>
          <form method="post" action={action} class="mb-4">
            <h2 class="Subhead-heading mb-3">General</h2>
            {csrf}
            <input type="hidden" name="action" value="update" />
            <Field label="Name">
              <input class="form-control input-block" name="repo_name" required value={repository.name} />
            </Field>
            <Field label="Description">
              <input
                class="form-control input-block"
                name="description"
                maxLength={2048}
                value={repository.description}
              />
            </Field>
            <Field label="Website">
              <input
                class="form-control input-block"
                type="url"
                name="website"
                maxLength={1024}
                value={repository.website}
              />
            </Field>
            <Check name="private" label="Private" checked={repository.isPrivate} />
            <Check name="template" label="Template" checked={repository.isTemplate} />
            <h3 class="f4 mt-4 mb-2">Units</h3>
            {unitKeys.map((key) => (
              <Check
                name={unitFields[key]}
                label={unitLabels[key]}
                checked={repository.units.find((unit) => unit.key === key)?.enabled}
              />
            ))}
            <button class="btn btn-primary mt-3" type="submit">
              Save
            </button>
          </form>
          <section class="Box color-border-danger">
            <div class="Box-header color-bg-danger">
              <h2 class="Box-title">Danger zone</h2>
            </div>
            <div class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
              <div class="flex-auto">
                <strong>{repository.isArchived ? 'Take out of the archive' : 'Archive'}</strong>
                <p class="mb-0 color-fg-muted">An archived repository can be read, not changed.</p>
              </div>
              <form method="post" action={action}>
                {csrf}
                <input type="hidden" name="action" value={repository.isArchived ? 'unarchive' : 'archive'} />
                <button class="btn btn-danger" type="submit">
                  {repository.isArchived ? 'Unarchive' : 'Archive'}
                </button>
              </form>
            </div>
            <div class="Box-row">
              <strong>Delete</strong>
              <p class="color-fg-muted">
                Its files, history and everything about it are gone for good. Type the name to confirm.
              </p>
              <form method="post" action={action} class="d-flex flex-wrap" style="gap: 8px">
                {csrf}
                <input type="hidden" name="action" value="delete" />
                <input
                  class="form-control"
                  name="repo_name"
                  aria-label="Name of the repository"
                  autocomplete="off"
                  required
                />
                <button class="btn btn-danger" type="submit">
                  Delete this repository
                </button>
              </form>
            </div>
          </section>
        </div>
      ),
    });
  };

  const collaboratorsPage = async (
    context: RouteContext<RepositoryContext>,
    flash?: { kind: 'error' | 'success'; text: string },
  ) => {
    const { repository } = context.subject;
    const action = `${pathOf(repository)}/settings/collaboration`;
    const members = await people.collaborators(repository.id);
    const known = await accounts.byIds(members.map((member) => member.userId));
    return layout.settingsPage(place(context), 'collaborators', {
      title: 'Collaborators',
      status: flash?.kind === 'error' ? 422 : 200,
      flash,
      body: (
        <div>
          <h2 class="Subhead-heading mb-3">Collaborators</h2>
          <ul class="Box list-style-none mb-3">
            {members.length === 0 ? <li class="Box-row color-fg-muted">Nobody yet.</li> : null}
            {members.map((member) => {
              const name = known.get(member.userId)?.name ?? '';
              return (
                <li class="Box-row d-flex flex-items-center" style="gap: 12px">
                  <a class="text-bold flex-auto" href={site.path(`/${name}`)}>
                    {name}
                  </a>
                  <span class="Label">{member.mode}</span>
                  <form method="post" action={action}>
                    <Csrf token={context.csrf} />
                    <input type="hidden" name="remove" value={name} />
                    <button class="btn btn-sm btn-danger" type="submit">
                      Remove
                    </button>
                  </form>
                </li>
              );
            })}
          </ul>
          <form method="post" action={action} class="d-flex flex-wrap" style="gap: 8px">
            <Csrf token={context.csrf} />
            <input class="form-control" name="collaborator" placeholder="User name" aria-label="User name" required />
            <select class="form-select" name="permission" aria-label="Level">
              <option value="read">Read</option>
              <option value="write" selected>
                Write
              </option>
              <option value="admin">Administer</option>
            </select>
            <button class="btn btn-primary" type="submit">
              Add
            </button>
          </form>
        </div>
      ),
    });
  };

  const peoplePage = (path: 'stars' | 'watchers'): Route =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}/${path}`,
      surface: 'page',
      access: { actor: 'anyone', subject: repositorySubject },
      async handler(context) {
        const { repository } = context.subject;
        const { userIds, total } = await people.markers(
          path === 'stars' ? 'star' : 'watch',
          repository.id,
          context.page.limit,
          context.page.offset,
        );
        const known = await accounts.byIds(userIds);
        return layout.page(place(context), 'code', {
          title: path === 'stars' ? 'Stargazers' : 'Watchers',
          body: (
            <div>
              <h2 class="mb-3">{path === 'stars' ? 'Stargazers' : 'Watchers'}</h2>
              <ul class="Box list-style-none">
                {userIds.map((id) => (
                  <li class="Box-row">
                    <img
                      class="avatar mr-2"
                      src={known.get(id) ? accounts.avatarUrl(known.get(id)!) : ''}
                      width={24}
                      height={24}
                      alt=""
                    />
                    <a href={site.path(`/${known.get(id)?.name ?? ''}`)}>{known.get(id)?.name}</a>
                  </li>
                ))}
                {total === 0 ? <li class="Box-row color-fg-muted">Nobody yet.</li> : null}
              </ul>
              <Pager
                page={context.page.page}
                limit={context.page.limit}
                total={total}
                href={(page) => `?page=${page}`}
              />
            </div>
          ),
        });
      },
    });

  return [
    defineRoute({
      method: 'GET',
      path: '/repo/create',
      surface: 'page',
      access: { actor: 'user' },
      handler: (context) => createPage(context),
    }),
    defineRoute({
      method: 'POST',
      path: '/repo/create',
      surface: 'page',
      payload: { as: 'form' },
      request: { payload: form },
      access: { actor: 'user' },
      async handler(context) {
        const values = context.payload as Values;
        try {
          const owner = await accounts.byId(context.actor.id);
          if (!owner) throw NotFound('user');
          const made = await repositories.create(
            owner,
            {
              name: values.repo_name ?? '',
              description: values.description?.slice(0, 2048),
              isPrivate: values.private === 'on',
              isTemplate: values.template === 'on',
              autoInit: values.auto_init === 'on',
              license: values.license,
              gitignores: values.gitignores,
              defaultBranch: values.default_branch,
            },
            context.actor,
          );
          return reply.redirect(pathOf(made));
        } catch (error) {
          return createPage(context, values, refused(error));
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/explore/repos',
      surface: 'page',
      access: { actor: 'anyone' },
      request: {
        query: Joi.object({
          q: Joi.string().allow('').max(255),
          sort: Joi.string().allow(''),
          topic: Joi.string().allow(''),
        }),
      },
      async handler({ actor, query, page }) {
        const sort =
          (['updated', 'stars', 'forks', 'alpha', 'created'] as const).find((word) => word === query.sort) ?? 'updated';
        const { items, total } = await repositories.search(
          {
            text: query.q,
            topicOnly: Boolean(query.topic),
            includeDescription: true,
            sort,
            descending: sort !== 'alpha',
            limit: page.limit,
            offset: page.offset,
          },
          actor,
        );
        return webPage({
          title: 'Explore',
          active: 'explore',
          body: (
            <div>
              <h1 class="f2 mb-3">Explore repositories</h1>
              <form class="d-flex flex-wrap mb-2" style="gap: 8px" role="search">
                <input
                  class="form-control flex-auto"
                  type="search"
                  name="q"
                  value={query.q}
                  placeholder="Name, description or topic"
                  aria-label="Search"
                />
                <select class="form-select" name="sort" aria-label="Order">
                  {[
                    ['updated', 'Recently updated'],
                    ['stars', 'Most stars'],
                    ['forks', 'Most forks'],
                    ['alpha', 'Name'],
                    ['created', 'Newest'],
                  ].map(([value, label]) => (
                    <option value={value} selected={value === sort}>
                      {label}
                    </option>
                  ))}
                </select>
                <button class="btn" type="submit">
                  Search
                </button>
              </form>
              {layout.list(items)}
              <Pager
                page={page.page}
                limit={page.limit}
                total={total}
                href={(to) => `?q=${encodeURIComponent(query.q ?? '')}&sort=${sort}&page=${to}`}
              />
            </div>
          ),
        });
      },
    }),
    peoplePage('stars'),
    peoplePage('watchers'),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/forks',
      surface: 'page',
      access: { actor: 'anyone', subject: repositorySubject, unit: 'code' },
      async handler(context) {
        const { repository } = context.subject;
        const { items, total } = await repositories.search(
          {
            forkOf: repository.id,
            sort: 'updated',
            descending: true,
            limit: context.page.limit,
            offset: context.page.offset,
          },
          context.actor,
        );
        return layout.page(place(context), 'code', {
          title: 'Forks',
          body: (
            <div>
              <div class="d-flex flex-items-center mb-2">
                <h2 class="flex-auto">Forks</h2>
                {context.actor.kind === 'user' && context.actor.id !== repository.ownerId ? (
                  <form method="post" action={`${pathOf(repository)}/forks`}>
                    <Csrf token={context.csrf} />
                    <button class="btn btn-primary" type="submit">
                      {icon('repo-forked')} Fork
                    </button>
                  </form>
                ) : null}
              </div>
              {layout.list(items)}
              <Pager
                page={context.page.page}
                limit={context.page.limit}
                total={total}
                href={(page) => `?page=${page}`}
              />
            </div>
          ),
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/{owner}/{repo}/forks',
      surface: 'page',
      payload: { as: 'form' },
      access: { actor: 'user', subject: repositorySubject, unit: 'code' },
      async handler({ actor, subject }) {
        const fork = await forks.fork(subject.repository, await forks.target(actor), subject.repository.name, actor);
        return reply.redirect(pathOf(fork));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/settings',
      surface: 'page',
      access: administer,
      handler: (context) => settingsPage(context),
    }),
    defineRoute({
      method: 'POST',
      path: '/{owner}/{repo}/settings',
      surface: 'page',
      payload: { as: 'form' },
      request: { payload: form },
      access: administer,
      async handler(context) {
        const { repository } = context.subject;
        const values = context.payload as Values;
        try {
          if (values.action === 'delete') {
            if (!context.subject.may('owner')) throw Forbidden('only the owner may delete the repository');
            if (values.repo_name !== repository.name)
              throw Invalid('the typed name is not the name of this repository');
            await repositories.delete(
              repository,
              context.actor.id,
              (await services.presenter.ofContext(context.subject, context.actor)) as Record<string, unknown>,
            );
            return reply.redirect(site.path(`/${repository.ownerName}`));
          }
          if (values.action === 'archive' || values.action === 'unarchive') {
            await repositories.edit(repository, { isArchived: values.action === 'archive' }, context.actor);
            return reply.redirect(`${pathOf(repository)}/settings`);
          }
          const changed = await repositories.edit(
            repository,
            {
              name: values.repo_name,
              description: values.description?.slice(0, 2048) ?? '',
              website: values.website?.slice(0, 1024) ?? '',
              isPrivate: values.private === 'on',
              isTemplate: values.template === 'on',
              units: Object.fromEntries(unitKeys.map((key) => [key, values[unitFields[key]] === 'on'])),
            },
            context.actor,
          );
          return reply.redirect(`${pathOf(changed)}/settings`);
        } catch (error) {
          return settingsPage(context, refused(error));
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/settings/collaboration',
      surface: 'page',
      access: administer,
      handler: (context) => collaboratorsPage(context),
    }),
    defineRoute({
      method: 'POST',
      path: '/{owner}/{repo}/settings/collaboration',
      surface: 'page',
      payload: { as: 'form' },
      request: { payload: form },
      access: administer,
      async handler(context) {
        const { repository } = context.subject;
        const values = context.payload as Values;
        try {
          const account = await accounts.byName(values.remove ?? values.collaborator ?? '');
          if (!account) throw Invalid('there is no such user');
          if (values.remove) await people.removeCollaborator(repository, account);
          else await people.setCollaborator(repository, account, values.permission);
          return reply.redirect(`${pathOf(repository)}/settings/collaboration`);
        } catch (error) {
          return collaboratorsPage(context, refused(error));
        }
      },
    }),
  ];
}
