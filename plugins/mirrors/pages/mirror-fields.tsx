import type { VNode } from 'preact';
import { CheckField, formText, isChecked, refusedField, TextField, type FormValues } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const maxUsername = 255;
const maxPassword = 4096;

/** A password that stood in the address is not shown again. */
const withoutPassword = (address: string): string => address.replace(/(\/\/[^/@\s:]*):[^/@\s]*@/, '$1@');

interface FieldsProps {
  /** The form that was refused. */
  readonly sent: FormValues | undefined;
  /** Before each name, where the page has two forms. */
  readonly prefix?: string;
}

/** The address of the other repository, and how to sign in there. */
export function RemoteFields({
  sent,
  prefix = '',
  address = '',
  addressNote,
  passwordNote,
  autofocus,
}: FieldsProps & {
  readonly address?: string;
  readonly addressNote?: string;
  readonly passwordNote?: string;
  readonly autofocus?: boolean;
}): VNode {
  return (
    <>
      <TextField
        name={`${prefix}address`}
        label={t('field.address')}
        required
        autofocus={autofocus}
        maxLength={2048}
        value={sent ? withoutPassword(formText(sent, `${prefix}address`)) : address}
        note={addressNote}
      />
      <TextField
        name={`${prefix}username`}
        label={t('field.username')}
        maxLength={maxUsername}
        value={sent ? formText(sent, `${prefix}username`) : ''}
        autocapitalize="none"
      />
      <TextField
        name={`${prefix}password`}
        label={t('field.password')}
        type="password"
        maxLength={maxPassword}
        autocomplete="new-password"
        note={passwordNote}
      />
    </>
  );
}

/** How often it runs, and which branches it takes. */
export function ScheduleFields({
  sent,
  prefix = '',
  interval,
  branches = '',
  minInterval,
}: FieldsProps & {
  readonly interval: string;
  readonly branches?: string;
  readonly minInterval: string;
}): VNode {
  return (
    <>
      <TextField
        name={`${prefix}interval`}
        label={t('field.interval')}
        short
        maxLength={30}
        value={sent ? formText(sent, `${prefix}interval`) : interval}
        note={t('field.intervalNote', { min: minInterval })}
      />
      <TextField
        name={`${prefix}branches`}
        label={t('field.branches')}
        maxLength={1000}
        value={sent ? formText(sent, `${prefix}branches`) : branches}
        note={t('field.branchesNote')}
      />
    </>
  );
}

const pullOptions = ['prune', 'wiki', 'lfs'] as const;

/** What a pull mirror does beside fetching branches and tags. */
export const PullOptionFields = ({
  sent,
  options,
}: FieldsProps & { readonly options: Readonly<Record<(typeof pullOptions)[number], boolean>> }): VNode => (
  <>
    {pullOptions.map((name) => (
      <CheckField
        key={name}
        name={name}
        value="on"
        label={t(`field.${name}`)}
        checked={sent ? isChecked(sent, name) : options[name]}
      />
    ))}
  </>
);

/** As it was typed: blanks belong to a password. */
function passwordIn(values: FormValues, name: string): string {
  const given = values[name];
  return typeof given === 'string' ? given : '';
}

/** What {@link RemoteFields} and {@link ScheduleFields} send. Throws Invalid for what is too long. */
export function remoteInput(values: FormValues, prefix = '') {
  const text = (name: string) => formText(values, `${prefix}${name}`, Infinity);
  const input = {
    address: text('address'),
    username: text('username'),
    password: passwordIn(values, `${prefix}password`),
    interval: text('interval'),
    branches: text('branches'),
  };
  for (const [name, max] of [['username', maxUsername] as const, ['password', maxPassword] as const])
    if (input[name].length > max) throw refusedField(name, t.later('error.fieldLong', { max }));
  return input;
}

/** What {@link PullOptionFields} send. */
export const pullOptionInput = (values: FormValues) => ({
  prune: isChecked(values, 'prune'),
  wiki: isChecked(values, 'wiki'),
  lfs: isChecked(values, 'lfs'),
});
