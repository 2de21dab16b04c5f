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
  repositoryPlace,
  repositorySubject,
  type RepositoryRoute,
} from '@mortise/repositories/api';
import type { PageServices } from './services.js';

/** Forms for a fork, and for a repository made from a template. */
export function forkPageRoutes(services: PageServices): Route[] {
  const { accounts, forks, making, pages, settings, defaults, site } = services;
  const access = { actor: 'user', subject: repositorySubject, unit: 'code' } as const;
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
        label="Description"
        maxLength={2048}
        value={given ? formText(given, 'description') : description}
      />
    </div>
  );

  const forkPage = async (context: RepositoryRoute, given?: FormValues, flash?: Flash) => {
    const { repository } = context.subject;
    const existing = await forks.existing(repository, await me(context));
    const own = repository.ownerId === context.actor.id && !settings.ALLOW_FORK_INTO_SAME_OWNER;
    return pages.page(repositoryPlace(context), 'code', {
      title: 'Fork',
      status: formStatus(flash),
      flash,
      body: (
        <div style="max-width: 640px; margin: 0 auto">
          <h2 class="f2 mb-1">New fork</h2>
          <p class="color-fg-muted">
            A copy of{' '}
            <strong>
              {repository.ownerName}/{repository.name}
            </strong>{' '}
            of your own, to work on without touching the original. It is as visible as the original.
          </p>
          {existing ? (
            <div class="flash">
              {icon('repo-forked')} You have one already:{' '}
              <a href={repositoryHome(services.site, existing)}>
                {existing.ownerName}/{existing.name}
              </a>
              .
            </div>
          ) : own ? (
            <div class="flash">{icon('info')} This repository is yours already.</div>
          ) : (
            <form method="post" action={`${repositoryHome(services.site, repository)}/fork`}>
              <Csrf token={context.csrf} />
              <p>
                Owner: <strong>{context.actor.name}</strong>
              </p>
              {names(given, repository.name, repository.description)}
              <CheckField
                value="on"
                name="only_branch"
                label={`Only the branch ${repository.defaultBranch}`}
                checked={given ? isChecked(given, 'only_branch') : false}
                note="Other branches and tags stay behind; they can be fetched later."
              />
              <button class="btn btn-primary mt-2" type="submit">
                {icon('repo-forked')} Create fork
              </button>
            </form>
          )}
        </div>
      ),
    });
  };

  const generatePage = async (context: RepositoryRoute, given?: FormValues, flash?: Flash) => {
    const { repository } = context.subject;
    if (!repository.isTemplate) throw NotFound('template');
    const on = (name: string) => (given ? isChecked(given, name) : name === 'git_content');
    const others = await forks.offeredParts(context.actor);
    const parts: [string, string, string?][] = [
      [
        'git_content',
        'Files',
        'Of the default branch, as one new commit; words are filled in where the template says so.',
      ],
      ['topics', 'Topics'],
      ['avatar', 'Picture'],
      ...others.map(({ key, label }): [string, string] => [key, textOf(label)]),
    ];
    return pages.page(repositoryPlace(context), 'code', {
      title: 'Use this template',
      status: formStatus(flash),
      flash,
      body: (
        <div style="max-width: 640px; margin: 0 auto">
          <h2 class="f2 mb-1">New repository from a template</h2>
          <p class="color-fg-muted">
            It starts with what you choose of{' '}
            <strong>
              {repository.ownerName}/{repository.name}
            </strong>{' '}
            and belongs to <strong>{context.actor.name}</strong>.
          </p>
          <form method="post" action={`${repositoryHome(services.site, repository)}/generate`}>
            <Csrf token={context.csrf} />
            {names(given, '', '')}
            <CheckField
              value="on"
              name="private"
              label="Private"
              checked={defaults.forcePrivate || on('private')}
              disabled={defaults.forcePrivate}
            />
            <fieldset class="Box p-3 my-3" style="min-width: 0">
              <legend class="f5 text-bold px-1">Taken over</legend>
              {parts.map(([name, label, note]) => (
                <CheckField value="on" name={name} label={label} checked={on(name)} note={note} />
              ))}
            </fieldset>
            <button class="btn btn-primary" type="submit">
              Create repository
            </button>
          </form>
        </div>
      ),
    });
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
          context.subject.repository,
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
          context.subject.repository,
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
