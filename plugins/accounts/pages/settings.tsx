import {
  Ago,
  Blankslate,
  CheckField,
  Csrf,
  type Languages,
  PostButton,
  Section,
  SelectField,
  TextField,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, EmailAddress, PublicKey } from '../api.js';
import { AvatarField } from '../contract/avatar-field.js';
import { sentWith, textIn, tickIn } from './sent.js';
import { t } from '../texts/index.js';

export interface FormProps {
  readonly csrf: string;
  /** Path of a page with the sub-path of the site. */
  readonly path: (path: string) => string;
  /** What a form of the page was sent with, when it was refused: it is shown again. */
  readonly sent?: unknown;
}

export function ProfileForm({
  account,
  hasFixedName,
  avatarUrl,
  csrf,
  path,
  sent: given,
}: FormProps & { account: Account; hasFixedName: boolean; avatarUrl: string }): VNode {
  const sent = sentWith(given, 'full_name');
  return (
    <div>
      <Section title={t('profile.heading')}>
        <form method="post" action={path('/user/settings')}>
          <Csrf token={csrf} />
          <TextField
            name="full_name"
            label={t('profile.fullName')}
            disabled={hasFixedName}
            value={textIn(sent, 'full_name', account.fullName)}
            maxLength={100}
            autocomplete="name"
          />
          <TextField
            lines={3}
            name="description"
            label={t('profile.bio')}
            value={textIn(sent, 'description', account.description)}
            maxLength={255}
          />
          <TextField
            name="website"
            label={t('profile.website')}
            value={textIn(sent, 'website', account.website)}
            type="url"
            maxLength={255}
            autocomplete="url"
          />
          <TextField
            name="location"
            label={t('profile.location')}
            value={textIn(sent, 'location', account.location)}
            maxLength={50}
          />
          <SelectField
            name="visibility"
            label={t('profile.visibility')}
            value={textIn(sent, 'visibility', account.visibility)}
            options={[
              ['public', t('profile.publicChoice')],
              ['limited', t('profile.limitedChoice')],
              ['private', t('profile.privateChoice')],
            ]}
          />
          <CheckField
            name="hide_email"
            label={t('profile.hideEmail')}
            checked={tickIn(sent, 'hide_email', account.keepEmailPrivate)}
            note={t('profile.hideEmailNote')}
          />
          <CheckField
            name="hide_activity"
            label={t('profile.hideActivity')}
            checked={tickIn(sent, 'hide_activity', account.hideActivity)}
          />
          <button class="btn btn-primary mt-2" type="submit">
            {t('profile.save')}
          </button>
        </form>
      </Section>
      <Section title={t('avatar.title')}>
        <div class="d-flex flex-items-center">
          <img class="avatar mr-3" src={avatarUrl} width="80" height="80" alt={t('avatar.yours')} />
          <div class="flex-auto min-width-0">
            <form method="post" action={path('/user/settings/avatar')} enctype="multipart/form-data" class="mb-2">
              <Csrf token={csrf} />
              <AvatarField label={t('avatar.choose')} />
              <button class="btn" type="submit">
                {t('avatar.upload')}
              </button>
            </form>
            {account.avatar ? (
              <PostButton action={path('/user/settings/avatar/delete')} csrf={csrf} danger>
                {t('avatar.delete')}
              </PostButton>
            ) : null}
          </div>
        </div>
      </Section>
    </div>
  );
}

export const AccountForms = ({
  account,
  emails,
  canConfirm,
  hasCredentials,
  canDelete,
  csrf,
  path,
  sent,
}: FormProps & {
  account: Account;
  emails: readonly EmailAddress[];
  /** Mails can be sent that confirm addresses. */
  canConfirm: boolean;
  /** Passwords and addresses may be changed here. */
  hasCredentials: boolean;
  canDelete: boolean;
}): VNode => (
  <div>
    {account.sourceId === 0 && hasCredentials ? (
      <Section title={t('password.title')}>
        <form method="post" action={path('/user/settings/account/password')}>
          <Csrf token={csrf} />
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
    ) : null}
    <Section title={t('email.title')}>
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
                csrf={csrf}
                fields={{ email: entry.email }}
                label={t('email.confirmOf', { email: entry.email })}
              >
                {t('email.confirm')}
              </PostButton>
            ) : null}
            {entry.isPrimary || !hasCredentials ? null : (
              <div class="d-flex">
                {entry.isVerified ? (
                  <PostButton
                    action={path('/user/settings/account/email/primary')}
                    csrf={csrf}
                    fields={{ email: entry.email }}
                    label={t('email.makePrimaryOf', { email: entry.email })}
                    formClass="mr-2"
                  >
                    {t('email.makePrimary')}
                  </PostButton>
                ) : null}
                <PostButton
                  action={path('/user/settings/account/email/delete')}
                  csrf={csrf}
                  fields={{ email: entry.email }}
                  label={t('email.deleteOf', { email: entry.email })}
                  confirm={t('email.deleteConfirm', { email: entry.email })}
                  danger
                >
                  {t('email.delete')}
                </PostButton>
              </div>
            )}
          </div>
        ))}
      </div>
      {hasCredentials ? (
        <form method="post" action={path('/user/settings/account/email')}>
          <Csrf token={csrf} />
          <TextField
            value={textIn(sentWith(sent, 'email'), 'email')}
            name="email"
            label={t('email.label')}
            type="email"
            required
            maxLength={254}
            autocomplete="email"
          />
          <button class="btn" type="submit">
            {t('email.add')}
          </button>
        </form>
      ) : (
        <p class="color-fg-muted">{t('error.featureOff')}</p>
      )}
    </Section>
    {canDelete ? (
      <Section title={t('delete.title')} danger>
        <p>{t('delete.text')}</p>
        <form method="post" action={path('/user/settings/account/delete')}>
          <Csrf token={csrf} />
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
    ) : null}
  </div>
);

