import type { VNode } from 'preact';
import { CheckField, Csrf, formText, isChecked, RadioFields, TextField, type FormValues } from '@mortise/plugin-sdk';
import type { Visibility } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

export interface CreateProps {
  readonly csrf: string;
  readonly action: string;
  /** Of a new one. */
  readonly visibility: Visibility;
  /** The form that was refused. */
  readonly sent?: FormValues;
}

/** Who sees an organization. */
export const VisibilityField = ({ value }: { value: string }): VNode => (
  <RadioFields
    name="visibility"
    label={t('settings.visibility')}
    value={value}
    options={[
      ['public', t('visibility.public'), t('settings.publicNote')],
      ['limited', t('visibility.limited'), t('settings.limitedNote')],
      ['private', t('visibility.private'), t('settings.privateNote')],
    ]}
  />
);

/** The form for a new organization. */
export const CreateForm = ({ csrf, action, visibility, sent }: CreateProps): VNode => (
  <form method="post" action={action}>
    <h1 class="f2 mb-1">{t('create.title')}</h1>
    <p class="color-fg-muted">{t('create.note')}</p>
    <Csrf token={csrf} />
    <TextField
      name="org_name"
      input="name"
      label={t('create.name')}
      value={sent && formText(sent, 'org_name')}
      required
      maxLength={40}
      autocapitalize="none"
      autofocus
    />
    <VisibilityField value={(sent && formText(sent, 'visibility')) || visibility} />
    <CheckField
      name="repo_admin_change_team_access"
      value="on"
      label={t('settings.adminsChangeTeams')}
      checked={sent ? isChecked(sent, 'repo_admin_change_team_access') : false}
    />
    <button class="btn btn-primary mt-2" type="submit">
      {t('create.submit')}
    </button>
  </form>
);
