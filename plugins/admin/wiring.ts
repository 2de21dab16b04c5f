import {
  type PluginHost,
  database,
  defineJob,
  defineService,
  events,
  failedJobs,
  pluginCatalogue,
  pluginChanges,
  pluginDirectory,
  pluginSwitches,
  settingList,
  site,
  siteState,
  scheduleTask,
} from '@mortise/plugin-sdk';
import {
  accountMail,
  accounts,
  emails,
  loginSources,
  profileDetails,
  publicKeys,
  showKey,
  dashboardSteps,
} from '@mortise/accounts/api';
import { deliverMail } from '@mortise/mail/api';
import {
  overviewCounts,
  adminMenu,
  adminPage,
  adminUserSections,
  siteNotices,
  siteProblems,
} from './contract/admin.js';
import { badgeList } from './pages/badges.js';
import { badgeRoutes } from './routes/badges.js';
import { configurationRoutes } from './pages/configuration.js';
import { noticeRoutes } from './pages/notices.js';
import { overviewRoutes } from './pages/overview.js';
import { pluginRoutes } from './pages/plugins.js';
import { emailPages } from './pages/emails.js';
import { emailAndKeyRoutes } from './routes/emails-and-keys.js';
import { adminPages } from './pages/user-routes.js';
import { userRoutes } from './routes/users.js';
import { Badges } from './services/badges.js';
import { GaugeHistory } from './services/gauge-history.js';
import { Notices } from './services/notices.js';
import { ownProblems } from './services/problems.js';
import { addressStep, backupStep } from './services/setup-steps.js';
import { accountListSettings, noticeListSettings, noticeSettings } from './settings.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
export const badges = defineService<Badges>('admin.badges');
export const notices = defineService<Notices>('admin.ownNotices');
export const gauges = defineService<GaugeHistory>('admin.gauges');
export const trimNotices = defineJob<Record<string, never>>('admin.trimNotices');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const counts = host.point(overviewCounts);
  return { facts: counts };
}

type Opened = ReturnType<typeof openSettings>;

export function registerSitePages(host: PluginHost, { facts: counts }: Opened): void {
  host.contribute(adminMenu, {
    key: 'overview',
    label: t.later('overview.title'),
    href: '/-/admin',
    icon: 'pulse',
    order: 0,
    settings: [
      { label: t.later('overview.health') },
      { label: t.later('charts.title') },
      { label: t.later('disks.title') },
      { label: t.later('queues.title') },
    ],
  });
  host.contribute(adminMenu, {
    key: 'plugins',
    label: t.later('plugins.title'),
    href: '/-/admin/plugins',
    icon: 'plug',
    order: 80,
  });
  host.contribute(adminMenu, {
    key: 'configuration',
    label: t.later('configuration.title'),
    href: '/-/admin/configuration',
    icon: 'sliders',
    order: 85,
  });
  host.routes({ adminPage, settings: settingList, site }, configurationRoutes);
  const problems = host.point(siteProblems);
  host.service(gauges, { state: siteState }, ({ state }) => new GaugeHistory(state, host.log));
  host.onStart({ gauges }, async (services) => services.gauges.start());
  host.routes({ adminPage, database, gauges, plugins: pluginDirectory, site, state: siteState }, (services) =>
    overviewRoutes({ ...services, counts, problems }),
  );
  host.island('admin-plugin-change', new URL('./pages/islands/plugin-change.js', import.meta.url));
  host.routes(
    {
      adminPage,
      catalogue: pluginCatalogue,
      changes: pluginChanges,
      database,
      events,
      plugins: pluginDirectory,
      site,
      switches: pluginSwitches,
    },
    pluginRoutes,
  );
  host.contribute(siteProblems, { notices, plugins: pluginDirectory, state: siteState }, ownProblems);
  host.contribute(dashboardSteps, { site }, (services) => addressStep(services.site));
  host.contribute(dashboardSteps, { state: siteState }, (services) => backupStep(services.state));
  host.contribute(overviewCounts, { accounts }, (services) => ({
    key: 'users',
    label: t.later('users.title'),
    href: '/-/admin/users',
    order: 10,
    count: () => services.accounts.count({ kind: 'user' }),
  }));
}

export function registerUserPages(host: PluginHost): void {
  host.contribute(adminMenu, {
    key: 'users',
    label: t.later('users.title'),
    href: '/-/admin/users',
    icon: 'people',
    order: 10,
    settings: [{ label: t.later('users.new') }],
  });
  host.routes({ accounts, accountMail, loginSources, site }, userRoutes);
  host.routes({ accounts, emails, publicKeys, showKey }, emailAndKeyRoutes);
  host.contribute(adminMenu, {
    key: 'emails',
    label: t.later('emails.title'),
    href: '/-/admin/emails',
    icon: 'mail',
    order: 12,
  });
  host.routes({ accounts, adminPage, emails, site }, emailPages);
  const sections = host.point(adminUserSections);
  const { USER_PAGING_NUM: perPage } = host.settings('ui.admin', accountListSettings);
  host.routes({ accounts, accountMail, adminPage, database, loginSources, site }, (services) =>
    adminPages({ ...services, sections, perPage }),
  );
  host.service(badges, { database }, (services) => new Badges(services.database));
  host.routes({ badges }, badgeRoutes);
  host.contribute(profileDetails, { badges }, (services) => ({
    key: 'badges',
    render: async ({ account }) => badgeList((await services.badges.ofUser(account.id)).items),
  }));
}

export function registerNotices(host: PluginHost): void {
  const keeping = host.settings('cron.delete_old_system_notices', noticeSettings);
  host.service(notices, { database }, (services) => new Notices(services.database));
  host.service(siteNotices, { notices }, (services) => services.notices);
  host.contribute(adminMenu, {
    key: 'notices',
    label: t.later('notices.title'),
    href: '/-/admin/notices',
    icon: 'bell',
    order: 95,
  });
  const { NOTICE_PAGING_NUM: perPage } = host.settings('ui.admin', noticeListSettings);
  host.routes({ adminPage, notices, site }, (services) => noticeRoutes({ ...services, perPage }));
  host.contribute(failedJobs, { notices }, (services) => ({
    key: 'admin',
    // of mails the event tells more
    failed: async ({ plugin, job, reason }) =>
      job === deliverMail.id ? undefined : services.notices.add('job', `The job ${job} of ${plugin} failed: ${reason}`),
  }));
  host.job(trimNotices, {}, { notices }, (_payload, services) =>
    services.notices.trim(keeping.ENABLED ? Date.now() - keeping.OLDER_THAN : 0),
  );
  const times = {
    id: 'notices',
    taskName: 'delete_old_system_notices',
    title: t.later('schedule.notices'),
    schedule: '@every 168h',
  };
  scheduleTask(host, times, trimNotices, {});
}
