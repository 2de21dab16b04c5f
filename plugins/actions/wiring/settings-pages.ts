import { database, defineService, site, type AnyRef, type PluginHost, type Route } from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage, dashboardSteps } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { organizationPages, organizationSettingsMenu } from '@mortise/organizations/api';
import { repositories, repositoryAccess, repositoryPages, repositorySettingsMenu } from '@mortise/repositories/api';
import { RunnerRow } from '../models/runner.js';
import { registrationTokens, runners } from '../contract/runners.js';
import { secrets, variables } from '../contract/secrets.js';
import { tokenSettings } from '../contract/token-settings.js';
import { environmentPages } from '../pages/settings/environments.js';
import { generalPages, type GeneralDeps } from '../pages/settings/general.js';
import type { SettingsLevel } from '../pages/settings/level.js';
import { organizationSettings, repositorySettings, siteSettings, userSettings } from '../pages/settings/levels.js';
import { RunnerTasks } from '../pages/settings/runner-tasks.js';
import { levelPlace } from '../pages/settings/named-list.js';
import { runnerPages, type RunnerPageDeps } from '../pages/settings/runners.js';
import { runAdminPages, type RunAdminDeps } from '../pages/settings/runs.js';
import { scopedPages, type ScopedPageDeps } from '../pages/settings/scoped.js';
import { secretPages } from '../pages/settings/secrets.js';
import { variablePages } from '../pages/settings/variables.js';
import type { Secrets, Variables } from '../contract/secrets.js';
import { ScopedPreviews } from '../services/runs/scoped-previews.js';
import { t } from '../texts/index.js';
import { environmentsRef, reviewingTeamsRef } from './deployments.js';
import { lifecycleRef, runQueriesRef, scopedWorkflowsRef, workflowFiles } from './runs.js';

interface SettingsDeps extends GeneralDeps, RunnerPageDeps, RunAdminDeps, ScopedPageDeps {
  readonly secrets: Secrets;
  readonly variables: Variables;
}
const settingsDeps = defineService<SettingsDeps>('actions.settingsPageDeps');

export const settingsPageProvides: readonly AnyRef[] = [settingsDeps];

const entry = { key: 'actions', label: t.later('unit'), icon: 'play', order: 45 } as const;

function pagesOf<S>(level: SettingsLevel<S>, deps: SettingsDeps): Route[] {
  const has = (key: (typeof level.pages)[number]) => level.pages.includes(key);
  return [
    ...(has('general') ? generalPages(level, deps) : []),
    ...(has('runners') ? runnerPages(level, deps) : []),
    ...(has('runs') ? runAdminPages(level, deps) : []),
    ...(has('secrets') ? secretPages(levelPlace(level, 'secrets'), deps.secrets) : []),
    ...(has('variables') ? variablePages(levelPlace(level, 'variables'), deps.variables) : []),
    ...(has('scoped-workflows') ? scopedPages(level, deps) : []),
  ];
}

/** Settings of Actions: of a repository, an account, an organization and the site. */
export function registerSettingsPages(host: PluginHost): void {
  host.service(
    settingsDeps,
    {
      ...{ database, site, accounts, repositories, access: repositoryAccess },
      ...{ runners, registrationTokens, secrets, variables, tokens: tokenSettings },
      ...{ scoped: scopedWorkflowsRef, files: workflowFiles, runQueries: runQueriesRef, lifecycle: lifecycleRef },
    },
    (services) => ({
      ...services,
      tasks: new RunnerTasks(services),
      previews: new ScopedPreviews(services),
      rootUrl: services.site.url('/'),
    }),
  );
  const deps = { deps: settingsDeps, site } as const;
  host.contribute(repositorySettingsMenu, { ...entry, href: 'actions/general' });
  host.routes(
    { ...deps, pages: repositoryPages, accounts, environments: environmentsRef, teams: reviewingTeamsRef },
    (services) => {
      const level = repositorySettings(services.pages, services.site);
      return [...pagesOf(level, services.deps), ...environmentPages(level, { ...services.deps, ...services })];
    },
  );
  host.contribute(settingsMenu, { ...entry, href: '/user/settings/actions/general' });
  host.routes({ ...deps, page: settingsPage }, (services) =>
    pagesOf(userSettings(services.page, services.site), services.deps),
  );
  host.whenPresent('organizations', () => {
    host.contribute(organizationSettingsMenu, { ...entry, href: 'actions/general' });
    host.routes({ ...deps, pages: organizationPages }, (services) =>
      pagesOf(organizationSettings(services.pages, services.site), services.deps),
    );
  });
  host.whenPresent('admin', () => {
    host.contribute(adminMenu, { ...entry, href: '/-/admin/actions/runners' });
    host.contribute(dashboardSteps, { database }, (services) => ({
      key: 'runner',
      list: 'site' as const,
      order: 50,
      label: t.later('step.runner'),
      path: '/-/admin/actions/runners',
      isDone: async () => Boolean(await services.database.query(RunnerRow).select('id').first()),
    }));
    host.routes({ ...deps, page: adminPage }, (services) =>
      pagesOf(siteSettings(services.page, services.site), services.deps),
    );
  });
}
