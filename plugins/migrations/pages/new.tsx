import {
  CheckField,
  checkFields,
  Conflict,
  Csrf,
  Forbidden,
  formRoute,
  formStatus,
  formText,
  isChecked,
  pageRoute,
  TextField,
  webPage,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { RepositoryOwnerField } from '@mortise/repositories/api';
import { authorMapping } from '../services/author-names.js';
import { nameIn } from '../sources/git.js';
import { t } from '../texts/index.js';
import { AuthorFields, KindFields, SourceFields, kindsIn, valuesIn } from './import-form-fields.js';
import type { PageDeps } from './pages.js';
import { SourceList, sourceText } from './source-list.js';

const queryText = (context: RouteContext, name: string): string => {
  const value = (context.query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
};

async function showForm(deps: PageDeps, context: RouteContext, key: string, values?: FormValues, flash?: Flash) {
  const { creator, defaults, service, settings, site } = deps;
  const source = service.sourceOf(key);
  const owners = await creator.owners(context.actor);
  const value = (name: string) => (values ? formText(values, name) : '');
  return webPage(() => ({
    title: t('form.title', { source: sourceText(source.label) }),
    width: 'narrow',
    status: formStatus(flash),
    flash,
    body: (
      <form method="post" action={site.path('/repo/migrate')}>
        <h1 class="f2 mb-1">{t('form.title', { source: sourceText(source.label) })}</h1>
        <p class="color-fg-muted">{sourceText(source.description)}</p>
        <Csrf />
        <input type="hidden" name="service" value={source.key} />
        <TextField
          name="clone_addr"
          label={t('form.address')}
          note={t('form.addressNote')}
          placeholder={source.addressPlaceholder}
          maxLength={2000}
          required
          autofocus
          value={value('clone_addr')}
        />
        <SourceFields source={source} values={values} />
        <KindFields source={source} values={values} />
        <RepositoryOwnerField owners={owners} value={value('owner') || queryText(context, 'org')} />
        <TextField
          name="repo_name"
          label={t('form.name')}
          note={t('form.nameNote')}
          maxLength={100}
          value={value('repo_name')}
        />
        <TextField name="description" label={t('form.description')} maxLength={2048} value={value('description')} />
        <CheckField
          name="private"
          value="on"
          label={t('form.private')}
          checked={defaults.forcePrivate || (values ? isChecked(values, 'private') : false)}
          disabled={defaults.forcePrivate}
        />
        <AuthorFields values={values} by={settings.MAP_AUTHORS} isAdmin={context.actor.isAdmin} />
        <button class="btn btn-primary" type="submit">
          {t('form.submit')}
        </button>
      </form>
    ),
  }));
}

/** Gives where to go. */
async function startImport(deps: PageDeps, context: RouteContext, values: FormValues): Promise<string> {
  const { accounts, creator, repositories, service, settings, site, isDisabled } = deps;
  const { actor } = context;
  if (isDisabled) throw Forbidden(t.later('error.disabled'));
  const source = service.sourceOf(formText(values, 'service'));
  const address = formText(values, 'clone_addr');
  const name = formText(values, 'repo_name') || nameIn(address);
  let owner: Account | undefined;
  await checkFields({
    clone_addr: () => void service.addressOf({ address }),
    async owner() {
      owner = await creator.ownerFor(actor, formText(values, 'owner') || undefined);
    },
    async repo_name() {
      repositories.checkName(name);
      if (owner && (await repositories.byPath(owner.name, name))) throw Conflict(t.later('error.nameTaken'));
    },
  });
  const mapping = { by: formText(values, 'map_authors'), lines: formText(values, 'authors', 20_000) };
  const started = await service.start(
    {
      service: source.key,
      address,
      name,
      isPrivate: isChecked(values, 'private'),
      description: formText(values, 'description'),
      kinds: kindsIn(source, values),
      values: valuesIn(source, values),
      lfsEndpoint: '',
      authors: await authorMapping(mapping, settings.MAP_AUTHORS, actor, accounts),
      batch: '',
    },
    owner!,
    actor,
  );
  return site.path(`/${started.ownerName}/${started.name}/migration`);
}

const newImportPage = (deps: PageDeps): Route =>
  pageRoute('/repo/migrate', { actor: 'user' }, (context) => {
    const { isDisabled, site, sources } = deps;
    if (isDisabled) throw Forbidden(t.later('error.disabled'));
    const key = queryText(context, 'service');
    if (key) return showForm(deps, context, key);
    return webPage(() => ({
      title: t('new.title'),
      width: 'narrow',
      body: <SourceList sources={sources.list()} href={site.path} />,
    }));
  });

/** Chooses a source, then asks for what it needs; works without scripts. */
export const newImportPages = (deps: PageDeps): Route[] => [
  newImportPage(deps),
  formRoute(
    '/repo/migrate',
    { actor: 'user' },
    (context, values) => startImport(deps, context, values),
    (context, values, flash) => showForm(deps, context, formText(values, 'service'), values, flash),
  ),
];
