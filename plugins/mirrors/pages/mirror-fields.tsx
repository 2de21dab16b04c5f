import type { VNode } from 'preact';
import { CheckField, formText, isChecked, TextField, type FormValues } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

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
        value={sent ? formText(sent, `${prefix}address`) : address}
        note={addressNote}
      />
      <TextField
        name={`${prefix}username`}
        label={t('field.username')}
        maxLength={255}
        value={sent ? formText(sent, `${prefix}username`) : ''}
        autocapitalize="none"
      />
      <TextField
        name={`${prefix}password`}
        label={t('field.password')}
        type="password"
        maxLength={4096}
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

/** What {@link RemoteFields} and {@link ScheduleFields} send. */
export const remoteInput = (values: FormValues, prefix = '') => ({
  address: formText(values, `${prefix}address`),
  username: formText(values, `${prefix}username`, 255),
  password: formText(values, `${prefix}password`, 4096),
  interval: formText(values, `${prefix}interval`, 30),
  branches: formText(values, `${prefix}branches`, 1000),
});

/** What {@link PullOptionFields} send. */
export const pullOptionInput = (values: FormValues) => ({
  prune: isChecked(values, 'prune'),
  wiki: isChecked(values, 'wiki'),
  lfs: isChecked(values, 'lfs'),
});
