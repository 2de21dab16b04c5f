import {
  Csrf,
  defineRoute,
  FormFrame,
  Joi,
  NotFound,
  pageRoute,
  postRoute,
  RadioFields,
  reply,
  savedFlash,
  Section,
  webPage,
  type Site,
  type PointReader,
  type Route,
  type Slot,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { mailChoices, type MailChoice, type MailChoices } from '../services/mail-choices.js';
import { t } from '../texts/index.js';
import type { SettingsPage } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { MailSettingsContext } from '../api.js';
import type { UnsubscribeLinks } from '../services/unsubscribe.js';

interface MailSettingsProps {
  readonly choice: MailChoice;
  readonly sendsMail: boolean;
  readonly action: string;
}

/** What one wants to get by mail. */
const MailSettings = ({ choice, sendsMail, action }: MailSettingsProps): VNode => (
  <Section title={t('settings.heading')}>
    {sendsMail ? null : <p class="flash">{t('settings.off')}</p>}
    <form method="post" action={action}>
      <Csrf />
      <RadioFields
        name="mail"
        label={t('settings.mail')}
        value={choice}
        options={mailChoices.map((one) => [one, t(`choice.${one}`), t(`choice.${one}.note`)])}
      />
      <button class="btn btn-primary" type="submit">
        {t('settings.save')}
      </button>
    </form>
  </Section>
);

interface UnsubscribeProps {
  readonly site: Site;
  readonly action: string;
  readonly isDone: boolean;
}

/** Where the link of a mail leads: nothing ends until the button is pressed, since programs follow links too. */
const Unsubscribe = ({ site, action, isDone }: UnsubscribeProps): VNode => (
  <FormFrame title={t('unsubscribe.title')}>
    {isDone ? (
      <p role="status">
        {t('unsubscribe.done')} <a href={site.path('/user/settings/notifications')}>{t('inbox.settings')}</a>
      </p>
    ) : (
      <form method="post" action={action}>
        <Csrf />
        <p class="mb-3">{t('unsubscribe.text')}</p>
        <button class="btn btn-primary btn-block" type="submit">
          {t('unsubscribe.button')}
        </button>
      </form>
    )}
  </FormFrame>
);

interface MailPageDeps {
  readonly choices: MailChoices;
  readonly issues: Pick<Issues, 'byId' | 'subscribe'>;
  readonly links: UnsubscribeLinks;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const settingsPath = '/user/settings/notifications';
const leave = '/notifications/unsubscribe/{token}';

/** What one wants by mail, and the ways out that mails have. */
export function mailPages(
  { choices, issues, links, settingsPage, site }: MailPageDeps,
  sendsMail: boolean,
  others: PointReader<Slot<MailSettingsContext>>,
): Route[] {
  const told = (token: string) => {
    const link = links.read(token);
    if (!link) throw NotFound(t.later('error.link'));
    return link;
  };
  const unsubscribePage = (token: string, isDone: boolean) =>
    webPage({
      title: t.later('unsubscribe.title'),
      width: 'narrow',
      body: <Unsubscribe site={site} isDone={isDone} action={site.path(`/notifications/unsubscribe/${token}`)} />,
    });

  return [
    pageRoute(settingsPath, { actor: 'user' }, async ({ actor, query }) =>
      settingsPage({
        active: 'notifications',
        title: t.later('inbox.title'),
        actor,
        flash: savedFlash(query),
        body: (
          <>
            <MailSettings
              choice={(await choices.of([actor.id]))(actor.id)}
              sendsMail={sendsMail}
              action={site.path(settingsPath)}
            />
            {await Promise.all(others.list().map((slot) => slot.render({ actor })))}
          </>
        ),
      }),
    ),
    postRoute(
      settingsPath,
      { actor: 'user' },
      async ({ actor, payload }) => {
        await choices.set(actor.id, payload.mail);
        return reply.redirect(site.path(`${settingsPath}?saved`));
      },
      {
        payload: Joi.object<{ readonly mail: MailChoice }>({
          mail: Joi.string()
            .valid(...mailChoices)
            .required(),
        }),
      },
    ),
    pageRoute(leave, { actor: 'anyone', always: true }, ({ params }) => {
      told(params.token);
      return unsubscribePage(params.token, false);
    }),
    defineRoute({
      method: 'POST',
      path: leave,
      access: { actor: 'anyone', always: true },
      payload: { as: 'form' },
      // whoever has the link has the mail, and mail programs send it without a page (RFC 8058)
      noCsrf: true,
      async handler({ params }) {
        const { userId, issueId } = told(params.token);
        const issue = await issues.byId(issueId);
        if (issue) await issues.subscribe(issue, userId, false);
        return unsubscribePage(params.token, true);
      },
    }),
  ];
}
