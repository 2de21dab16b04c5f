import { cache, database, definePlugin, definePoint, events, jobs, site } from '@mortise/plugin-sdk';
import { accounts, userDeleting } from '@mortise/accounts/api';
import { announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
import { branchProtections, type BranchProtections } from '@mortise/branch-protection/api';
import { fileNotices } from '@mortise/files/api';
import { gitReader, gitWriter, pushHints, refsUpdated } from '@mortise/git/api';
import { compareActions } from '@mortise/history/api';
import {
  conversationEnd,
  issueChanged,
  issueFilters,
  issueImports,
  issuePages,
  issues,
  issueSidebar,
  timeline,
  timelineKinds,
} from '@mortise/issues/api';
import { markup } from '@mortise/markup/api';
import { notifications } from '@mortise/notifications/api';
import { teams, type Teams } from '@mortise/organizations/api';
import {
  conversationCounters,
  mergeRequirements,
  mergeRequirementsChanged,
  mergeTemplateVariables,
  newPullFields,
  pullChanged,
  pullDiffExtensions,
  pullFields,
  pullMergeBox,
  pullPages,
  pullExtensions,
  pulls,
} from '@mortise/pulls/api';
import { accessSources, branchAccess, commitWriter, repositories, repositoryAccess } from '@mortise/repositories/api';
import * as api from './api.js';
import { announceReview, reviewKind as announcedKind, reviewKindKeys } from './events/announce.js';
import { followPull, followTitle, movesTitle, forgetUser, resolveApplied } from './events/follow.js';
import { notifyOfPush, notifyOfReview } from './events/notify.js';
import { reviewDiffExtension } from './pages/diff-extension.js';
import { compareOwners, reviewersField } from './pages/owners.js';
import { ownersFileNotice } from './pages/owners-file.js';
import { reviewPageRoutes } from './pages/routes.js';
import { pendingNotice, reviewersBox, reviewsRow } from './pages/sidebar.js';
import { dismissLines, requestLines, reviewLines } from './pages/timeline.js';
import { commentRoutes } from './routes/comments.js';
import { requestRoutes } from './routes/requests.js';
import { reviewRoutes } from './routes/reviews.js';
import { codeKind, dismissKind, requestKind, reviewKind } from './services/timeline-kinds.js';
import { reviewedByVariable } from './services/merge-variables.js';
import { reviewedBy, whereReviewRequested } from './services/review-reader.js';
import { ReviewRequirement } from './services/review-requirement.js';
import { reviewersExtension } from './services/reviewers-extension.js';
import { ownersHint } from './services/push-hint.js';
import { createServices, reviewServices } from './services/services.js';
import { ReviewImportService } from './services/imports.js';
import { followReview } from './services/review-writer.js';
import { approverSettings, reviewSettings } from './settings.js';
import { t } from './texts/index.js';

/** Where rules of branches and teams come from, where there are such plugins; not part of the contract. */
const protectionSource = definePoint.one<BranchProtections>('reviews.protectionSource');
const teamSource = definePoint.one<Teams>('reviews.teamSource');

export default definePlugin({
  name: 'reviews',
  version: '1.0.0',
  description: 'Reviews of pull requests: opinions, comments on lines, reviewers and code owners',
  sdk: '^1.0.0',
  requires: {
    accounts: '^1.0.0',
    announcements: '^1.0.0',
    git: '^1.0.0',
    history: '^1.0.0',
    issues: '^1.0.0',
    markup: '^2.0.0',
    pulls: '^1.0.0',
    repositories: '^1.0.0',
  },
  optional: { 'branch-protection': '^1.0.0', files: '^1.0.0', notifications: '^1.0.0', organizations: '^1.0.0' },
  provides: [
    api.reviews,
    api.reviewImports,
    api.reviewChanged,
    reviewServices,
    followReview,
    protectionSource,
    teamSource,
  ],

  register(host) {
    const settings = host.settings('ui', reviewSettings);
    const approvers = host.settings('repository.pull-request', approverSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    const optional = { protections: host.point(protectionSource), teams: host.point(teamSource) };
    const sources = {
      protections: () => optional.protections.list()[0],
      teams: () => optional.teams.list()[0],
      accessSources: host.point(accessSources),
    };
    const git = { gitReader, gitWriter, commitWriter } as const;
    host.service(
      reviewServices,
      {
        ...git,
        database,
        cache,
        events,
        jobs,
        accounts,
        issues,
        timeline,
        pulls,
        repositories,
        repositoryAccess,
        branchAccess,
      },
      (services) => createServices(services, sources, settings, host.log),
    );
    host.service(api.reviews, { reviewServices }, (services) => services.reviewServices.contract);
    host.service(
      api.reviewImports,
      { database, jobs, pulls, timeline, issueImports },
      (services) => new ReviewImportService(services),
    );

    host.contribute(issueFilters, {
      key: 'review_requested',
      where: whereReviewRequested((userId) => sources.teams()?.idsOfMember(userId)),
      pullTab: t.later('tab.requested'),
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

    const pageDeps = { reviewServices, accounts, issuePages, pulls, markup, site } as const;
    const showing = { ...pageDeps, database } as const;
    host.contribute(timelineKinds, showing, (services) => ({
      ...reviewKind(services),
      lines: reviewLines(services),
    }));
    host.contribute(timelineKinds, showing, (services) => ({
      ...requestKind({ ...services, presenter: services.reviewServices.presenter }),
      lines: requestLines(services),
    }));
    host.contribute(timelineKinds, pageDeps, (services) => ({ ...dismissKind, lines: dismissLines(services) }));
    host.contribute(timelineKinds, { database, reviewServices }, codeKind);
    host.contribute(conversationCounters, { reviewServices }, (services) => ({
      key: 'reviews',
      count: (issueId) => services.reviewServices.reader.contributions(issueId),
    }));

    host.island('reviews', new URL('./pages/islands/reviews.js', import.meta.url));
    host.island('reviews-style', new URL('./pages/reviews.css', import.meta.url));
    host.contribute(pullDiffExtensions, pageDeps, reviewDiffExtension);
    host.contribute(issueSidebar, pageDeps, reviewersBox);
    host.contribute(conversationEnd, pageDeps, pendingNotice);
    host.contribute(pullMergeBox, pageDeps, reviewsRow);
    host.contribute(newPullFields, pageDeps, reviewersField);
    host.contribute(compareActions, { ...pageDeps, gitReader }, compareOwners);
    host.contribute(pushHints, { repositories, repositoryAccess, gitReader, reviewServices }, (services) =>
      ownersHint({ ...services, owners: services.reviewServices.owners }),
    );
    host.routes({ ...pageDeps, pages: pullPages }, reviewPageRoutes);

    host.job(followReview, {}, { reviewServices }, ({ reviewId }, services) =>
      services.reviewServices.writer.follow(reviewId),
    );
    host.on(pullChanged, 'after', 'follow-pull', { pulls, reviewServices }, followPull);
    host.on(issueChanged, 'after', 'follow-title', { pulls, reviewServices }, followTitle, { wants: movesTitle });
    host.on(refsUpdated, 'within', 'settle-applied', { issues, reviewServices }, resolveApplied);
    host.on(userDeleting, 'within', 'forget-person', { database }, forgetUser);

    const announcing = { models: announcementModels, accounts, repositories, issues, pulls } as const;
    for (const key of reviewKindKeys)
      host.contribute(announcementKinds, announcing, (services) => announcedKind(key, services));
    host.on(api.reviewChanged, 'within', 'retry-merge', { events }, ({ repositoryId, issueId }, services) =>
      services.events.emit(mergeRequirementsChanged, { repositoryId, issueIds: [issueId] }),
    );
    host.on(api.reviewChanged, 'within', 'announce', { announcements, issues, reviewServices }, announceReview);

    host.on(api.reviewChanged, 'after', 'tell-pages', { issues, timeline }, async (event, services) => {
      if (event.action !== 'submitted' || event.state === 'pending' || event.state === 'request') return;
      const issue = await services.issues.byId(event.issueId);
      if (issue && event.entryId) await services.timeline.notifyPages(issue, event.entryId);
    });

    host.routes({ accounts, issues, timeline, services: reviewServices }, (services) => [
      ...reviewRoutes(services),
      ...commentRoutes(services),
      ...requestRoutes(services),
    ]);

    host.whenPresent('branch-protection', () => {
      host.contribute(protectionSource, { protections: branchProtections }, ({ protections }) => protections);
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
