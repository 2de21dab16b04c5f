import { database, definePlugin, fromPackage, takeoverMappings } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEventKinds, activityModels } from '@mortise/activity-events/api';
import { branchProtections, ruleOptions } from '@mortise/branch-protection/api';
import { fileNotices } from '@mortise/files/api';
import { gitReader } from '@mortise/git/api';
import { issueFilters, issues, timeline } from '@mortise/issues/api';
import { notifications } from '@mortise/notifications/api';
import { teams } from '@mortise/organizations/api';
import {
  mergeRequirements,
  mergeTemplateVariables,
  pullChanged,
  pullFields,
  pullExtensions,
  pulls,
} from '@mortise/pulls/api';
import { repositories } from '@mortise/repositories/api';
import * as api from './api.js';
import { reviews } from './contract/reviews.js';
import { reviewKind as reviewEventKind, reviewKindKeys } from './events/activity-events.js';
import { notifyOfPush, notifyOfReview } from './events/notify.js';
import { ownersFileNotice } from './pages/owners-file.js';
import { commentRoutes } from './routes/comments.js';
import { requestRoutes } from './routes/requests.js';
import { reviewRoutes } from './routes/reviews.js';
import { reviewedByVariable } from './services/merge-variables.js';
import { reviewedBy, whereReviewRequested } from './services/review-reader.js';
import { ReviewRequirement, conversationsOption } from './services/review-requirement.js';
import { reviewersExtension } from './services/reviewers-extension.js';
import { reviewServices } from './services/services.js';
import { followReview } from './services/review-writer.js';
import { approverSettings } from './settings.js';
import { t } from './texts/index.js';
import {
  protectionSource,
  teamSource,
  openSettings,
  registerServices,
  registerPages,
  registerEvents,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [reviews, api.reviewImports, api.reviewChanged, reviewServices, followReview, protectionSource, teamSource],

  register(host) {
    const opened = openSettings(host);
    const { sources } = opened;
    registerServices(host, opened);
    registerPages(host);
    registerEvents(host);
    const approvers = host.settings('repository.pull-request', approverSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, { database, gitReader, pulls }, (services) => ({
      key: 'reviews',
      tables: async () => (await import('./takeover/tables.js')).tables(services),
      afterPass: async () => (await import('./takeover/after-pass.js')).afterPass(services.database, services.pulls),
    }));
    host.contribute(issueFilters, {
      key: 'review_requested',
      where: whereReviewRequested((userId) => sources.teams()?.idsOfMember(userId)),
      pullTab: t.later('tab.requested'),
      isWaiting: true,
    });
    host.contribute(issueFilters, { key: 'reviewed', where: reviewedBy, pullTab: t.later('tab.reviewed') });
    host.contribute(pullFields, { reviewServices }, (services) => services.reviewServices.presenter);
    host.contribute(pullExtensions, { reviewServices }, (services) =>
      reviewersExtension({ ...services.reviewServices, owners: services.reviewServices.ownerRequests }),
    );
    host.contribute(
      mergeRequirements,
      { pulls, reviewServices },
      (services) => new ReviewRequirement({ ...services.reviewServices, pulls: services.pulls }),
    );
    host.contribute(mergeTemplateVariables, { accounts, reviewServices }, reviewedByVariable(approvers));
    const eventDeps = { models: activityModels, accounts, repositories, issues, pulls } as const;
    for (const key of reviewKindKeys)
      host.contribute(activityEventKinds, eventDeps, (services) => reviewEventKind(key, services));
    host.routes({ accounts, issues, timeline, services: reviewServices }, (services) => [
      ...reviewRoutes(services),
      ...commentRoutes(services),
      ...requestRoutes(services),
    ]);
    host.whenPresent('branch-protection', () => {
      host.contribute(protectionSource, { protections: branchProtections }, ({ protections }) => protections);
      host.contribute(ruleOptions, {
        key: conversationsOption,
        label: t.later('option.conversations'),
        note: t.later('option.conversationsNote'),
        default: false,
        order: 10,
      });
    });
    host.whenPresent('files', () => host.contribute(fileNotices, { reviewServices }, ownersFileNotice));
    host.whenPresent('organizations', () => {
      host.contribute(teamSource, { teams }, (services) => services.teams);
    });
    host.whenPresent('notifications', () => {
      host.on(
        api.reviewChanged,
        'after',
        'notify',
        { accounts, issues, notifications, reviewServices },
        notifyOfReview,
      );
      // one subscriber: a request that follows from a push is told of after that
      host.on(pullChanged, 'after', 'notify', { accounts, issues, notifications }, notifyOfPush);
    });
  },
});
