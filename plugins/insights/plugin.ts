import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'insights',
  version: '1.0.0',
  description: 'Contributors, code frequency and recent activity of a repository',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', contents: '^1.0.0' },

  provides: [],

  register() {},
});
