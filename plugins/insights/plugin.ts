import { backupSources, database, definePlugin, fromPackage, defineService, jobs, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import { repositoryDeleting, repositoryPages, repositoryTabs } from '@mortise/repositories/api';
import { countContributions } from './jobs/count.js';
import { insightRoutes } from './pages/routes.js';
import { Counting } from './services/counting.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
const counting = defineService<Counting>('insights.counting');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [counting, countContributions],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(counting, { database, jobs, git: gitReader }, (services) => new Counting(services));
    host.routes({ counting, accounts, git: gitReader, pages: repositoryPages, site }, insightRoutes);
    host.job(countContributions, { attempts: 2, concurrency: 1 }, { counting }, ({ repositoryId }, services, job) =>
      services.counting.count(repositoryId, job),
    );
    host.on(repositoryDeleting, 'within', 'forget', { counting }, ({ repositoryId }, services) =>
      services.counting.forget(repositoryId),
    );
    host.contribute(repositoryTabs, {
      key: 'activity',
      label: t.later('activity'),
      icon: 'pulse',
      href: 'activity',
      order: 80,
      visible: ({ context }) => context.may('read', 'code') && !context.repository.isEmpty,
    });
    host.contribute(backupSources, { key: 'insights', caches: { tables: ['insight', 'insight_progress'] } });
    host.island('insights', new URL('./pages/insights.css', import.meta.url));
  },
});
