import { Csrf, PostButton, Section, SelectField, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, EmailAddress } from '../api.js';
import { sentWith, textIn } from './submitted-form.js';
import type { FormProps } from './settings.js';
import { t } from '../texts/index.js';

/** The current password, in a form of that name: who found a session open does not know it. */
const PasswordAgain = ({ name }: { readonly name: string }): VNode => (
  <TextField
    id={`field-${name}-password`}
    input={`${name}_password`}
    name="password"
    label={t('password.current')}
    type="password"
    required
    autocomplete="current-password"
  />
);

interface EmailFormProps extends Pick<FormProps, 'path'> {
  readonly emails: readonly EmailAddress[];
  readonly hasPassword: boolean;
}

/** Which of the addresses in use is the one that mail goes to. */
function PrimaryForm({ emails, hasPassword, path }: EmailFormProps): VNode | null {
  const others = emails.filter((entry) => entry.isVerified && !entry.isPrimary);
  if (others.length === 0) return null;
  return (
    <form class="mb-4" method="post" action={path('/user/settings/account/email/primary')}>
      <Csrf />
      <SelectField
        id="field-primary-email"
        name="email"
        label={t('email.newPrimary')}
        options={others.map(({ email }) => [email, email] as const)}
        value={others[0]!.email}
      />
      {hasPassword ? <PasswordAgain name="primary" /> : null}
      <button class="btn" type="submit">
        {t('email.makePrimary')}
      </button>
    </form>
  );
}

const PasswordForm = ({ path }: Pick<FormProps, 'path'>): VNode => (
  <Section title={t('password.title')}>
    <form method="post" action={path('/user/settings/account/password')}>
      <Csrf />
      <TextField
        name="old_password"
        label={t('password.current')}
        type="password"
        required
        autocomplete="current-password"
      />
      <TextField name="password" label={t('password.new')} type="password" required autocomplete="new-password" />
      <TextField name="retype" label={t('password.confirm')} type="password" required autocomplete="new-password" />
      <button class="btn btn-primary" type="submit">
        {t('password.change')}
      </button>
    </form>
  </Section>
);

interface EmailListProps extends Pick<FormProps, 'path'> {
  readonly emails: readonly EmailAddress[];
  readonly canConfirm: boolean;
  readonly hasCredentials: boolean;
}

const EmailList = ({ emails, canConfirm, hasCredentials, path }: EmailListProps): VNode => (
  <div class="Box mb-3">
    {emails.map((entry) => (
      <div class="Box-row d-flex flex-wrap flex-items-center gap-2" key={entry.id}>
        <div class="flex-auto wb-break-word">
          <strong>{entry.email}</strong>{' '}
          {entry.isPrimary ? <span class="Label Label--success">{t('email.primary')}</span> : null}
          {entry.isVerified && entry.isConfirmed ? null : (
            <span class="Label Label--warning">{t('email.unverified')}</span>
          )}
        </div>
        {canConfirm && !(entry.isVerified && entry.isProven) ? (
          <PostButton
            action={path('/user/settings/account/email/confirm')}
            fields={{ email: entry.email }}
            label={t('email.confirmOf', { email: entry.email })}
          >
            {t('email.confirm')}
          </PostButton>
        ) : null}
        {entry.isPrimary || !hasCredentials ? null : (
          <PostButton
            action={path('/user/settings/account/email/delete')}
            fields={{ email: entry.email }}
            label={t('email.deleteOf', { email: entry.email })}
            confirm={t('email.deleteConfirm', { email: entry.email })}
            danger
          >
            {t('email.delete')}
          </PostButton>
        )}
      </div>
    ))}
  </div>
);

interface AddEmailProps extends Omit<EmailFormProps, 'emails'> {
  /** What was typed, after a refusal. */
  readonly email: string;
}

const AddEmailForm = ({ email, hasPassword, path }: AddEmailProps): VNode => (
  <form method="post" action={path('/user/settings/account/email')}>
    <Csrf />
    <TextField
      value={email}
      name="email"
      label={t('email.label')}
      type="email"
      required
      maxLength={254}
      autocomplete="email"
    />
    {hasPassword ? <PasswordAgain name="email" /> : null}
    <button class="btn" type="submit">
      {t('email.add')}
    </button>
  </form>
);

const DeleteForm = ({ path }: Pick<FormProps, 'path'>): VNode => (
  <Section title={t('delete.title')} danger>
    <p>{t('delete.text')}</p>
    <form method="post" action={path('/user/settings/account/delete')}>
      <Csrf />
      <TextField
        id="field-delete-password"
        input="delete_password"
        name="password"
        label={t('delete.password')}
        type="password"
        required
        autocomplete="current-password"
      />
      <button class="btn btn-danger" type="submit">
        {t('delete.submit')}
      </button>
    </form>
  </Section>
);

export const AccountForms = ({
  account,
  emails,
  canConfirm,
  hasPassword,
  hasCredentials,
  canDelete,
  path,
  sent,
}: FormProps & {
  account: Account;
  emails: readonly EmailAddress[];
  /** Mails can be sent that confirm addresses. */
  canConfirm: boolean;
  /** It is asked for again before addresses change. */
  hasPassword: boolean;
  /** Passwords and addresses may be changed here. */
  hasCredentials: boolean;
  canDelete: boolean;
}): VNode => {
  const typed = textIn(sentWith(sent, 'email'), 'email');
  // another form of the page may have named one that is there
  const newEmail = emails.some(({ email }) => email === typed) ? '' : typed;
  return (
    <div>
      {account.sourceId === 0 && hasCredentials ? <PasswordForm path={path} /> : null}
      <Section title={t('email.title')}>
        <EmailList {...{ emails, canConfirm, hasCredentials, path }} />
        {hasCredentials ? <PrimaryForm emails={emails} hasPassword={hasPassword} path={path} /> : null}
        {hasCredentials ? (
          <AddEmailForm email={newEmail} {...{ hasPassword, path }} />
        ) : (
          <p class="color-fg-muted">{t('error.featureOff')}</p>
        )}
      </Section>
      {canDelete ? <DeleteForm path={path} /> : null}
    </div>
  );
};
