import type { VNode } from 'preact';
import { SelectField, TextField, type TextFieldProps } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

/** The name of a repository, new or old. */
export const RepositoryNameField = (props: Pick<TextFieldProps, 'value' | 'note' | 'autofocus'>): VNode => (
  <TextField
    name="repo_name"
    label={t('repo.name')}
    input="name"
    required
    maxLength={100}
    pattern="[A-Za-z0-9_.\-]+"
    note={t('repo.nameNote')}
    {...props}
  />
);

/** Whose a new repository will be; the field `owner`, and nothing to choose where only one account comes into question. */
export const RepositoryOwnerField = ({
  owners,
  value,
}: {
  readonly owners: readonly Pick<Account, 'name'>[];
  readonly value?: string;
}): VNode => {
  const names = owners.map(({ name }) => name);
  if (names.length < 2)
    return <p class="color-fg-muted">{t.rich('create.owner', { name: <strong>{names[0] ?? ''}</strong> })}</p>;
  return (
    <SelectField
      name="owner"
      label={t('repo.owner')}
      value={names.find((name) => name.toLowerCase() === value?.toLowerCase()) ?? names[0]}
      options={names.map((name) => [name, name] as const)}
    />
  );
};
