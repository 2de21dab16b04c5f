import type { VNode } from 'preact';
import { TextField, type TextFieldProps } from '@mortise/plugin-sdk';
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
