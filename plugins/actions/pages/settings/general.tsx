import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  pageRoute,
  formRoute,
  formText,
  Invalid,
  isChecked,
  RadioFields,
  Section,
  SelectField,
  TextField,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import { taskUnits, type TaskMode, type TaskPermissions } from '../../contract/task-identity.js';
import type { TokenSettings, TokenSettingsStore } from '../../contract/token-settings.js';
import { t } from '../../texts/index.js';
import { settingsPage, type SettingsLevel } from './level.js';

export interface GeneralDeps {
  readonly tokens: TokenSettingsStore;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
}

const modes: readonly TaskMode[] = ['write', 'read', 'none'];
const maxNames = 100;

/** What the form shows: as stored, or as it was sent. */
interface GeneralFields extends TokenSettings {
  readonly overridesOwner: boolean;
  /** Names with commas between them. */
  readonly names: string;
}

interface GeneralProps {
  readonly action: string;
  readonly isRepository: boolean;
  /** Where the unit is switched on and off. */
  readonly unitHref: string | undefined;
  readonly fields: GeneralFields;
}

function General({ action, isRepository, unitHref, fields }: GeneralProps): VNode {
  return (
    <>
      {unitHref ? (
        <Section title={t('settings.general')}>
          <p>{t.rich('general.unit', { a: (children) => <a href={unitHref}>{children}</a> })}</p>
        </Section>
      ) : null}
      <Section title={t('general.tokens')}>
        <p class="color-fg-muted">{t('general.tokensNote')}</p>
        <form method="post" action={action}>
          <Csrf />
          {isRepository ? (
            <CheckField name="overrides" value="on" label={t('general.overrides')} checked={fields.overridesOwner} />
          ) : null}
          <RadioFields
            name="mode"
            label={t('general.mode')}
            value={fields.mode}
            options={[
              ['permissive', t('general.permissive'), t('general.permissiveNote')],
              ['restricted', t('general.restricted'), t('general.restrictedNote')],
            ]}
          />
          <fieldset class="mt-3">
            <legend class="text-bold mb-2">{t('general.ceiling')}</legend>
            <div class="actions-ceiling">
              {taskUnits.map((unit) => (
                <SelectField
                  key={unit}
                  name={`ceiling_${unit}`}
                  label={t(`general.of.${unit}`)}
                  value={fields.ceiling[unit] ?? 'write'}
                  options={modes.map((mode) => [mode, t(`general.may.${mode}`)] as const)}
                />
              ))}
            </div>
          </fieldset>
          <TextField
            name="names"
            label={t(isRepository ? 'general.owners' : 'general.repositories')}
            note={t(isRepository ? 'general.ownersNote' : 'general.repositoriesNote')}
            value={fields.names}
          />
          <button class="btn btn-primary" type="submit">
            {t('action.save')}
          </button>
        </form>
      </Section>
    </>
  );
}

const listOf = (values: FormValues): string[] => [
  ...new Set(
    formText(values, 'names', 10_000)
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .slice(0, maxNames),
  ),
];

const sentSettings = (values: FormValues): TokenSettings => ({
  mode: formText(values, 'mode') === 'restricted' ? 'restricted' : 'permissive',
  ceiling: Object.fromEntries(
    taskUnits.flatMap((unit) => {
      const mode = modes.find((one) => one === formText(values, `ceiling_${unit}`));
      return mode && mode !== 'write' ? [[unit, mode]] : [];
    }),
  ) as Partial<TaskPermissions>,
});

const unknown = (name: string) => {
  const text = t.later('general.unknown', { name });
  return Invalid(text, { inputs: { names: text } });
};

/** What jobs may, for a repository or for an owner. */
export function generalPages<S>(level: SettingsLevel<S>, deps: GeneralDeps): Route[] {
  const { tokens, accounts, repositories } = deps;
  const path = `${level.path}/general`;
  const { access } = level;
  const isRepository = level.key === 'repository';
  const baseOf = (context: RouteContext<S>) => `${level.base(context)}/general`;

  const stored = async (context: RouteContext<S>): Promise<GeneralFields> => {
    const { ownerId, repositoryId } = level.scopeOf(context);
    if (isRepository) {
      const settings = await tokens.ofRepository(repositoryId);
      const owners = await accounts.byIds([...settings.collaborativeOwnerIds]);
      return { ...settings, names: [...owners.values()].map(({ name }) => name).join(', ') };
    }
    const settings = await tokens.ofOwner(ownerId);
    const allowed = await repositories.byIds(settings.allowedRepositoryIds);
    return { ...settings, overridesOwner: false, names: [...allowed.values()].map(({ name }) => name).join(', ') };
  };
  const show = async (context: RouteContext<S>, sent?: FormValues, flash?: Flash) => {
    const fields = sent
      ? { ...sentSettings(sent), overridesOwner: isChecked(sent, 'overrides'), names: formText(sent, 'names', 10_000) }
      : await stored(context);
    const body = (
      <General
        action={baseOf(context)}
        isRepository={isRepository}
        unitHref={isRepository ? level.base(context).replace(/\/actions$/, '') : undefined}
        fields={fields}
      />
    );
    return settingsPage(level, context, 'general', body, flash);
  };
  const owners = async (names: readonly string[]): Promise<number[]> => {
    const known = await accounts.byNames(names);
    return names.map((name) => {
      const account = known.get(name) ?? known.get(name.toLowerCase());
      if (!account) throw unknown(name);
      return account.id;
    });
  };
  const allowed = async (context: RouteContext<S>, names: readonly string[]): Promise<number[]> => {
    const { ownerId } = level.scopeOf(context);
    const owner = names.length > 0 ? await accounts.byId(ownerId) : undefined;
    const ids: number[] = [];
    for (const name of names) {
      const repository = await repositories.byPath(owner?.name ?? '', name.split('/').at(-1)!);
      if (repository?.ownerId !== ownerId) throw unknown(name);
      ids.push(repository.id);
    }
    return ids;
  };
  return [
    pageRoute<S>(path, access, (context) => show(context)),
    formRoute<S>(
      path,
      access,
      async (context, values) => {
        const { ownerId, repositoryId } = level.scopeOf(context);
        const [settings, names] = [sentSettings(values), listOf(values)];
        if (isRepository)
          await tokens.setRepository(repositoryId, {
            ...settings,
            overridesOwner: isChecked(values, 'overrides'),
            collaborativeOwnerIds: await owners(names),
          });
        else await tokens.setOwner(ownerId, { ...settings, allowedRepositoryIds: await allowed(context, names) });
        return `${baseOf(context)}?saved=1`;
      },
      show,
    ),
  ];
}
