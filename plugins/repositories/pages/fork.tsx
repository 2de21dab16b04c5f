import { Csrf, NotFound, TextField, defineRoute, icon, type Route } from '@mortise/plugin-sdk';
import { repositorySubject } from '../api.js';
import { Check, NameField } from './parts.js';
import {
  formRoute,
  isOn,
  pathOf,
  place,
  statusOf,
  textOf,
  type Flash,
  type PageServices,
  type RepositoryRoute,
  type Values,
} from './shared.js';

/** Forms for a fork, and for a repository made from a template. */
export function forkPageRoutes(services: PageServices): Route[] {
  const { accounts, forks, layout, settings, site, hooks } = services;
  const access = { actor: 'user', subject: repositorySubject, unit: 'code' } as const;
  const me = async (context: RepositoryRoute) => {
    const account = await accounts.byId(context.actor.id);
    if (!account) throw NotFound('user');
    return account;
  };
  const names = (given: Values | undefined, name: string, description: string) => (
    <div>
      <NameField value={given ? textOf(given, 'repo_name') : name} />
      <TextField
        name="description"
        label="Description"
        maxLength={2048}
        value={given ? textOf(given, 'description') : description}
      />
    </div>
  );

  const forkPage = async (context: RepositoryRoute, given?: Values, flash?: Flash) => {
    const { repository } = context.subject;
    const existing = await forks.existing(repository, await me(context));
    const own = repository.ownerId === context.actor.id && !settings.ALLOW_FORK_INTO_SAME_OWNER;
    return layout.page(place(context), 'code', {
      title: 'Fork',
      status: statusOf(flash),
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
              <a href={pathOf(services, existing)}>
                {existing.ownerName}/{existing.name}
              </a>
              .
            </div>
          ) : own ? (
            <div class="flash">{icon('info')} This repository is yours already.</div>
          ) : (
            <form method="post" action={`${pathOf(services, repository)}/fork`}>
              <Csrf token={context.csrf} />
              <p>
                Owner: <strong>{context.actor.name}</strong>
              </p>
              {names(given, repository.name, repository.description)}
              <Check
                name="only_branch"
                label={`Only the branch ${repository.defaultBranch}`}
                checked={given ? isOn(given, 'only_branch') : false}
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

  const generatePage = async (context: RepositoryRoute, given?: Values, flash?: Flash) => {
    const { repository } = context.subject;
    if (!repository.isTemplate) throw NotFound('template');
    const on = (name: string) => (given ? isOn(given, name) : name === 'git_content');
    const mayHooks = await hooks.allows(context.actor);
    const parts: [string, string, string?][] = [
      [
        'git_content',
        'Files',
        'Of the default branch, as one new commit; words are filled in where the template says so.',
      ],
      ['topics', 'Topics'],
      ['avatar', 'Picture'],
      ['labels', 'Labels of issues'],
      ['webhooks', 'Webhooks'],
      ['protected_branch', 'Branch protection'],
      ...(mayHooks ? [['git_hooks', 'Git hooks'] as [string, string]] : []),
    ];
    return layout.page(place(context), 'code', {
      title: 'Use this template',
      status: statusOf(flash),
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
          <form method="post" action={`${pathOf(services, repository)}/generate`}>
            <Csrf token={context.csrf} />
            {names(given, '', '')}
            <Check
              name="private"
              label="Private"
              checked={settings.FORCE_PRIVATE || on('private')}
              disabled={settings.FORCE_PRIVATE}
            />
            <fieldset class="Box p-3 my-3" style="min-width: 0">
              <legend class="f5 text-bold px-1">Taken over</legend>
              {parts.map(([name, label, note]) => (
                <Check name={name} label={label} checked={on(name)} note={note} />
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
          await forks.target(context.actor),
          textOf(values, 'repo_name'),
          context.actor,
          { description: textOf(values, 'description'), onlyBranch: isOn(values, 'only_branch') },
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
          await forks.target(context.actor),
          {
            name: textOf(values, 'repo_name'),
            description: textOf(values, 'description'),
            isPrivate: settings.FORCE_PRIVATE || isOn(values, 'private'),
            gitContent: isOn(values, 'git_content'),
            gitHooks: isOn(values, 'git_hooks'),
            topics: isOn(values, 'topics'),
            avatar: isOn(values, 'avatar'),
            labels: isOn(values, 'labels'),
            webhooks: isOn(values, 'webhooks'),
            protectedBranch: isOn(values, 'protected_branch'),
          },
          context.actor,
        );
        return pathOf(services, made);
      },
      generatePage,
    ),
  ];
}
