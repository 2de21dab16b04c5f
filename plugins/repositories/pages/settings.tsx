import type { VNode } from 'preact';
import {
  Csrf,
  PostButton,
  Section,
  SelectField,
  TextField,
  Forbidden,
  checkFields,
  pageRoute,
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
import type { PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

interface SectionProps {
  readonly repository: Repository;
  /** Where the forms are sent. */
  readonly action: string;
}

interface FormSectionProps extends SectionProps {
  /** This form as it was sent, after a refusal. */
  readonly sent: FormValues | undefined;
}

function GeneralSection(props: FormSectionProps & { readonly branches: readonly string[] }): VNode {
  const { repository, action, sent, branches } = props;
  const shown = (name: string, stored: string) => (sent ? formText(sent, name) : stored);
  return (
    <Section title={t('settings.general')}>
      <form method="post" action={action}>
        <Csrf />
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
          checked={sent ? isChecked(sent, 'template') : repository.isTemplate}
          note={t('create.templateNote')}
        />
        <button class="btn btn-primary mt-2" type="submit">
          {t('repo.save')}
        </button>
      </form>
    </Section>
  );
}

const AvatarSection = ({ repository, action, avatarUrl }: SectionProps & { readonly avatarUrl: string }): VNode => (
  <Section title={t('settings.avatar')}>
    <div class="d-flex flex-wrap flex-items-end gap-2">
      {repository.avatar ? (
        <img class="avatar" src={avatarUrl} width={64} height={64} alt={t('settings.avatar')} />
      ) : null}
      <form
        method="post"
        action={`${action}/avatar`}
        encType="multipart/form-data"
        class="d-flex flex-wrap flex-items-center gap-2"
      >
        <Csrf />
        <AvatarField label={t('settings.avatarChoose')} />
        <button class="btn" type="submit">
          {t('settings.avatarUpload')}
        </button>
      </form>
      {repository.avatar ? (
        <PostButton action={action} fields={{ action: 'remove-avatar' }} class="btn">
          {t('settings.avatarRemove')}
        </PostButton>
      ) : null}
    </div>
  </Section>
);

const FeaturesSection = ({
  repository,
  action,
  sent,
  units,
}: FormSectionProps & { readonly units: readonly RepositoryUnit[] }): VNode => (
  <Section title={t('settings.features')}>
    <form method="post" action={action}>
      <Csrf />
      <input type="hidden" name="action" value="units" />
      <p class="color-fg-muted">{t('settings.featuresNote')}</p>
      {units.map((unit) => (
        <UnitFields unit={unit} stored={repository.units.find(({ key }) => key === unit.key)} sent={sent} />
      ))}
      <button class="btn btn-primary" type="submit">
        {t('settings.featuresSave')}
      </button>
    </form>
  </Section>
);

/** The page; `given` is the form that was refused, shown as it was sent: the others as things are. */
async function settingsView(services: PageDeps, context: RepositoryRoute, flash?: Flash, given: FormValues = {}) {
  const { layout, settings, git, units } = services;
  const { repository } = context.resource;
  const asked = formText(given, 'action');
  const section = { repository, action: `${repositoryHome(services.site, repository)}/settings` };
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
        <GeneralSection {...section} branches={branches} sent={asked === 'update' ? given : undefined} />
        <AvatarSection {...section} avatarUrl={services.presenter.avatarUrl(repository)} />
        <FeaturesSection {...section} units={units.shown()} sent={asked === 'units' ? given : undefined} />
        <TrustSection repository={repository} action={section.action} />
        <DangerZone
          pageContext={repositoryPageContext(context)}
          action={section.action}
          forcePrivate={settings.FORCE_PRIVATE && !context.actor.isAdmin}
          offeredTo={services.header.of(context.resource).offeredTo}
          newOwner={asked === 'transfer' ? formText(given, 'new_owner') : ''}
          owners={owners.map(({ id, name }) => ({ name, teams: teams?.get(id) ?? [] }))}
          chosenTeams={asked === 'transfer' ? teamIdsOf(given) : []}
        />
      </div>
    ),
  }));
}

type SettingsAction = (context: RepositoryRoute, values: FormValues) => Promise<Repository | string>;

/** What each form of the page does: gives the repository as it is then, or where to go. */
function settingsActions(services: PageDeps): Readonly<Record<string, SettingsAction>> {
  const { repositories, topics, units } = services;
  return {
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
}

const settingsPage = (services: PageDeps) =>
  pageRoute('/{owner}/{repo}/settings', administerPage, (context) =>
    settingsView(services, context, savedFlash(context.query)),
  );

const saveSettings = (services: PageDeps) => {
  const actions = settingsActions(services);
  return formRoute(
    '/{owner}/{repo}/settings',
    administerPage,
    async (context, values) => {
      const name = formText(values, 'action');
      const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!run) throw Forbidden(t.later('settings.unknownForm'));
      const then = await run(context, values);
      return typeof then === 'string' ? then : `${repositoryHome(services.site, then)}/settings?saved=1`;
    },
    (context, values, flash) => settingsView(services, context, flash, values),
  );
};

const changeAvatar = (services: PageDeps) =>
  formRoute(
    '/{owner}/{repo}/settings/avatar',
    administerPage,
    async (context) => {
      const { repository } = context.resource;
      const { avatar } = context.payload as { avatar?: unknown };
      await services.repositories.edit(
        repository,
        { avatar: await services.avatars.storeUpload(avatar) },
        context.actor,
      );
      return `${repositoryHome(services.site, repository)}/settings?saved=1`;
    },
    (context, _values, flash) => settingsView(services, context, flash),
    { as: 'multipart', maxBytes: services.avatars.maxBytes + 64 * 1024 },
  );

/** General settings: texts, picture, units with their options, and the danger zone. */
export const settingsPageRoutes = (services: PageDeps): Route[] => [
  settingsPage(services),
  saveSettings(services),
  changeAvatar(services),
];

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
