import { Ago, Blankslate, CheckField, CopyBlock, Csrf, PostButton, Section, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { OfferedCategory } from '@mortise/auth-token/api';
import type { OAuth2Application } from '../api.js';
import type { Granted } from '../services/grants.js';
import { t } from '../texts/index.js';
import { ScopeList } from './consent.js';

/** What stands in the form: as it was sent, or of the application that is changed. */
export interface Values {
  readonly name: string;
  readonly redirectUris: string;
  readonly isConfidential: boolean;
  readonly skipsSecondConsent: boolean;
}

export const emptyValues: Values = { name: '', redirectUris: '', isConfidential: true, skipsSecondConsent: false };

export const here = '/user/settings/oauth2';

interface Common {
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const ApplicationForm = ({
  action,
  values,
  submit,
  csrf,
  path,
}: Common & { readonly action: string; readonly values: Values; readonly submit: string }): VNode => (
  <form method="post" action={path(action)}>
    <Csrf token={csrf} />
    <TextField name="name" label={t('form.name')} value={values.name} required maxLength={255} />
    <TextField
      name="redirect_uris"
      label={t('form.redirects')}
      note={t('form.redirectsNote')}
      value={values.redirectUris}
      lines={3}
      required
      mono
      spellcheck={false}
    />
    <CheckField
      name="confidential"
      label={t('form.confidential')}
      note={t('form.confidentialNote')}
      checked={values.isConfidential}
    />
    <CheckField
      name="skip_second_consent"
      label={t('form.skip')}
      note={t('form.skipNote')}
      checked={values.skipsSecondConsent}
    />
    <button class="btn btn-primary mt-2" type="submit">
      {submit}
    </button>
  </form>
);

export interface SettingsProps extends Common {
  readonly granted: readonly Granted[];
  readonly categories: readonly OfferedCategory[];
  readonly applications: readonly OAuth2Application[];
  readonly values: Values;
}

/** Applications that act for the account, and those that it has registered. */
export const OAuth2Settings = ({ granted, categories, applications, values, csrf, path }: SettingsProps): VNode => (
  <div>
    <Section title={t('granted.title')}>
      <p class="color-fg-muted">{t('granted.note')}</p>
      {granted.length === 0 ? (
        <Blankslate level={3} title={t('granted.none')} icon="shield-lock" />
      ) : (
        <ul class="Box list-style-none">
          {granted.map(({ grant, application }) => (
            <li class="Box-row d-flex flex-items-start gap-2" key={grant.id}>
              <div class="flex-auto min-width-0">
                <strong>{application.name}</strong>
                <details class="f6 my-1">
                  <summary>{t('granted.permissions')}</summary>
                  <ScopeList scope={grant.scope} categories={categories} />
                </details>
                <div class="f6 color-fg-muted">
                  {t.rich('granted.since', { when: () => <Ago time={Number(grant.created_at)} /> })}
                </div>
              </div>
              <PostButton
                action={path(`${here}/revoke`)}
                csrf={csrf}
                fields={{ id: grant.id }}
                label={t('granted.revokeOf', { name: application.name })}
                confirm={t('granted.confirm', { name: application.name })}
                danger
              >
                {t('granted.revoke')}
              </PostButton>
            </li>
          ))}
        </ul>
      )}
    </Section>
    <Section title={t('own.title')}>
      <p class="color-fg-muted">{t('own.note')}</p>
      {applications.length === 0 ? (
        <Blankslate level={3} title={t('own.none')} icon="apps" />
      ) : (
        <ul class="Box list-style-none">
          {applications.map((one) => (
            <li class="Box-row d-flex flex-items-center gap-2" key={one.id}>
              <div class="flex-auto min-width-0">
                <a class="text-bold" href={path(`${here}/${one.id}`)}>
                  {one.name}
                </a>
                <div class="f6 color-fg-muted text-mono overflow-wrap-anywhere">{one.clientId}</div>
              </div>
              <PostButton
                action={path(`${here}/${one.id}/delete`)}
                csrf={csrf}
                label={t('own.deleteOf', { name: one.name })}
                confirm={t('own.deleteConfirm', { name: one.name })}
                danger
              >
                {t('own.delete')}
              </PostButton>
            </li>
          ))}
        </ul>
      )}
    </Section>
    <Section title={t('form.title')}>
      <ApplicationForm action={here} values={values} submit={t('form.create')} csrf={csrf} path={path} />
    </Section>
  </div>
);

export interface EditProps extends Common {
  readonly application: OAuth2Application;
  /** Shown once, right after it was made. */
  readonly secret: string | undefined;
  readonly values: Values;
}

/** One registered application. */
export const EditApplication = ({ application, secret, values, csrf, path }: EditProps): VNode => (
  <Section title={application.name}>
    <dl>
      <dt class="text-bold">{t('edit.clientId')}</dt>
      <dd class="mb-3">
        <CopyBlock text={application.clientId} label={t('edit.copyId')} />
      </dd>
      <dt class="text-bold">{t('edit.secret')}</dt>
      <dd class="mb-3">
        {secret === undefined ? (
          <span class="color-fg-muted">{t('edit.secretHidden')}</span>
        ) : (
          <>
            <p class="flash flash-success">{t('edit.secretNote')}</p>
            <CopyBlock text={secret} label={t('edit.copySecret')} />
          </>
        )}
      </dd>
    </dl>
    <ApplicationForm
      action={`${here}/${application.id}`}
      values={values}
      submit={t('edit.save')}
      csrf={csrf}
      path={path}
    />
    <p class="note">{t('edit.saveNote')}</p>
    <p>
      <a href={path(here)}>{t('edit.back')}</a>
    </p>
  </Section>
);
