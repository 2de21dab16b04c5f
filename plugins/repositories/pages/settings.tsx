import {
  Csrf,
  PostButton,
  Section,
  SelectField,
  TextField,
  Forbidden,
  checkFields,
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
import { AvatarField, avatarIslands, userFieldIslands } from '@mortise/accounts/api';
import {
  type Repository,
  type RepositoryUnit,
  administerPage,
  repositoryHome,
  repositoryPageContext,
  type RepositoryRoute,
} from '../api.js';
import type { Unit } from '../contract/repositories.js';
import type { Body } from '../routes/bodies.js';
import { checkBranchName } from '../services/name-rules.js';
import { dangerActions, DangerZone, teamIdsOf } from './danger.js';
import { Check, NameField, UnitCheck } from './form-fields.js';
import { TrustSection, trustModelOf } from './trust.js';
import type { PageServices } from './page-services.js';
import { t } from '../texts/index.js';

/** What these routes share. */
function settingsPageContext(services: PageServices) {
  const { layout, repositories, topics, settings, git, units } = services;
  const page = async (context: RepositoryRoute, flash?: Flash, given: FormValues = {}) => {
    const { repository } = context.resource;
    const action = `${repositoryHome(services.site, repository)}/settings`;
    const csrf = <Csrf token={context.csrf} />;
    const asked = formText(given, 'action');
    // The form that was refused is shown as it was sent, the others as things are.
    const shown = (name: string, otherwise: string) => (asked === 'update' ? formText(given, name) : otherwise);
    const branches = repository.isEmpty ? [] : (await git.open(repository.id).branches()).map(({ name }) => name);
    const owners = (await services.creator.owners(context.actor)).filter(({ id }) => id !== repository.ownerId);
    const teams = context.resource.may('owner') ? await services.transfers.teamsOf(context.actor, owners) : undefined;
    return layout.settingsPage(repositoryPageContext(context), 'general', () => ({
      title: t('settings.title'),
      islands: [...avatarIslands, ...userFieldIslands],
      status: formStatus(flash),
      flash,
      body: (
        <div>
          <Section title={t('settings.general')}>
            <form method="post" action={action}>
              {csrf}
              <input type="hidden" name="action" value="update" />
              <NameField value={shown('repo_name', repository.name)} note={t('settings.nameNote')} />
              <TextField
                name="description"
                label={t('repo.description')}
                maxLength={2048}
                value={shown('description', repository.description)}
              />
              <TextField
                name="website"
                label={t('settings.website')}
                type="url"
                maxLength={1024}
                value={shown('website', repository.website)}
              />
              <TextField
                name="topics"
                label={t('settings.topics')}
                maxLength={1000}
                value={shown('topics', repository.topics.join(' '))}
                note={t('settings.topicsNote')}
              />
              <DefaultBranch
                value={shown('default_branch', repository.defaultBranch) || repository.defaultBranch}
                repository={repository}
                branches={branches}
              />
              <Check
                name="template"
                label={t('repo.template')}
                checked={asked === 'update' ? isChecked(given, 'template') : repository.isTemplate}
                note={t('create.templateNote')}
              />
              <button class="btn btn-primary mt-2" type="submit">
                {t('repo.save')}
              </button>
            </form>
          </Section>
          <Section title={t('settings.avatar')}>
            <div class="d-flex flex-wrap flex-items-end gap-2">
              {repository.avatar ? (
                <img
                  class="avatar"
                  src={services.presenter.avatarUrl(repository)}
                  width={64}
                  height={64}
                  alt={t('settings.avatar')}
                />
              ) : null}
              <form
                method="post"
                action={`${action}/avatar`}
                encType="multipart/form-data"
                class="d-flex flex-wrap flex-items-center gap-2"
              >
                {csrf}
                <AvatarField label={t('settings.avatarChoose')} />
                <button class="btn" type="submit">
                  {t('settings.avatarUpload')}
                </button>
              </form>
              {repository.avatar ? (
                <PostButton action={action} csrf={context.csrf} fields={{ action: 'remove-avatar' }} class="btn">
                  {t('settings.avatarRemove')}
                </PostButton>
              ) : null}
            </div>
          </Section>
          <Section title={t('settings.features')}>
            <form method="post" action={action}>
              {csrf}
              <input type="hidden" name="action" value="units" />
              <p class="color-fg-muted">{t('settings.featuresNote')}</p>
              {units.shown().map((unit) => (
                <UnitFields
                  unit={unit}
                  stored={repository.units.find(({ key }) => key === unit.key)}
                  sent={asked === 'units' ? given : undefined}
                />
              ))}
              <button class="btn btn-primary" type="submit">
                {t('settings.featuresSave')}
              </button>
            </form>
          </Section>
          <TrustSection repository={repository} action={action} csrf={csrf} />
          <DangerZone
            pageContext={repositoryPageContext(context)}
            action={action}
            forcePrivate={settings.FORCE_PRIVATE && !context.actor.isAdmin}
            offeredTo={services.header.of(context.resource).offeredTo}
            newOwner={asked === 'transfer' ? formText(given, 'new_owner') : ''}
            owners={owners.map(({ id, name }) => ({ name, teams: teams?.get(id) ?? [] }))}
            chosenTeams={asked === 'transfer' ? teamIdsOf(given) : []}
          />
        </div>
      ),
    }));
  };
  /** Each form of the page; gives the repository as it is then. */
  const actions: Readonly<
    Record<string, (context: RepositoryRoute, values: FormValues) => Promise<Repository | string>>
  > = {
    async update({ resource: { repository }, actor }, values) {
      const words = formText(values, 'topics')
        .split(/[\s,]+/)
        .filter(Boolean);
      const name = formText(values, 'repo_name');
      const website = formText(values, 'website', 1024);
      const branch = formText(values, 'default_branch', 255) || undefined;
      // Refused before anything is written.
      await checkFields({
        name: () => repositories.checkName(name),
        website: () => repositories.checkWebsite(website),
        topics: () => topics.check(words),
        default_branch: () => branch && checkBranchName(branch),
      });
      const changed = await repositories.edit(
        repository,
        {
          name,
          description: formText(values, 'description'),
          website,
          isTemplate: isChecked(values, 'template'),
          defaultBranch: branch,
        },
        actor,
      );
      await topics.replace(changed, words);
      return changed;
    },
    async units({ resource: { repository }, actor }, values) {
      const switched = units.ofForm((field) => isChecked(values, field));
      const body = Object.assign({}, ...units.shown().map(({ form }) => form?.body(values))) as Body;
      const { unitConfig } = units.changesOf(body, repository);
      return repositories.edit(repository, { units: switched, unitConfig }, actor);
    },
    async trust({ resource: { repository }, actor }, values) {
      const trustModel = trustModelOf(formText(values, 'trust_model'));
      return repositories.edit(repository, { trustModel }, actor);
    },
    'remove-avatar': ({ resource: { repository }, actor }) => repositories.edit(repository, { avatar: '' }, actor),
    ...dangerActions(services),
  };
  return { page, actions, services, repositories };
}

type SettingsPageRouteContext = ReturnType<typeof settingsPageContext>;

const settingsPage = ({ page }: SettingsPageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/{owner}/{repo}/settings',
    surface: 'page',
    access: administerPage,
    handler: (context) => page(context, savedFlash(context.query)),
  });

