import type { VNode } from 'preact';
import { CheckField, FieldError, TextField } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** More teams than these are typed: a tick for each would be longer than the rest of the form. */
const maxTicks = 30;

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

interface TeamsFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: unknown;
  /** Names of teams that may be chosen. */
  readonly known: readonly string[];
}

function TeamsField({ name, label, value, known }: TeamsFieldProps): VNode | null {
  if (known.length === 0) return null;
  const chosen = texts(value);
  if (known.length > maxTicks)
    return (
      <TextField
        name={name}
        label={label}
        value={chosen.join(', ')}
        note={t('rule.teamsNote', { teams: known.join(', ') })}
      />
    );
  return (
    <fieldset class="border-0 p-0 m-0 mb-3">
      <legend class="text-bold">{label}</legend>
      {/* says that teams were asked for where none is ticked */}
      <input type="hidden" name={name} value="" />
      <div class="check-grid">
        {known.map((team) => (
          <CheckField
            key={team}
            id={`field-${name}-${team}`}
            name={name}
            value={team}
            label={team}
            checked={chosen.some((one) => one.toLowerCase() === team.toLowerCase())}
          />
        ))}
      </div>
      <FieldError of={{ name }} />
    </fieldset>
  );
}

interface AllowListProps {
  readonly usersLabel: string;
  readonly teamsLabel: string;
  readonly usersNote?: string;
  /** Names of the fields. */
  readonly users: string;
  readonly teams: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly known: readonly string[];
}

/** Who may do something: users by name, which are offered while they are typed, and teams. */
export const AllowList = (props: AllowListProps): VNode => (
  <>
    <TextField
      name={props.users}
      label={props.usersLabel}
      value={texts(props.fields[props.users]).join(', ')}
      note={props.usersNote ?? t('rule.usersNote')}
      data-suggest="users"
    />
    <TeamsField name={props.teams} label={props.teamsLabel} value={props.fields[props.teams]} known={props.known} />
  </>
);

/** Names of a field: typed with commas or spaces between them, or ticked. */
export const namesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value ?? '').split(/[\s,]+/)).filter(Boolean);
