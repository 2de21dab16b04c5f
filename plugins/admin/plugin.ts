import { definePlugin } from '@mortise/plugin-sdk';
import { accounts, emails, publicKeys, showKey } from '@mortise/accounts/api';
import { adminMenu } from './api.js';
import { userCommands } from './commands/users.js';
import { emailAndKeyRoutes } from './routes/emails-and-keys.js';
import { userRoutes } from './routes/users.js';

export default definePlugin({
  name: 'admin',
  version: '1.0.0',
  description: 'Site administration',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  provides: [adminMenu],

  register(host) {
    host.point(adminMenu);
    host.routes({ accounts }, userRoutes);
    host.routes({ accounts, emails, publicKeys, showKey }, emailAndKeyRoutes);
    userCommands(host);
  },
});
