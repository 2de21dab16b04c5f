import {
  definePlugin,
  fromPackage,
  Encryption,
  metrics,
  site,
  siteFeatures,
  takeoverMappings,
  scheduleTask,
} from '@mortise/plugin-sdk';
import {
  deliverHook,
  handleActivityEvent,
  redeliverHook,
  trimDeliveries,
  webhookKinds,
  webhooks,
} from './contract/webhooks.js';
import { t } from './texts/index.js';
import { cleaningSettings } from './settings.js';
import { hookCommands } from './commands/hook-commands.js';
import {
  listener,
  sender,
  history,
  queue,
  dispatcher,
  departedCreators,
  openSettings,
  registerServices,
  registerPages,
  registerEvents,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    webhooks,
    dispatcher,
    departedCreators,
    listener,
    sender,
    queue,
    history,
    webhookKinds,
    deliverHook,
    handleActivityEvent,
    redeliverHook,
    trimDeliveries,
  ],

  register(host) {
    const opened = openSettings(host);
    const { kinds, names, settings } = opened;
    registerServices(host, opened);
    registerPages(host, opened);
    registerEvents(host);
    host.deprecatedSetting({
      section: 'webhook',
      key: 'ALLOWED_HOST_LIST',
      replacement: '[security] ALLOWED_HOST_LIST',
    });
    if (!opened.isDisabled)
      host.contribute(siteFeatures, {
        key: 'webhooks',
        icon: 'webhook',
        title: t.later('list.title'),
        text: t.later('feature.text'),
        order: 30,
      });
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, { site }, (services) => ({
      key: 'webhooks',
      tables: async () =>
        (await import('./takeover/tables.js')).tables({
          kinds,
          names,
          encryption: new Encryption(services.site.secret('webhooks')),
        }),
    }));
    host.onStart({ dispatcher, history, metrics }, (services) => {
      services.metrics.gauge(
        'mortise_webhook_deliveries',
        'Deliveries that wait, and those kept that failed',
        async () => (await services.history.counts()).map(({ state, count }) => ({ labels: { state }, value: count })),
        { labels: ['state'], scope: 'site' },
      );
      return services.dispatcher.hooks.hidePasswords();
    });
    hookCommands(host, dispatcher);
    host.job(
      deliverHook,
      {
        // of the job, when this server fails; attempts at receivers are counted by their deliveries
        attempts: 5,
        concurrency: 6,
        // a slow receiver, or thousands of deliveries, of one account leave places for the others
        perGroup: 2,
        timeoutMs: settings.DELIVER_TIMEOUT * 1000 + 60_000,
      },
      { queue },
      ({ deliveryId }, services, context) => services.queue.run(deliveryId, context.signal, context.log),
    );
    host.job(handleActivityEvent, {}, { dispatcher, listener }, ({ activityEvent }, services) =>
      services.listener.handle([activityEvent], services.dispatcher),
    );
    host.job(redeliverHook, { perGroup: 1 }, { dispatcher }, (piece, services) =>
      services.dispatcher.redeliverBatch(piece),
    );
    const cleaning = host.settings('cron.cleanup_hook_task_table', cleaningSettings);
    host.job(trimDeliveries, {}, { history }, (_payload, services, { signal }) =>
      cleaning.CLEANUP_TYPE === 'OlderThan'
        ? services.history.forgetBefore(Date.now() - cleaning.OLDER_THAN, signal)
        : services.history.trim(),
    );
    scheduleTask(
      host,
      {
        id: 'trim',
        taskName: 'cleanup_hook_task_table',
        title: t.later('schedule.trim'),
        schedule: '17 1 * * *',
        does: 'Removes old deliveries of webhooks',
      },
      trimDeliveries,
      {},
    );
  },
});
