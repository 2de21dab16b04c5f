import {
  Ago,
  Blankslate,
  CheckField,
  Csrf,
  type FieldOption,
  type Languages,
  PostButton,
  Section,
  SelectField,
  TextField,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, PublicKey, Visibility } from '../api.js';
import type { Theme } from '../settings.js';
import { AvatarField } from '../contract/avatar-field.js';
import { sentWith, textIn, tickIn } from './submitted-form.js';
import { t } from '../texts/index.js';

export interface FormProps {
  /** Path of a page with the sub-path of the site. */
  readonly path: (path: string) => string;
  /** What a form of the page was sent with, when it was refused: it is shown again. */
  readonly sent?: unknown;
}

export function ProfileForm({
  account,
  hasFixedName,
  avatarUrl,
  visibilities,
  path,
  sent: given,
}: FormProps & {
  account: Account;
  hasFixedName: boolean;
  avatarUrl: string;
  /** Those that may be chosen. */
  visibilities: readonly Visibility[];
}): VNode {
  const sent = sentWith(given, 'full_name');
  return (
    <div>
      <Section title={t('profile.heading')}>
        <form method="post" action={path('/user/settings')}>
          <Csrf />
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
            options={visibilities.map((one): FieldOption => [one, t(`profile.${one}Choice`)])}
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
              <Csrf />
              <AvatarField label={t('avatar.choose')} />
              <button class="btn" type="submit">
                {t('avatar.upload')}
              </button>
            </form>
            {account.avatar ? (
              <PostButton action={path('/user/settings/avatar/delete')} danger>
                {t('avatar.delete')}
              </PostButton>
            ) : null}
          </div>
        </div>
      </Section>
    </div>
  );
}

export function KeyForms({
  keys,
  isFixed,
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
            <Csrf />
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
  themes,
  path,
}: FormProps & {
  account: Account;
  languages: Pick<Languages, 'offered' | 'find'>;
  themes: readonly Theme[];
}): VNode => (
  <Section title={t('appearance.title')}>
    <form method="post" action={path('/user/settings/appearance')}>
      <Csrf />
      <SelectField
        name="theme"
        label={t('appearance.theme')}
        value={account.theme || 'auto'}
        options={themes.map((theme) => [theme, t(`appearance.${theme}`)] as const)}
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
