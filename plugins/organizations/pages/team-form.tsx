import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  FieldError,
  formText,
  isChecked,
  PostButton,
  RadioFields,
  Section,
  SelectField,
  TextField,
  textOf,
  type FormValues,
  type Text,
} from '@mortise/plugin-sdk';
import type { AccessMode } from '@mortise/repositories/api';
import type { Team } from '../api.js';
import type { NewTeam } from '../contract/teams.js';
import { t } from '../texts/index.js';

/** A unit that a team may have rights on. */
interface OfferedUnit {
  readonly key: string;
  readonly label: Text;
}

interface TeamFormProps {
  /** Absent: a new one. */
  readonly team?: Team;
  readonly units: readonly OfferedUnit[];
  readonly action: string;
  /** Leads to deleting it; absent where it cannot be. */
  readonly deleteAction?: string;
  /** The form that was refused. */
  readonly sent?: FormValues;
}

const modes = ['none', 'read', 'write'] as const;

/** The fields of the form as they were sent, or else as the team is. */
const fieldReader = (sent: FormValues | undefined) => ({
  text: (name: string, stored = '') => (sent ? formText(sent, name) : stored),
  ticked: (name: string, stored = false) => (sent ? isChecked(sent, name) : stored),
});

/** Who sees a team, and what it gives its members; owners have everything. */
function RightsFields({ team, units, sent }: Pick<TeamFormProps, 'team' | 'units' | 'sent'>): VNode {
  const { text, ticked } = fieldReader(sent);
  return (
    <>
      <SelectField
        name="visibility"
        label={t('team.visibility')}
        value={text('visibility', team?.visibility ?? 'private')}
        options={[
          ['private', t('team.visibility.private')],
          ['limited', t('team.visibility.limited')],
          ['public', t('team.visibility.public')],
        ]}
        note={t('team.visibilityNote')}
      />
      <div class="mb-3">
        <RadioFields
          name="repo_access"
          label={t('team.repositories')}
          value={text('repo_access', team?.includesAllRepositories ? 'all' : 'specific')}
          options={[
            ['specific', t('team.specific'), t('team.specificNote')],
            ['all', t('team.all'), t('team.allNote')],
          ]}
        />
      </div>
      <CheckField
        name="can_create_org_repo"
        value="on"
        label={t('team.mayCreate')}
        checked={ticked('can_create_org_repo', team?.canCreateRepository)}
        note={t('team.mayCreateNote')}
      />
      <div class="my-3">
        <RadioFields
          name="permission"
          label={t('team.permission')}
          value={text('permission', team?.authorization === 'admin' ? 'admin' : 'read') === 'admin' ? 'admin' : 'read'}
          options={[
            ['read', t('team.byUnit'), t('team.byUnitNote')],
            ['admin', t('team.level.admin'), t('team.adminNote')],
          ]}
        />
      </div>
      <UnitTable
        units={units}
        modeOf={(key) => text(`unit_${key}`, team?.units[key] ?? (team ? 'none' : 'read')) || 'none'}
      />
    </>
  );
}

/** Everything that a team is. */
export function TeamForm({ team, units, action, deleteAction, sent }: TeamFormProps): VNode {
  const isOwners = team?.authorization === 'owner';
  const { text } = fieldReader(sent);
  return (
    <>
      {team ? null : <h2 class="f3 mb-3">{t('team.new')}</h2>}
      <form method="post" action={action}>
        <Csrf />
        {isOwners ? null : (
          <TextField
            name="team_name"
            input="name"
            label={t('team.name')}
            value={text('team_name', team?.name)}
            required
            maxLength={255}
            autocapitalize="none"
            note={t('team.nameNote')}
          />
        )}
        <TextField
          name="description"
          label={t('team.description')}
          value={text('description', team?.description)}
          maxLength={255}
        />
        {isOwners ? (
          <p class="color-fg-muted">{t('team.ownersNote')}</p>
        ) : (
          <RightsFields team={team} units={units} sent={sent} />
        )}
        <button class="btn btn-primary mt-2" type="submit">
          {t(team ? 'settings.save' : 'team.create')}
        </button>
      </form>
      {team && deleteAction && !isOwners ? (
        <div class="mt-5">
          <Section title={t('team.delete')} danger>
            <p>{t('team.deleteNote')}</p>
            <PostButton
              action={deleteAction}
              class="btn btn-danger"
              formClass="confirm-start"
              confirm={t('team.deleteConfirm', { name: team.name })}
            >
              {t('team.delete')}
            </PostButton>
          </Section>
        </div>
      ) : null}
    </>
  );
}

/** A level for each unit; only counts where the team has no level on all of them. */
const UnitTable = ({ units, modeOf }: { units: readonly OfferedUnit[]; modeOf: (key: string) => string }): VNode => (
  <div class="mb-3">
    <table class="data-table" aria-label={t('team.units')}>
      <thead>
        <tr>
          <th scope="col">{t('team.unit')}</th>
          {modes.map((mode) => (
            <th key={mode} scope="col">
              {t(`team.mode.${mode}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {units.map(({ key, label }) => (
          <tr key={key}>
            <th scope="row" class="text-normal">
              {textOf(label)}
            </th>
            {modes.map((mode) => (
              <td key={mode}>
                <label class="d-block">
                  <input type="radio" name={`unit_${key}`} value={mode} checked={mode === modeOf(key)} />
                  <span class="sr-only">
                    {textOf(label)}: {t(`team.mode.${mode}`)}
                  </span>
                </label>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    <FieldError of={{ name: 'units' }} />
  </div>
);

/** What the form says; rights on units that it does not offer stay. */
export function teamOf(values: FormValues, units: readonly OfferedUnit[], team?: Team): NewTeam {
  const offered = new Set(units.map(({ key }) => key));
  const kept = Object.entries(team?.units ?? {}).filter(([key]) => !offered.has(key));
  const given = units.map(({ key }): [string, AccessMode] => {
    const mode = formText(values, `unit_${key}`);
    return [key, mode === 'read' || mode === 'write' ? mode : 'none'];
  });
  const visibility = formText(values, 'visibility');
  return {
    name: formText(values, 'team_name'),
    description: formText(values, 'description'),
    visibility: visibility === 'public' || visibility === 'limited' ? visibility : 'private',
    includesAllRepositories: formText(values, 'repo_access') === 'all',
    canCreateRepository: isChecked(values, 'can_create_org_repo'),
    permission: formText(values, 'permission') === 'admin' ? 'admin' : 'read',
    units: Object.fromEntries([...kept, ...given]),
  };
}
