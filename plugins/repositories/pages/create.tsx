import { Csrf, NotFound, defineRoute, webPage, type Route, type RouteContext } from '@mortise/plugin-sdk';
import { unitFields, unitKeys } from '../services/units.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { labelTemplates } from '../templates/labels.js';
import { licenseTemplates } from '../templates/licenses.js';
import { Check, Field, Select, type Choice } from './parts.js';
import {
  formRoute,
  isOn,
  pathOf,
  statusOf,
  textOf,
  unitLabels,
  type Flash,
  type PageServices,
  type Values,
} from './shared.js';

const none: Choice = ['', 'none'];
const choices = (keys: Iterable<string>): Choice[] => [...keys].map((key): Choice => [key, key]);

/** The form for a new repository. */
export function createPageRoutes(services: PageServices): Route[] {
  const { accounts, repositories, settings, site } = services;

  const page = (context: RouteContext, given?: Values, flash?: Flash) => {
    const value = (name: string) => (given ? textOf(given, name) : '');
    const on = (name: string, first = false) => (given ? isOn(given, name) : first);
    return webPage({
      title: 'New repository',
      width: 'narrow',
      status: statusOf(flash),
      flash,
      body: (
        <form method="post" action={site.path('/repo/create')}>
          <h1 class="f2 mb-1">New repository</h1>
          <p class="color-fg-muted">
            It belongs to <strong>{context.actor.name}</strong>. To start from another one, open it and choose “Fork” or
            “Use this template”.
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
              autocomplete="off"
              value={value('repo_name')}
            />
          </Field>
          <Field label="Description">
            <input class="form-control input-block" name="description" maxLength={2048} value={value('description')} />
          </Field>
          <Check
            name="private"
            label="Private"
            checked={settings.FORCE_PRIVATE || on('private', settings.DEFAULT_PRIVATE === 'private')}
            disabled={settings.FORCE_PRIVATE}
            help="Only you and the people you invite see it."
          />
          <Check
            name="template"
            label="Template"
            checked={on('template')}
            help="Others can start their repositories from its files."
          />
          <fieldset class="mt-3 mb-3 Box p-3" style="min-width: 0">
            <legend class="f5 text-bold px-1">First commit</legend>
            <Check
              name="auto_init"
              label="Start with a README, and with the files chosen here"
              checked={on('auto_init')}
              help="Leave it off to push what you have already."
            />
            <div class="d-flex flex-wrap" style="column-gap: 24px">
              <Field label="Licence">
                <Select
                  name="license"
                  value={value('license')}
                  choices={[none, ...choices(licenseTemplates().keys())]}
                />
              </Field>
              <Field label=".gitignore">
                <Select
                  name="gitignores"
                  value={value('gitignores')}
                  choices={[none, ...choices(gitignoreTemplates.keys())]}
                />
              </Field>
            </div>
          </fieldset>
          <details class="mb-3 Box p-3" open={Boolean(given)}>
            <summary class="text-bold">More options</summary>
            <div class="d-flex flex-wrap mt-3" style="column-gap: 24px">
              <Field label="Default branch">
                <input
                  class="form-control"
                  name="default_branch"
                  maxLength={255}
                  value={value('default_branch') || settings.DEFAULT_BRANCH}
                />
              </Field>
              <Field label="Labels for issues">
                <Select
                  name="issue_labels"
                  value={value('issue_labels')}
                  choices={[none, ...choices(labelTemplates.keys())]}
                />
              </Field>
              <Field label="Object ids" help="SHA-256 is not understood by older clients.">
                <Select
                  name="object_format_name"
                  value={value('object_format_name') || 'sha1'}
                  choices={[
                    ['sha1', 'SHA-1'],
                    ['sha256', 'SHA-256'],
                  ]}
                />
              </Field>
            </div>
            <h3 class="f5">Parts</h3>
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
        const text = (name: string) => textOf(values, name) || undefined;
        const owner = await accounts.byId(context.actor.id);
        if (!owner) throw NotFound('user');
        const made = await repositories.create(
          owner,
          {
            name: textOf(values, 'repo_name'),
            description: text('description'),
            isPrivate: isOn(values, 'private'),
            isTemplate: isOn(values, 'template'),
            autoInit: isOn(values, 'auto_init'),
            license: text('license'),
            gitignores: text('gitignores'),
            defaultBranch: text('default_branch'),
            issueLabels: labelTemplates.has(textOf(values, 'issue_labels')) ? text('issue_labels') : undefined,
            objectFormat: textOf(values, 'object_format_name') === 'sha256' ? 'sha256' : 'sha1',
            ...(values.units && {
              units: Object.fromEntries(unitKeys.map((key) => [key, isOn(values, unitFields[key])])),
            }),
          },
          context.actor,
        );
        return pathOf(services, made);
      },
      page,
    ),
  ];
}
