import type { VNode } from 'preact';
import {
  Conflict,
  Csrf,
  SelectField,
  TextField,
  checkFields,
  pageRoute,
  webPage,
  type FieldOption,
  type Route,
  type RouteContext,
  formRoute,
  isChecked,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { RepositoryOwnerField, repositoryHome } from '../api.js';
import { checkBranchName } from '../services/name-rules.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { licenseTemplates } from '../templates/licenses.js';
import { Check, NameField, UnitCheck } from './form-fields.js';
import type { PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

const none = (): FieldOption => ['', t('create.none')];
const choices = (keys: Iterable<string>): FieldOption[] => [...keys].map((key): FieldOption => [key, key]);

type CreatePageRouteDeps = Pick<
  PageDeps,
  'accounts' | 'creator' | 'repositories' | 'settings' | 'site' | 'starts' | 'units'
>;

interface FieldsProps {
  /** What was sent, after a refusal. */
  readonly given: FormValues | undefined;
}

/** What the repository begins with. */
function FirstCommitFields({ given = {} }: FieldsProps): VNode {
  return (
    <fieldset class="mt-3 mb-3 mx-0 Box p-3">
      <legend class="f5 text-bold px-1">{t('create.first')}</legend>
      <Check
        name="auto_init"
        label={t('create.init')}
        checked={isChecked(given, 'auto_init')}
        note={t('create.initNote')}
      />
      <div class="d-flex flex-wrap field-row">
        <SelectField
          name="license"
          label={t('create.license')}
          value={formText(given, 'license')}
          options={[none(), ...choices(licenseTemplates().keys())]}
        />
        <SelectField
          name="gitignores"
          label={t('create.gitignore')}
          value={formText(given, 'gitignores')}
          options={[none(), ...choices(gitignoreTemplates.keys())]}
        />
      </div>
    </fieldset>
  );
}

interface MoreFieldsProps extends FieldsProps {
  readonly defaultBranch: string;
  readonly units: PageDeps['units'];
}

function MoreFields({ given, defaultBranch, units }: MoreFieldsProps): VNode {
  const value = (name: string) => (given ? formText(given, name) : '');
  return (
    <details class="mb-3 Box p-3" open={Boolean(given)}>
      <summary class="text-bold">{t('create.more')}</summary>
      <div class="d-flex flex-wrap mt-3 field-row">
        <TextField
          name="default_branch"
          label={t('create.branch')}
          maxLength={255}
          value={value('default_branch') || defaultBranch}
          short
        />
        {units.labelSets().length ? (
          <SelectField
            name="issue_labels"
            label={t('create.labels')}
            value={value('issue_labels')}
            options={[none(), ...choices(units.labelSets())]}
          />
        ) : null}
        <SelectField
          name="object_format_name"
          label={t('create.format')}
          value={value('object_format_name') || 'sha1'}
          options={[
            ['sha1', 'SHA-1'],
            ['sha256', 'SHA-256'],
          ]}
          note={t('create.formatNote')}
        />
      </div>
      <h2 class="f5">{t('create.features')}</h2>
      <input type="hidden" name="units" value="given" />
      <div class="check-grid">
        {units.shown().map((unit) => (
          <UnitCheck unit={unit} isOn={given ? isChecked(given, unit.field) : true} />
        ))}
      </div>
    </details>
  );
}

/** What these routes share. */
function createPageContext(services: CreatePageRouteDeps) {
  const { accounts, creator, repositories, settings, site, starts, units } = services;
  /** The accounts to choose from, and the one that `?org=` of the address names. */
  const ownersFor = async (context: RouteContext) => {
    const owners = await creator.owners(context.actor);
    const { org } = context.query as { readonly org?: unknown };
    const named = typeof org === 'string' && org ? await accounts.byName(org) : undefined;
    const isOther = named !== undefined && !owners.some(({ id }) => id === named.id);
    return {
      owners: isOther && (await creator.mayCreate(context.actor, named)) ? [...owners, named] : owners,
      chosen: named?.name,
    };
  };
  const page = async (context: RouteContext, given?: FormValues, flash?: Flash) => {
    const { owners, chosen } = await ownersFor(context);
    const others = await Promise.all(starts.list().map((slot) => slot.render(context)));
    const value = (name: string) => (given ? formText(given, name) : '');
    const on = (name: string, first = false) => (given ? isChecked(given, name) : first);
    return webPage(() => ({
      title: t('create.title'),
      width: 'narrow',
      status: formStatus(flash),
      flash,
      body: (
        <form method="post" action={site.path('/repo/create')}>
          <h1 class="f2 mb-1">{t('create.title')}</h1>
          {others}
          <Csrf />
          <RepositoryOwnerField owners={owners} value={value('owner') || chosen} />
          <NameField autofocus value={value('repo_name')} />
          <TextField name="description" label={t('repo.description')} maxLength={2048} value={value('description')} />
          <Check
            name="private"
            label={t('repo.private')}
            checked={settings.FORCE_PRIVATE || on('private', settings.DEFAULT_PRIVATE === 'private')}
            disabled={settings.FORCE_PRIVATE}
            note={t('create.privateNote')}
          />
          <Check name="template" label={t('repo.template')} checked={on('template')} note={t('create.templateNote')} />
          <FirstCommitFields given={given} />
          <MoreFields given={given} defaultBranch={settings.DEFAULT_BRANCH} units={units} />
          <button class="btn btn-primary" type="submit">
            {t('create.submit')}
          </button>
        </form>
      ),
    }));
  };
  return { page, creator, repositories, units, services };
}

type CreatePageRouteContext = ReturnType<typeof createPageContext>;

const newRepositoryPage = ({ page }: CreatePageRouteContext) =>
  pageRoute('/repo/create', { actor: 'user' }, (context) => page(context));

const createRepository = ({ creator, repositories, units, services, page }: CreatePageRouteContext) =>
  formRoute(
    '/repo/create',
    { actor: 'user' },
    async (context, values) => {
      const text = (name: string) => formText(values, name) || undefined;
      const branch = text('default_branch');
      let owner: Account | undefined;
      await checkFields({
        async owner() {
          owner = await creator.ownerFor(context.actor, text('owner'));
        },
        async name() {
          const name = formText(values, 'repo_name');
          repositories.checkName(name);
          if (owner && (await repositories.byPath(owner.name, name))) throw Conflict(t.later('error.nameTaken'));
        },
        default_branch: () => branch && checkBranchName(branch),
      });
      const made = await repositories.create(
        owner!,
        {
          name: formText(values, 'repo_name'),
          description: text('description'),
          isPrivate: isChecked(values, 'private'),
          isTemplate: isChecked(values, 'template'),
          autoInit: isChecked(values, 'auto_init'),
          license: text('license'),
          gitignores: text('gitignores'),
          defaultBranch: branch,
          issueLabels: units.labelSets().find((name) => name === text('issue_labels')),
          objectFormat: formText(values, 'object_format_name') === 'sha256' ? 'sha256' : 'sha1',
          ...(values.units && {
            units: units.ofForm((field) => isChecked(values, field)),
          }),
        },
        context.actor,
      );
      return repositoryHome(services.site, made);
    },
    page,
  );

/** The form for a new repository. */
export function createPageRoutes(services: CreatePageRouteDeps): Route[] {
  const context = createPageContext(services);
  return [newRepositoryPage(context), createRepository(context)];
}
