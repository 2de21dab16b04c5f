import { definePlugin, fromPackage, site, takeoverMappings, userMenu } from '@mortise/plugin-sdk';
import { reservedNames, settingsMenu, waitingSources } from '@mortise/accounts/api';
import { waitingMentions } from './pages/waiting.js';
import { issueVisits } from '@mortise/issues/api';
import {
  mailSettings,
  notificationChannels,
  notificationReasons,
  notificationSubjects,
  notifications,
  unreadChanged,
} from './contract/notifications.js';
import { subjectKey } from './models/subject-key.js';
import { bellSlot } from './pages/bell.js';
import { ownReasons } from './services/reasons.js';
import { t } from './texts/index.js';
import {
  deleteOldProgress,
  inboxRef,
  presenterRef,
  choicesRef,
  linksRef,
  notifierRef,
  registerInbox,
  registerEvents,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    notifications,
    unreadChanged,
    mailSettings,
    notificationReasons,
    notificationSubjects,
    notificationChannels,
    inboxRef,
    presenterRef,
    choicesRef,
    linksRef,
    notifierRef,
    deleteOldProgress,
  ],

  register(host) {
    registerInbox(host);
    registerEvents(host);
    host.migrations(new URL('./migrations/', import.meta.url));
    for (const reason of ownReasons) host.contribute(notificationReasons, reason);
    host.contribute(issueVisits, { inbox: inboxRef }, ({ inbox }) => ({
      key: 'notifications',
      markSeen: (issue, actor) => inbox.markSeenByVisit(actor, subjectKey('issue', issue.id)),
    }));
    host.contribute(takeoverMappings, {
      key: 'notifications',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    host.contribute(waitingSources, { inbox: inboxRef, presenter: presenterRef }, waitingMentions);
    host.contribute(userMenu, { inbox: inboxRef, site }, (services) => bellSlot(services.inbox, services.site));
    host.contribute(reservedNames, { names: ['notifications'] });
    host.contribute(settingsMenu, {
      key: 'notifications',
      label: t.later('inbox.title'),
      href: '/user/settings/notifications',
      icon: 'bell',
      order: 55,
      settings: [{ label: t.later('settings.mail'), field: 'field-mail' }],
    });
  },
});