const saveSettings = ({ actions, services, page }: SettingsPageRouteContext) =>
  formRoute(
    '/{owner}/{repo}/settings',
    administerPage,
    async (context, values) => {
      const name = formText(values, 'action');
      const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!run) throw Forbidden(t.later('settings.unknownForm'));
      const then = await run(context, values);
      return typeof then === 'string' ? then : `${repositoryHome(services.site, then)}/settings?saved=1`;
    },
    (context, values, flash) => page(context, flash, values),
  );

const changeAvatar = ({ repositories, services, page }: SettingsPageRouteContext) =>
  formRoute(
    '/{owner}/{repo}/settings/avatar',
    administerPage,
    async (context) => {
      const { repository } = context.resource;
      const { avatar } = context.payload as { avatar?: unknown };
      await repositories.edit(repository, { avatar: await services.avatars.storeUpload(avatar) }, context.actor);
      return `${repositoryHome(services.site, repository)}/settings?saved=1`;
    },
    (context, _values, flash) => page(context, flash),
    { as: 'multipart', maxBytes: services.avatars.maxBytes + 64 * 1024 },
  );

/** General settings: texts, picture, units with their options, and the danger zone. */
export function settingsPageRoutes(services: PageServices): Route[] {
  const context = settingsPageContext(services);
  return [settingsPage(context), saveSettings(context), changeAvatar(context)];
}

/** The switch of a unit, and its options. */
function UnitFields(props: { unit: RepositoryUnit; stored: Unit | undefined; sent: FormValues | undefined }) {
  const { unit, stored, sent } = props;
  return (
    <div class="mb-3">
      <UnitCheck unit={unit} isOn={sent ? isChecked(sent, unit.field) : (stored?.enabled ?? false)} />
      {unit.form?.fields(stored?.config ?? {}, sent) ?? null}
    </div>
  );
}

/** A list to choose from while it is short. */
function DefaultBranch({
  repository,
  branches,
  value,
}: {
  repository: Repository;
  branches: readonly string[];
  value: string;
}) {
  const max = 500;
  const common = { name: 'default_branch', label: t('settings.branch'), value };
  const names = [...new Set([repository.defaultBranch, ...branches])];
  return branches.length > 0 && branches.length <= max ? (
    <SelectField {...common} options={names.map((name) => [name, name])} />
  ) : (
    <TextField {...common} maxLength={255} short />
  );
}
