import {
  Blankslate,
  CheckField,
  CopyBlock,
  Csrf,
  PostButton,
  Section,
  TextField,
  textOf,
  type Text,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { OAuth2Application } from '../contract/oauth2-provider.js';
import { t } from '../texts/index.js';

/** What stands in the form: as it was sent, or of the application that is changed. */
export interface Values {
  readonly name: string;
  readonly redirectUris: string;
  readonly isConfidential: boolean;
  readonly skipsSecondConsent: boolean;
}

export const emptyValues: Values = { name: '', redirectUris: '', isConfidential: true, skipsSecondConsent: false };

interface Common {
  /** Address of the list. */
  readonly base: string;
  readonly csrf: string;
}

const ApplicationForm = ({
  action,
  values,
  submit,
  csrf,
}: {
  readonly action: string;
  readonly values: Values;
  readonly submit: string;
  readonly csrf: string;
}): VNode => (
  <form method="post" action={action}>
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
      value="on"
      label={t('form.confidential')}
      note={t('form.confidentialNote')}
      checked={values.isConfidential}
    />
    <CheckField
      name="skip_second_consent"
      value="on"
      label={t('form.skip')}
      note={t('form.skipNote')}
      checked={values.skipsSecondConsent}
    />
    <button class="btn btn-primary mt-2" type="submit">
      {submit}
    </button>
  </form>
);

const ApplicationRow = ({ application, base, csrf }: Common & { readonly application: OAuth2Application }): VNode => {
  const { id, name, clientId, isBuiltIn } = application;
  return (
    <li class="Box-row d-flex flex-items-center gap-2">
      <div class="flex-auto min-width-0">
        {isBuiltIn ? (
          <>
            <strong>{name}</strong> <span class="Label">{t('own.builtIn')}</span>
          </>
        ) : (
          <a class="text-bold" href={`${base}/${id}`}>
            {name}
          </a>
        )}
        <div class="f6 color-fg-muted text-mono overflow-wrap-anywhere">{clientId}</div>
      </div>
      {isBuiltIn ? null : (
        <PostButton
          action={`${base}/${id}/delete`}
          csrf={csrf}
          label={t('own.deleteOf', { name })}
          confirm={t('own.deleteConfirm', { name })}
          danger
        >
          {t('own.delete')}
        </PostButton>
      )}
    </li>
  );
};

export interface ApplicationListProps extends Common {
  /** What such applications are. */
  readonly note: Text;
  readonly applications: readonly OAuth2Application[];
  readonly values: Values;
}

/** The applications that an account or the site has registered, and the form for one more. */
export const ApplicationList = ({ note, applications, values, base, csrf }: ApplicationListProps): VNode => (
  <>
    <Section title={t('own.title')}>
      <p class="color-fg-muted">{textOf(note)}</p>
      {applications.length === 0 ? (
        <Blankslate level={3} title={t('own.none')} icon="apps" />
      ) : (
        <ul class="Box list-style-none">
          {applications.map((one) => (
            <ApplicationRow key={one.id} application={one} base={base} csrf={csrf} />
          ))}
        </ul>
      )}
    </Section>
    <Section title={t('form.title')}>
      <ApplicationForm action={base} values={values} submit={t('form.create')} csrf={csrf} />
    </Section>
  </>
);

export interface EditProps extends Common {
  readonly application: OAuth2Application;
  /** Shown once, right after it was made. */
  readonly secret: string | undefined;
  readonly values: Values;
}

/** One registered application. */
export const EditApplication = ({ application, secret, values, base, csrf }: EditProps): VNode => (
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
    <ApplicationForm action={`${base}/${application.id}`} values={values} submit={t('edit.save')} csrf={csrf} />
    <p class="note">{t('edit.saveNote')}</p>
    <p>
      <a href={base}>{t('edit.back')}</a>
    </p>
  </Section>
);
