import {
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEventKinds, activityModels, activityEvents } from '@mortise/activity-events/api';
import { commitBadges } from '@mortise/history/api';
import { gitReader } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { commitStatusCreated, commitStatuses } from './contract/commit-status.js';
import { recordStatus, statusKind } from './events/activity-events.js';
import { commitBadge } from './pages/badge.js';
import { statusRoutes } from './routes/statuses.js';
import { StatusPresenter } from './services/status-presenter.js';
import { StatusService } from './services/status-service.js';

/** With the lists that only this plugin shows; not part of the contract. */
const service = defineService<StatusService>('commit-status.service');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [commitStatuses, service, commitStatusCreated],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'commit-status',
      // derived here
      ignoredTables: ['commit_status_summary'],
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    host.service(service, { database, events, cache }, (services) => new StatusService(services));
    host.service(commitStatuses, { service }, (services) => services.service);
    host.routes({ service, accounts, repositories, gitReader }, (services) =>
      statusRoutes({
        statuses: services.service,
        presenter: new StatusPresenter(services),
        gitReader: services.gitReader,
      }),
    );
    host.contribute(commitBadges, { service }, (services) => commitBadge(services.service));
    host.contribute(
      activityEventKinds,
      { models: activityModels, statuses: service, repositories, gitReader, site },
      statusKind,
    );
    host.on(commitStatusCreated, 'within', 'record', { activityEvents }, recordStatus);
  },
});
