import {
  Forbidden,
  type PluginHost,
  type Route,
  cache,
  database,
  defineService,
  events as eventBus,
  jobs,
  languages,
  outbound,
  site,
  Encryption,
} from '@mortise/plugin-sdk';
import { accountMail, accounts, settingsMenu, settingsPage, userDeleting } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { activityRecorded, activityEventKinds } from '@mortise/activity-events/api';
import { templateContents } from '@mortise/forks/api';
import { organizationPages, organizationSettingsMenu } from '@mortise/organizations/api';
import {
  repositories,
  repositoryAccess,
  repositoryAccessReduced,
  repositoryCreated,
  repositoryDeleting,
  repositoryMembers,
  repositoryPages,
  repositoryRenamed,
  repositorySettingsMenu,
} from '@mortise/repositories/api';
import type { HookRow } from './models/hook.js';
import { webhookKinds, webhooks } from './contract/webhooks.js';
import { ActivityListener } from './events/activity-listener.js';
import { adminLevelPages, levelPages, organizationLevelPages } from './pages/levels.js';
import { hookRoutes, organizationHookRoutes } from './routes/hooks.js';
import { HookDispatcher } from './services/hook-dispatcher.js';
import { DepartedCreators } from './services/departed-creators.js';
import { EventNames } from './services/event-names.js';
import { readCertificates } from './services/certificates.js';
import { DeliveryHistory } from './services/delivery-history.js';
import { HookService } from './services/hook-service.js';
import { Kinds } from './services/webhook-kinds.js';
import { DeliveryQueue } from './services/delivery-queue.js';
import { DeliverySender } from './services/delivery-sender.js';
import { switchSettings, webhookSettings } from './settings.js';
import { t } from './texts/index.js';

export const listener = defineService<ActivityListener>('webhooks.listener');
export const sender = defineService<DeliverySender>('webhooks.sender');
export const history = defineService<DeliveryHistory>('webhooks.history');
export const queue = defineService<DeliveryQueue>('webhooks.queue');
export const dispatcher = defineService<HookDispatcher>('webhooks.dispatcher');
export const departedCreators = defineService<DepartedCreators>('webhooks.departedCreators');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('webhook', webhookSettings);
  const kinds = new Kinds(host.point(webhookKinds));
  const events = host.point(activityEventKinds);
  const names = new EventNames(events);
  const isDisabled = host.settings('security', switchSettings).DISABLE_WEBHOOKS;
  return { settings, kinds, events, names, isDisabled };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { settings, kinds, events, names, isDisabled }: Opened): void {
  const certificates = readCertificates(settings.CA_FILE);
  const needed = { database, cache, eventBus, jobs, repositories, site } as const;
  host.service(dispatcher, needed, ({ cache: kept, eventBus: bus, ...services }) => {
    const encryption = new Encryption(services.site.secret('webhooks'));
    const hooks = new HookService(services.database, kinds, names, encryption, bus);
    const listeners = kept.query<readonly HookRow[]>('webhooks.listeners');
    const about = kept.query<readonly HookRow[]>('webhooks.about');
    return new HookDispatcher({ ...services, events, hooks, listeners, about, isDisabled });
  });
  host.service(webhooks, { dispatcher }, (services) => services.dispatcher);
  host.service(
    listener,
    { database, jobs, languages },
    (services) => new ActivityListener({ ...services, kinds: events, options: { maxItems: settings.MAX_COMMITS } }),
  );
  host.service(history, { database }, (services) => new DeliveryHistory(services.database, settings.KEEP_DELIVERIES));
  host.service(
    sender,
    { database, outbound, site },
    (services) =>
      new DeliverySender({
        database: services.database,
        outbound: services.outbound,
        kinds,
        encryption: new Encryption(services.site.secret('webhooks')),
        settings,
        certificates,
      }),
  );
  host.service(
    queue,
    { database, jobs, dispatcher, sender },
    (services) => new DeliveryQueue({ ...services, attemptMs: settings.DELIVER_TIMEOUT * 1000 + 30_000, isDisabled }),
  );
  host.service(
    departedCreators,
    { database, access: repositoryAccess, accounts, accountMail, members: repositoryMembers, repositories },
    (services) => new DepartedCreators(services),
  );
}

/** The route for a site without webhooks: who may come to it is told so. */
const refused = (route: Route): Route => ({
  ...route,
  handler: () => {
    throw Forbidden(t.later('error.disabled'));
  },
});

