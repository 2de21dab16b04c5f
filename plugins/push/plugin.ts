import { channels, definePlugin, fromPackage, pageIslands, userMenu } from '@mortise/plugin-sdk';
import { credentialsChanged, userDeleted } from '@mortise/accounts/api';
import { notifications, unreadChanged } from '@mortise/notifications/api';
import { sessionsEnded } from '@mortise/sessions/api';
import { stopwatches, stopwatchesChanged } from '@mortise/time-tracking/api';
import { pushSlot } from './pages/slot.js';
import { pollSettings, pollTimes } from './settings.js';

/** Names that clients know the events by, and the channels alike. */
const events = { count: 'notification-count', stopwatches: 'stopwatches', logout: 'logout' } as const;

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    const times = pollTimes(host.settings('ui.notification', pollSettings));

    host.channel({ notifications }, (services) => ({
      key: events.count,
      isState: true,
      authorize: ({ kind }) => kind === 'user',
      message: async (actor) => ({
        eventType: events.count,
        eventData: { count: await services.notifications.unread(actor) },
      }),
    }));
    host.on(unreadChanged, 'after', 'count', { channels }, ({ userIds }, services) =>
      services.channels.publish(events.count, { userIds }),
    );

    host.channel({}, () => ({
      key: events.logout,
      isLast: true,
      authorize: () => true,
      message: () => ({ eventType: events.logout }),
    }));
    host.on(sessionsEnded, 'after', 'logout', { channels }, ({ userId, sessionIds }, services) =>
      services.channels.publish(events.logout, { userIds: [userId], credentialIds: sessionIds }),
    );
    host.on(userDeleted, 'after', 'deleted', { channels }, ({ userId }, services) =>
      services.channels.publish(events.logout, { userIds: [userId] }),
    );
    host.on(credentialsChanged, 'after', 'recheck', { channels }, ({ userId }, services) =>
      services.channels.recheck([userId]),
    );

    host.whenPresent('time-tracking', () => {
      host.channel({ stopwatches }, (services) => ({
        key: events.stopwatches,
        authorize: ({ kind }) => kind === 'user',
        message: async (actor) => ({
          eventType: events.stopwatches,
          eventData: await services.stopwatches.running(actor),
        }),
      }));
      host.on(stopwatchesChanged, 'after', 'stopwatches', { channels }, ({ userId }, services) =>
        services.channels.publish(events.stopwatches, { userIds: [userId] }),
      );
    });

    host.island('push', new URL('./pages/islands/push.js', import.meta.url));
    host.island('push-worker', new URL('./pages/islands/worker.js', import.meta.url));
    host.contribute(pageIslands, { key: 'push', islands: ['push'], visible: ({ kind }) => kind === 'user' });
    host.contribute(userMenu, pushSlot(times));
  },
});
