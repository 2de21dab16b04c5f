import { Csrf, Section, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

interface MailFormProps {
  readonly email: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

export const MailForm = ({ email, csrf, path }: MailFormProps): VNode => (
  <Section title={t('mail.title')}>
    <p>
      {t.rich('mail.text', {
        link: (children) => <a href={path('/-/admin/configuration?q=mailer')}>{children}</a>,
        failures: (children) => <a href={path('/-/admin/notices')}>{children}</a>,
      })}
    </p>
    <form method="post" action={path('/-/admin/mail')}>
      <Csrf token={csrf} />
      <TextField name="email" type="email" label={t('mail.to')} value={email} required maxLength={254} />
      <button class="btn btn-primary" type="submit">
        {t('mail.submit')}
      </button>
    </form>
  </Section>
);
