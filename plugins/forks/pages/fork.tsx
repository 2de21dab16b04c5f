import {
  CheckField,
  Csrf,
  NotFound,
  TextField,
  checkFields,
  pageRoute,
  icon,
  textOf,
  type Route,
  formRoute,
  isChecked,
  formStatus,
  formText,
  type Flash,
  type Actor,
  type FormValues,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  RepositoryNameField as NameField,
  RepositoryOwnerField,
  repositoryHome,
  repositoryPageContext,
  repositoryResource,
  type Repository,
  type RepositoryRoute,
} from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

const nameOf = ({ ownerName, name }: Repository) => (
  <strong>
    {ownerName}/{name}
  </strong>
);

const access = { actor: 'user', resource: repositoryResource, unit: 'code' } as const;

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

/** Whose the new repository will be. */
async function chosenOwner({ creator }: PageDeps, actor: Actor, values: FormValues): Promise<Account> {
  let owner: Account | undefined;
  await checkFields({
    async owner() {
      owner = await creator.ownerFor(actor, formText(values, 'owner') || undefined);
    },
  });
  return owner!;
}

async function showForkForm(services: PageDeps, context: RepositoryRoute, given?: FormValues, flash?: Flash) {
  const { forks, creator, pages, settings } = services;
  const { repository } = context.resource;
  const all = await creator.owners(context.actor);
  const existing = await forks.existingAmong(repository, all);
  const owners = all.filter(
    ({ id }) => !existing.has(id) && (id !== repository.ownerId || settings.ALLOW_FORK_INTO_SAME_OWNER),
  );
  return pages.page(repositoryPageContext(context), 'code', () => ({
    title: t('fork.title'),
    status: formStatus(flash),
    flash,
    body: (
      <div class="form-narrow">
        <h2 class="f3 mb-1">{t('fork.title')}</h2>
        <p class="color-fg-muted">{t.rich('fork.about', { name: nameOf(repository) })}</p>
        {[...existing.values()].map((fork) => (
          <div key={fork.id} class="flash mb-3">
            {icon('repo-forked')}{' '}
            {t.rich('fork.exists', {
              fork: (
                <a href={repositoryHome(services.site, fork)}>
                  {fork.ownerName}/{fork.name}
                </a>
              ),
            })}
          </div>
        ))}
        {owners.length === 0 ? (
          existing.size ? null : (
            <div class="flash">
              {icon('info')} {t('fork.own')}
            </div>
          )
        ) : (
          <form method="post" action={`${repositoryHome(services.site, repository)}/fork`}>
            <Csrf />
            <RepositoryOwnerField owners={owners} value={given && formText(given, 'owner')} />
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
}

async function showTemplateForm(services: PageDeps, context: RepositoryRoute, given?: FormValues, flash?: Flash) {
  const { forks, creator, pages, defaults } = services;
  const { repository } = context.resource;
  if (!repository.isTemplate) throw NotFound('template');
  const on = (name: string) => (given ? isChecked(given, name) : name === 'git_content');
  const others = await forks.offeredParts(context.actor);
  const owners = await creator.owners(context.actor);
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
        <p class="color-fg-muted">{t.rich('template.about', { name: nameOf(repository) })}</p>
        <form method="post" action={`${repositoryHome(services.site, repository)}/generate`}>
          <Csrf />
          <RepositoryOwnerField owners={owners} value={given && formText(given, 'owner')} />
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
}

const forkRoute = (services: PageDeps) =>
  pageRoute('/{owner}/{repo}/fork', access, (context) => showForkForm(services, context));

const createFork = (services: PageDeps) =>
  formRoute(
    '/{owner}/{repo}/fork',
    access,
    async (context, values) => {
      const fork = await services.forks.fork(
        context.resource.repository,
        await chosenOwner(services, context.actor, values),
        formText(values, 'repo_name'),
        context.actor,
        { description: formText(values, 'description'), onlyBranch: isChecked(values, 'only_branch') },
      );
      return services.site.path(`/${fork.ownerName}/${fork.name}`);
    },
    (context, values, flash) => showForkForm(services, context, values, flash),
  );

const generateRoute = (services: PageDeps) =>
  pageRoute('/{owner}/{repo}/generate', access, (context) => showTemplateForm(services, context));

const generateRepository = (services: PageDeps) =>
  formRoute(
    '/{owner}/{repo}/generate',
    access,
    async (context, values) => {
      const made = await services.forks.generate(
        context.resource.repository,
        await chosenOwner(services, context.actor, values),
        {
          name: formText(values, 'repo_name'),
          description: formText(values, 'description'),
          isPrivate: services.defaults.forcePrivate || isChecked(values, 'private'),
          gitContent: isChecked(values, 'git_content'),
          topics: isChecked(values, 'topics'),
          avatar: isChecked(values, 'avatar'),
          parts: new Set(
            (await services.forks.offeredParts(context.actor))
              .map(({ key }) => key)
              .filter((key) => isChecked(values, key)),
          ),
        },
        context.actor,
      );
      return repositoryHome(services.site, made);
    },
    (context, values, flash) => showTemplateForm(services, context, values, flash),
  );

/** Forms for a fork, and for a repository made from a template. */
export const forkPageRoutes = (services: PageDeps): Route[] => [
  forkRoute(services),
  createFork(services),
  generateRoute(services),
  generateRepository(services),
];
