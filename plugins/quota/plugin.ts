import {
  cache,
  database,
  definePlugin,
  defineService,
  events,
  fromPackage,
  parseSize,
  scheduleTask,
  site,
} from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage, storageLimits, storedBytes } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { gitReader, gitStore, refChecks, refsUpdated } from '@mortise/git/api';
import { organizationPages, organizationSettingsMenu } from '@mortise/organizations/api';
import {
  repositories,
  repositoryRenamed,
  repositoryQuota,
  repositoryVisibilityChanged,
} from '@mortise/repositories/api';
import { checkTransfer } from './events/check-transfer.js';
import { checkVisibility } from './events/check-visibility.js';
import { measureStorage } from './jobs/measure-storage.js';
import { adminRoutes } from './pages/admin-routes.js';
import { organizationStoragePage, userStoragePage } from './pages/usage-routes.js';
import { groupRoutes } from './routes/groups.js';
import { memberRoutes } from './routes/members.js';
import { organizationLevel, quotaRoutes, userLevel } from './routes/quota.js';
import { ruleRoutes } from './routes/rules.js';
import { GitSizes, wikiBytes } from './services/git-sizes.js';
import { Groups, type Group } from './services/groups.js';
import { QuotaLimit } from './services/quota-limit.js';
import { quotaCheck } from './services/ref-check.js';
import { UsageCounter } from './services/usage.js';
import { defaultQuotaSettings, quotaSettings } from './settings.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
const groups = defineService<Groups>('quota.groups');
const gitSizes = defineService<GitSizes>('quota.gitSizes');
const quotaLimit = defineService<QuotaLimit>('quota.limit');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [groups, gitSizes, quotaLimit, measureStorage],

  register(host) {
    const settings = host.settings('quota', quotaSettings);
    const defaults = host.settings('quota.default', defaultQuotaSettings);
    const sources = host.point(storedBytes);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(groups, { database, events }, (services) => new Groups(services));
    host.service(
      quotaLimit,
      { cache, database, groups },
      (services) =>
        new QuotaLimit({
          database: services.database,
          groups: services.groups,
          usage: new UsageCounter(services.database, sources),
          cached: services.cache.query<readonly Group[]>('quota.groups'),
          defaultGroups: settings.DEFAULT_GROUPS,
          maxTotal: parseSize(defaults.TOTAL),
        }),
    );
    host.service(gitSizes, { database, gitStore, repositories }, (services) => new GitSizes(services));
    host.job(
      measureStorage,
      { attempts: 1, concurrency: 1, leaseMs: 600_000 },
      { gitSizes },
      (_payload, services, { signal }) => services.gitSizes.measureAll(signal),
    );
    if (!settings.ENABLED) return;

    host.onStart({ groups }, async (services) => {
      const known = (await services.groups.byNames(settings.DEFAULT_GROUPS)).map(({ name }) => name);
      const unknown = settings.DEFAULT_GROUPS.filter((name) => !known.includes(name));
      if (unknown.length > 0)
        host.log.warn('[quota] DEFAULT_GROUPS names groups that do not exist', { event: 'quota.start', unknown });
    });
    host.contribute(storageLimits, { quotaLimit }, (services) => services.quotaLimit);
    host.contribute(storedBytes, { key: 'wikis', count: wikiBytes });
    host.contribute(refChecks, { database, gitReader, gitSizes, repositoryQuota }, quotaCheck);
    // repositories measures those of code itself
    host.on(
      refsUpdated,
      'after',
      'measure-wiki',
      { gitSizes },
      ({ repositoryId, kind }, services) => services.gitSizes.measure(repositoryId, kind),
      { wants: ({ kind }) => kind === 'wiki' },
    );
    host.on(repositoryRenamed, 'within', 'check-transfer', { quotaLimit, repositories }, (event, services) =>
      checkTransfer(services, event),
    );
    host.on(
      repositoryVisibilityChanged,
      'within',
      'check-visibility',
      { quotaLimit, repositories },
      (event, services) => checkVisibility(services, event),
    );
    const times = {
      id: 'measure-storage',
      taskName: 'measure_storage',
      title: t.later('schedule.measure-storage'),
      schedule: '17 4 * * *',
      does: 'Measures repositories and wikis on disk',
    };
    scheduleTask(host, times, measureStorage, {});
    host.routes({ groups }, ruleRoutes);
    host.routes({ groups }, groupRoutes);
    host.routes({ accounts, groups, quotaLimit }, memberRoutes);
    host.routes({ quotaLimit }, (services) => quotaRoutes(services.quotaLimit, userLevel));
    const entry = { key: 'storage', label: t.later('usage.title'), icon: 'database', order: 90 };
    host.contribute(settingsMenu, { ...entry, href: '/user/settings/storage' });
    host.routes({ quotaLimit, settingsPage }, userStoragePage);
    host.contribute(adminMenu, {
      key: 'quota',
      label: t.later('admin.title'),
      href: '/-/admin/quota',
      icon: 'database',
      order: 60,
      settings: [
        { label: t.later('rule.new'), field: 'field-name' },
        { label: t.later('group.new'), field: 'field-group' },
      ],
    });
    host.routes({ accounts, adminPage, groups, site }, adminRoutes);
    host.whenPresent('organizations', () => {
      host.contribute(organizationSettingsMenu, { ...entry, href: 'storage' });
      host.routes({ quotaLimit }, (services) => quotaRoutes(services.quotaLimit, organizationLevel));
      host.routes({ quotaLimit, organizationPages }, organizationStoragePage);
    });
  },
});
