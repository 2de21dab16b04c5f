import {
  type PluginHost,
  cache,
  database,
  defineService,
  jobs,
  languages,
  outbound,
  site,
  Encryption,
} from '@mortise/plugin-sdk';
import { accountMail, accounts, settingsMenu, settingsPage, userDeleting } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { announced, announcementKinds } from '@mortise/announcements/api';
import { templateParts } from '@mortise/forks/api';
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
import { webhookKinds, webhooks } from './api.js';
import { Listener } from './events/listen.js';
import { adminLevelPages, levelPages, organizationLevelPages } from './pages/levels.js';
import { hookRoutes, organizationHookRoutes } from './routes/hooks.js';
import { Announcer } from './services/announcer.js';
import { DepartedCreators } from './services/departed-creators.js';
import { EventNames } from './services/event-names.js';
import { readCertificates } from './services/certificates.js';
import { History } from './services/history.js';
import { HookService } from './services/hooks.js';
import { Kinds } from './services/kinds.js';
import { Queue } from './services/queue.js';
import { Sender } from './services/sender.js';
import { webhookSettings } from './settings.js';
import { t } from './texts/index.js';

export const listener = defineService<Listener>('webhooks.listener');
export const sender = defineService<Sender>('webhooks.sender');
export const history = defineService<History>('webhooks.history');
export const queue = defineService<Queue>('webhooks.queue');
export const announcer = defineService<Announcer>('webhooks.announcer');
export const departedCreators = defineService<DepartedCreators>('webhooks.departedCreators');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('webhook', webhookSettings);
  const kinds = new Kinds(host.point(webhookKinds));
  const events = host.point(announcementKinds);
  const names = new EventNames(events);
  return { settings, kinds, events, names };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { settings, kinds, events, names }: Opened): void {
  const certificates = readCertificates(settings.CA_FILE);
  host.service(announcer, { database, cache, jobs, repositories, site }, ({ cache: kept, ...services }) => {
    const hooks = new HookService(services.database, kinds, names, new Encryption(services.site.secret('webhooks')));
    const listeners = kept.query<readonly HookRow[]>('webhooks.listeners', { max: 1000 });
    const about = kept.query<readonly HookRow[]>('webhooks.about', { max: 5000 });
    return new Announcer({ ...services, events, hooks, listeners, about });
  });
  host.service(webhooks, { announcer }, (services) => services.announcer);
  host.service(
    listener,
    { database, jobs, languages },
    (services) => new Listener({ ...services, kinds: events, options: { maxItems: settings.MAX_COMMITS } }),
  );
  host.service(history, { database }, (services) => new History(services.database, settings.KEEP_DELIVERIES));
  host.service(
    sender,
    { database, outbound, site },
    (services) =>
      new Sender({
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
    { database, jobs, announcer, sender },
    (services) => new Queue({ ...services, attemptMs: settings.DELIVER_TIMEOUT * 1000 + 30_000 }),
  );
  host.service(
    departedCreators,
    { database, access: repositoryAccess, accounts, accountMail, members: repositoryMembers, repositories },
    (services) => new DepartedCreators(services),
  );
}

export function registerPages(host: PluginHost, { settings, kinds, names }: Opened): void {
  host.contribute(repositorySettingsMenu, {
    key: 'hooks',
    label: t.later('list.title'),
    icon: 'webhook',
    order: 40,
    href: 'hooks',
  });
  host.routes({ announcer, listener }, (services) =>
    hookRoutes({ webhooks: services.announcer, listener: services.listener, kinds }),
  );
  host.contribute(settingsMenu, {
    key: 'hooks',
    label: t.later('list.title'),
    icon: 'webhook',
    order: 60,
    href: '/user/settings/hooks',
  });
  host.routes({ announcer, listener, history, queue, repositoryPages, settingsPage, site }, (services) =>
    levelPages({ ...services, webhooks: services.announcer, kinds, names, perPage: settings.PAGING_NUM }),
  );
  host.whenPresent('organizations', () => {
    host.routes({ announcer }, (services) => organizationHookRoutes({ webhooks: services.announcer }));
    host.contribute(organizationSettingsMenu, {
      key: 'hooks',
      label: t.later('list.title'),
      icon: 'webhook',
      order: 40,
      href: 'hooks',
    });
    host.routes({ announcer, history, queue, organizationPages, site }, (services) =>
      organizationLevelPages({
        ...services,
        webhooks: services.announcer,
        kinds,
        names,
        perPage: settings.PAGING_NUM,
      }),
    );
  });
  host.whenPresent('admin', () => {
    host.contribute(adminMenu, {
      key: 'hooks',
      label: t.later('list.title'),
      icon: 'webhook',
      order: 50,
      href: '/-/admin/hooks/system',
    });
    host.routes({ announcer, history, queue, adminPage, site }, (services) =>
      adminLevelPages({ ...services, webhooks: services.announcer, kinds, names, perPage: settings.PAGING_NUM }),
    );
  });
}

export function registerEvents(host: PluginHost): void {
  host.on(announced, 'within', 'record', { announcer, listener }, ({ announcements }, services, { log }) =>
    services.listener.record(announcements, services.announcer, log),
  );
  host.on(
    announced,
    'after',
    'announced',
    { announcer, listener },
    ({ announcements }, services) => services.listener.hear(announcements, services.announcer),
    {
      wants: ({ announcements }, services) =>
        announcements.some(
          (one) => services.listener.readsGit(one) && services.announcer.mayBeHeard(one.kind, one.resource),
        ),
    },
  );
  host.on(repositoryCreated, 'within', 'default-hooks', { announcer, repositories }, async (created, services) => {
    const repository = await services.repositories.byId(created.repositoryId);
    if (repository) await services.announcer.hooks.copy({ ownerKind: 'default', ownerId: 0 }, repository);
  });
  host.whenPresent('forks', () =>
    host.contribute(templateParts, { announcer, repositories }, (services) => ({
      key: 'webhooks' as const,
      label: t.later('list.title'),
      order: 50,
      async copy({ templateId, repositoryId }) {
        const made = await services.repositories.byId(repositoryId);
        // Whoever may read a template may take its hooks over.
        const options = { secrets: false };
        if (made) await services.announcer.hooks.copy({ ownerKind: 'repository', ownerId: templateId }, made, options);
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
  host.on(repositoryDeleting, 'within', 'forget-hooks', { announcer }, async ({ repositoryId }, services) => {
    await services.announcer.hooks.deleteAll({ ownerKind: 'repository', ownerId: repositoryId });
  });
  host.on(userDeleting, 'within', 'forget-user-hooks', { announcer }, async ({ userId }, services) => {
    for (const ownerKind of ['user', 'organization'] as const)
      await services.announcer.hooks.deleteAll({ ownerKind, ownerId: userId });
  });
}
