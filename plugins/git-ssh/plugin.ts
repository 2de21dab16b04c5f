import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'git-ssh',
  version: '1.0.0',
  description: 'Clone, fetch and push over SSH',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', 'git-transport': '^1.0.0' },

  provides: [],

  register() {},
});
