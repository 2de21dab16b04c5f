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
import { accounts, userDeleting } from '@mortise/accounts/api';
import { issueChanged, issueOptions, issueSidebar, issues, timeline, timelineKinds } from '@mortise/issues/api';
import { repositories, repositoryAccess, repositoryFeatures } from '@mortise/repositories/api';
import { stopwatches, stopwatchesChanged } from './contract/time-tracking.js';
import { timeBox } from './pages/box.js';
import { linesOf } from './pages/lines.js';
import { timePages } from './pages/routes.js';
import { stopwatchRoutes } from './routes/stopwatches.js';
import { timeRoutes } from './routes/times.js';
import { TimePresenter } from './services/present.js';
import { TimeService } from './services/times.js';
import { timeSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
const timesRef = defineService<TimeService>('time-tracking.times');
const presenterRef = defineService<TimePresenter>('time-tracking.presenter');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [stopwatches, stopwatchesChanged, timesRef, presenterRef],

  register(host) {
    const settings = host.settings('service', timeSettings);
    const isEnabled = settings.ENABLE_TIMETRACKING;
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      timesRef,
      { database, cache, events, issues, repositories, timeline },
      (services) => new TimeService(services),
    );
    host.service(presenterRef, { accounts, issues, repositories }, (services) => new TimePresenter(services));
    host.service(stopwatches, { times: timesRef, presenter: presenterRef }, ({ times, presenter }) => ({
      async running(actor) {
        const one = await times.running(actor);
        return presenter.stopwatches(one ? [one] : []);
      },
    }));
    host.contribute(repositoryFeatures, { key: 'time_tracking', disabled: !isEnabled });
    if (isEnabled)
      for (const [key, label, order, isOn] of [
        ['enable_time_tracker', t.later('option.enable'), 10, settings.DEFAULT_ENABLE_TIMETRACKING],
        [
          'allow_only_contributors_to_track_time',
          t.later('option.contributors'),
          20,
          settings.DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME,
        ],
      ] as const)
        host.contribute(issueOptions, { key, label, order, isOffAtFirst: !isOn });
    host.contribute(takeoverMappings, {
      key: 'time-tracking',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    host.routes({ accounts, repositoryAccess, times: timesRef, presenter: presenterRef }, (services) => [
      ...timeRoutes({ ...services, isEnabled }),
      ...stopwatchRoutes({ ...services, isEnabled }),
    ]);

    host.routes({ times: timesRef, issues, site }, (services) => timePages({ ...services, isEnabled }));
    host.contribute(issueSidebar, { times: timesRef, accounts }, (services) =>
      timeBox(services.times, services.accounts, isEnabled),
    );

    for (const key of ['start_tracking', 'cancel_tracking'] as const)
      host.contribute(timelineKinds, { key, ...linesOf(key) });
    for (const key of ['add_time_manual', 'stop_tracking', 'delete_time_manual'] as const)
      host.contribute(timelineKinds, { times: timesRef, presenter: presenterRef }, ({ times, presenter }) => ({
        key,
        ...linesOf(key),
        async fields(entries, { actor }) {
          const timesById = await times.byIds(entries.map(({ subjectId }) => subjectId).filter(Boolean));
          const models = new Map((await presenter.times([...timesById.values()], actor)).map((one) => [one.id, one]));
          return new Map(entries.map(({ id, subjectId }) => [id, { tracked_time: models.get(subjectId) ?? null }]));
        },
      }));
    host.on(userDeleting, 'within', 'forget-person', { times: timesRef }, ({ userId }, services) =>
      services.times.forget(userId),
    );
    host.on(issueChanged, 'within', 'stop-on-close', { times: timesRef, issues }, async (changed, services) => {
      if (changed.action !== 'closed') return;
      const issue = await services.issues.byId(changed.issueId);
      if (issue) await services.times.finish(issue, changed.actorId);
    });
  },
});
