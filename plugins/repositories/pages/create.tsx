import {
  Csrf,
  NotFound,
  SelectField,
  TextField,
  defineRoute,
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
import { repositoryHome } from '../api.js';
import { unitFields, unitKeys } from '../services/units.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { labelTemplates } from '../templates/labels.js';
import { licenseTemplates } from '../templates/licenses.js';
import { Check, NameField } from './parts.js';
import { unitLabels, type PageServices } from './shared.js';

const none: FieldOption = ['', 'none'];
const choices = (keys: Iterable<string>): FieldOption[] => [...keys].map((key): FieldOption => [key, key]);

/** The form for a new repository. */
export function createPageRoutes(
  services: Pick<PageServices, 'accounts' | 'repositories' | 'settings' | 'site'>,
): Route[] {
  const { accounts, repositories, settings, site } = services;

  const page = (context: RouteContext, given?: FormValues, flash?: Flash) => {
    const value = (name: string) => (given ? formText(given, name) : '');
    const on = (name: string, first = false) => (given ? isChecked(given, name) : first);
    return webPage({
      title: 'New repository',
      width: 'narrow',
      status: formStatus(flash),
      flash,
      body: (
        <form method="post" action={site.path('/repo/create')}>
          <h1 class="f2 mb-1">New repository</h1>
          <p class="color-fg-muted">
            It belongs to <strong>{context.actor.name}</strong>. To start from another one, open it and choose “Fork” or
            “Use this template”.
          </p>
          <Csrf token={context.csrf} />
          <NameField autofocus value={value('repo_name')} />
          <TextField name="description" label="Description" maxLength={2048} value={value('description')} />
          <Check
            name="private"
            label="Private"
            checked={settings.FORCE_PRIVATE || on('private', settings.DEFAULT_PRIVATE === 'private')}
            disabled={settings.FORCE_PRIVATE}
            note="Only you and the people you invite see it."
          />
          <Check
            name="template"
            label="Template"
            checked={on('template')}
            note="Others can start their repositories from its files."
          />
          <fieldset class="mt-3 mb-3 Box p-3" style="min-width: 0">
            <legend class="f5 text-bold px-1">First commit</legend>
            <Check
              name="auto_init"
              label="Start with a README, and with the files chosen here"
              checked={on('auto_init')}
              note="Leave it off to push what you have already."
            />
            <div class="d-flex flex-wrap" style="column-gap: 24px">
              <SelectField
                name="license"
                label="Licence"
                value={value('license')}
                options={[none, ...choices(licenseTemplates().keys())]}
              />
              <SelectField
                name="gitignores"
                label=".gitignore"
                value={value('gitignores')}
                options={[none, ...choices(gitignoreTemplates.keys())]}
              />
            </div>
          </fieldset>
          <details class="mb-3 Box p-3" open={Boolean(given)}>
            <summary class="text-bold">More options</summary>
            <div class="d-flex flex-wrap mt-3" style="column-gap: 24px">
              <TextField
                name="default_branch"
                label="Default branch"
                maxLength={255}
                value={value('default_branch') || settings.DEFAULT_BRANCH}
                short
              />
              <SelectField
                name="issue_labels"
                label="Labels for issues"
                value={value('issue_labels')}
                options={[none, ...choices(labelTemplates.keys())]}
              />
              <SelectField
                name="object_format_name"
                label="Object ids"
                value={value('object_format_name') || 'sha1'}
                options={[
                  ['sha1', 'SHA-1'],
                  ['sha256', 'SHA-256'],
                ]}
                note="SHA-256 is not understood by older clients."
              />
            </div>
            <h2 class="f5">Parts</h2>
            <input type="hidden" name="units" value="given" />
            <div style="display: grid; grid-template-columns: repeat(auto-fill, minmax(160px, 1fr))">
              {unitKeys.map((key) => (
                <Check name={unitFields[key]} label={unitLabels[key]} checked={on(unitFields[key], true)} />
              ))}
            </div>
          </details>
          <button class="btn btn-primary" type="submit">
            Create repository
          </button>
        </form>
      ),
    });
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/repo/create',
      surface: 'page',
      access: { actor: 'user' },
      handler: (context) => page(context),
    }),
    formRoute(
      '/repo/create',
      { actor: 'user' },
      async (context, values) => {
        const text = (name: string) => formText(values, name) || undefined;
        const owner = await accounts.byId(context.actor.id);
        if (!owner) throw NotFound('user');
        const made = await repositories.create(
          owner,
          {
            name: formText(values, 'repo_name'),
            description: text('description'),
            isPrivate: isChecked(values, 'private'),
            isTemplate: isChecked(values, 'template'),
            autoInit: isChecked(values, 'auto_init'),
            license: text('license'),
            gitignores: text('gitignores'),
            defaultBranch: text('default_branch'),
            issueLabels: labelTemplates.has(formText(values, 'issue_labels')) ? text('issue_labels') : undefined,
            objectFormat: formText(values, 'object_format_name') === 'sha256' ? 'sha256' : 'sha1',
            ...(values.units && {
              units: Object.fromEntries(unitKeys.map((key) => [key, isChecked(values, unitFields[key])])),
            }),
          },
          context.actor,
        );
        return repositoryHome(services.site, made);
      },
      page,
    ),
  ];
}
