import {
  cache,
  channels,
  database,
  definePlugin,
  fromPackage,
  events,
  languages,
  resources,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts, memberships, membershipSources, profileTabs } from '@mortise/accounts/api';
import {
  issueModelFields,
  issueProjects,
  issueRowProperties,
  issueSidebar,
  issues,
  timeline,
  timelineKinds,
} from '@mortise/issues/api';
import { attachments } from '@mortise/attachments/api';
import { markup } from '@mortise/markup/api';
import { organizations, teams } from '@mortise/organizations/api';
import {
  repositories,
  repositoryAccess,
  repositoryPages,
  repositoryResolver,
  repositoryTabs,
  repositoryUnits,
} from '@mortise/repositories/api';
import * as api from './api.js';
import { notifyMoreSubscribers, projectNotifications } from './events/notify.js';
import { registerEvents } from './events/register.js';
import { projectLines } from './pages/lines.js';
import type { PageDeps } from './pages/frame.js';
import { projectTab } from './pages/list-routes.js';
import { projectsBox } from './pages/sidebar.js';
import { pageDeps, projectPageRoutes, repositoryTab } from './pages/pages.js';
import { projectCardRoutes } from './routes/project-cards.js';
import { cardRoutes } from './routes/cards.js';
import { columnRoutes } from './routes/columns.js';
import { fieldRoutes } from './routes/fields.js';
import { projectRoutes } from './routes/projects.js';
import { ruleRoutes } from './routes/rules.js';
import { viewRoutes } from './routes/views.js';
import { checkProjects } from './services/doctor.js';
import { projectsField } from './services/issue-project-reader.js';
import { ScopeResolver, ProjectResolver } from './services/project-scopes.js';
import { makeServices, projectOrganizations, projectServices, projectTeams } from './services/services.js';
import { entryFields, entryKinds } from './services/timeline-kinds.js';
import { projectSettings, templateColumns } from './settings.js';
import { projectsUnit } from './units/projects.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    api.projects,
    api.projectChanged,
    api.projectColumnChanged,
    api.projectCardChanged,
    projectServices,
    projectTeams,
    pageDeps,
    projectOrganizations,
    notifyMoreSubscribers,
    projectNotifications,
  ],

  register(host) {
    const templates = templateColumns(host.settings('project', projectSettings));
    const teamPoint = host.point(projectTeams);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'projects',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    host.service(
      projectServices,
      {
        accounts,
        cache,
        channels,
        database,
        events,
        issues,
        languages,
        memberships,
        repositories,
        repositoryAccess,
        site,
        timeline,
      },
      (services) =>
        makeServices({
          ...services,
          templates,
          membershipSources: host.point(membershipSources),
          teams: () => teamPoint.list()[0],
        }),
    );
    host.service(api.projects, { services: projectServices }, ({ services }) => services.exchange);
    host.whenPresent('organizations', () => {
      host.contribute(projectTeams, { teams }, (services) => services.teams);
      host.contribute(projectOrganizations, { organizations }, (services) => services.organizations);
    });

    const resolved = {
      accounts,
      memberships,
      repositoryAccess,
      repositoryResolver,
      services: projectServices,
      site,
    } as const;
    host.contribute(resources, resolved, ({ services, ...deps }) => new ScopeResolver({ ...deps, ...services }));
    host.contribute(resources, resolved, ({ services, ...deps }) => {
      const all = { ...deps, ...services };
      return new ProjectResolver(all, new ScopeResolver(all));
    });
    host.contribute(repositoryUnits, projectsUnit);
    host.contribute(issueModelFields, { services: projectServices }, ({ services }) => projectsField(services));
    host.contribute(issueProjects, { services: projectServices }, ({ services }) => services.issueProjects);
    for (const key of entryKinds)
      host.contribute(timelineKinds, { services: projectServices }, ({ services }) => ({
        key,
        ...entryFields(services),
        ...projectLines(services),
      }));

    host.routes({ services: projectServices }, ({ services }) => [
      ...projectRoutes(services),
      ...columnRoutes(services),
      ...cardRoutes(services),
      ...projectCardRoutes(services),
      ...fieldRoutes(services),
      ...ruleRoutes(services),
      ...viewRoutes(services),
    ]);

    const rowProperties = host.point(issueRowProperties);
    const notificationPoint = host.point(projectNotifications);
    host.service(
      pageDeps,
      { services: projectServices, repositoryPages, attachments, markup, site },
      (services): PageDeps => ({ ...services, rowProperties, notifications: notificationPoint }),
    );
    host.routes({ pageDeps }, (services) => projectPageRoutes(services.pageDeps));
    host.contribute(repositoryTabs, { pageDeps, cache }, (services) =>
      repositoryTab(services.pageDeps, services.cache),
    );
    host.contribute(profileTabs, { pageDeps }, (services) => projectTab(services.pageDeps));
    host.contribute(issueSidebar, { pageDeps }, (services) => projectsBox(services.pageDeps));
    host.island('projects', new URL('./pages/islands/projects.js', import.meta.url));
    host.island('projects-style', new URL('./pages/projects.css', import.meta.url));

    host.doctor('boards', { database }, (services, options) => checkProjects(services.database, options));

    registerEvents(host);
  },
});
