import {
  Csrf,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  reply,
  Section,
  TextField,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import type { Accounts } from '@mortise/accounts/api';
import type { Mailer } from '@mortise/mail/api';
import type { AdminPage } from '../api.js';

interface MailFormProps {
  readonly email: string;
  readonly path: (path: string) => string;
}

const MailForm = ({ email, path }: MailFormProps): VNode => (
  <Section title={t('mail.title')}>
    <p>
      {t.rich('mail.text', {
        link: (children) => <a href={path('/-/admin/configuration?q=mailer')}>{children}</a>,
        failures: (children) => <a href={path('/-/admin/notices')}>{children}</a>,
      })}
    </p>
    <form method="post" action={path('/-/admin/mail')}>
      <Csrf />
      <TextField name="email" type="email" label={t('mail.to')} value={email} required maxLength={254} />
      <button class="btn btn-primary" type="submit">
        {t('mail.submit')}
      </button>
    </form>
  </Section>
);

interface Services {
  readonly accounts: Accounts;
  readonly adminPage: AdminPage;
  readonly mailer: Mailer;
  readonly site: Site;
}

interface TestMail {
  readonly email: string;
}

/** Trying the settings of mail, for administrators. */
export const mailRoutes = ({ accounts, adminPage, mailer, site }: Services): readonly Route[] => {
  if (!mailer.isEnabled) return [];
  const path = '/-/admin/mail';
  const access = { actor: 'admin' } as const;
  const page = async ({ actor }: RouteContext, email?: string, flash?: PageOptions['flash'], status?: number) =>
    adminPage({
      active: 'mail',
      title: t.later('mail.title'),
      actor,
      flash,
      status,
      body: <MailForm email={email ?? (await accounts.byId(actor.id))?.email ?? ''} path={(to) => site.path(to)} />,
    });
  return [
    pageRoute(
      path,
      access,
      (context) => {
        const { sent } = context.query;
        return page(context, sent, sent ? { kind: 'success', text: t.later('mail.sent', { email: sent }) } : undefined);
      },
      { query: Joi.object<{ readonly sent?: string }>({ sent: Joi.string().max(254) }) },
    ),
    postRoute(
      path,
      access,
      async (context) => {
        const email = context.payload.email.trim();
        try {
          const language = (await accounts.byId(context.actor.id))?.language;
          await mailer.test({ address: email, ...(language ? { language } : {}) });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          // the server is in order: it is the mail server that is not
          return page(context, email, { kind: 'error', text: error.text }, 422);
        }
        return reply.redirect(site.path(`${path}?sent=${encodeURIComponent(email)}`), 303);
      },
      { payload: Joi.object<TestMail>({ email: Joi.string().allow('').max(254).default('') }) },
    ),
  ];
};
