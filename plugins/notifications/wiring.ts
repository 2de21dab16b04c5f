import { type PluginHost, cache, database, defineJob, defineService, events, site } from '@mortise/plugin-sdk';
import { accounts, settingsPage } from '@mortise/accounts/api';
import { commentChanged, issueChanged, issueModelFields, issues, issuesDeleting, timeline } from '@mortise/issues/api';
import { incomingMailHandlers, mailer } from '@mortise/mail/api';
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
import {
  mailSettings,
  notificationChannels,
  notificationReasons,
  notifications,
  notificationSubjects,
} from './contract/notifications.js';
import {
  followComment,
  followIssue,
  followIssues,
  followRelease,
  followTransfer,
  notifiesOfComment,
  notifiesOfIssue,
} from './events/follow.js';
import { mailPages } from './pages/mail-settings.js';
import { notificationRoutes } from './routes/notifications.js';
import { inboxPages } from './pages/inbox-routes.js';
import { Audience } from './services/audience.js';
import { MailChoices } from './services/mail-choices.js';
import { Inbox } from './services/inbox.js';
import { NotificationMailer } from './services/notification-mailer.js';
import { ThreadPresenter } from './services/thread-presenter.js';
import { Reasons } from './services/reasons.js';
import { Notifier } from './services/notifier.js';
import { subjectKey } from './models/subject-key.js';
import { SubjectKinds } from './services/subjects.js';
import { unsubscribeByMail } from './services/unsubscribe-by-mail.js';
import { UnsubscribeLinks } from './services/unsubscribe.js';
import { adminSettings, serviceSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
export const deleteOldProgress = defineJob<Record<string, never>>('notifications.forgetTold');
export const inboxRef = defineService<Inbox>('notifications.inbox');
export const presenterRef = defineService<ThreadPresenter>('notifications.presenter');
export const choicesRef = defineService<MailChoices>('notifications.choices');
export const linksRef = defineService<UnsubscribeLinks>('notifications.links');
export const notifierRef = defineService<Notifier>('notifications.notifier');
type NotifierDeps = Omit<ConstructorParameters<typeof Notifier>[0], 'audience' | 'mails'> &
  ConstructorParameters<typeof Audience>[0] &
  ConstructorParameters<typeof NotificationMailer>[0];
const createNotifier = (deps: NotifierDeps): Notifier =>
  new Notifier({ ...deps, audience: new Audience(deps), mails: new NotificationMailer(deps) });

export function registerInbox(host: PluginHost): void {
  const { ENABLE_NOTIFY_MAIL: sendsMail } = host.settings('service', serviceSettings);
  const { DEFAULT_EMAIL_NOTIFICATIONS: standard } = host.settings('admin', adminSettings);
  const fields = host.point(issueModelFields);
  const others = host.point(mailSettings);
  const reasons = new Reasons(host.point(notificationReasons));
  const channels = host.point(notificationChannels);
  const subjectKinds = new SubjectKinds(host.point(notificationSubjects));
  host.service(
    inboxRef,
    { database, cache, events, repositoryAccess },
    (services) => new Inbox({ ...services, subjectKinds }),
  );
  host.service(
    presenterRef,
    { site, issues, repositories, repositoryAccess },
    (services) => new ThreadPresenter({ ...services, fields, subjectKinds }),
  );
  host.service(choicesRef, { database }, (services) => new MailChoices(services.database, standard));
  host.service(linksRef, { site }, (services) => new UnsubscribeLinks(services.site));
  const notifying = {
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
      host.service(notifierRef, { ...notifying, mailer }, (services) =>
        createNotifier({ ...services, reasons, channels, subjectKinds }),
      );
    });
  if (!hasMail)
    host.service(notifierRef, notifying, (services) =>
      createNotifier({ ...services, reasons, channels, subjectKinds, mailer: undefined }),
    );
  host.service(notifications, { inbox: inboxRef, notifier: notifierRef }, ({ inbox, notifier }) => ({
    sendsMail: sendsMail && hasMail,
    notify: (request) => notifier.notify(request),
    unread: (actor) => inbox.unread(actor),
    markSeen: (userId, issueId) => inbox.markSeen(userId, subjectKey('issue', issueId)),
    markSubjectSeen: (actor, kind, id) => inbox.markSeenByVisit(actor, subjectKey(kind, id)),
    forgetSubjects: (kind, ids) => inbox.forget({ subjects: ids.map((id) => subjectKey(kind, id)) }),
  }));
  host.routes({ inbox: inboxRef, presenter: presenterRef }, (services) =>
    notificationRoutes({ ...services, subjectKinds }),
  );
  host.routes(
    { accounts, inbox: inboxRef, issues, pages: repositoryPages, presenter: presenterRef, repositories, site },
    (services) => inboxPages({ ...services, reasons }),
  );
  host.routes({ choices: choicesRef, issues, links: linksRef, settingsPage, site }, (services) =>
    mailPages(services, sendsMail && hasMail, others),
  );
}

export function registerEvents(host: PluginHost): void {
  const following = { accounts, issues, notifier: notifierRef };
  // one subscriber: a comment that closes its issue is told of before that
  host.on(issueChanged, 'after', 'follow-issue', { ...following, presenter: presenterRef }, followIssue, {
    wants: notifiesOfIssue,
    readAhead: followIssues,
  });
  host.on(commentChanged, 'after', 'follow-issue', { ...following, timeline }, followComment, {
    formerly: ['notifications/follow-comment'],
    wants: notifiesOfComment,
  });
  host.job(deleteOldProgress, {}, { notifier: notifierRef }, (_payload, { notifier }) => notifier.sweep());
  host.schedule('told', '23 4 * * *', deleteOldProgress, {}, { title: t.later('schedule.told') });
  host.on(transferOffered, 'after', 'follow-transfer', { accounts, notifier: notifierRef }, followTransfer);
  host.on(commentChanged, 'within', 'forget-comment', { inbox: inboxRef }, async (event, { inbox }) => {
    if (event.action === 'deleted') await inbox.forgetComment(event.issueId, event.commentId);
  });
  host.on(issuesDeleting, 'within', 'forget-issues', { inbox: inboxRef }, ({ issueIds }, { inbox }) =>
    inbox.forget({ issueIds }),
  );
  host.on(repositoryDeleting, 'within', 'forget-repository', { inbox: inboxRef }, ({ repositoryId }, { inbox }) =>
    inbox.forget({ repositoryId }),
  );
  host.whenPresent('mail', () => host.contribute(incomingMailHandlers, { issues }, unsubscribeByMail));
  host.whenPresent('releases', () => {
    host.on(
      releasePublished,
      'after',
      'follow-release',
      { accounts, releases, repositories, repositoryMembers, notifier: notifierRef },
      followRelease,
    );
  });
}
