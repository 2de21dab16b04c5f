import {
  cache,
  database,
  defineJob,
  definePlugin,
  fromPackage,
  defineService,
  homePage,
  languages,
  site,
  resources,
  scheduleTask,
  takeoverMappings,
  type PluginHost,
} from '@mortise/plugin-sdk';
import {
  accounts,
  dashboardDetails,
  dashboardSteps,
  profileTabs,
  userVisibilityChanged,
  waitingSources,
} from '@mortise/accounts/api';
import { activityRecorded } from '@mortise/activity-events/api';
import { gitReader } from '@mortise/git/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryEdited,
  repositoryMembers,
  repositoryRelations,
  repositoryRenamed,
} from '@mortise/repositories/api';
import { accountActivityAccess, activities, activityComments } from './contract/activity.js';
import { recordSimpleEvents } from './events/simple-events.js';
import { movesReferences, recordPushes } from './events/pushes.js';
import { checklistRoutes } from './pages/checklists.js';
import { activityTab, dashboard } from './pages/tabs.js';
import { feedRoutes } from './routes/feeds.js';
import { operationRoutes, organizationFeedRoutes } from './routes/operations.js';
import { ActivityService } from './services/activities.js';
import { Checklists, type ChecklistName } from './services/checklists.js';
import { FeedResolver } from './services/feed-resource.js';
import { ActivityFinder } from './services/finder.js';
import { Presenter } from './services/presenter.js';
import { Recorder } from './services/recorder.js';
import { cleaningSettings, otherSettings, serviceSettings, uiSettings } from './settings.js';
import { t } from './texts/index.js';

const recorder = defineService<Recorder>('activity.recorder');
const checklists = defineService<Checklists>('activity.checklists');
const deleteOldActivity = defineJob<Record<string, never>>('activity.deleteOld');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  provides: [activities, accountActivityAccess, activityComments, recorder, checklists],

  register(host) {
    const { ENABLE_USER_HEATMAP: heatmapOn } = host.settings('service', serviceSettings);
    const { FEED_MAX_COMMIT_NUM: maxCommits, FEED_PAGING_NUM: perPage } = host.settings('ui', uiSettings);
    const { ENABLE_FEED: feedsOn } = host.settings('other', otherSettings);
    const comments = host.point(activityComments);
    const relations = host.point(repositoryRelations);
    const accountAccess = host.point(accountActivityAccess);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      recorder,
      { accounts, database, repositories, users: repositoryMembers },
      (services) => new Recorder(services),
    );
    host.contribute(takeoverMappings, { database, recorder }, (services) => ({
      key: 'activity',
      tables: async () => (await import('./takeover/tables.js')).tables(services.database),
      afterPass: async () => (await import('./takeover/after-pass.js')).afterPass(services.database, services.recorder),
    }));
    host.service(
      activities,
      { database, cache, accounts, repositories, access: repositoryAccess, recorder },
      (services) =>
        new ActivityService({
          recorder: services.recorder,
          finder: new ActivityFinder({
            ...services,
            relations,
            accountAccess,
            fresh: services.cache.query('activity'),
            large: services.cache.memory('activity.large', { ttl: 10_000 }),
          }),
          presenter: new Presenter({ ...services, comments }),
        }),
    );

    // There with what has happened, or not at all; what a push brought is read from git afterwards.
    host.on(activityRecorded, 'within', 'plain', { activities }, recordSimpleEvents);
    host.on(
      activityRecorded,
      'after',
      'push',
      { activities, repositories, accounts, gitReader },
      recordPushes(maxCommits),
      {
        wants: movesReferences,
      },
    );
    host.on(repositoryEdited, 'within', 'follow-visibility', { recorder }, ({ repositoryId }, services) =>
      services.recorder.follow(repositoryId),
    );
    host.on(userVisibilityChanged, 'within', 'follow-owner', { recorder }, ({ userId }, services) =>
      services.recorder.followOwner(userId),
    );
    host.on(repositoryRenamed, 'within', 'moved', { recorder }, ({ repositoryId }, services) =>
      // Under another owner it may be seen by others.
      services.recorder.follow(repositoryId),
    );
    host.on(repositoryDeleting, 'within', 'forget', { recorder }, ({ repositoryId }, services) =>
      services.recorder.forget(repositoryId),
    );

    registerCleaning(host);
    host.contribute(resources, new FeedResolver(host.point(resources)));
    host.routes({ activities }, operationRoutes(heatmapOn));
    host.whenPresent('organizations', () => {
      host.routes({ activities }, organizationFeedRoutes);
    });
    if (feedsOn)
      host.routes({ activities, accounts, repositories, gitReader, site, languages }, (services) =>
        feedRoutes({ ...services, log: host.log }),
      );

    const dependencies = { activities, accounts, repositories, site } as const;
    const options = { perPage, heatmapOn, feedsOn };
    host.contribute(profileTabs, dependencies, (services) => activityTab(services, options));
    host.service(checklists, { cache, database }, (services) => {
      const finished = services.cache.memory<true>('activity.finishedChecklists');
      const dismissed = services.cache.query<readonly ChecklistName[]>('activity.dismissedChecklists');
      return new Checklists({ database: services.database, steps: host.point(dashboardSteps), finished, dismissed });
    });
    host.routes({ checklists, site }, checklistRoutes);
    host.contribute(homePage, { ...dependencies, checklists }, (services) =>
      dashboard(services, options, {
        details: host.point(dashboardDetails),
        waiting: host.point(waitingSources),
        checklists: services.checklists,
      }),
    );
  },
});

/** Deletes old entries, where the operator has enabled that. */
function registerCleaning(host: PluginHost): void {
  const cleaning = host.settings('cron.delete_old_actions', cleaningSettings);
  host.job(deleteOldActivity, {}, { recorder }, (_payload, services, { signal }) =>
    services.recorder.forgetBefore(Date.now() - cleaning.OLDER_THAN, signal),
  );
  const task = {
    id: 'delete-old',
    taskName: 'delete_old_actions',
    title: t.later('schedule.deleteOld'),
    schedule: '@every 168h',
    isEnabled: cleaning.ENABLED,
  };
  scheduleTask(host, task, deleteOldActivity, {});
}