export function KeyForms({
  keys,
  isFixed,
  csrf,
  path,
  sent: given,
}: FormProps & {
  keys: readonly PublicKey[];
  /** Not to be changed by hand. */
  isFixed: boolean;
}): VNode {
  const sent = sentWith(given, 'key');
  return (
    <div>
      <Section title={t('keys.title')}>
        {keys.length === 0 ? (
          <Blankslate title={t('keys.empty')} icon="key" level={3}>
            <p>{t('keys.emptyText')}</p>
          </Blankslate>
        ) : (
          <div class="Box mb-3">
            {keys.map((key) => (
              <div class="Box-row d-flex flex-items-center" key={key.id}>
                <div class="flex-auto min-width-0">
                  <strong>{key.title}</strong> {key.readOnly ? <span class="Label">{t('keys.readOnly')}</span> : null}
                  <div class="text-mono f6 color-fg-muted css-truncate css-truncate-overflow">{key.fingerprint}</div>
                  <div class="f6 color-fg-muted">
                    {t.rich('keys.added', { when: <Ago time={key.createdAt} /> })}
                    {' · '}
                    {key.lastUsedAt > key.createdAt
                      ? t.rich('keys.lastUsed', { when: <Ago time={key.lastUsedAt} /> })
                      : t('keys.neverUsed')}
                  </div>
                </div>
                {isFixed ? null : (
                  <PostButton
                    action={path('/user/settings/keys/delete')}
                    csrf={csrf}
                    fields={{ id: key.id }}
                    label={t('keys.deleteOf', { title: key.title })}
                    confirm={t('keys.deleteConfirm', { title: key.title })}
                    danger
                  >
                    {t('keys.delete')}
                  </PostButton>
                )}
              </div>
            ))}
          </div>
        )}
      </Section>
      {isFixed ? (
        <p class="color-fg-muted">{t('error.featureOff')}</p>
      ) : (
        <Section title={t('keys.addTitle')}>
          <form method="post" action={path('/user/settings/keys')}>
            <Csrf token={csrf} />
            <TextField name="title" label={t('keys.name')} required maxLength={255} value={textIn(sent, 'title')} />
            <TextField
              name="key"
              label={t('keys.content')}
              value={textIn(sent, 'key')}
              required
              lines={5}
              spellcheck={false}
              mono
              note={t('keys.contentNote')}
            />
            <CheckField name="read_only" label={t('keys.readOnlyChoice')} checked={tickIn(sent, 'read_only')} />
            <button class="btn btn-primary mt-2" type="submit">
              {t('keys.add')}
            </button>
          </form>
        </Section>
      )}
    </div>
  );
}

export const AppearanceForm = ({
  account,
  languages,
  csrf,
  path,
}: FormProps & { account: Account; languages: Pick<Languages, 'offered' | 'find'> }): VNode => (
  <Section title={t('appearance.title')}>
    <form method="post" action={path('/user/settings/appearance')}>
      <Csrf token={csrf} />
      <SelectField
        name="theme"
        label={t('appearance.theme')}
        value={account.theme || 'auto'}
        options={[
          ['auto', t('appearance.auto')],
          ['light', t('appearance.light')],
          ['dark', t('appearance.dark')],
        ]}
      />
      <SelectField
        name="language"
        label={t('appearance.language')}
        value={languages.find(account.language)?.tag ?? ''}
        options={[
          ['', t('appearance.browserLanguage')],
          ...languages.offered().map(({ tag, name }) => [tag, name] as const),
        ]}
      />
      <SelectField
        name="diff_view_style"
        label={t('appearance.diff')}
        value={account.diffViewStyle || 'unified'}
        options={[
          ['unified', t('appearance.unified')],
          ['split', t('appearance.split')],
        ]}
      />
      <button class="btn btn-primary" type="submit">
        {t('settings.save')}
      </button>
    </form>
  </Section>
);
