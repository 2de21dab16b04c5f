import {
  Csrf,
  PostButton,
  Section,
  SelectField,
  TextField,
  Forbidden,
  defineRoute,
  type Route,
  formRoute,
  isChecked,
  savedFlash,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import {
  type Repository,
  type UnitKey,
  administerPage,
  repositoryHome,
  repositoryPlace,
  type RepositoryRoute,
} from '../api.js';
import { changesOf } from '../routes/bodies.js';
import { unitFields, unitKeys } from '../services/units.js';
import { dangerActions, DangerZone } from './danger.js';
import { Check, NameField } from './parts.js';
import { TrustSection, trustModelOf } from './trust.js';
import { MergeOptions, UnitOptions, optionBody } from './unit-options.js';
import { unitLabels, type PageServices } from './shared.js';

/** General settings: texts, picture, units with their options, and the danger zone. */
export function settingsPageRoutes(services: PageServices): Route[] {
  const { layout, repositories, topics, settings, git } = services;

  const page = async (context: RepositoryRoute, flash?: Flash, given: FormValues = {}) => {
    const { repository } = context.subject;
    const action = `${repositoryHome(services.site, repository)}/settings`;
    const csrf = <Csrf token={context.csrf} />;
    const asked = formText(given, 'action');
    // The form that was refused is shown as it was sent, the others as things are.
    const shown = (name: string, otherwise: string) => (asked === 'update' ? formText(given, name) : otherwise);
    const branches = repository.isEmpty ? [] : (await git.open(repository.id).branches()).map(({ name }) => name);
    return layout.settingsPage(repositoryPlace(context), 'general', {
      title: 'Settings',
      status: formStatus(flash),
      flash,
      body: (
        <div>
          <Section title="General">
            <form method="post" action={action}>
              {csrf}
              <input type="hidden" name="action" value="update" />
              <NameField
                value={shown('repo_name', repository.name)}
                note="The older name leads to the new one until another repository takes it."
              />
              <TextField
                name="description"
                label="Description"
                maxLength={2048}
                value={shown('description', repository.description)}
              />
              <TextField
                name="website"
                label="Website"
                type="url"
                maxLength={1024}
                value={shown('website', repository.website)}
              />
              <TextField
                name="topics"
                label="Topics"
                maxLength={1000}
                value={shown('topics', repository.topics.join(' '))}
                note="Words between spaces; letters, digits, - and . up to 35 characters each."
              />
              <DefaultBranch
                value={shown('default_branch', repository.defaultBranch) || repository.defaultBranch}
                repository={repository}
                branches={branches}
              />
              <Check
                name="template"
                label="Template"
                checked={asked === 'update' ? isChecked(given, 'template') : repository.isTemplate}
                note="Others can start their repositories from its files."
              />
              <button class="btn btn-primary mt-2" type="submit">
                Save
              </button>
            </form>
          </Section>
          <Section title="Picture">
            <div class="d-flex flex-wrap flex-items-end" style="gap: 12px">
              {repository.avatar ? (
                <img
                  class="avatar"
                  src={services.presenter.avatarUrl(repository)}
                  width={64}
                  height={64}
                  alt="Picture"
                />
              ) : null}
              <form
                method="post"
                action={`${action}/avatar`}
                encType="multipart/form-data"
                class="d-flex flex-wrap flex-items-center"
                style="gap: 8px"
              >
                {csrf}
                <input
                  type="file"
                  name="avatar"
                  accept="image/png,image/jpeg,image/gif,image/webp"
                  aria-label="Picture"
                  required
                  style="max-width: 100%"
                />
                <button class="btn" type="submit">
                  Upload
                </button>
              </form>
              {repository.avatar ? (
                <PostButton action={action} csrf={context.csrf} fields={{ action: 'remove-avatar' }} class="btn">
                  Remove
                </PostButton>
              ) : null}
            </div>
          </Section>
          <Section title="Parts">
            <form method="post" action={action}>
              {csrf}
              <input type="hidden" name="action" value="units" />
              <p class="color-fg-muted">
                What is switched off keeps what it has, and nobody sees it. One part stays on.
              </p>
              {unitKeys.map((key) => (
                <div class="mb-3">
                  <Check
                    name={unitFields[key]}
                    label={unitLabels[key]}
                    checked={
                      asked === 'units'
                        ? isChecked(given, unitFields[key])
                        : repository.units.find((unit) => unit.key === key)?.enabled
                    }
                  />
                  <UnitOptions repository={repository} unit={key} sent={asked === 'units' ? given : undefined} />
                </div>
              ))}
              <button class="btn btn-primary" type="submit">
                Save parts
              </button>
            </form>
          </Section>
          {repository.units.some((unit) => unit.key === 'pulls' && unit.enabled) ? (
            <Section title="Merging">
              <form method="post" action={action}>
                {csrf}
                <input type="hidden" name="action" value="merging" />
                <MergeOptions repository={repository} />
                <button class="btn btn-primary mt-2" type="submit">
                  Save merge options
                </button>
              </form>
            </Section>
          ) : null}
          <TrustSection repository={repository} action={action} csrf={csrf} />
          <DangerZone
            place={repositoryPlace(context)}
            action={action}
            forcePrivate={settings.FORCE_PRIVATE && !context.actor.isAdmin}
            offeredTo={services.header.of(context.subject).offeredTo}
            newOwner={asked === 'transfer' ? formText(given, 'new_owner') : ''}
          />
        </div>
      ),
    });
  };

  /** Each form of the page; gives the repository as it is then. */
  const actions: Readonly<
    Record<string, (context: RepositoryRoute, values: FormValues) => Promise<Repository | string>>
  > = {
    async update({ subject: { repository }, actor }, values) {
      const words = formText(values, 'topics')
        .split(/[\s,]+/)
        .filter(Boolean);
      // Refused before anything is written.
      topics.check(words);
      const changed = await repositories.edit(
        repository,
        {
          name: formText(values, 'repo_name'),
          description: formText(values, 'description'),
          website: formText(values, 'website', 1024),
          isTemplate: isChecked(values, 'template'),
          defaultBranch: formText(values, 'default_branch', 255) || undefined,
        },
        actor,
      );
      await topics.replace(changed, words);
      return changed;
    },
    async units({ subject: { repository }, actor }, values) {
      const units = Object.fromEntries(unitKeys.map((key) => [key, isChecked(values, unitFields[key])]));
      const { unitConfig } = changesOf(optionBody(values), repository);
      return repositories.edit(repository, { units, unitConfig }, actor);
    },
    async merging({ subject: { repository }, actor }, values) {
      return repositories.edit(repository, { unitConfig: { pulls: mergeConfig(repository, values) } }, actor);
    },
    async trust({ subject: { repository }, actor }, values) {
      const trustModel = trustModelOf(formText(values, 'trust_model'));
      return repositories.edit(repository, { trustModel }, actor);
    },
    'remove-avatar': ({ subject: { repository }, actor }) => repositories.edit(repository, { avatar: '' }, actor),
    ...dangerActions(services),
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/settings',
      surface: 'page',
      access: administerPage,
      handler: (context) => page(context, savedFlash(context.query)),
    }),
    formRoute(
      '/{owner}/{repo}/settings',
      administerPage,
      async (context, values) => {
        const name = formText(values, 'action');
        const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
        if (!run) throw Forbidden('the form asks for nothing that there is');
        const then = await run(context, values);
        return typeof then === 'string' ? then : `${repositoryHome(services.site, then)}/settings?saved=1`;
      },
      (context, values, flash) => page(context, flash, values),
    ),
    formRoute(
      '/{owner}/{repo}/settings/avatar',
      administerPage,
      async (context) => {
        const { repository } = context.subject;
        const { avatar } = context.payload as { avatar?: unknown };
        await repositories.edit(repository, { avatar: await services.avatars.storeUpload(avatar) }, context.actor);
        return `${repositoryHome(services.site, repository)}/settings?saved=1`;
      },
      (context, _values, flash) => page(context, flash),
      { as: 'multipart', maxBytes: services.avatars.maxBytes + 64 * 1024 },
    ),
  ];
}

/** All options of merging as the form has them: what is not ticked is off. */
function mergeConfig(repository: Repository, values: FormValues): Record<string, unknown> {
  const config = repository.units.find((unit) => unit.key === ('pulls' satisfies UnitKey))?.config ?? {};
  return Object.fromEntries(
    Object.entries(config).map(([option, value]) => [
      option,
      typeof value === 'boolean' ? isChecked(values, option) : formText(values, option) || value,
    ]),
  );
}

function DefaultBranch({
  repository,
  branches,
  value,
}: {
  repository: Repository;
  branches: readonly string[];
  value: string;
}) {
  const most = 500;
  const common = { name: 'default_branch', label: 'Default branch', value };
  const names = [...new Set([repository.defaultBranch, ...branches])];
  return branches.length > 0 && branches.length <= most ? (
    <SelectField {...common} options={names.map((name) => [name, name])} />
  ) : (
    <TextField {...common} maxLength={255} short />
  );
}
