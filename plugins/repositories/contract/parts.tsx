import type { VNode } from 'preact';
import { TextField, type TextFieldProps } from '@mortise/plugin-sdk';

/** The name of a repository, new or old. */
export const RepositoryNameField = (props: Pick<TextFieldProps, 'value' | 'note' | 'autofocus'>): VNode => (
  <TextField
    name="repo_name"
    label="Name"
    required
    maxLength={100}
    pattern="[A-Za-z0-9_.\-]+"
    note='Letters, digits, "-", "_" and ".".'
    {...props}
  />
);
