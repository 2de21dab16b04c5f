import {
  defineRoute,
  Joi,
  NotFound,
  reply,
  savedFlash,
  webPage,
  type PointReader,
  type Route,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { MailSettingsContext } from '../contract/notifications.js';
import { MailSettings, Unsubscribe } from '../pages/mail-settings.js';
import { mailChoices, type MailChoices, type MailChoice } from '../services/mail-choices.js';
import type { UnsubscribeLinks } from '../services/unsubscribe.js';
import { t } from '../texts/index.js';

export interface MailPageDeps {
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
    const found = links.read(token);
    if (!found) throw NotFound(t.later('error.link'));
    return found;
  };
  const unsubscribePage = (token: string, csrf: string, isDone: boolean) =>
    webPage({
      title: t.later('unsubscribe.title'),
      width: 'narrow',
      body: (
        <Unsubscribe
          site={site}
          csrf={csrf}
          isDone={isDone}
          action={site.path(`/notifications/unsubscribe/${token}`)}
        />
      ),
    });

  return [
    defineRoute({
      method: 'GET',
      path: settingsPath,
      access: { actor: 'user' },
      handler: async ({ actor, csrf, query }) =>
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
                csrf={csrf}
                action={site.path(settingsPath)}
              />
              {await Promise.all(others.list().map((slot) => slot.render({ actor, csrf })))}
            </>
          ),
        }),
    }),
    defineRoute({
      method: 'POST',
      path: settingsPath,
      access: { actor: 'user' },
      payload: { as: 'form' },
      request: {
        payload: Joi.object<{ readonly mail: MailChoice }>({
          mail: Joi.string()
            .valid(...mailChoices)
            .required(),
        }),
      },
      async handler({ actor, payload }) {
        await choices.set(actor.id, payload.mail);
        return reply.redirect(site.path(`${settingsPath}?saved`));
      },
    }),
    defineRoute({
      method: 'GET',
      path: leave,
      access: { actor: 'anyone', always: true },
      handler({ params, csrf }) {
        told(params.token);
        return unsubscribePage(params.token, csrf, false);
      },
    }),
    defineRoute({
      method: 'POST',
      path: leave,
      access: { actor: 'anyone', always: true },
      payload: { as: 'form' },
      // whoever has the link has the mail, and mail programs send it without a page (RFC 8058)
      noCsrf: true,
      async handler({ params, csrf }) {
        const { userId, issueId } = told(params.token);
        const issue = await issues.byId(issueId);
        if (issue) await issues.subscribe(issue, userId, false);
        return unsubscribePage(params.token, csrf, true);
      },
    }),
  ];
}
