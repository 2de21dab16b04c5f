import {
  definePlugin,
  fromPackage,
  menuEntries,
  paletteItemsOf,
  paletteSources,
  scheduledTasks,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts, loginSourceKinds, loginSources, settingsSearchRoute, dashboardSteps } from '@mortise/accounts/api';
import { mailer, mailUndeliverable } from '@mortise/mail/api';
import {
  overviewCounts,
  adminMenu,
  adminPage,
  adminUserSections,
  siteNotices,
  siteProblems,
} from './contract/admin.js';
import { badgeCommands } from './commands/badges.js';
import { commandGroups } from './commands/groups.js';
import { editUserCommands } from './commands/edit-users.js';
import { loginSourceCommands } from './commands/login-sources.js';
import { siteCommands } from './commands/site.js';
import { mailProblem } from './services/problems.js';
import { mailStep } from './services/setup-steps.js';
import { userCommands } from './commands/users.js';
import { adminSearchPath, makeAdminPage } from './pages/layout.js';
import { loginSourcePages } from './pages/login-sources.js';
import { mailRoutes } from './pages/mail.js';
import { taskRoutes } from './pages/tasks.js';
import { t } from './texts/index.js';
import {
  badges,
  gauges,
  notices,
  trimNotices,
  openSettings,
  registerSitePages,
  registerUserPages,
  registerNotices,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    overviewCounts,
    siteProblems,
    adminMenu,
    adminPage,
    adminUserSections,
    siteNotices,
    badges,
    notices,
    gauges,
    trimNotices,
  ],

  register(host) {
    const opened = openSettings(host);
    const { facts: counts } = opened;
    registerSitePages(host, opened);
    registerUserPages(host);
    registerNotices(host);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'admin',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    const menu = host.point(adminMenu);
    host.service(adminPage, { site }, (services) => makeAdminPage(menu, services.site));
    host.routes({ page: adminPage, site }, (services) => [
      settingsSearchRoute({
        ...services,
        path: adminSearchPath,
        actor: 'admin',
        title: t.later('configuration.search'),
        menu,
      }),
    ]);
    host.contribute(paletteSources, { site }, (services) => ({
      key: 'administration',
      label: t.later('layout.label'),
      order: 70,
      isMenu: true,
      find: ({ actor }) =>
        Promise.resolve(actor.isAdmin ? paletteItemsOf(menuEntries(menu, actor, services.site)) : []),
    }));
    const kinds = host.point(loginSourceKinds);
    host.contribute(adminMenu, {
      key: 'auths',
      label: t.later('auths.title'),
      href: '/-/admin/auths',
      icon: 'shield-lock',
      order: 20,
    });
    host.routes({ adminPage, loginSources, site }, (services) => loginSourcePages({ ...services, kinds }));
    host.contribute(adminMenu, {
      key: 'tasks',
      label: t.later('tasks.title'),
      href: '/-/admin/tasks',
      icon: 'clock',
      order: 90,
    });
    host.routes({ tasks: scheduledTasks, adminPage, site }, taskRoutes);
    host.whenPresent('mail', () => {
      host.contribute(dashboardSteps, { mailer }, (services) => mailStep(services.mailer));
      host.contribute(siteProblems, { mailer }, (services) => mailProblem(services.mailer));
      host.contribute(adminMenu, { mailer }, (services) => ({
        key: 'mail',
        label: t.later('mail.title'),
        href: '/-/admin/mail',
        icon: 'mail',
        order: 87,
        visible: () => services.mailer.isEnabled,
      }));
      host.routes({ accounts, adminPage, mailer, site }, mailRoutes);
      host.on(mailUndeliverable, 'within', 'mail-notice', { notices }, ({ to, subject, reason }, services) =>
        services.notices.add('mail', `A mail to ${to} could not be delivered: ${subject}\n${reason}`),
      );
    });
    commandGroups(host);
    userCommands(host);
    editUserCommands(host);
    siteCommands(host, { notices, counts });
    badgeCommands(host, badges);
    loginSourceCommands(host);
  },
});
