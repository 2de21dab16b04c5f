import { definePlugin, scheduledTasks, site } from '@mortise/plugin-sdk';
import { accounts, emails, publicKeys, showKey } from '@mortise/accounts/api';
import { adminMenu, adminPage } from './api.js';
import { userCommands } from './commands/users.js';
import { makeAdminPage } from './pages/layout.js';
import { emailAndKeyRoutes } from './routes/emails-and-keys.js';
import { adminPages } from './routes/pages.js';
import { taskRoutes } from './routes/tasks.js';
import { userRoutes } from './routes/users.js';

export default definePlugin({
  name: 'admin',
  version: '1.0.0',
  description: 'Site administration',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  provides: [adminMenu, adminPage],

  register(host) {
    const menu = host.point(adminMenu);
    host.service(adminPage, { site }, (services) => makeAdminPage(menu, services.site));
    host.contribute(adminMenu, { key: 'users', label: 'Users', href: '/-/admin/users', icon: 'people', order: 10 });
    host.routes({ accounts }, userRoutes);
    host.routes({ accounts, emails, publicKeys, showKey }, emailAndKeyRoutes);
    host.routes({ accounts, adminPage, site }, adminPages);
    host.contribute(adminMenu, { key: 'tasks', label: 'Tasks', href: '/-/admin/tasks', icon: 'clock', order: 90 });
    host.routes({ tasks: scheduledTasks, adminPage, site }, taskRoutes);
    userCommands(host);
  },
});