export function registerPages(host: PluginHost, { settings, kinds, names, isDisabled }: Opened): void {
  const routes = (list: readonly Route[]) => (isDisabled ? list.map(refused) : list);
  const label = t.later('list.title');
  if (!isDisabled) {
    host.contribute(repositorySettingsMenu, { key: 'hooks', label, icon: 'webhook', order: 40, href: 'hooks' });
    const href = '/user/settings/hooks';
    host.contribute(settingsMenu, { key: 'hooks', label, icon: 'webhook', order: 60, href });
  }
  host.routes({ dispatcher, listener }, (services) =>
    routes(hookRoutes({ webhooks: services.dispatcher, listener: services.listener, kinds })),
  );
  host.routes({ dispatcher, listener, history, queue, repositoryPages, settingsPage, site }, (services) =>
    routes(levelPages({ ...services, webhooks: services.dispatcher, kinds, names, perPage: settings.PAGING_NUM })),
  );
  host.whenPresent('organizations', () => {
    host.routes({ dispatcher }, (services) => routes(organizationHookRoutes({ webhooks: services.dispatcher })));
    if (!isDisabled)
      host.contribute(organizationSettingsMenu, { key: 'hooks', label, icon: 'webhook', order: 40, href: 'hooks' });
    host.routes({ dispatcher, history, queue, organizationPages, site }, (services) =>
      routes(
        organizationLevelPages({
          ...services,
          webhooks: services.dispatcher,
          kinds,
          names,
          perPage: settings.PAGING_NUM,
        }),
      ),
    );
  });
  host.whenPresent('admin', () => {
    const href = '/-/admin/hooks/system';
    if (!isDisabled) host.contribute(adminMenu, { key: 'hooks', label, icon: 'webhook', order: 50, href });
    host.routes({ dispatcher, history, queue, adminPage, site }, (services) =>
      routes(
        adminLevelPages({ ...services, webhooks: services.dispatcher, kinds, names, perPage: settings.PAGING_NUM }),
      ),
    );
  });
}

export function registerEvents(host: PluginHost): void {
  host.on(activityRecorded, 'within', 'record', { dispatcher, listener }, ({ activityEvents }, services, { log }) =>
    services.listener.record(activityEvents, services.dispatcher, log),
  );
  host.on(
    activityRecorded,
    'after',
    'activity-events',
    { dispatcher, listener },
    ({ activityEvents }, services) => services.listener.handle(activityEvents, services.dispatcher),
    {
      wants: ({ activityEvents }, services) =>
        activityEvents.some(
          (one) => services.listener.readsGit(one) && services.dispatcher.mayBeHeard(one.kind, one.resource),
        ),
      formerly: ['webhooks/announced'],
    },
  );
  host.on(repositoryCreated, 'within', 'default-hooks', { dispatcher, repositories }, async (created, services) => {
    const repository = await services.repositories.byId(created.repositoryId);
    if (repository) await services.dispatcher.hooks.copy({ ownerKind: 'default', ownerId: 0 }, repository);
  });
  host.whenPresent('forks', () =>
    host.contribute(templateContents, { dispatcher, repositories }, (services) => ({
      key: 'webhooks' as const,
      label: t.later('list.title'),
      order: 50,
      async copy({ templateId, repositoryId }) {
        const made = await services.repositories.byId(repositoryId);
        // Users who may read a template may copy its hooks.
        const options = { secrets: false };
        if (made) await services.dispatcher.hooks.copy({ ownerKind: 'repository', ownerId: templateId }, made, options);
      },
    })),
  );
  host.on(repositoryAccessReduced, 'after', 'departed-creators', { departedCreators }, (reduced, services) =>
    services.departedCreators.checkUsers(reduced.ownerId, reduced.userIds),
  );
  host.on(repositoryRenamed, 'after', 'former-administrators', { departedCreators }, async (renamed, services) => {
    if (renamed.from.split('/')[0] !== renamed.to.split('/')[0])
      await services.departedCreators.checkRepository(renamed.repositoryId);
  });
  host.on(repositoryDeleting, 'within', 'forget-hooks', { dispatcher }, async ({ repositoryId }, services) => {
    await services.dispatcher.hooks.deleteAll({ ownerKind: 'repository', ownerId: repositoryId });
  });
  host.on(userDeleting, 'within', 'forget-user-hooks', { dispatcher }, async ({ userId }, services) => {
    for (const ownerKind of ['user', 'organization'] as const)
      await services.dispatcher.hooks.deleteAll({ ownerKind, ownerId: userId });
  });
}
