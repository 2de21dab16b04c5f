import { type PluginHost, cache, database, defineJob, defineService, events, site } from '@mortise/plugin-sdk';
import { accounts, settingsPage } from '@mortise/accounts/api';
import { commentChanged, issueChanged, issueFields, issues, issuesDeleting, timeline } from '@mortise/issues/api';
import { mailer } from '@mortise/mail/api';
import { markup } from '@mortise/markup/api';
import { releasePublished, releases } from '@mortise/releases/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryMembers,
  repositoryPages,
  transferOffered,
} from '@mortise/repositories/api';
import { mailSettings, notificationChannels, notificationReasons, notifications } from './api.js';
import {
  followComment,
  followIssue,
  followIssues,
  followRelease,
  followTransfer,
  tellsOfComment,
  tellsOfIssue,
} from './events/follow.js';
import { mailPages } from './routes/mail-pages.js';
import { notificationRoutes } from './routes/notifications.js';
import { inboxPages } from './routes/pages.js';
import { Audience } from './services/audience.js';
import { Choices } from './services/choices.js';
import { Inbox } from './services/inbox.js';
import { NewsMailer } from './services/mails.js';
import { ThreadPresenter } from './services/present.js';
import { Reasons } from './services/reasons.js';
import { Teller } from './services/teller.js';
import { UnsubscribeLinks } from './services/unsubscribe.js';
import { adminSettings, serviceSettings } from './settings.js';

/** Not part of the contract. */
export const forgetTold = defineJob<Record<string, never>>('notifications.forgetTold');
export const inboxRef = defineService<Inbox>('notifications.inbox');
export const presenterRef = defineService<ThreadPresenter>('notifications.presenter');
export const choicesRef = defineService<Choices>('notifications.choices');
export const linksRef = defineService<UnsubscribeLinks>('notifications.links');
export const tellerRef = defineService<Teller>('notifications.teller');
type TellerDeps = Omit<ConstructorParameters<typeof Teller>[0], 'audience' | 'mails'> &
  ConstructorParameters<typeof Audience>[0] &
  ConstructorParameters<typeof NewsMailer>[0];
const makeTeller = (deps: TellerDeps): Teller =>
  new Teller({ ...deps, audience: new Audience(deps), mails: new NewsMailer(deps) });

export function registerInbox(host: PluginHost): void {
  const { ENABLE_NOTIFY_MAIL: sendsMail } = host.settings('service', serviceSettings);
  const { DEFAULT_EMAIL_NOTIFICATIONS: standard } = host.settings('admin', adminSettings);
  const fields = host.point(issueFields);
  const others = host.point(mailSettings);
  const reasons = new Reasons(host.point(notificationReasons));
  const channels = host.point(notificationChannels);
  host.service(inboxRef, { database, cache, events, repositoryAccess }, (services) => new Inbox(services));
  host.service(
    presenterRef,
    { site, issues, repositories, repositoryAccess },
    (services) => new ThreadPresenter({ ...services, fields }),
  );
  host.service(choicesRef, { database }, (services) => new Choices(services.database, standard));
  host.service(linksRef, { site }, (services) => new UnsubscribeLinks(services.site));
  const telling = {
    database,
    events,
    site,
    accounts,
    issues,
    markup,
    repositories,
    repositoryAccess,
    repositoryMembers,
    choices: choicesRef,
    links: linksRef,
  };
  let hasMail = false;
  if (sendsMail)
    host.whenPresent('mail', () => {
      hasMail = true;
      host.service(tellerRef, { ...telling, mailer }, (services) => makeTeller({ ...services, reasons, channels }));
    });
  if (!hasMail)
    host.service(tellerRef, telling, (services) => makeTeller({ ...services, reasons, channels, mailer: undefined }));
  host.service(notifications, { inbox: inboxRef, teller: tellerRef }, ({ inbox, teller }) => ({
    sendsMail: sendsMail && hasMail,
    tell: (news) => teller.tell(news),
    unread: (actor) => inbox.unread(actor),
    seen: (userId, issueId) => inbox.seen(userId, issueId),
  }));
  host.routes({ inbox: inboxRef, presenter: presenterRef }, notificationRoutes);
  host.routes(
    { accounts, inbox: inboxRef, issues, pages: repositoryPages, presenter: presenterRef, repositories, site },
    (services) => inboxPages({ ...services, reasons }),
  );
  host.routes({ choices: choicesRef, issues, links: linksRef, settingsPage, site }, (services) =>
    mailPages(services, sendsMail && hasMail, others),
  );
}

export function registerEvents(host: PluginHost): void {
  const following = { accounts, issues, teller: tellerRef };
  // one subscriber: a comment that closes its issue is told of before that
  host.on(issueChanged, 'after', 'follow-issue', { ...following, presenter: presenterRef }, followIssue, {
    wants: tellsOfIssue,
    readAhead: followIssues,
  });
  host.on(commentChanged, 'after', 'follow-issue', { ...following, timeline }, followComment, {
    formerly: ['notifications/follow-comment'],
    wants: tellsOfComment,
  });
  host.job(forgetTold, {}, { teller: tellerRef }, (_payload, { teller }) => teller.sweep());
  host.schedule('told', '23 4 * * *', forgetTold, {});
  host.on(transferOffered, 'after', 'follow-transfer', { accounts, teller: tellerRef }, followTransfer);
  host.on(commentChanged, 'within', 'forget-comment', { inbox: inboxRef }, async (event, { inbox }) => {
    if (event.action === 'deleted') await inbox.forgetComment(event.issueId, event.commentId);
  });
  host.on(issuesDeleting, 'within', 'forget-issues', { inbox: inboxRef }, ({ issueIds }, { inbox }) =>
    inbox.forget({ issueIds }),
  );
  host.on(repositoryDeleting, 'within', 'forget-repository', { inbox: inboxRef }, ({ repositoryId }, { inbox }) =>
    inbox.forget({ repositoryId }),
  );
  host.whenPresent('releases', () => {
    host.on(
      releasePublished,
      'after',
      'follow-release',
      { accounts, releases, repositories, repositoryMembers, teller: tellerRef },
      followRelease,
    );
  });
}
