import {
  CheckField,
  Csrf,
  NotFound,
  TextField,
  defineRoute,
  icon,
  textOf,
  type Route,
  formRoute,
  isChecked,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import {
  RepositoryNameField as NameField,
  repositoryHome,
  repositoryPageContext,
  repositoryResource,
  type Repository,
  type RepositoryRoute,
} from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import type { PageServices } from './services.js';

const nameOf = ({ ownerName, name }: Repository) => (
  <strong>
    {ownerName}/{name}
  </strong>
);

/** Forms for a fork, and for a repository made from a template. */
export function forkPageRoutes(services: PageServices): Route[] {
  const { accounts, forks, making, pages, settings, defaults, site } = services;
  const access = { actor: 'user', resource: repositoryResource, unit: 'code' } as const;
  const me = async (context: RepositoryRoute) => {
    const account = await accounts.byId(context.actor.id);
    if (!account) throw NotFound('user');
    return account;
  };
  const names = (given: FormValues | undefined, name: string, description: string) => (
    <div>
      <NameField value={given ? formText(given, 'repo_name') : name} />
      <TextField
        name="description"
        label={t('fork.description')}
        maxLength={2048}
        value={given ? formText(given, 'description') : description}
      />
    </div>
  );

  const forkPage = async (context: RepositoryRoute, given?: FormValues, flash?: Flash) => {
    const { repository } = context.resource;
    const existing = await forks.existing(repository, await me(context));
    const own = repository.ownerId === context.actor.id && !settings.ALLOW_FORK_INTO_SAME_OWNER;
    return pages.page(repositoryPageContext(context), 'code', () => ({
      title: t('fork.title'),
      status: formStatus(flash),
      flash,
      body: (
        <div class="form-narrow">
          <h2 class="f3 mb-1">{t('fork.title')}</h2>
          <p class="color-fg-muted">{t.rich('fork.about', { name: nameOf(repository) })}</p>
          {existing ? (
            <div class="flash">
              {icon('repo-forked')}{' '}
              {t.rich('fork.exists', {
                fork: (
                  <a href={repositoryHome(services.site, existing)}>
                    {existing.ownerName}/{existing.name}
                  </a>
                ),
              })}
            </div>
          ) : own ? (
            <div class="flash">
              {icon('info')} {t('fork.own')}
            </div>
          ) : (
            <form method="post" action={`${repositoryHome(services.site, repository)}/fork`}>
              <Csrf token={context.csrf} />
              <p>{t.rich('fork.owner', { name: <strong>{context.actor.name}</strong> })}</p>
              {names(given, repository.name, repository.description)}
              <CheckField
                value="on"
                name="only_branch"
                label={t('fork.onlyBranch', { branch: repository.defaultBranch })}
                checked={given ? isChecked(given, 'only_branch') : false}
                note={t('fork.onlyBranchNote')}
              />
              <button class="btn btn-primary mt-2" type="submit">
                {icon('repo-forked')} {t('fork.submit')}
              </button>
            </form>
          )}
        </div>
      ),
    }));
  };

  const generatePage = async (context: RepositoryRoute, given?: FormValues, flash?: Flash) => {
    const { repository } = context.resource;
    if (!repository.isTemplate) throw NotFound('template');
    const on = (name: string) => (given ? isChecked(given, name) : name === 'git_content');
    const others = await forks.offeredParts(context.actor);
    const items = (): [string, string, string?][] => [
      ['git_content', t('template.files'), t('template.filesNote')],
      ['topics', t('template.topics')],
      ['avatar', t('template.avatar')],
      ...others.map(({ key, label }): [string, string] => [key, textOf(label)]),
    ];
    return pages.page(repositoryPageContext(context), 'code', () => ({
      title: t('template.title'),
      status: formStatus(flash),
      flash,
      body: (
        <div class="form-narrow">
          <h2 class="f3 mb-1">{t('template.heading')}</h2>
          <p class="color-fg-muted">
            {t.rich('template.about', {
              name: nameOf(repository),
              owner: <strong>{context.actor.name}</strong>,
            })}
          </p>
          <form method="post" action={`${repositoryHome(services.site, repository)}/generate`}>
            <Csrf token={context.csrf} />
            {names(given, '', '')}
            <CheckField
              value="on"
              name="private"
              label={t('template.private')}
              note={t('template.privateNote')}
              checked={defaults.forcePrivate || on('private')}
              disabled={defaults.forcePrivate}
            />
            <fieldset class="Box p-3 my-3">
              <legend class="f5 text-bold px-1">{t('template.items')}</legend>
              {items().map(([name, label, note]) => (
                <CheckField value="on" name={name} label={label} checked={on(name)} note={note} />
              ))}
            </fieldset>
            <button class="btn btn-primary" type="submit">
              {t('template.submit')}
            </button>
          </form>
        </div>
      ),
    }));
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/fork',
      surface: 'page',
      access,
      handler: (context) => forkPage(context),
    }),
    formRoute(
      '/{owner}/{repo}/fork',
      access,
      async (context, values) => {
        const fork = await forks.fork(
          context.resource.repository,
          await making.ownerFor(context.actor),
          formText(values, 'repo_name'),
          context.actor,
          { description: formText(values, 'description'), onlyBranch: isChecked(values, 'only_branch') },
        );
        return site.path(`/${fork.ownerName}/${fork.name}`);
      },
      forkPage,
    ),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/generate',
      surface: 'page',
      access,
      handler: (context) => generatePage(context),
    }),
    formRoute(
      '/{owner}/{repo}/generate',
      access,
      async (context, values) => {
        const made = await forks.generate(
          context.resource.repository,
          await making.ownerFor(context.actor),
          {
            name: formText(values, 'repo_name'),
            description: formText(values, 'description'),
            isPrivate: defaults.forcePrivate || isChecked(values, 'private'),
            gitContent: isChecked(values, 'git_content'),
            topics: isChecked(values, 'topics'),
            avatar: isChecked(values, 'avatar'),
            parts: new Set(
              (await forks.offeredParts(context.actor)).map(({ key }) => key).filter((key) => isChecked(values, key)),
            ),
          },
          context.actor,
        );
        return repositoryHome(services.site, made);
      },
      generatePage,
    ),
  ];
}
