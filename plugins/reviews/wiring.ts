import { type PluginHost, cache, database, definePoint, events, jobs, site } from '@mortise/plugin-sdk';
import { accounts, userDeleting } from '@mortise/accounts/api';
import { activityEvents } from '@mortise/activity-events/api';
import { type BranchProtections } from '@mortise/branch-protection/api';
import { gitReader, gitWriter, pushHints, refsUpdated } from '@mortise/git/api';
import { compareActions } from '@mortise/history/api';
import {
  conversationEnd,
  issueChanged,
  issueImports,
  issuePages,
  issues,
  issueSidebar,
  timeline,
  timelineKinds,
} from '@mortise/issues/api';
import { incomingMailHandlers } from '@mortise/mail/api';
import { markup } from '@mortise/markup/api';
import { type Teams } from '@mortise/organizations/api';
import {
  conversationCounters,
  mergeRequirementsChanged,
  newPullFields,
  pullChanged,
  pullDiffExtensions,
  pullMergeBox,
  pullPages,
  pulls,
} from '@mortise/pulls/api';
import { accessSources, branchAccess, commitWriter, repositories, repositoryAccess } from '@mortise/repositories/api';
import * as api from './api.js';
import { reviews } from './contract/reviews.js';
import { recordReview } from './events/activity-events.js';
import { followPull, followTitle, movesTitle, forgetUser, resolveApplied } from './events/follow.js';
import { reviewDiffExtension } from './pages/diff-extension.js';
import { compareOwners, reviewersField } from './pages/owners.js';
import { reviewPageRoutes } from './pages/routes.js';
import { pendingNotice, reviewersBox, reviewsRow } from './pages/sidebar.js';
import { suggestionsRow } from './pages/suggestions-form.js';
import { dismissLines, requestLines, reviewLines } from './pages/timeline.js';
import { mailAnswers } from './services/mail-answers.js';
import { codeKind, dismissKind, requestKind, reviewKind } from './services/timeline-kinds.js';
import { ownersHint } from './services/push-hint.js';
import { createServices, reviewServices } from './services/services.js';
import { ReviewImportService } from './services/imports.js';
import { followReview } from './services/review-writer.js';
import { reviewSettings } from './settings.js';

/** Where rules of branches and teams come from, where there are such plugins; not part of the contract. */
export const protectionSource = definePoint.one<BranchProtections>('reviews.protectionSource');
export const teamSource = definePoint.one<Teams>('reviews.teamSource');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const optional = { protections: host.point(protectionSource), teams: host.point(teamSource) };
  const sources = {
    protections: () => optional.protections.list()[0],
    teams: () => optional.teams.list()[0],
    accessSources: host.point(accessSources),
  };
  return { sources };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { sources }: Opened): void {
  const settings = host.settings('ui', reviewSettings);
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
  host.service(reviews, { reviewServices }, (services) => services.reviewServices.contract);
  host.service(
    api.reviewImports,
    { database, jobs, pulls, timeline, issueImports },
    (services) => new ReviewImportService(services),
  );
}

export function registerPages(host: PluginHost): void {
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
  host.contribute(pullMergeBox, pageDeps, suggestionsRow);
  host.contribute(newPullFields, pageDeps, reviewersField);
  host.contribute(compareActions, { ...pageDeps, gitReader }, compareOwners);
  host.contribute(pushHints, { repositories, repositoryAccess, gitReader, reviewServices }, (services) =>
    ownersHint({ ...services, owners: services.reviewServices.owners }),
  );
  host.routes({ ...pageDeps, pages: pullPages }, reviewPageRoutes);
}

export function registerEvents(host: PluginHost): void {
  host.job(followReview, {}, { reviewServices }, ({ reviewId }, services) =>
    services.reviewServices.writer.follow(reviewId),
  );
  host.on(pullChanged, 'after', 'follow-pull', { pulls, reviewServices }, followPull);
  host.on(issueChanged, 'after', 'follow-title', { pulls, reviewServices }, followTitle, { wants: movesTitle });
  host.on(refsUpdated, 'within', 'settle-applied', { issues, reviewServices }, resolveApplied);
  host.on(userDeleting, 'within', 'forget-person', { database }, forgetUser);
  host.on(api.reviewChanged, 'within', 'retry-merge', { events }, ({ repositoryId, issueId }, services) =>
    services.events.emit(mergeRequirementsChanged, { repositoryId, issueIds: [issueId] }),
  );
  host.whenPresent('mail', () =>
    host.contribute(incomingMailHandlers, { accounts, database, pulls, reviewServices, timeline }, mailAnswers),
  );
  host.on(api.reviewChanged, 'within', 'record', { activityEvents, issues, reviewServices }, recordReview);
  host.on(api.reviewChanged, 'after', 'tell-pages', { issues, timeline }, async (event, services) => {
    if (event.action !== 'submitted' || event.state === 'pending' || event.state === 'request') return;
    const issue = await services.issues.byId(event.issueId);
    if (issue && event.entryId) await services.timeline.notifyPages(issue, event.entryId);
  });
}
