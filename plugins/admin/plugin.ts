import { database, definePlugin, defineService, scheduledTasks, site } from '@mortise/plugin-sdk';
import { accounts, emails, profileDetails, publicKeys, showKey } from '@mortise/accounts/api';
import { adminMenu, adminPage } from './api.js';
import { badgeCommands } from './commands/badges.js';
import { userCommands } from './commands/users.js';
import { badgeList } from './pages/badges.js';
import { makeAdminPage } from './pages/layout.js';
import { badgeRoutes } from './routes/badges.js';
import { emailAndKeyRoutes } from './routes/emails-and-keys.js';
import { adminPages } from './routes/pages.js';
import { taskRoutes } from './routes/tasks.js';
import { userRoutes } from './routes/users.js';
import { Badges } from './services/badges.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
const badges = defineService<Badges>('admin.badges');

export default definePlugin({
  name: 'admin',
  version: '1.0.0',
  description: 'Site administration',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  provides: [adminMenu, adminPage, badges],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    const menu = host.point(adminMenu);
    host.service(adminPage, { site }, (services) => makeAdminPage(menu, services.site));
    host.contribute(adminMenu, {
      key: 'users',
      label: t.later('users.title'),
      href: '/-/admin/users',
      icon: 'people',
      order: 10,
    });
    host.routes({ accounts }, userRoutes);
    host.routes({ accounts, emails, publicKeys, showKey }, emailAndKeyRoutes);
    host.routes({ accounts, adminPage, site }, adminPages);
    host.contribute(adminMenu, {
      key: 'tasks',
      label: t.later('tasks.title'),
      href: '/-/admin/tasks',
      icon: 'clock',
      order: 90,
    });
    host.routes({ tasks: scheduledTasks, adminPage, site }, taskRoutes);
    host.service(badges, { database }, (services) => new Badges(services.database));
    host.routes({ badges }, badgeRoutes);
    host.contribute(profileDetails, { badges }, (services) => ({
      key: 'badges',
      render: async ({ account }) => badgeList((await services.badges.ofUser(account.id)).items),
    }));
    userCommands(host);
    badgeCommands(host, badges);
  },
});
