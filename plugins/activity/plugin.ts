import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'activity',
  version: '1.0.0',
  description: 'What happened: feeds of users and repositories',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0' },

  provides: [],

  register() {},
});
